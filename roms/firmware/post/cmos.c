// SPDX-License-Identifier: GPL-2.0-or-later
// The 64 bytes of CMOS at 70h/71h and the 2 KB NVRAM at 74h to 76h (roms/README.md section 2).
#include "board.h"
#include "firmware.h"

enum { index_port = 0x70, data_port = 0x71, nmi_masked = 0x80 };

u8 cmos_read(u8 index)
{
    u32 flags = save_flags_cli();
    outb(index_port, index | nmi_masked);
    u8 value = inb(data_port);
    restore_flags(flags);
    return value;
}

void cmos_write(u8 index, u8 value)
{
    u32 flags = save_flags_cli();
    outb(index_port, index | nmi_masked);
    outb(data_port, value);
    restore_flags(flags);
}

// A write to 70h should be followed by an access to 71h; reading register D has no side effect here.
void nmi_enable(void)
{
    u32 flags = save_flags_cli();
    outb(index_port, cmos_status_d);
    inb(data_port);
    restore_flags(flags);
}

static u16 crc_step(u16 crc, u8 byte)
{
    crc ^= (u16)(byte << 8);
    for (int bit = 0; bit < 8; ++bit)
        crc = (u16)(crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1);
    return crc;
}

int cmos_checksum_good(void)
{
    u16 crc = 0xFFFF;
    for (u8 i = 0x10; i < 0x32; ++i)
        crc = crc_step(crc, cmos_read(i));
    u16 stored = (u16)(cmos_read(cmos_checksum) << 8 | cmos_read(cmos_checksum + 1));
    return crc == stored;
}

void diagnostic_set(u8 bits) { cmos_write(cmos_diagnostic, cmos_read(cmos_diagnostic) | bits); }

u8 nvram_read(u16 address)
{
    outb(0x74, (u8)address);
    outb(0x75, (u8)(address >> 8));
    return inb(0x76);
}

int nvram_good(void)
{
    ROM u8 heading[] = {'P', 'S', '2', 'N', 1, 11, 0, 0};
    u16 crc = 0xFFFF;
    for (u16 i = 0; i < 0xB8; ++i) {
        u8 byte = nvram_read(i);
        if (i < sizeof heading && byte != heading[i])
            return 0;
        crc = crc_step(crc, byte);
    }
    return crc == (u16)(nvram_read(0xB8) | nvram_read(0xB9) << 8);
}
