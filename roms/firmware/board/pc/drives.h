// SPDX-License-Identifier: GPL-2.0-or-later
// The disks of a PC, for disk/disk.c alone: ATA disks at 1F0h and 170h, two each, by programmed I/O (ATA/ATAPI-4,
// chapters 7 to 9). Programs see 63 sectors per track if a disk accepts block addresses, else its own number; the heads
// are doubled until at most 1024 cylinders are left, up to 255 heads. The controller's interrupt is not used; POST
// leaves it masked.
#pragma once

#include "ata.h"
#include "cdrom.h"

enum { edd_version = 0x21, edd_subsets = 0x0005 };       // 1.1: packets, 48h with the device's parameters
enum { disk_read = 0x20, disk_write = 0x30, disk_verify = 0x40, ata_identify = 0xEC };

enum {
    error_data = 0x40, error_not_found = 0x10,
    control_reset = 0x04, control_plain = 0x08,
    entry_own_heads = 3,                   // for a disk without block addresses; else 0
    most_sectors = 128,
    most_cylinders = 16383, block_heads = 16, block_track = 63, geometry_valid = 2,
};

// 48h reports the disk's own geometry, of at most 16383 cylinders; on larger disks it does not cover the whole disk.
static u8 own_heads(u8 drive)
{
    u8 heads = entry8(drive, entry_own_heads);
    return heads ? heads : block_heads;
}
static inline u8 own_track(u8 drive) { return entry8(drive, entry_track); }
static u16 own_cylinders(u8 drive)
{
    u32 count = disk_sectors(drive) / ((u32)own_heads(drive) * own_track(drive));
    return count > most_cylinders ? most_cylinders : count ? (u16)count : 1;
}
static u16 own_geometry_flags(u8 drive)
{
    u32 reached = (u32)most_cylinders * own_heads(drive) * own_track(drive);
    return disk_sectors(drive) > reached ? 0 : geometry_valid;
}

// 48h: the address of the disk's interface table, if the caller's buffer has room for it.
static void give_interface(struct Regs* r, u8 drive, u16 room)
{
    enum { long_bytes = 30 };
    if (room < long_bytes)
        return;
    far_write16(r->ds, r->si, long_bytes);
    far_write16(r->ds, (u16)(r->si + 26), (u16)(interface_tables + drive * interface_bytes));
    far_write16(r->ds, (u16)(r->si + 28), ebda_segment);
}

static u8 command_status(u16 port, int writing)
{
    u8 status = inb((u16)(port + reg_command));
    if (status & status_fault)
        return writing ? disk_write_fault : disk_controller;
    if (!(status & status_error))
        return disk_ok;
    u8 error = inb((u16)(port + reg_error));
    if (error & error_data)
        return disk_data_error;
    return error & error_not_found ? disk_not_found : disk_controller;
}

static void move_sector(u16 port, int writing, u32 buffer)
{
    u16 segment = segment_of(buffer);
    u32 at = buffer - ((u32)segment << 4), words = sector_words;
    if (writing)
        asm volatile("pushw %%ds\n\tmovw %w2, %%ds\n\tcld\n\trep outsw\n\tpopw %%ds"
                     : "+S"(at), "+c"(words) : "r"(segment), "d"(port) : "memory", "cc");
    else
        read_words(port, buffer, sector_words);
}

static void address_sector(u8 drive, u16 port, u32 lba, u8 count)
{
    u8 heads = entry8(drive, entry_own_heads), track = entry8(drive, entry_track);
    u8 device = select_bits(entry8(drive, entry_device));
    u32 cylinders = lba >> 8;
    u8 sector = (u8)lba;
    if (heads) {
        cylinders = lba / track / heads;
        sector = (u8)(lba % track + 1);
        device |= (u8)(lba / track % heads);
    } else {
        device |= (u8)(device_blocks | (lba >> 24 & 15));
    }
    outb((u16)(port + reg_device), device);
    wait_idle(port, short_ms);
    outb((u16)(port + reg_count), count);
    outb((u16)(port + reg_sector), sector);
    outb((u16)(port + reg_cylinder_low), (u8)cylinders);
    outb((u16)(port + reg_cylinder_high), (u8)(cylinders >> 8));
}

// Transfers up to 128 sectors.
static u8 move_sectors(u8 drive, u8 command, u32 lba, u8 count, u32 buffer)
{
    u16 port = port_of(entry8(drive, entry_device));
    int writing = command == disk_write;
    address_sector(drive, port, lba, count);
    outb((u16)(port + reg_command), command);
    for (; command != disk_verify && count; --count, buffer += block_bytes) {
        delay_us(1);
        if (!wait_idle(port, long_ms))
            return disk_timeout;
        u8 status = command_status(port, writing);
        if (status != disk_ok)
            return status;
        if (!(inb((u16)(port + reg_command)) & status_request))
            return disk_controller;
        move_sector(port, writing, buffer);
    }
    delay_us(1);
    return wait_idle(port, long_ms) ? command_status(port, writing) : disk_timeout;
}

static u8 move(u8 drive, u16 command, u32 lba, u16 count, u32 buffer)
{
    u8 status = wrong_range(drive, lba, count);
    while (status == disk_ok && count) {
        u8 part = count > most_sectors ? most_sectors : (u8)count;
        status = move_sectors(drive, (u8)command, lba, part, buffer);
        lba += part;
        buffer += (u32)part * block_bytes;
        count = (u16)(count - part);
    }
    return status;
}

struct Identity { u16 heads, track; u32 cylinders, blocks; };   // blocks 0: no block addresses

static void add_disk(u8 device, const struct Identity* disk)
{
    u8 number = bda->disk_count;
    u16 entry = (u16)(ebda_disk_entries + number * entry_bytes);
    u32 sectors = disk->blocks ? disk->blocks : disk->cylinders * disk->heads * disk->track;
    u32 heads = disk->blocks ? block_heads : disk->heads, track = disk->blocks ? block_track : disk->track;
    while (heads < 255 && sectors / (heads * track) > 1024)
        heads = heads > 127 ? 255 : heads * 2;
    far_write8(ebda_segment, (u16)(entry + entry_device), device);
    far_write8(ebda_segment, (u16)(entry + entry_heads), (u8)heads);
    far_write8(ebda_segment, (u16)(entry + entry_track), (u8)track);
    far_write8(ebda_segment, (u16)(entry + entry_own_heads), disk->blocks ? 0 : (u8)disk->heads);
    far_write32(ebda_segment, (u16)(entry + entry_sectors), sectors);
    ++bda->disk_count;
    struct DiskShape shape;
    shape.device = device;
    shape.blocks = disk->blocks != 0;
    shape.cylinders = cylinders(number);
    shape.heads = (u8)heads;
    shape.track = shape.own_track = (u8)track;
    shape.own_cylinders = own_cylinders(number);
    shape.own_heads = own_heads(number);
    note_disk(number, &shape);
    print(TEXT("IDE disk "));
    print_decimal(device);
    print(TEXT(": "));
    print_decimal(sectors >> 11);
    print(TEXT(" MB\n"));
}

// The identification data is read to an area that nothing else uses before booting.
enum { identity = 0x7C00 };
static u16 identity_word(u32 n) { return *(volatile u16 __seg_fs*)(identity + 2 * n); }

// 0: no disk. A packet device (ATAPI) rejects the command.
static int identify(u8 device, struct Identity* disk)
{
    u16 port = port_of(device);
    outb((u16)(port + reg_device), select_bits(device));
    delay_us(1);
    if (!(inb((u16)(port + reg_command)) & status_ready))
        return 0;
    outb((u16)(port + reg_command), ata_identify);
    delay_us(1);
    if (!wait_idle(port, long_ms)
        || (inb((u16)(port + reg_command)) & (status_request | status_error)) != status_request)
        return 0;
    read_words(port, identity, sector_words);
    disk->cylinders = identity_word(1);
    disk->heads = identity_word(3);
    disk->track = identity_word(6);
    disk->blocks = identity_word(49) & 0x0200 ? identity_word(60) | (u32)identity_word(61) << 16 : 0;
    return disk->blocks || (disk->heads && disk->heads <= 16 && disk->track && disk->track <= 63 && disk->cylinders);
}

// A slave without a master does not respond as the master.
static int channel_answers(u16 port)
{
    for (u8 n = 0; n < 2; ++n) {
        outb((u16)(port + reg_device), select_bits(n));
        outb((u16)(port + reg_sector), 0x55);
        outb((u16)(port + reg_cylinder_low), 0xAA);
        if (inb((u16)(port + reg_sector)) == 0x55 && inb((u16)(port + reg_cylinder_low)) == 0xAA)
            return 1;
    }
    return 0;
}

// POST: finds the disks. After a reset both devices of a channel may take a while.
void disk_init(void)
{
    for (u8 device = 0; device < 4; device += 2) {
        u16 port = port_of(device);
        if (!channel_answers(port))
            continue;
        outb((u16)(port + reg_control), control_plain | control_reset);
        delay_us(5);
        outb((u16)(port + reg_control), control_plain);
        delay_ms(2);
        if (!wait_idle(port, long_ms))
            continue;
        for (u8 n = 0; n < 2; ++n) {
            struct Identity disk;
            if (!cd_identify((u8)(device + n)) && identify((u8)(device + n), &disk))
                add_disk((u8)(device + n), &disk);
        }
    }
}
