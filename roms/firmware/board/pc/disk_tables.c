// SPDX-License-Identifier: GPL-2.0-or-later
// Tables for programs that access a disk directly: the fixed disk parameter table of vectors 41h and 46h, and the
// device parameter table of INT 13h 48h (Phoenix, Enhanced Disk Drive Specification 1.1).
#include "ata.h"

struct ParameterTable {
    u16 cylinders;
    u8 heads, signature, own_track;
    u16 precompensation;
    u8 ecc, control;
    u16 own_cylinders;
    u8 own_heads;
    u16 landing_zone;
    u8 track, checksum;
} __attribute__((packed));

struct InterfaceTable {
    u16 port, control_port;
    u8 head_prefix, vendor, line, block_count, dma, pio;
    u16 options, reserved;
    u8 revision, checksum;
} __attribute__((packed));

enum {
    translated = 0xA0, more_than_eight_heads = 0x08, table_bytes = 16,
    first_line = 14, option_chs = 0x0008, option_blocks = 0x0010, option_assisted = 0x0200, revision_1_1 = 0x11,
};

// The byte that makes a table's sum 0.
static u8 checksum(const void* table)
{
    u8 sum = 0;
    for (int n = 0; n < table_bytes - 1; ++n)
        sum = (u8)(sum + ((const u8*)table)[n]);
    return (u8)-sum;
}

// Drivers of Linux and DOS use the last two fields of the table only if the disk is translated.
static void note_parameters(u16 to, const struct DiskShape* disk)
{
    struct ParameterTable t;
    int other = disk->heads != disk->own_heads;
    t.cylinders = disk->cylinders;
    t.heads = disk->heads;
    t.signature = other ? translated : 0;
    t.own_track = other ? disk->own_track : 0;
    t.precompensation = 0;
    t.ecc = 0;
    t.control = disk->own_heads > 8 ? more_than_eight_heads : 0;
    t.own_cylinders = other ? disk->own_cylinders : 0;
    t.own_heads = other ? disk->own_heads : 0;
    t.landing_zone = disk->cylinders;
    t.track = disk->track;
    t.checksum = other ? checksum(&t) : 0;
    give_bytes(ebda_segment, to, &t, table_bytes);
}

static void note_interface(u8 number, const struct DiskShape* disk)
{
    struct InterfaceTable t;
    u16 port = port_of(disk->device);
    t.port = port;
    t.control_port = port + reg_control;
    t.head_prefix = (u8)(select_bits(disk->device) | (disk->blocks ? device_blocks : 0));
    t.vendor = 0;
    t.line = first_line + (disk->device >> 1);
    t.block_count = 1;
    t.dma = t.pio = 0;
    t.options = disk->blocks ? option_blocks : 0;
    if (disk->heads != disk->own_heads)
        t.options |= option_chs | option_assisted;
    t.reserved = 0;
    t.revision = revision_1_1;
    t.checksum = checksum(&t);
    give_bytes(ebda_segment, (u16)(interface_tables + number * interface_bytes), &t, table_bytes);
}

void note_disk(u8 number, const struct DiskShape* disk)
{
    if (number < 2)
        note_parameters(number ? ebda_disk_table1 : ebda_disk_table0, disk);
    note_interface(number, disk);
}
