// SPDX-License-Identifier: GPL-2.0-or-later
// The registers of an IDE channel, and what disks and packet devices on it have in common. Devices 0 to 3: master and
// slave at 1F0h, master and slave at 170h.
#pragma once

#include "firmware.h"

enum {
    reg_data = 0, reg_error = 1, reg_count = 2, reg_sector = 3, reg_cylinder_low = 4, reg_cylinder_high = 5, reg_device = 6,
    reg_command = 7, reg_control = 0x206,
    status_busy = 0x80, status_ready = 0x40, status_fault = 0x20, status_request = 0x08, status_error = 0x01,
    device_plain = 0xA0, device_blocks = 0x40, device_second = 0x10,
    ata_devices = 4, sector_words = 256,
    poll_refreshes = 1, short_ms = 100, long_ms = 10000,
};

static inline u16 port_of(u8 device) { return device & 2 ? 0x170 : 0x1F0; }
static inline u8 select_bits(u8 device) { return device & 1 ? device_plain | device_second : device_plain; }

// ata.c
int wait_idle(u16 port, u32 ms);                 // 0: the device stays busy
u16 segment_of(u32 linear);                      // the highest segment not above it; above 1 MB FFFFh
void read_words(u16 port, u32 buffer, u16 words);   // from the data register to a linear address
void give_bytes(u16 segment, u16 offset, const void* from, u16 bytes);   // source on the stack

// disk_tables.c: for the disk that becomes drive 80h + `number`
struct DiskShape {
    u8 device, blocks;                     // blocks: it accepts block addresses
    u16 cylinders;                         // as programs see them; own_*: the disk's geometry
    u8 heads, track;
    u16 own_cylinders;
    u8 own_heads, own_track;
};
void note_disk(u8 number, const struct DiskShape* disk);
enum { interface_tables = 0x280, interface_bytes = 16 };   // in the EBDA, one per disk
