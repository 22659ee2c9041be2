// SPDX-License-Identifier: GPL-2.0-or-later
// INT 10h 10h (attribute palette and DAC) and 1Bh (functionality and state).
#include "firmware.h"

// Without bit 5 in the index, which gives the display access to the palette: only then can it be written.
void video_write_attribute(u8 index, u8 value)
{
    inb(bda->video_crtc + 6);
    outb(0x3C0, index);
    outb(0x3C0, value);
    outb(0x3C0, 0x20);
}

static u8 attribute_read(u8 index)
{
    u16 status = bda->video_crtc + 6;
    inb(status);
    outb(0x3C0, index);
    u8 value = inb(0x3C1);
    inb(status);
    outb(0x3C0, 0x20);
    return value;
}

static void dac_write(u8 red, u8 green, u8 blue)
{
    outb(0x3C9, red);
    outb(0x3C9, green);
    outb(0x3C9, blue);
}

// DAC colour page: bit 7 of the attribute mode register selects 4 pages of 64 or 16 of 16.
static void colour_page(struct Regs* r)
{
    u8 mode = attribute_read(0x10);
    if (r->bl == 0) {
        video_write_attribute(0x10, r->bh & 1 ? mode | 0x80 : mode & 0x7F);
    } else if (r->bl == 1) {
        video_write_attribute(0x14, mode & 0x80 ? r->bh & 0x0F : (r->bh & 3) << 2);
    }
}

void video_palette_service(struct Regs* r)
{
    switch (r->al) {
    case 0x00: video_write_attribute(r->bl & 0x1F, r->bh); break;
    case 0x01: video_write_attribute(0x11, r->bh); break;
    case 0x02:
        for (u8 i = 0; i < 16; ++i)
            video_write_attribute(i, far_read8(r->es, (u16)(r->dx + i)));
        video_write_attribute(0x11, far_read8(r->es, (u16)(r->dx + 16)));
        break;
    case 0x03: {
        u8 mode = attribute_read(0x10);
        video_write_attribute(0x10, r->bl & 1 ? mode | 8 : mode & ~8);
        u8 select = bda->video_mode_select;
        bda->video_mode_select = r->bl & 1 ? select | 0x20 : select & ~0x20;
        break;
    }
    case 0x07: r->bh = attribute_read(r->bl & 0x1F); break;
    case 0x08: r->bh = attribute_read(0x11); break;
    case 0x09:
        for (u8 i = 0; i < 16; ++i)
            far_write8(r->es, (u16)(r->dx + i), attribute_read(i));
        far_write8(r->es, (u16)(r->dx + 16), attribute_read(0x11));
        break;
    case 0x10:
        outb(0x3C8, r->bl);
        dac_write(r->dh, r->ch, r->cl);
        break;
    case 0x12:
        outb(0x3C8, r->bl);
        for (u16 i = 0; i < r->cx * 3; ++i)
            outb(0x3C9, far_read8(r->es, (u16)(r->dx + i)));
        break;
    case 0x13: colour_page(r); break;
    case 0x15:
        outb(0x3C7, r->bl);
        r->dh = inb(0x3C9);
        r->ch = inb(0x3C9);
        r->cl = inb(0x3C9);
        break;
    case 0x17:
        outb(0x3C7, r->bl);
        for (u16 i = 0; i < r->cx * 3; ++i)
            far_write8(r->es, (u16)(r->dx + i), inb(0x3C9));
        break;
    case 0x18: outb(0x3C6, r->bl); break;
    case 0x19: r->bl = inb(0x3C6); break;
    case 0x1A: {
        u8 mode = attribute_read(0x10), page = attribute_read(0x14);
        r->bl = mode >> 7;
        r->bh = r->bl ? page & 0x0F : (page >> 2) & 3;
        break;
    }
    case 0x1B:
        for (u16 i = 0; i < r->cx; ++i) {
            outb(0x3C7, (u8)(r->bl + i));
            u8 red = inb(0x3C9), green = inb(0x3C9), blue = inb(0x3C9);
            u8 grey = (u8)((red * 77 + green * 151 + blue * 28 + 128) >> 8);
            outb(0x3C8, (u8)(r->bl + i));
            dac_write(grey, grey, grey);
        }
        break;
    default: break;
    }
}

// Capabilities of the VGA: modes 0 to 7 and 0Dh to 13h, scan lines 200, 350
// and 400, character blocks, functions.
ROM u8 functionality[16] = {
    0xFF, 0xE0, 0x0F, 0, 0, 0, 0, 0x07, 8, 2, 0xEF, 0x08, 0, 0, 0, 0,
};

void video_state_service(struct Regs* r)
{
    if (r->bx != 0)
        return;
    u16 seg = r->es, to = r->di;
    far_fill8(seg, to, 0, 64);
    far_write16(seg, to, rom_offset(functionality));
    far_write16(seg, (u16)(to + 2), rom_segment);
    far_copy8(seg, (u16)(to + 4), 0x40, 0x49, 0x1E);      // mode to palette
    far_write8(seg, (u16)(to + 0x22), (u8)(bda->video_rows + 1));
    far_write16(seg, (u16)(to + 0x23), bda->video_char_height);
    far_write8(seg, (u16)(to + 0x25), bda->video_mode == 7 ? 7 : 8);
    int colours256 = bda->video_mode == 0x13;
    far_write16(seg, (u16)(to + 0x27), bda->video_mode == 7 ? 0 : colours256 ? 256 : 16);
    u16 pages = (u16)(0x8000 / (bda->video_page_bytes ? bda->video_page_bytes : 0x8000));
    far_write8(seg, (u16)(to + 0x29), (u8)(pages > 8 ? 8 : pages));
    far_write8(seg, (u16)(to + 0x2A), bda->video_mode == 0x11 || bda->video_mode == 0x12 ? 3 : 2);
    outb(0x3C4, 3);
    u8 map = inb(0x3C5);
    far_write8(seg, (u16)(to + 0x2B), (u8)((map & 3) | (map >> 2 & 4)));
    far_write8(seg, (u16)(to + 0x2C), (u8)((map >> 2 & 3) | (map >> 3 & 4)));
    u8 flags = bda->video_flags;
    far_write8(seg, (u16)(to + 0x2D), (u8)(1 | (flags & 2) | (flags & 8)
               | (bda->video_control & 1 ? 0 : 0x10) | (bda->video_mode_select & 0x20)));
    far_write8(seg, (u16)(to + 0x31), 3);                 // 256 KB
    r->al = 0x1B;
}
