// SPDX-License-Identifier: GPL-2.0-or-later
// POST's reports: checkpoint codes, text on the information panel of the Model 95 class (ports 108h, rightmost, to
// 10Fh; not decoded on other machines), lines on the screen, and the error log (EBDA, INT 15h 21h).
#include "board.h"
#include "firmware.h"

enum { panel_leftmost = 0x10F, panel_length = 8 };

void panel_show(RomText text)
{
    for (int i = 0; i < panel_length; ++i) {
        u8 c = *text ? (u8)*text++ : ' ';
        outb((u16)(panel_leftmost - i), c);
    }
}

void checkpoint(u8 code, RomText panel_text)
{
    board_checkpoint(code);
    if (board_has_panel)
        panel_show(panel_text);
}

void print_char(u8 c)
{
    if (c == '\n')
        video_teletype('\r', 0, 7);
    video_teletype(c, 0, 7);
}

void print(RomText text)
{
    while (*text)
        print_char((u8)*text++);
}

void print_decimal(u32 value)
{
    u32 scale = 1;
    while (value / scale >= 10)
        scale *= 10;
    for (; scale; scale /= 10)
        print_char((u8)('0' + value / scale % 10));
}

void print_hex(u32 value, int digits)
{
    while (digits--) {
        u8 nibble = (value >> (digits * 4)) & 15;
        print_char((u8)(nibble < 10 ? '0' + nibble : 'A' + nibble - 10));
    }
}

// The checkpoint of an error is the low byte of its number: 161 to 166 become A1h to A6h.
void post_error(u16 number, RomText text, int slot)
{
    checkpoint((u8)number, TEXT("POST ERR"));
    print_decimal(number);
    print_char(' ');
    print(text);
    if (slot != no_slot) {
        print(TEXT(", slot "));
        print_decimal((u32)slot);
    }
    print_char('\n');
    u8 count = far_read8(ebda_segment, ebda_error_count);
    if (count < 5) {
        far_write16(ebda_segment, (u16)(ebda_error_log + 2 * count), number);
        far_write8(ebda_segment, ebda_error_count, (u8)(count + 1));
    }
}
