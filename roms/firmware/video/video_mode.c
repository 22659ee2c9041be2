// SPDX-License-Identifier: GPL-2.0-or-later
// Register-level mode setting of the VGA: sequencer, CRTC, attribute and graphics controllers, DAC.
// All modes of the VGA: text 0 to 3 and 7 (400, 350 or 200 lines), CGA graphics 4 to 6, graphics 0Dh to 13h.
#include "firmware.h"

struct Mode {
    u8 mode, columns, rows, height;
    u16 page_bytes;
    u8 misc, seq[4];
    u8 crtc[25];
    u8 attribute_kind, attribute_mode, plane_enable, panning;
    u8 graphics[9];
    u8 dac;
};

enum { attr_text, attr_mono, attr_16, attr_256, attr_mono_graphics, attr_two_colours, attr_cga_4, attr_cga_2 };
enum { dac_64, dac_mono, dac_256, dac_16 };

#define CRTC_80 {0x5F,0x4F,0x50,0x82,0x55,0x81,0xBF,0x1F,0x00,0x4F,0x0D,0x0E,0,0,0,0, \
                 0x9C,0x8E,0x8F,0x28,0x1F,0x96,0xB9,0xA3,0xFF}
#define CRTC_40 {0x2D,0x27,0x28,0x90,0x2B,0xA0,0xBF,0x1F,0x00,0x4F,0x0D,0x0E,0,0,0,0, \
                 0x9C,0x8E,0x8F,0x14,0x1F,0x96,0xB9,0xA3,0xFF}
#define CRTC_MONO {0x5F,0x4F,0x50,0x82,0x55,0x81,0xBF,0x1F,0x00,0x4F,0x0D,0x0E,0,0,0,0, \
                   0x9C,0x8E,0x8F,0x28,0x0D,0x96,0xB9,0xA3,0xFF}
#define CRTC_320 {0x2D,0x27,0x28,0x90,0x2B,0x80,0xBF,0x1F,0x00,0xC0,0,0,0,0,0,0, \
                  0x9C,0x8E,0x8F,0x14,0x00,0x96,0xB9,0xE3,0xFF}
#define CRTC_200 {0x5F,0x4F,0x50,0x82,0x54,0x80,0xBF,0x1F,0x00,0xC0,0,0,0,0,0,0, \
                  0x9C,0x8E,0x8F,0x28,0x00,0x96,0xB9,0xE3,0xFF}
#define CRTC_350 {0x5F,0x4F,0x50,0x82,0x54,0x80,0xBF,0x1F,0x00,0x40,0,0,0,0,0,0, \
                  0x83,0x85,0x5D,0x28,0x0F,0x63,0xBA,0xE3,0xFF}
#define CRTC_480 {0x5F,0x4F,0x50,0x82,0x54,0x80,0x0B,0x3E,0x00,0x40,0,0,0,0,0,0, \
                  0xEA,0x8C,0xDF,0x28,0x00,0xE7,0x04,0xE3,0xFF}
#define CRTC_480_MONO {0x5F,0x4F,0x50,0x82,0x54,0x80,0x0B,0x3E,0x00,0x40,0,0,0,0,0,0, \
                       0xEA,0x8C,0xDF,0x28,0x00,0xE7,0x04,0xC3,0xFF}
#define CRTC_13H {0x5F,0x4F,0x50,0x82,0x54,0x80,0xBF,0x1F,0x00,0x41,0,0,0,0,0,0, \
                  0x9C,0x8E,0x8F,0x28,0x40,0x96,0xB9,0xA3,0xFF}
#define CRTC_CGA_320 {0x2D,0x27,0x28,0x90,0x2B,0x80,0xBF,0x1F,0x00,0xC1,0,0,0,0,0,0, \
                      0x9C,0x8E,0x8F,0x14,0x00,0x96,0xB9,0xA2,0xFF}
#define CRTC_CGA_640 {0x5F,0x4F,0x50,0x82,0x54,0x80,0xBF,0x1F,0x00,0xC1,0,0,0,0,0,0, \
                      0x9C,0x8E,0x8F,0x28,0x00,0x96,0xB9,0xC2,0xFF}
#define GRAPHICS_TEXT {0,0,0,0,0,0x10,0x0E,0,0xFF}
#define GRAPHICS_PLANES {0,0,0,0,0,0,0x05,0x0F,0xFF}

ROM struct Mode modes[] = {
    {1, 40, 25, 16, 0x0800, 0x67, {0x08,0x03,0x00,0x02}, CRTC_40, attr_text, 0x0C, 0x0F, 8,
     GRAPHICS_TEXT, dac_64},
    {3, 80, 25, 16, 0x1000, 0x67, {0x00,0x03,0x00,0x02}, CRTC_80, attr_text, 0x0C, 0x0F, 8,
     GRAPHICS_TEXT, dac_64},
    {4, 40, 25, 8, 0x4000, 0x63, {0x09,0x03,0x00,0x02}, CRTC_CGA_320, attr_cga_4, 0x01, 0x03, 0,
     {0,0,0,0,0,0x30,0x0F,0,0xFF}, dac_16},
    {6, 80, 25, 8, 0x4000, 0x63, {0x01,0x01,0x00,0x06}, CRTC_CGA_640, attr_cga_2, 0x01, 0x01, 0,
     {0,0,0,0,0,0x00,0x0D,0,0xFF}, dac_16},
    {7, 80, 25, 16, 0x1000, 0x66, {0x00,0x03,0x00,0x02}, CRTC_MONO, attr_mono, 0x0E, 0x0F, 8,
     {0,0,0,0,0,0x10,0x0A,0,0xFF}, dac_mono},
    {0x0D, 40, 25, 8, 0x2000, 0x63, {0x09,0x0F,0x00,0x06}, CRTC_320, attr_16, 0x01, 0x0F, 0,
     GRAPHICS_PLANES, dac_16},
    {0x0E, 80, 25, 8, 0x4000, 0x63, {0x01,0x0F,0x00,0x06}, CRTC_200, attr_16, 0x01, 0x0F, 0,
     GRAPHICS_PLANES, dac_16},
    {0x0F, 80, 25, 14, 0x8000, 0xA2, {0x01,0x0F,0x00,0x06}, CRTC_350, attr_mono_graphics, 0x0B,
     0x05, 0, {0,0,0,0,0,0,0x05,0x05,0xFF}, dac_mono},
    {0x10, 80, 25, 14, 0x8000, 0xA3, {0x01,0x0F,0x00,0x06}, CRTC_350, attr_text, 0x01, 0x0F, 0,
     GRAPHICS_PLANES, dac_64},
    {0x11, 80, 30, 16, 0xA000, 0xE3, {0x01,0x0F,0x00,0x06}, CRTC_480_MONO, attr_two_colours, 0x01,
     0x0F, 0, {0,0,0,0,0,0,0x05,0x01,0xFF}, dac_64},
    {0x12, 80, 30, 16, 0xA000, 0xE3, {0x01,0x0F,0x00,0x06}, CRTC_480, attr_text, 0x01, 0x0F, 0,
     GRAPHICS_PLANES, dac_64},
    {0x13, 40, 25, 8, 0x2000, 0x63, {0x01,0x0F,0x00,0x0E}, CRTC_13H, attr_256, 0x41, 0x0F, 0,
     {0,0,0,0,0,0x40,0x05,0x0F,0xFF}, dac_256},
};

static const __seg_gs struct Mode* find_mode(u8 mode)
{
    if (mode == 0 || mode == 2)
        ++mode;                                // identical on a colour monitor
    if (mode == 5)
        mode = 4;
    for (u32 i = 0; i < sizeof modes / sizeof modes[0]; ++i)
        if (modes[i].mode == mode)
            return &modes[i];
    return 0;
}

static u8 attribute_value(u8 kind, u8 index)
{
    switch (kind) {
    case attr_text:                            // brown instead of dark yellow, bright colours from 38h
        return index < 8 ? (index == 6 ? 0x14 : index) : (u8)(0x30 + index);
    case attr_mono: return index == 0 || index == 8 ? (index ? 0x10 : 0) : index < 8 ? 0x08 : 0x18;
    case attr_16: return index < 8 ? index : (u8)(0x08 + index);
    case attr_mono_graphics:                   // plane 0 on, plane 2 bright, or blinking if alone
        return index & 1 ? (index & 4 ? 0x18 : 0x08) : index == 4 ? 0x18 : 0;
    case attr_two_colours: return index ? 0x3F : 0;
    case attr_cga_4: {                         // cyan, magenta, white; unused entries as on the CGA
        ROM u8 colours[8] = {0x00, 0x13, 0x15, 0x17, 0x02, 0x04, 0x06, 0x07};
        return index < 8 ? colours[index] : (u8)(0x08 + index);
    }
    case attr_cga_2: return index ? 0x17 : 0;
    default: return index;
    }
}

static void load_attributes(const __seg_gs struct Mode* m, u8 kind, u8 panning)
{
    u16 status = m->misc & 1 ? 0x3DA : 0x3BA;
    inb(status);
    for (u8 i = 0; i < 16; ++i) {
        outb(0x3C0, i);
        outb(0x3C0, attribute_value(kind, i));
    }
    ROM u8 tail_index[] = {0x10, 0x11, 0x12, 0x13, 0x14};
    u8 tail[5] = {0};
    tail[0] = m->attribute_mode;
    tail[2] = m->plane_enable;
    tail[3] = panning;
    for (u8 i = 0; i < 5; ++i) {
        outb(0x3C0, tail_index[i]);
        outb(0x3C0, tail[i]);
    }
    inb(status);
    outb(0x3C0, 0x20);                         // palette back to the display
}

static void dac(u8 red, u8 green, u8 blue)
{
    if (bda->video_flags & 2) {                // grey summing: 30, 59 and 11 per cent
        u8 grey = (u8)((red * 77 + green * 151 + blue * 28 + 128) >> 8);
        red = green = blue = grey;
    }
    outb(0x3C9, red);
    outb(0x3C9, green);
    outb(0x3C9, blue);
}

// Two bits per colour: the primary one counts two thirds, the secondary one third.
static u8 two_bit(u8 value, u8 primary, u8 secondary)
{
    return (u8)((value & primary ? 0x2A : 0) + (value & secondary ? 0x15 : 0));
}

// 256 colours: 16 EGA colours, 16 greys, then three brightnesses of three saturations of a hue circle
// of 24 steps.
static void load_dac_256(void)
{
    ROM u8 greys[16] = {0, 5, 8, 11, 14, 17, 20, 24, 28, 32, 36, 40, 45, 50, 56, 63};
    ROM u8 levels[3][3][5] = {
        {{0, 16, 31, 47, 63}, {31, 39, 47, 55, 63}, {45, 49, 54, 58, 63}},
        {{0, 7, 14, 21, 28}, {14, 17, 21, 24, 28}, {20, 22, 24, 26, 28}},
        {{0, 4, 8, 12, 16}, {8, 10, 12, 14, 16}, {11, 12, 13, 15, 16}},
    };
    for (u8 i = 0; i < 16; ++i) {
        u8 c = attribute_value(attr_text, i);
        dac(two_bit(c, 4, 32), two_bit(c, 2, 16), two_bit(c, 1, 8));
    }
    for (u8 i = 0; i < 16; ++i)
        dac(greys[i], greys[i], greys[i]);
    for (u8 group = 0; group < 9; ++group) {
        for (u8 hue = 0; hue < 24; ++hue) {
            // Blue, magenta, red, yellow, green, cyan: in each sixth one component rises or falls.
            u8 step = hue & 3, down = (u8)(4 - step), r = 0, g = 0, b = 0;
            switch (hue >> 2) {
            case 0: b = 4; r = step; break;
            case 1: r = 4; b = down; break;
            case 2: r = 4; g = step; break;
            case 3: g = 4; r = down; break;
            case 4: g = 4; b = step; break;
            default: b = 4; g = down; break;
            }
            u8 brightness = (u8)(group / 3), saturation = (u8)(group % 3);
            dac(levels[brightness][saturation][r], levels[brightness][saturation][g],
                levels[brightness][saturation][b]);
        }
    }
    for (u8 i = 0; i < 8; ++i)
        dac(0, 0, 0);
}

static void load_dac(u8 kind)
{
    outb(0x3C6, 0xFF);
    outb(0x3C8, 0);
    if (kind == dac_256) {
        load_dac_256();
    } else {
        for (u8 i = 0; i < 64; ++i) {
            if (kind == dac_mono) {            // black, normal, bright
                u8 level = (i & 0x18) == 0x18 ? 0x3F : i & 0x08 ? 0x2A : i & 0x10 ? 0x15 : 0;
                if (i & 0x20)
                    level = 0x3F;
                dac(level, level, level);
            } else if (kind == dac_16) {           // bit 4 is bright; dark yellow is brown
                dac(two_bit(i, 4, 16), (i & 0x17) == 6 ? 0x15 : two_bit(i, 2, 16), two_bit(i, 1, 16));
            } else {
                dac(two_bit(i, 4, 32), two_bit(i, 2, 16), two_bit(i, 1, 8));
            }
        }
    }
}

static void load_registers(const __seg_gs struct Mode* m)
{
    u16 crtc = m->misc & 1 ? 0x3D4 : 0x3B4;
    out_indexed(0x3C4, 0, 1);                      // synchronous reset while the clocks change
    out_indexed(0x3C4, 1, m->seq[0] | 0x20);
    outb(0x3C2, m->misc);
    for (u8 i = 1; i < 4; ++i)
        out_indexed(0x3C4, (u8)(i + 1), m->seq[i]);
    out_indexed(0x3C4, 0, 3);
    out_indexed(crtc, 0x11, 0x0E);                 // unlock CRTC 0 to 7
    for (u8 i = 0; i < 25; ++i)
        out_indexed(crtc, i, m->crtc[i]);
    for (u8 i = 0; i < 9; ++i)
        out_indexed(0x3CE, i, m->graphics[i]);
}

// Text modes have 400 lines, or 350 or 200 after INT 10h 12h/30h; monochrome has no 200-line mode.
static u8 text_height(u8 mode)
{
    u8 flags = bda->video_flags;
    return flags & 0x10 ? 16 : !(flags & 0x80) || mode == 7 ? 14 : 8;
}

// Changes the 400 lines just loaded to 350 or 200: characters of 14 or 8 lines, in colour 8 dots wide.
static void load_scan_lines(const __seg_gs struct Mode* m, u8 height)
{
    ROM u8 values_350[][2] = {{0x09, 0x4D}, {0x0A, 0x0B}, {0x0B, 0x0C}, {0x10, 0x83}, {0x11, 0x85},
                              {0x12, 0x5D}, {0x15, 0x63}, {0x16, 0xBA}};
    u16 crtc = m->misc & 1 ? 0x3D4 : 0x3B4;
    out_indexed(0x3C4, 0, 1);
    if (m->misc & 1)
        out_indexed(0x3C4, 1, m->seq[0] | 0x21);
    outb(0x3C2, m->misc & 1 ? (height == 14 ? 0xA3 : 0x63) : 0xA6);
    out_indexed(0x3C4, 0, 3);
    if (height == 14) {
        for (u8 i = 0; i < sizeof values_350 / sizeof values_350[0]; ++i)
            out_indexed(crtc, values_350[i][0], values_350[i][1]);
    } else {
        out_indexed(crtc, 0x09, 0xC7);
        out_indexed(crtc, 0x0A, 6);
        out_indexed(crtc, 0x0B, 7);
    }
}

void video_set_mode(u8 request)
{
    u8 keep = request & 0x80;
    u8 number = request & 0x7F;
    const __seg_gs struct Mode* m = find_mode(number);
    if (!m)
        return;
    bda->video_mode = number;
    bda->video_columns = m->columns;
    bda->video_page_bytes = m->page_bytes;
    bda->video_page_start = 0;
    for (u8 i = 0; i < 8; ++i)
        bda->video_cursor[i] = 0;
    bda->video_page = 0;
    bda->video_crtc = m->misc & 1 ? 0x3D4 : 0x3B4;
    bda->video_rows = (u8)(m->rows - 1);
    int text = video_is_text();
    u8 height = text ? text_height(number) : m->height;
    u8 narrow = text && height < 16 && m->misc & 1;
    bda->video_char_height = height;
    bda->video_control = (u8)((bda->video_control & 0x01) | 0x60 | keep);
    bda->video_switches = 0xF9;
    bda->video_combination = 0x0B;
    ROM u8 mode_select[] = {0x2C, 0x28, 0x2D, 0x29, 0x2A, 0x2E, 0x1E, 0x29};
    if (number < 8)
        bda->video_mode_select = mode_select[number];
    bda->video_palette = number == 6 ? 0x3F : 0x30;
    load_registers(m);
    if (text && height < 16)
        load_scan_lines(m, height);
    if (!(bda->video_flags & 8)) {
        u8 as_cga = narrow && height == 8;
        load_attributes(m, as_cga ? attr_16 : m->attribute_kind, narrow ? 0 : m->panning);
        load_dac(as_cga ? dac_16 : m->dac);
    } else {
        inb(m->misc & 1 ? 0x3DA : 0x3BA);
        outb(0x3C0, 0x20);
    }
    if (text) {
        video_load_font(height, 0);
        if (!keep)
            far_fill16(video_segment(), 0, 0x0720, 0x4000);
        bda->video_cursor_type = 0x0607;
    } else {
        bda->video_cursor_type = 0;
        if (!keep)
            far_fill16(video_segment(), 0, 0, number <= 6 ? 0x2000 : 0x8000);
        set_vector(0x43, rom_segment, video_rom_font(m->height));
    }
    out_indexed(0x3C4, 1, m->seq[0] | narrow);     // screen on
}

// POST: initial values before the first mode is set.
void video_wake_registers(void)
{
    bda->video_flags = 0x11;                   // VGA, 400 lines
    bda->video_control = 0x60;
}
