// SPDX-License-Identifier: GPL-2.0-or-later
// Character generators: loading into plane 2, cell height, and INT 10h 11h. The fonts are our own
// (font_8x*.txt, mkfont.c).
#include "firmware.h"

#include "font16.inc"
#include "font14.inc"
#include "font8.inc"

// Nine-dot replacement tables: our fonts need none, so the list is empty.
ROM u8 font14_alternate[] = {0};

enum { font_segment = 0xA000, upper_half = 128 * 8 };

// Maps plane 2 alone, linear at A000h.
static void open_plane2(void)
{
    out_indexed(0x3C4, 0, 1);
    out_indexed(0x3C4, 2, 0x04);
    out_indexed(0x3C4, 4, 0x07);
    out_indexed(0x3C4, 0, 3);
    out_indexed(0x3CE, 4, 0x02);
    out_indexed(0x3CE, 5, 0x00);
    out_indexed(0x3CE, 6, 0x04);
}

static void close_plane2(void)
{
    out_indexed(0x3C4, 0, 1);
    out_indexed(0x3C4, 2, 0x03);
    out_indexed(0x3C4, 4, 0x02);
    out_indexed(0x3C4, 0, 3);
    out_indexed(0x3CE, 4, 0x00);
    out_indexed(0x3CE, 5, 0x10);
    out_indexed(0x3CE, 6, bda->video_crtc == 0x3B4 ? 0x0A : 0x0E);
}

// Blocks 0 to 3 are 16 KB apart, 4 to 7 are between them.
static u16 block_offset(u8 block) { return (u16)((block & 3) << 14 | (block & 4) << 11); }

static void load_glyphs(u16 seg, u16 off, u16 first, u16 count, int height, u8 block)
{
    u16 to = (u16)(block_offset(block) + first * 32);
    for (; count; --count) {
        far_copy8(font_segment, to, seg, off, (u16)height);
        far_fill8(font_segment, (u16)(to + height), 0, (u16)(32 - height));
        off = (u16)(off + height);
        to += 32;
    }
}

u16 video_rom_font(int height)
{
    return height == 16 ? rom_offset(font16) : height == 14 ? rom_offset(font14) : rom_offset(font8);
}

static void load_builtin(int height, u8 block)
{
    load_glyphs(rom_segment, video_rom_font(height), 0, 256, height, block);
}

void video_load_font(int height, u8 block)
{
    open_plane2();
    load_builtin(height, block);
    close_plane2();
    set_vector(0x43, rom_segment, video_rom_font(height));
    set_vector(0x1F, rom_segment, (u16)(rom_offset(font8) + upper_half));
    out_indexed(0x3C4, 3, 0);
}

// Adapts CRTC, rows and cursor to a new cell height. The number of lines (400 or the mode's) is unchanged.
void video_apply_height(int height)
{
    u16 crtc = bda->video_crtc;
    outb(crtc, 0x12);
    u16 lines = inb(crtc + 1);
    outb(crtc, 0x07);
    u8 overflow = inb(crtc + 1);
    lines = (u16)(lines + 1 + (overflow & 0x02 ? 0x100 : 0) + (overflow & 0x40 ? 0x200 : 0));
    outb(crtc, 0x09);
    u8 cell = inb(crtc + 1);
    if (cell & 0x80)
        lines /= 2;
    out_indexed(crtc, 0x09, (u8)((cell & 0xE0) | (height - 1)));
    out_indexed(crtc, 0x0A, (u8)(height - (height > 8 ? 3 : 2)));
    out_indexed(crtc, 0x0B, (u8)(height - (height > 8 ? 2 : 1)));
    out_indexed(crtc, 0x14, bda->video_mode == 7 ? (u8)(height - 1) : 0x1F);
    u16 rows = (u16)(lines / height);
    u16 displayed = (u16)(rows * height * (cell & 0x80 ? 2 : 1) - 1);
    out_indexed(crtc, 0x12, (u8)displayed);
    bda->video_rows = (u8)(rows - 1);
    bda->video_char_height = (u16)height;
    bda->video_page_bytes = (u16)((rows * bda->video_columns * 2 + 0xFF) & 0xFF00);
    bda->video_cursor_type = 0x0607;
}

static void font_information(struct Regs* r)
{
    r->cx = bda->video_char_height;
    r->dl = bda->video_rows;
    switch (r->bh) {
    case 0: r->es = vector_segment(0x1F); r->bp = vector_offset(0x1F); return;
    case 1: r->es = vector_segment(0x43); r->bp = vector_offset(0x43); return;
    case 2: r->bp = rom_offset(font14); break;
    case 3: r->bp = rom_offset(font8); break;
    case 4: r->bp = (u16)(rom_offset(font8) + upper_half); break;
    case 5: r->bp = rom_offset(font14_alternate); break;
    case 6: r->bp = rom_offset(font16); break;
    case 7: r->bp = rom_offset(font14_alternate); break;
    default: return;
    }
    r->es = rom_segment;
}

// The font of graphics modes. BL: 0 = DL rows, 1 = 14, 2 = 25, 3 = 43 rows.
static void graphics_font(struct Regs* r, u16 segment, u16 offset, u16 height)
{
    set_vector(0x43, segment, offset);
    u8 rows = r->bl == 1 ? 14 : r->bl == 2 ? 25 : r->bl == 3 ? 43 : r->dl;
    if (height && height <= 32)
        bda->video_char_height = height;
    if (rows)
        bda->video_rows = (u8)(rows - 1);
}

void video_font_service(struct Regs* r)
{
    int height = 0;
    switch (r->al) {
    case 0x00:
    case 0x10:
        open_plane2();
        load_glyphs(r->es, r->bp, r->dx, r->cx, r->bh, r->bl);
        close_plane2();
        height = r->bh;
        break;
    case 0x01: case 0x11: height = 14; break;
    case 0x02: case 0x12: height = 8; break;
    case 0x04: case 0x14: height = 16; break;
    case 0x03: out_indexed(0x3C4, 3, r->bl); return;
    case 0x20: set_vector(0x1F, r->es, r->bp); return;
    case 0x21: graphics_font(r, r->es, r->bp, r->cx); return;
    case 0x22: graphics_font(r, rom_segment, video_rom_font(14), 14); return;
    case 0x23: graphics_font(r, rom_segment, video_rom_font(8), 8); return;
    case 0x24: graphics_font(r, rom_segment, video_rom_font(16), 16); return;
    case 0x30: font_information(r); return;
    default: return;
    }
    if (r->al & 0x0F) {
        open_plane2();
        load_builtin(height, r->bl);
        close_plane2();
    }
    if ((r->al & 0x10) && height > 0 && height <= 32)
        video_apply_height(height);
}
