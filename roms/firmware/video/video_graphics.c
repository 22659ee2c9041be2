// SPDX-License-Identifier: GPL-2.0-or-later
// Graphics modes: pixels, characters drawn from the font at vector 43h (in modes 4 to 6 the upper
// half of the characters is at vector 1Fh), scrolling. Three kinds of memory: CGA (two interleaved
// banks at B800h), four planes, and one byte per pixel (mode 13h).
#include "firmware.h"

enum layout { cga_4_colours, cga_2_colours, planes, bytes };
enum {
    graphics_index = 0x3CE, sequencer_index = 0x3C4,
    set_reset = 0, enable_set_reset = 1, function = 3, read_map = 4, write_mode = 5, bit_mask = 8,
    map_mask = 2, all_planes = 0x0F, function_xor = 0x18,
    cga_bank = 0x2000, cga_line = 80, longest_glyph = 32,
};

static enum layout layout(void)
{
    u8 mode = bda->video_mode;
    return mode == 6 ? cga_2_colours : mode < 6 ? cga_4_colours : mode == 0x13 ? bytes : planes;
}

// Bytes of memory per scan line of a character.
static u8 cell_bytes(void)
{
    enum layout l = layout();
    return l == bytes ? 8 : l == cga_4_colours ? 2 : 1;
}

static u16 line_offset(u8 page, u16 y)
{
    switch (layout()) {
    case planes: return (u16)(page * bda->video_page_bytes + y * bda->video_columns);
    case bytes: return (u16)(y * 320u);
    default: return (u16)((y >> 1) * cga_line + (y & 1 ? cga_bank : 0));
    }
}

// Stores a byte, optionally with exclusive or.
static void store(u16 offset, u8 value, int combine)
{
    u16 segment = video_segment();
    far_write8(segment, offset, combine ? far_read8(segment, offset) ^ value : value);
}

static u8 pixel_bits(void) { return layout() == cga_4_colours ? 2 : 1; }

// Colour bit 7 means exclusive or, except where a colour has eight bits.
void graphics_write_pixel(u16 x, u16 y, u8 page, u8 colour)
{
    u16 line = line_offset(page, y), segment = video_segment();
    enum layout l = layout();
    if (l == bytes) {
        far_write8(segment, (u16)(line + x), colour);
    } else if (l == planes) {
        out_indexed(graphics_index, bit_mask, (u8)(0x80 >> (x & 7)));
        out_indexed(graphics_index, set_reset, colour & 0x0F);
        out_indexed(graphics_index, enable_set_reset, all_planes);
        out_indexed(graphics_index, function, colour & 0x80 ? function_xor : 0);
        u16 at = (u16)(line + (x >> 3));
        far_read8(segment, at);                    // loads the latches
        far_write8(segment, at, 0xFF);
        out_indexed(graphics_index, bit_mask, 0xFF);
        out_indexed(graphics_index, enable_set_reset, 0);
        out_indexed(graphics_index, function, 0);
    } else {
        u8 bits = pixel_bits(), per_byte = (u8)(8 / bits), mask = (u8)((1 << bits) - 1);
        u8 shift = (u8)((per_byte - 1 - (x & (per_byte - 1))) * bits);
        u16 at = (u16)(line + x / per_byte);
        u8 keep = far_read8(segment, at), value = (u8)((colour & mask) << shift);
        far_write8(segment, at, colour & 0x80 ? keep ^ value
                                              : (u8)((keep & ~(mask << shift)) | value));
    }
}

u8 graphics_read_pixel(u16 x, u16 y, u8 page)
{
    u16 line = line_offset(page, y), segment = video_segment();
    enum layout l = layout();
    if (l == bytes)
        return far_read8(segment, (u16)(line + x));
    if (l == planes) {
        u8 colour = 0;
        for (u8 plane = 0; plane < 4; ++plane) {
            out_indexed(graphics_index, read_map, plane);
            if (far_read8(segment, (u16)(line + (x >> 3))) & (0x80 >> (x & 7)))
                colour |= (u8)(1 << plane);
        }
        out_indexed(graphics_index, read_map, 0);
        return colour;
    }
    u8 bits = pixel_bits(), per_byte = (u8)(8 / bits), mask = (u8)((1 << bits) - 1);
    return far_read8(segment, (u16)(line + x / per_byte))
        >> ((per_byte - 1 - (x & (per_byte - 1))) * bits) & mask;
}

static u8 glyph_line(u8 c, u8 y)
{
    if (bda->video_mode <= 6 && c >= 128)
        return far_read8(vector_segment(0x1F), (u16)(vector_offset(0x1F) + (c - 128) * 8 + y));
    return far_read8(vector_segment(0x43),
                     (u16)(vector_offset(0x43) + c * bda->video_char_height + y));
}

static void draw_planes(u16 at, u8 c, u8 colour)
{
    int combine = colour & 0x80;
    out_indexed(graphics_index, function, combine ? function_xor : 0);
    for (u8 plane = 0; plane < 4; ++plane) {
        out_indexed(sequencer_index, map_mask, (u8)(1 << plane));
        u16 to = at;
        for (u8 y = 0; y < bda->video_char_height; ++y) {
            if (combine)
                far_read8(video_segment(), to);    // loads the latches
            far_write8(video_segment(), to, colour & (1 << plane) ? glyph_line(c, y) : 0);
            to = (u16)(to + bda->video_columns);
        }
    }
    out_indexed(graphics_index, function, 0);
    out_indexed(sequencer_index, map_mask, all_planes);
}

void graphics_put(u8 page, u8 row, u8 column, u8 c, u8 colour)
{
    enum layout l = layout();
    u8 height = (u8)bda->video_char_height;
    u16 first = (u16)(row * height);
    if (l == planes) {
        draw_planes((u16)(line_offset(page, first) + column), c, colour);
        return;
    }
    for (u8 y = 0; y < height; ++y) {
        u16 to = (u16)(line_offset(page, (u16)(first + y)) + column * cell_bytes());
        u8 glyph = glyph_line(c, y);
        if (l == cga_2_colours) {
            store(to, colour & 1 ? glyph : 0, colour & 0x80);
        } else if (l == bytes) {
            for (u8 x = 0; x < 8; ++x)
                far_write8(video_segment(), (u16)(to + x), glyph & (0x80 >> x) ? colour : 0);
        } else {
            u16 wide = 0;                          // each bit becomes a pixel of two bits
            for (u8 x = 0; x < 8; ++x)
                wide = (u16)(wide << 2 | (glyph & (0x80 >> x) ? colour & 3 : 0));
            store(to, (u8)(wide >> 8), colour & 0x80);
            store((u16)(to + 1), (u8)wide, colour & 0x80);
        }
    }
}

// The character whose glyph is at this position; 0 if none matches. Any colour but 0 counts as foreground.
u8 graphics_read(u8 page, u8 row, u8 column)
{
    u8 height = (u8)bda->video_char_height, lines[longest_glyph];
    if (height > longest_glyph)
        return 0;
    for (u8 y = 0; y < height; ++y) {
        lines[y] = 0;
        for (u8 x = 0; x < 8; ++x)
            if (graphics_read_pixel((u16)(column * 8 + x), (u16)(row * height + y), page))
                lines[y] |= (u8)(0x80 >> x);
    }
    for (u16 c = 0; c < 256; ++c) {
        u8 y = 0;
        while (y < height && glyph_line((u8)c, y) == lines[y])
            ++y;
        if (y == height)
            return (u8)c;
    }
    return 0;
}

// Copies `count` characters from one row to another, plane by plane through the latches.
void graphics_copy_row(u8 page, u8 to, u8 from, u8 column, u8 count)
{
    u8 height = (u8)bda->video_char_height, width = cell_bytes();
    u16 segment = video_segment();
    if (layout() == planes)
        out_indexed(graphics_index, write_mode, 1);
    for (u8 y = 0; y < height; ++y)
        far_copy8(segment, (u16)(line_offset(page, (u16)(to * height + y)) + column * width),
                  segment, (u16)(line_offset(page, (u16)(from * height + y)) + column * width),
                  (u16)(count * width));
    if (layout() == planes)
        out_indexed(graphics_index, write_mode, 0);
}

void graphics_fill_row(u8 page, u8 row, u8 column, u8 count, u8 colour)
{
    enum layout l = layout();
    u8 height = (u8)bda->video_char_height, width = cell_bytes();
    u8 value = l == bytes ? colour : l == cga_4_colours ? (u8)((colour & 3) * 0x55)
             : l == cga_2_colours ? (u8)((colour & 1) * 0xFF) : 0xFF;
    if (l == planes) {
        out_indexed(graphics_index, set_reset, colour & 0x0F);
        out_indexed(graphics_index, enable_set_reset, all_planes);
    }
    for (u8 y = 0; y < height; ++y)
        far_fill8(video_segment(), (u16)(line_offset(page, (u16)(row * height + y)) + column * width),
                  value, (u16)(count * width));
    if (l == planes)
        out_indexed(graphics_index, enable_set_reset, 0);
}
