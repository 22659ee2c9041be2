// SPDX-License-Identifier: GPL-2.0-or-later
// INT 15h, INT 11h and INT 12h.
#include "board.h"
#include "firmware.h"

void event_wait(struct Regs* r);
void mouse_service(struct Regs* r);

enum { unsupported = 0x86 };

void equipment_service(struct Regs* r) { r->ax = bda->equipment; }
void memory_size_service(struct Regs* r) { r->ax = bda->base_kb; }

static void fail(struct Regs* r, u8 code)
{
    r->ah = code;
    set_carry(r, 1);
}

static void succeed(struct Regs* r)
{
    r->ah = 0;
    set_carry(r, 0);
}

static void a20_service(struct Regs* r)
{
    switch (r->al) {
    case 0x00: a20_set(0); break;
    case 0x01: a20_set(1); break;
    case 0x02: r->al = (u8)a20_is_on(); break;
    case 0x03: r->bx = 0x0003; break;      // through the 8042 and through port 92h
    default: fail(r, unsupported); return;
    }
    succeed(r);
}

static u16 extended_kb(void)
{
    u32 kb = extended_kb_low();
    if (kb == 0x3C00)
        kb += extended_64k_high() * 64;
    return kb > 0xFC00 ? 0xFC00 : (u16)kb;
}

static void move_block(struct Regs* r)
{
    int a20 = a20_is_on();
    if (r->cx > 0x8000) {
        fail(r, 2);
        set_zero(r, 0);
        return;
    }
    u32 flags = save_flags_cli();
    a20_set(1);
    block_move(r->es, r->si, r->cx);
    if (!a20)
        a20_set(0);
    restore_flags(flags);
    succeed(r);
    set_zero(r, 1);
}

static void go_protected(struct Regs* r)
{
    cli();
    a20_set(1);
    pic_init(r->bh, r->bl);
    outb(0x21, 0xFF);
    outb(0xA1, 0xFF);
    enter_protected(r);
}

#include "board_services.h"

// C7h: memory map information in KB.
static void memory_table(struct Regs* r)
{
    u16 to = ebda_memory_table;
    u32 high = extended_64k_high() * 64;
    far_fill8(ebda_segment, to, 0, 44);
    far_write16(ebda_segment, to, 42);
    far_write32(ebda_segment, to + 0x02, extended_kb_low());
    far_write32(ebda_segment, to + 0x06, high);
    far_write32(ebda_segment, to + 0x12, extended_kb_low());   // cacheable
    far_write32(ebda_segment, to + 0x16, high);
    r->ds = ebda_segment;
    r->si = to;
    succeed(r);
}

struct Range { u32 base, length, kind; };

// The n-th range of the memory map; 0 after the last. The last one is the ROM below the top of the address space and
// not memory, because some callers (the XMS driver HIMEMX 3.34) take EBX = 0 for "nothing more" and ignore the range
// that is returned with it.
static int memory_range(u32 n, struct Range* range)
{
    enum { usable = 1, reserved = 2 };
    u32 low = extended_kb_low() * 1024, high = extended_64k_high() * 0x10000;
    if (n >= 4 && !high) ++n;
    range->kind = usable;
    switch (n) {
    case 0: range->base = 0; range->length = (u32)bda->base_kb * 1024; return 1;
    case 1:
        range->base = (u32)bda->base_kb * 1024;
        range->length = 0xA0000 - range->base;
        range->kind = reserved;
        return 1;
    case 2: range->base = 0xE0000; range->length = 0x20000; range->kind = reserved; return 1;
    case 3: range->base = 0x100000; range->length = low; return low != 0;
    case 4: range->base = 0x1000000; range->length = high; return 1;
    case 5: range->base = 0xFFFE0000; range->length = 0x20000; range->kind = reserved; return 1;
    default: return 0;
    }
}

static void memory_map(struct Regs* r)
{
    struct Range range;
    if (r->edx != 0x534D4150 || r->ecx < 20 || !memory_range(r->ebx, &range)) {
        fail(r, unsupported);
        return;
    }
    far_write32(r->es, r->di, range.base);
    far_write32(r->es, (u16)(r->di + 4), 0);
    far_write32(r->es, (u16)(r->di + 8), range.length);
    far_write32(r->es, (u16)(r->di + 12), 0);
    far_write32(r->es, (u16)(r->di + 16), range.kind);
    u32 next = r->ebx + 1;
    r->ebx = memory_range(next, &range) ? next : 0;
    r->eax = 0x534D4150;
    r->ecx = 20;
    set_carry(r, 0);
}

static void memory_sizes(struct Regs* r)
{
    r->ax = r->cx = (u16)extended_kb_low();
    r->bx = r->dx = (u16)extended_64k_high();
    set_carry(r, 0);
}

static void wait_us(struct Regs* r)
{
    u32 us = (u32)r->cx << 16 | r->dx;
    if (bda->wait_active & 1) {
        fail(r, 0x83);
        return;
    }
    sti();
    delay_us(us);
    succeed(r);
}

static void error_log(struct Regs* r)
{
    u8 count = far_read8(ebda_segment, ebda_error_count);
    if (r->al == 0) {
        r->bx = count;
        r->es = ebda_segment;
        r->di = ebda_error_log;
        succeed(r);
    } else if (r->al == 1 && count < 5) {
        far_write16(ebda_segment, (u16)(ebda_error_log + 2 * count), r->bx);
        far_write8(ebda_segment, ebda_error_count, (u8)(count + 1));
        succeed(r);
    } else {
        fail(r, r->al == 1 ? 1 : unsupported);
    }
}

void system_service(struct Regs* r)
{
    switch (r->ah) {
    case 0x21: error_log(r); return;
    case 0x24: a20_service(r); return;
    case 0x4F: set_carry(r, 1); return;    // keep the scan code
    case 0x80: case 0x81: case 0x82:       // device open, close, program end
    case 0x85:                             // SysRq
    case 0x90: case 0x91:                  // wait, post
        succeed(r);
        return;
    case 0x83: event_wait(r); return;
    case 0x84: fail(r, unsupported); return;   // no joystick
    case 0x86: wait_us(r); return;
    case 0x87: move_block(r); return;
    case 0x88: r->ax = extended_kb(); set_carry(r, 0); return;
    case 0x89: go_protected(r); return;
    case 0xC0:
        r->es = rom_segment;
        r->bx = rom_offset(configuration_table);
        succeed(r);
        return;
    case 0xC1: r->es = bda->ebda_segment; succeed(r); return;
    case 0xC2: sti(); mouse_service(r); return;
    BOARD_SERVICES(r)
    case 0xC7: memory_table(r); return;
    case 0xE8:
        if (r->al == 0x01) {
            memory_sizes(r);
            return;
        }
        if (r->al == 0x20) {
            memory_map(r);
            return;
        }
        break;
    default: break;
    }
    fail(r, unsupported);
}
