// SPDX-License-Identifier: GPL-2.0-or-later
// INT 10h 1Ch: saves and restores the screen state of the adapter and the BIOS. The area is a sequence of bytes in the
// order in which the parts are processed below; CX selects the parts. The latches are not included.
#include "firmware.h"

enum { save_hardware = 1, save_bios = 2, save_dac = 4, block_bytes = 64 };
enum { sequencer = 0x3C4, graphics = 0x3CE, attribute = 0x3C0, dac_mask = 0x3C6, dac_read = 0x3C7,
       dac_write = 0x3C8, dac_data = 0x3C9, misc_read = 0x3CC, misc_write = 0x3C2, feature_read = 0x3CA };
enum { crtc_registers = 25, attribute_registers = 21, graphics_registers = 9, palette_bytes = 768,
       bda_first = 0x49, bda_length = 0x1E, bda_second = 0x84, bda_second_length = 7, bda_pointer = 0xA8 };

struct Area {
    u16 segment, offset;
    int restore;
};

static u16 length(u8 parts)
{
    u16 n = 0;
    if (parts & save_hardware)
        n += 2 + 3 + 2 + 4 + crtc_registers + graphics_registers + attribute_registers;
    if (parts & save_bios)
        n += bda_length + bda_second_length + 4 + 8;
    if (parts & save_dac)
        n += 1 + palette_bytes;
    return n;
}

static u8 next(struct Area* a) { return far_read8(a->segment, a->offset++); }
static void keep(struct Area* a, u8 value) { far_write8(a->segment, a->offset++, value); }

// A register selected by an index port, or `count` registers of a controller from `first` on.
static void registers(struct Area* a, u16 port, u8 first, u8 count)
{
    for (u8 i = first; count; --count, ++i) {
        outb(port, i);
        if (a->restore)
            outb(port + 1, next(a));
        else
            keep(a, inb(port + 1));
    }
}

static void port_value(struct Area* a, u16 read, u16 write)
{
    if (a->restore)
        outb(write, next(a));
    else
        keep(a, inb(read));
}

static void attributes(struct Area* a, u16 status)
{
    for (u8 i = 0; i < attribute_registers; ++i) {
        inb(status);
        outb(attribute, i);
        if (a->restore)
            outb(attribute, next(a));
        else
            keep(a, inb(attribute + 1));
    }
    inb(status);
    outb(attribute, 0x20);                     // palette back to the display
}

static void hardware(struct Area* a)
{
    u16 crtc = bda->video_crtc;
    u8 indexes[3];
    if (a->restore) {
        crtc = next(a);
        crtc = (u16)(crtc | next(a) << 8);
        for (u8 i = 0; i < 3; ++i)
            indexes[i] = next(a);
        out_indexed(sequencer, 0, 1);          // synchronous reset while the clocks change
    } else {
        indexes[0] = inb(sequencer);
        indexes[1] = inb(graphics);
        indexes[2] = inb(crtc);
        keep(a, (u8)crtc);
        keep(a, (u8)(crtc >> 8));
        for (u8 i = 0; i < 3; ++i)
            keep(a, indexes[i]);
    }
    port_value(a, misc_read, misc_write);
    port_value(a, feature_read, crtc + 6);
    registers(a, sequencer, 1, 4);
    if (a->restore) {
        out_indexed(sequencer, 0, 3);
        out_indexed(crtc, 0x11, 0x0E);         // unlock CRTC 0 to 7
    }
    registers(a, crtc, 0, crtc_registers);
    registers(a, graphics, 0, graphics_registers);
    attributes(a, crtc + 6);
    outb(sequencer, indexes[0]);
    outb(graphics, indexes[1]);
    outb(crtc, indexes[2]);
}

static void memory(struct Area* a, u16 segment, u16 offset, u16 bytes)
{
    if (a->restore)
        far_copy8(segment, offset, a->segment, a->offset, bytes);
    else
        far_copy8(a->segment, a->offset, segment, offset, bytes);
    a->offset += bytes;
}

static void dac(struct Area* a)
{
    port_value(a, dac_mask, dac_mask);
    outb(a->restore ? dac_write : dac_read, 0);
    for (u16 i = 0; i < palette_bytes; ++i)
        port_value(a, dac_data, dac_data);
}

void video_save_service(struct Regs* r)
{
    u8 parts = r->cl & 7;
    if (r->al > 2 || !parts)
        return;
    if (r->al == 0) {
        r->bx = (length(parts) + block_bytes - 1) / block_bytes;
    } else {
        struct Area a = {r->es, r->bx, r->al == 2};
        if (parts & save_hardware)
            hardware(&a);
        if (parts & save_bios) {
            memory(&a, 0x40, bda_first, bda_length);
            memory(&a, 0x40, bda_second, bda_second_length);
            memory(&a, 0x40, bda_pointer, 4);
            memory(&a, 0, 0x1F * 4, 4);
            memory(&a, 0, 0x43 * 4, 4);
        }
        if (parts & save_dac)
            dac(&a);
    }
    r->al = 0x1C;
}
