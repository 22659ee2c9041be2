// SPDX-License-Identifier: GPL-2.0-or-later
// The AT's CMOS: the sum of 10h to 2Dh is at 2Eh and 2Fh, high byte first; the memory size found is at 30h and 31h,
// outside the sum.
#include "board.h"
#include "firmware.h"

int cmos_sum_good(void)
{
    u16 sum = 0;
    for (u8 i = 0x10; i < cmos_checksum; ++i)
        sum = (u16)(sum + cmos_read(i));
    return sum == (u16)(cmos_read(cmos_checksum) << 8 | cmos_read(cmos_checksum + 1));
}

void cmos_note_memory(void)
{
    u32 kb = extended_kb_low() + extended_64k_high() * 64;
    if (kb > 0xFFFF)
        kb = 0xFFFF;
    cmos_write(cmos_found_kb, (u8)kb);
    cmos_write(cmos_found_kb + 1, (u8)(kb >> 8));
}
