// SPDX-License-Identifier: GPL-2.0-or-later
// The disks of a PC, for disk/disk.c alone: ATA disks at 1F0h and 170h, two each, by programmed I/O (ATA/ATAPI-4, chapters 7 to
// 9). Programs see 63 sectors a track where a disk takes block addresses, else its own number; heads double until no more than
// 1024 cylinders are left, up to 255. The controller's interrupt is not waited for; POST leaves it masked.
#pragma once

enum { disk_read = 0x20, disk_write = 0x30, disk_verify = 0x40, ata_identify = 0xEC };

enum {
    reg_data = 0, reg_error = 1, reg_count = 2, reg_sector = 3, reg_cylinder_low = 4, reg_cylinder_high = 5, reg_device = 6,
    reg_command = 7, reg_control = 0x206,
    status_busy = 0x80, status_ready = 0x40, status_fault = 0x20, status_request = 0x08, status_error = 0x01,
    error_data = 0x40, error_not_found = 0x10,
    control_reset = 0x04, control_plain = 0x08,
    device_plain = 0xA0, device_blocks = 0x40, device_second = 0x10,
    entry_own_heads = 3,                   // of a disk without block addresses; else 0
    sector_words = 256, most_sectors = 128,
    poll_refreshes = 1, short_ms = 100, long_ms = 10000,
};

static u16 port_of(u8 device) { return device & 2 ? 0x170 : 0x1F0; }
static u8 select_bits(u8 device) { return device & 1 ? device_plain | device_second : device_plain; }

// 0: the disk stays busy. An absent channel reads FFh, which is busy.
static int wait_idle(u16 port, u32 ms)
{
    for (u32 polls = ms * 66; inb((u16)(port + reg_command)) & status_busy; --polls) {
        if (polls == 0)
            return 0;
        delay_refreshes(poll_refreshes);
    }
    return 1;
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
    u16 segment = (u16)(buffer >> 4);
    u32 at = buffer & 15, words = sector_words;
    if (writing)
        asm volatile("pushw %%ds\n\tmovw %w2, %%ds\n\tcld\n\trep outsw\n\tpopw %%ds"
                     : "+S"(at), "+c"(words) : "r"(segment), "d"(port) : "memory", "cc");
    else
        asm volatile("movw %w2, %%es\n\tcld\n\trep insw"
                     : "+D"(at), "+c"(words) : "r"(segment), "d"(port) : "memory", "cc");
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

// Up to 128 sectors.
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
    u16 entry = (u16)(ebda_disk_entries + bda->disk_count * entry_bytes);
    u32 sectors = disk->blocks ? disk->blocks : disk->cylinders * disk->heads * disk->track;
    u32 heads = disk->blocks ? 16 : disk->heads, track = disk->blocks ? 63 : disk->track;
    while (heads < 255 && sectors / (heads * track) > 1024)
        heads = heads > 127 ? 255 : heads * 2;
    far_write8(ebda_segment, (u16)(entry + entry_device), device);
    far_write8(ebda_segment, (u16)(entry + entry_heads), (u8)heads);
    far_write8(ebda_segment, (u16)(entry + entry_track), (u8)track);
    far_write8(ebda_segment, (u16)(entry + entry_own_heads), disk->blocks ? 0 : (u8)disk->heads);
    far_write32(ebda_segment, (u16)(entry + entry_sectors), sectors);
    ++bda->disk_count;
    print(TEXT("IDE disk "));
    print_decimal(device);
    print(TEXT(": "));
    print_decimal(sectors >> 11);
    print(TEXT(" MB\n"));
}

// 0: no disk there. One of packets (ATAPI) refuses the command.
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
    u32 blocks = 0;
    u16 abilities = 0;
    for (int word = 0; word < sector_words; ++word) {
        u16 value = inw(port);
        switch (word) {
        case 1: disk->cylinders = value; break;
        case 3: disk->heads = value; break;
        case 6: disk->track = value; break;
        case 49: abilities = value; break;
        case 60: blocks = value; break;
        case 61: blocks |= (u32)value << 16; break;
        default: break;
        }
    }
    disk->blocks = abilities & 0x0200 ? blocks : 0;
    return disk->blocks || (disk->heads && disk->heads <= 16 && disk->track && disk->track <= 63 && disk->cylinders);
}

static int channel_answers(u16 port)
{
    outb((u16)(port + reg_device), device_plain);
    outb((u16)(port + reg_sector), 0x55);
    outb((u16)(port + reg_cylinder_low), 0xAA);
    return inb((u16)(port + reg_sector)) == 0x55 && inb((u16)(port + reg_cylinder_low)) == 0xAA;
}

// POST: which disks are there? After a reset both of a channel may take their time.
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
            struct Identity disk = {0, 0, 0, 0};
            if (identify((u8)(device + n), &disk))
                add_disk((u8)(device + n), &disk);
        }
    }
}
