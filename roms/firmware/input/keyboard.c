// SPDX-License-Identifier: GPL-2.0-or-later
// INT 09h (scan code set 1, US layout) and INT 16h.
#include "board.h"
#include "firmware.h"

enum {  // key_flags1
    shift_right = 0x01, shift_left = 0x02, any_ctrl = 0x04, any_alt = 0x08, scroll_lock = 0x10,
    num_lock = 0x20, caps_lock = 0x40, insert_mode = 0x80, any_shift = 0x03,
};
enum {  // key_flags2
    ctrl_left = 0x01, alt_left = 0x02, sysrq_down = 0x04, paused = 0x08,
};
enum {  // key_mode
    last_e1 = 0x01, last_e0 = 0x02, ctrl_right = 0x04, alt_right = 0x08, enhanced = 0x10,
};

// Words AH:AL for the key alone and with shift, ctrl, alt. 0 = no key. Scan codes 01h to 58h.
ROM u16 keys[0x59][4] = {
    {0, 0, 0, 0},
    {0x011B, 0x011B, 0x011B, 0x0100},
    {0x0231, 0x0221, 0, 0x7800}, {0x0332, 0x0340, 0x0300, 0x7900}, {0x0433, 0x0423, 0, 0x7A00},
    {0x0534, 0x0524, 0, 0x7B00}, {0x0635, 0x0625, 0, 0x7C00}, {0x0736, 0x075E, 0x071E, 0x7D00},
    {0x0837, 0x0826, 0, 0x7E00}, {0x0938, 0x092A, 0, 0x7F00}, {0x0A39, 0x0A28, 0, 0x8000},
    {0x0B30, 0x0B29, 0, 0x8100}, {0x0C2D, 0x0C5F, 0x0C1F, 0x8200}, {0x0D3D, 0x0D2B, 0, 0x8300},
    {0x0E08, 0x0E08, 0x0E7F, 0x0E00}, {0x0F09, 0x0F00, 0x9400, 0xA500},
    {0x1071, 0x1051, 0x1011, 0x1000}, {0x1177, 0x1157, 0x1117, 0x1100},  // q w
    {0x1265, 0x1245, 0x1205, 0x1200}, {0x1372, 0x1352, 0x1312, 0x1300},  // e r
    {0x1474, 0x1454, 0x1414, 0x1400}, {0x1579, 0x1559, 0x1519, 0x1500},  // t y
    {0x1675, 0x1655, 0x1615, 0x1600}, {0x1769, 0x1749, 0x1709, 0x1700},  // u i
    {0x186F, 0x184F, 0x180F, 0x1800}, {0x1970, 0x1950, 0x1910, 0x1900},  // o p
    {0x1A5B, 0x1A7B, 0x1A1B, 0x1A00}, {0x1B5D, 0x1B7D, 0x1B1D, 0x1B00},  // [ ]
    {0x1C0D, 0x1C0D, 0x1C0A, 0x1C00}, {0, 0, 0, 0},                      // enter, ctrl
    {0x1E61, 0x1E41, 0x1E01, 0x1E00}, {0x1F73, 0x1F53, 0x1F13, 0x1F00},  // a s
    {0x2064, 0x2044, 0x2004, 0x2000}, {0x2166, 0x2146, 0x2106, 0x2100},  // d f
    {0x2267, 0x2247, 0x2207, 0x2200}, {0x2368, 0x2348, 0x2308, 0x2300},  // g h
    {0x246A, 0x244A, 0x240A, 0x2400}, {0x256B, 0x254B, 0x250B, 0x2500},  // j k
    {0x266C, 0x264C, 0x260C, 0x2600}, {0x273B, 0x273A, 0, 0x2700},       // l ;
    {0x2827, 0x2822, 0, 0x2800}, {0x2960, 0x297E, 0, 0x2900},            // ' `
    {0, 0, 0, 0}, {0x2B5C, 0x2B7C, 0x2B1C, 0x2B00},                      // shift, backslash
    {0x2C7A, 0x2C5A, 0x2C1A, 0x2C00}, {0x2D78, 0x2D58, 0x2D18, 0x2D00},  // z x
    {0x2E63, 0x2E43, 0x2E03, 0x2E00}, {0x2F76, 0x2F56, 0x2F16, 0x2F00},  // c v
    {0x3062, 0x3042, 0x3002, 0x3000}, {0x316E, 0x314E, 0x310E, 0x3100},  // b n
    {0x326D, 0x324D, 0x320D, 0x3200}, {0x332C, 0x333C, 0, 0x3300},       // m ,
    {0x342E, 0x343E, 0, 0x3400}, {0x352F, 0x353F, 0, 0x3500},            // . /
    {0, 0, 0, 0}, {0x372A, 0x372A, 0x9600, 0x3700},                      // shift, keypad *
    {0, 0, 0, 0}, {0x3920, 0x3920, 0x3920, 0x3920}, {0, 0, 0, 0},        // alt, space, caps
    {0x3B00, 0x5400, 0x5E00, 0x6800}, {0x3C00, 0x5500, 0x5F00, 0x6900},
    {0x3D00, 0x5600, 0x6000, 0x6A00}, {0x3E00, 0x5700, 0x6100, 0x6B00},
    {0x3F00, 0x5800, 0x6200, 0x6C00}, {0x4000, 0x5900, 0x6300, 0x6D00},
    {0x4100, 0x5A00, 0x6400, 0x6E00}, {0x4200, 0x5B00, 0x6500, 0x6F00},
    {0x4300, 0x5C00, 0x6600, 0x7000}, {0x4400, 0x5D00, 0x6700, 0x7100},
    {0, 0, 0, 0}, {0, 0, 0, 0},                                          // num lock, scroll lock
    {0x4700, 0x4737, 0x7700, 0}, {0x4800, 0x4838, 0x8D00, 0}, {0x4900, 0x4939, 0x8400, 0},
    {0x4A2D, 0x4A2D, 0x8E00, 0x4A00},
    {0x4B00, 0x4B34, 0x7300, 0}, {0x4CF0, 0x4C35, 0x8F00, 0}, {0x4D00, 0x4D36, 0x7400, 0},
    {0x4E2B, 0x4E2B, 0x9000, 0x4E00},
    {0x4F00, 0x4F31, 0x7500, 0}, {0x5000, 0x5032, 0x9100, 0}, {0x5100, 0x5133, 0x7600, 0},
    {0x5200, 0x5230, 0x9200, 0}, {0x5300, 0x532E, 0x9300, 0},
    {0, 0, 0, 0}, {0, 0, 0, 0}, {0x565C, 0x567C, 0, 0},                  // 102nd key
    {0x8500, 0x8700, 0x8900, 0x8B00}, {0x8600, 0x8800, 0x8A00, 0x8C00},  // F11, F12
};

struct Extended { u8 scan; u16 plain, ctrl, alt; };
ROM struct Extended extended_keys[] = {  // after E0h
    {0x1C, 0xE00D, 0xE00A, 0xA600}, {0x35, 0xE02F, 0x9500, 0xA400},
    {0x47, 0x47E0, 0x77E0, 0x9700}, {0x48, 0x48E0, 0x8DE0, 0x9800}, {0x49, 0x49E0, 0x84E0, 0x9900},
    {0x4B, 0x4BE0, 0x73E0, 0x9B00}, {0x4D, 0x4DE0, 0x74E0, 0x9D00}, {0x4F, 0x4FE0, 0x75E0, 0x9F00},
    {0x50, 0x50E0, 0x91E0, 0xA000}, {0x51, 0x51E0, 0x76E0, 0xA100}, {0x52, 0x52E0, 0x92E0, 0xA200},
    {0x53, 0x53E0, 0x93E0, 0xA300},
};

void keyboard_ring_init(void)
{
    bda->key_head = bda->key_tail = bda->key_ring_start = ring_start;
    bda->key_ring_end = ring_end;
    bda->key_flags1 = bda->key_flags2 = bda->key_alt_number = 0;
    bda->key_mode = enhanced;
    bda->key_leds = 0;
}

static u16 ring_next(u16 at) { return at + 2 >= bda->key_ring_end ? bda->key_ring_start : at + 2; }

int keyboard_ring_put(u16 key)
{
    u16 next = ring_next(bda->key_tail);
    if (next == bda->key_head)
        return 0;
    far_write16(0x40, bda->key_tail, key);
    bda->key_tail = next;
    return 1;
}

static void beep(void)
{
    u8 port = inb(0x61) & 0x0F;
    outb(0x61, port | 3);
    delay_ms(60);
    outb(0x61, port);
}

static void hot_reset(void)
{
    bda->warm_flag = 0x1234;
    board_reset();
    asm volatile("ljmp $0xF000, $0xFFF0");
    __builtin_unreachable();
}

// Modifier and lock keys. Returns 1 if the code was one of them.
static int modifier(u8 code, int released, int e0)
{
    u8 one = 0, lock = 0;
    switch (code) {
    case 0x2A: one = e0 ? 0 : shift_left; break;    // E0 2A and E0 36 only bracket the codes of the grey keys
    case 0x36: one = e0 ? 0 : shift_right; break;
    case 0x1D:
        if (e0)
            bda->key_mode = released ? bda->key_mode & ~ctrl_right : bda->key_mode | ctrl_right;
        else
            bda->key_flags2 = released ? bda->key_flags2 & ~ctrl_left : bda->key_flags2 | ctrl_left;
        one = any_ctrl;
        released = !((bda->key_mode & ctrl_right) || (bda->key_flags2 & ctrl_left));
        break;
    case 0x38:
        if (e0)
            bda->key_mode = released ? bda->key_mode & ~alt_right : bda->key_mode | alt_right;
        else
            bda->key_flags2 = released ? bda->key_flags2 & ~alt_left : bda->key_flags2 | alt_left;
        one = any_alt;
        released = !((bda->key_mode & alt_right) || (bda->key_flags2 & alt_left));
        if (released && bda->key_alt_number) {
            keyboard_ring_put(bda->key_alt_number);
            bda->key_alt_number = 0;
        }
        break;
    case 0x3A: lock = caps_lock; break;
    case 0x45: lock = num_lock; break;
    case 0x46: lock = scroll_lock; break;
    default: return 0;
    }
    if (lock && !e0 && !(bda->key_flags1 & any_ctrl)) {
        // key_flags2 records a held lock key, so that repeats do not toggle again.
        if (released)
            bda->key_flags2 &= (u8)~lock;
        else if (!(bda->key_flags2 & lock)) {
            bda->key_flags2 |= lock;
            bda->key_flags1 ^= lock;
        }
        return 1;
    }
    if (lock)
        return 0;
    bda->key_flags1 = released ? bda->key_flags1 & ~one : bda->key_flags1 | one;
    return 1;
}

static u16 translate(u8 code, int e0)
{
    u8 flags = bda->key_flags1;
    if (e0) {
        for (u32 i = 0; i < sizeof extended_keys / sizeof extended_keys[0]; ++i)
            if (extended_keys[i].scan == code)
                return flags & any_alt ? extended_keys[i].alt
                     : flags & any_ctrl ? extended_keys[i].ctrl : extended_keys[i].plain;
        return 0;
    }
    if (code > 0x58)
        return 0;
    int column = flags & any_alt ? 3 : flags & any_ctrl ? 2 : flags & any_shift ? 1 : 0;
    if (column < 2) {
        u16 plain = keys[code][0];
        u8 letter = (u8)plain;
        if ((flags & caps_lock) && letter >= 'a' && letter <= 'z')
            column ^= 1;
        if ((flags & num_lock) && code >= 0x47 && code <= 0x53)
            column ^= 1;
    }
    return keys[code][column];
}

static void press(u8 code, int e0)
{
    u8 flags = bda->key_flags1;
    if (code == 0x53 && (flags & any_ctrl) && (flags & any_alt))
        hot_reset();
    if (bda->key_flags2 & paused) {
        bda->key_flags2 &= (u8)~paused;
        return;
    }
    if (code == 0x46 && (flags & any_ctrl)) {            // Ctrl-Break
        bda->key_head = bda->key_tail = bda->key_ring_start;
        bda->break_flag = 0x80;
        asm volatile("int $0x1B" : : : "memory");
        keyboard_ring_put(0);
        return;
    }
    if (e0 && code == 0x37 && !(flags & (any_ctrl | any_alt))) {
        asm volatile("int $0x05" : : : "memory");
        return;
    }
    if (code == 0x54) {                                  // SysRq
        if (!(bda->key_flags2 & sysrq_down)) {
            bda->key_flags2 |= sysrq_down;
            u32 ax = 0x8500;
            asm volatile("int $0x15" : "+a"(ax) : : "memory", "cc");
        }
        return;
    }
    // Alt with keypad digits composes a character.
    if ((flags & any_alt) && !e0 && code >= 0x47 && code <= 0x52 && code != 0x4A && code != 0x4E) {
        ROM u8 digits[] = {7, 8, 9, 0, 4, 5, 6, 0, 1, 2, 3, 0};
        bda->key_alt_number = (u8)(bda->key_alt_number * 10 + digits[code - 0x47]);
        return;
    }
    if (code == 0x52 && !(flags & (any_alt | any_ctrl)) && (e0 || !(flags & any_shift)))
        bda->key_flags1 ^= insert_mode;
    u16 key = translate(code, e0);
    if (key && !keyboard_ring_put(key))
        beep();
}

// INT 15h 91h: the hook that tells multitasking software that an interrupt has completed.
static void post_event(u8 device)
{
    u32 ax = 0x9100u | device;
    asm volatile("int $0x15" : "+a"(ax) : : "memory", "cc");
}

static void scan_code(u8 code)
{
    if (code == 0xE0) {
        bda->key_mode |= last_e0;
        return;
    }
    if (code == 0xE1) {
        bda->key_mode |= last_e1;
        return;
    }
    u8 mode = bda->key_mode;
    int e0 = (mode & last_e0) != 0;
    if (mode & last_e1) {
        // Pause sends E1 1D 45 E1 9D C5: act on the 45h, discard the rest.
        if ((code & 0x7F) != 0x1D) {
            bda->key_mode &= (u8)~last_e1;
            if (code == 0x45)
                bda->key_flags2 |= paused;
        }
        return;
    }
    bda->key_mode &= (u8)~last_e0;
    if (code == 0xFA || code == 0xFE || code == 0xFF)
        return;
    int released = (code & 0x80) != 0;
    code &= 0x7F;
    if (modifier(code, released, e0))
        return;
    if (!released) {
        press(code, e0);
        post_event(0x02);
    } else if (code == 0x54) {
        bda->key_flags2 &= (u8)~sysrq_down;
        u32 ax = 0x8501;
        asm volatile("int $0x15" : "+a"(ax) : : "memory", "cc");
    }
}

void keyboard_interrupt(u8 code, u8 wanted)
{
    kbc_command(0xAE);
    int was_paused = bda->key_flags2 & paused;
    pic_eoi(1);
    if (wanted) {
        scan_code(code);
        keyboard_leds();
    }
    // Wait until another key ends the pause; other interrupts are still serviced.
    if (!was_paused)
        while (bda->key_flags2 & paused)
            wait_for_interrupt();
}

// --- INT 16h ------------------------------------------------------------------------------------

// Translates enhanced keys for old programs: 0 = hidden from functions 00h and 01h.
static int old_view(u16* key)
{
    u8 high = (u8)(*key >> 8), low = (u8)*key;
    if (high == 0xE0)
        *key = (u16)((low == '/' ? 0x3500 : 0x1C00) | low);
    else if (low == 0xE0 && high)
        *key &= 0xFF00;
    else if ((low == 0xF0 && high) || high > 0x84)
        return 0;
    return 1;
}

static u16 new_view(u16 key) { return (u16)key == 0x4CF0 ? 0x4C00 : key; }

static int peek(u16* key, int old)
{
    for (;;) {
        u32 flags = save_flags_cli();
        u16 head = bda->key_head;
        if (head == bda->key_tail) {
            restore_flags(flags);
            return 0;
        }
        *key = far_read16(0x40, head);
        int visible = !old || old_view(key);
        if (!visible)
            bda->key_head = ring_next(head);
        restore_flags(flags);
        if (visible)
            return 1;
    }
}

static u16 get(int old)
{
    u16 key;
    if (!peek(&key, old)) {
        u32 ax = 0x9002;
        asm volatile("int $0x15" : "+a"(ax) : : "memory", "cc");
        while (!peek(&key, old))
            wait_for_interrupt();
    }
    bda->key_head = ring_next(bda->key_head);
    return old ? key : new_view(key);
}

static void set_typematic(struct Regs* r)
{
    u32 flags = save_flags_cli();
    u8 rate = (u8)((r->bh & 3) << 5 | (r->bl & 0x1F));
    if (keyboard_send(0xF3) && keyboard_send(rate))
        far_write8(ebda_segment, ebda_typematic, rate);
    restore_flags(flags);
}

void keyboard_service(struct Regs* r)
{
    u16 key;
    sti();
    switch (r->ah) {
    case 0x00: r->ax = get(1); break;
    case 0x10: r->ax = get(0); break;
    case 0x01:
    case 0x11:
        if (peek(&key, r->ah == 0x01)) {
            r->ax = r->ah == 0x01 ? key : new_view(key);
            set_zero(r, 0);
        } else {
            set_zero(r, 1);
        }
        break;
    case 0x02: r->al = bda->key_flags1; break;
    case 0x12: {
        u8 flags2 = bda->key_flags2;
        r->al = bda->key_flags1;
        r->ah = (u8)((flags2 & 0x73) | (flags2 & sysrq_down ? 0x80 : 0)
                     | (bda->key_mode & (ctrl_right | alt_right)));
        break;
    }
    case 0x03:
        if (r->al == 5)
            set_typematic(r);
        else if (r->al == 6) {
            u8 rate = far_read8(ebda_segment, ebda_typematic);
            r->bl = rate & 0x1F;
            r->bh = rate >> 5;
        }
        break;
    case 0x05: {
        u32 flags = save_flags_cli();
        r->al = keyboard_ring_put(r->cx) ? 0 : 1;
        restore_flags(flags);
        break;
    }
    case 0x09: r->al = 0x38; break;   // 10h to 12h, 0Ah and 0306h are supported
    case 0x0A: r->bx = far_read16(ebda_segment, ebda_keyboard_id); break;
    default: break;
    }
}
