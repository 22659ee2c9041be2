// SPDX-License-Identifier: GPL-2.0-or-later
// INT 10h: dispatch, cursor, pages, characters, scrolling, teletype, for text modes; the graphics versions
// are in video_graphics.c.
#include "firmware.h"

int video_is_text(void) { return bda->video_mode <= 3 || bda->video_mode == 7; }

u16 video_segment(void)
{
    u8 mode = bda->video_mode;
    return mode == 7 ? 0xB000 : mode < 7 ? 0xB800 : 0xA000;
}

static u8 rows(void) { return (u8)(bda->video_rows + 1); }

static u16 cell_offset(u8 page, u8 row, u8 column)
{
    return (u16)(page * bda->video_page_bytes + (row * bda->video_columns + column) * 2);
}

static void crtc_pair(u8 index, u16 value)
{
    u16 port = bda->video_crtc;
    out_indexed(port, index, (u8)(value >> 8));
    out_indexed(port, index + 1, (u8)value);
}

void video_set_start(u16 start) { crtc_pair(0x0C, start); }

void video_show_cursor(void)
{
    u16 cursor = bda->video_cursor[bda->video_page];
    crtc_pair(0x0E, (u16)((bda->video_page_start / 2) + (cursor >> 8) * bda->video_columns
                          + (cursor & 0xFF)));
}

static void set_cursor(u8 page, u8 row, u8 column)
{
    bda->video_cursor[page & 7] = (u16)(row << 8 | column);
    if ((page & 7) == bda->video_page)
        video_show_cursor();
}

// Programs give cursor lines for a cell of eight lines; the lower two keep their distance from the bottom.
static u8 scale_cursor_line(u8 line)
{
    u8 height = (u8)bda->video_char_height;
    return line >= 6 ? (u8)(height - 9 + line) : (u8)(line * height / 8);
}

static void set_cursor_type(u8 start, u8 end)
{
    bda->video_cursor_type = (u16)(start << 8 | end);
    u8 hidden = start & 0x20, first = start & 0x1F, last = end & 0x1F;
    if (!(bda->video_control & 1) && bda->video_char_height > 8 && first < 8 && last < 8) {
        first = scale_cursor_line(first);
        last = scale_cursor_line(last);
    }
    crtc_pair(0x0A, (u16)((hidden | first) << 8 | last));
}

static void select_page(u8 page)
{
    page &= 7;
    bda->video_page = page;
    bda->video_page_start = (u16)(page * bda->video_page_bytes);
    video_set_start(bda->video_page_start / 2);
    video_show_cursor();
}

// Copies or clears rows of a window. lines = 0 clears all of it.
static void scroll(u8 page, int down, u8 lines, u8 attribute, u8 top, u8 left, u8 bottom, u8 right)
{
    u16 segment = video_segment();
    int text = video_is_text();
    if (bottom >= rows())
        bottom = (u8)(rows() - 1);
    if (right >= bda->video_columns)
        right = (u8)(bda->video_columns - 1);
    if (top > bottom || left > right)
        return;
    u8 height = (u8)(bottom - top + 1), width = (u8)(right - left + 1);
    if (lines == 0 || lines > height)
        lines = height;
    for (u8 i = 0; i < height; ++i) {
        u8 row = down ? (u8)(bottom - i) : (u8)(top + i);
        u16 to = cell_offset(page, row, left);
        if (i + lines < height) {
            u8 source = down ? (u8)(row - lines) : (u8)(row + lines);
            if (text)
                far_copy16(segment, to, segment, cell_offset(page, source, left), width);
            else
                graphics_copy_row(page, row, source, left, width);
        } else if (!text) {
            graphics_fill_row(page, row, left, width, attribute);
        } else {
            far_fill16(segment, to, (u16)(attribute << 8 | ' '), width);
        }
    }
}

static void put(u8 page, u8 row, u8 column, u8 c, int attribute)
{
    u16 at = cell_offset(page, row, column);
    if (!video_is_text()) {
        graphics_put(page, row, column, c, attribute >= 0 ? (u8)attribute : 7);
        return;
    }
    far_write8(video_segment(), at, c);
    if (attribute >= 0)
        far_write8(video_segment(), at + 1, (u8)attribute);
}

static void beep(void)
{
    u8 port = inb(0x61) & 0x0F;
    outb(0x61, port | 3);
    delay_ms(60);
    outb(0x61, port);
}

// A negative attribute keeps the existing one; graphics modes, which have none, use `colour`.
static void teletype(u8 c, u8 page, int attribute, u8 colour)
{
    page &= 7;
    u16 cursor = bda->video_cursor[page];
    u8 row = (u8)(cursor >> 8), column = (u8)cursor;
    switch (c) {
    case 7: beep(); return;
    case 8:
        if (column)
            --column;
        break;
    case 10: ++row; break;
    case 13: column = 0; break;
    default:
        put(page, row, column, c, video_is_text() ? attribute : colour);
        if (++column >= bda->video_columns) {
            column = 0;
            ++row;
        }
    }
    if (row >= rows()) {
        row = (u8)(rows() - 1);
        u8 fill = 0;
        if (video_is_text())
            fill = far_read8(video_segment(), cell_offset(page, row, column) + 1);
        scroll(page, 0, 1, fill, 0, 0, row, (u8)(bda->video_columns - 1));
    }
    set_cursor(page, row, column);
}

void video_teletype(u8 c, u8 page, u8 colour)
{
    teletype(c, page, -1, colour);
}

static void write_repeated(struct Regs* r, int attribute)
{
    u8 page = r->bh & 7;
    u16 cursor = bda->video_cursor[page];
    u8 row = (u8)(cursor >> 8), column = (u8)cursor;
    for (u16 n = r->cx; n && row < rows(); --n) {
        put(page, row, column, r->al, attribute);
        if (++column >= bda->video_columns) {
            column = 0;
            ++row;
        }
    }
}

// AL bit 0: move the cursor; bit 1: characters and attributes alternate.
static void write_string(struct Regs* r)
{
    u8 page = r->bh & 7;
    u16 saved = bda->video_cursor[page];
    u16 from = r->bp;
    set_cursor(page, r->dh, r->dl);
    for (u16 n = r->cx; n; --n) {
        u8 c = far_read8(r->es, from++);
        u8 attribute = r->bl;
        if (r->al & 2)
            attribute = far_read8(r->es, from++);
        teletype(c, page, attribute, attribute);
    }
    if (!(r->al & 1))
        set_cursor(page, (u8)(saved >> 8), (u8)saved);
}

static void alternate_select(struct Regs* r)
{
    switch (r->bl) {
    case 0x10:
        r->bh = bda->video_crtc == 0x3B4;
        r->bl = 3;                             // 256 KB
        r->ch = 0;
        r->cl = bda->video_switches & 0x0F;
        break;
    case 0x20: r->al = 0x12; break;            // INT 05h already prints any number of rows
    case 0x30:                                 // scan lines of the next text mode: 200, 350, 400
        if (r->al <= 2) {
            u8 flags = bda->video_flags & 0x6F;
            u8 switches = bda->video_switches & 0xF0;
            bda->video_flags = (u8)(flags | (r->al == 0 ? 0x80 : r->al == 2 ? 0x10 : 0));
            bda->video_switches = (u8)(switches | (r->al == 0 ? 8 : 9));
            r->al = 0x12;
        }
        break;
    case 0x31:                                 // palette loading at mode set
        bda->video_flags = (u8)((bda->video_flags & ~8) | (r->al & 1 ? 8 : 0));
        r->al = 0x12;
        break;
    case 0x32:
        outb(0x3C3, r->al & 1 ? 0 : 1);
        r->al = 0x12;
        break;
    case 0x33:
        bda->video_flags = (u8)((bda->video_flags & ~2) | (r->al & 1 ? 0 : 2));
        r->al = 0x12;
        break;
    case 0x34:
        bda->video_control = (u8)((bda->video_control & ~1) | (r->al & 1));
        r->al = 0x12;
        break;
    case 0x36: {
        outb(0x3C4, 1);
        u8 mode = inb(0x3C5);
        outb(0x3C5, r->al & 1 ? mode | 0x20 : mode & ~0x20);
        r->al = 0x12;
        break;
    }
    default: break;
    }
}

// BH = 0: border, in CGA graphics also the background. BH = 1: the colours of mode 4, either green, red and
// brown or cyan, magenta and white. Bit 4 of the value selects the bright ones.
static void colour_select(struct Regs* r)
{
    u8 palette = bda->video_palette, mode = bda->video_mode;
    if (r->bh == 0) {
        palette = (u8)((palette & 0xE0) | (r->bl & 0x1F));
        video_write_attribute(0x11, r->bl & 0x0F);
        if (mode >= 4 && mode <= 6)
            video_write_attribute(0x00, (u8)((r->bl & 7) | (r->bl & 8) << 1));
    } else {
        palette = (u8)((palette & 0xDF) | (r->bl & 1) << 5);
    }
    bda->video_palette = palette;
    if (mode == 4 || mode == 5)
        for (u8 i = 1; i < 4; ++i)
            video_write_attribute(i, (u8)((palette & 0x10) | i << 1 | (palette >> 5 & 1)));
}

void video_service(struct Regs* r)
{
    sti();
    switch (r->ah) {
    case 0x00: {
        u8 mode = r->al;
        video_set_mode(mode);
        r->al = (mode & 0x7F) > 7 ? 0x20 : (mode & 0x7F) == 6 ? 0x3F : 0x30;
        break;
    }
    case 0x01: set_cursor_type(r->ch, r->cl); break;
    case 0x02: set_cursor(r->bh, r->dh, r->dl); break;
    case 0x03:
        r->dx = bda->video_cursor[r->bh & 7];
        r->cx = bda->video_cursor_type;
        break;
    case 0x04: r->ah = 0; break;               // no light pen
    case 0x05: select_page(r->al); break;
    case 0x06:
    case 0x07:
        scroll(bda->video_page, r->ah == 0x07, r->al, r->bh, r->ch, r->cl, r->dh, r->dl);
        break;
    case 0x08: {
        u16 cursor = bda->video_cursor[r->bh & 7];
        u8 row = (u8)(cursor >> 8), column = (u8)cursor;
        if (video_is_text())
            r->ax = far_read16(video_segment(), cell_offset(r->bh & 7, row, column));
        else
            r->al = graphics_read(r->bh & 7, row, column);
        break;
    }
    case 0x09: write_repeated(r, r->bl); break;
    case 0x0A: write_repeated(r, video_is_text() ? -1 : r->bl); break;
    case 0x0B: colour_select(r); break;
    case 0x0C:
        if (!video_is_text())
            graphics_write_pixel(r->cx, r->dx, r->bh & 7, r->al);
        break;
    case 0x0D: r->al = video_is_text() ? 0 : graphics_read_pixel(r->cx, r->dx, r->bh & 7); break;
    case 0x0E: teletype(r->al, bda->video_page, -1, r->bl); break;
    case 0x0F:
        r->al = bda->video_mode | (bda->video_control & 0x80);
        r->ah = (u8)bda->video_columns;
        r->bh = bda->video_page;
        break;
    case 0x10: video_palette_service(r); break;
    case 0x11: video_font_service(r); break;
    case 0x12: alternate_select(r); break;
    case 0x13: write_string(r); break;
    case 0x1A:
        if (r->al == 0) {
            r->bx = bda->video_mode == 7 ? 0x0007 : 0x0008;
            r->al = 0x1A;
        } else if (r->al == 1) {
            r->al = 0x1A;
        }
        break;
    case 0x1B: video_state_service(r); break;
    case 0x1C: video_save_service(r); break;
    default: break;
    }
}
