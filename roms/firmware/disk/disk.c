// SPDX-License-Identifier: GPL-2.0-or-later
// INT 13h for fixed disks 80h and up: geometry, ranges, packets. The board's drives.h knows the disks and transfers the
// sectors. A drive's entry in the EBDA begins with heads and sectors as programs see them, and its size.
#include "disk.h"

#include "board.h"
#include "firmware.h"

enum {  // a drive's entry in the EBDA
    entry_bytes = 8, entry_device = 0, entry_heads = 1, entry_track = 2, entry_sectors = 4, block_bytes = 512,
};

static u8 entry8(u8 drive, int field)
{
    return far_read8(ebda_segment, (u16)(ebda_disk_entries + drive * entry_bytes + field));
}

static u32 disk_sectors(u8 drive)
{
    return far_read32(ebda_segment, (u16)(ebda_disk_entries + drive * entry_bytes + entry_sectors));
}

static inline u8 wrong_range(u8 drive, u32 lba, u16 count)
{
    u32 sectors = disk_sectors(drive);
    if (count == 0)
        return disk_bad_command;
    return lba >= sectors || count > sectors - lba ? disk_not_found : disk_ok;
}

static u16 cylinders(u8 drive);

#include "drives.h"

static u16 cylinders(u8 drive)
{
    u32 count = disk_sectors(drive) / ((u32)entry8(drive, entry_heads) * entry8(drive, entry_track));
    return count > 1024 ? 1024 : count ? (u16)count : 1;
}

// 02h, 03h, 04h: CH, CL, DH name the first sector.
static u8 transfer(struct Regs* r, u8 drive, u16 command)
{
    u8 sector = r->cl & 0x3F, heads = entry8(drive, entry_heads), track = entry8(drive, entry_track);
    u16 cylinder = (u16)(r->ch | (r->cl & 0xC0) << 2);
    u16 count = r->al;
    r->al = 0;
    if (sector == 0 || sector > track || r->dh >= heads || count > 128)
        return disk_not_found;
    u32 lba = ((u32)cylinder * heads + r->dh) * track + sector - 1;
    u8 status = move(drive, command, lba, count, ((u32)r->es << 4) + r->bx);
    if (status == disk_ok)
        r->al = (u8)count;
    return status;
}

// 42h, 43h, 44h: DS:SI names a packet with count, buffer and sector number.
static u8 extended(struct Regs* r, u8 drive, u16 command)
{
    u16 count = far_read16(r->ds, (u16)(r->si + 2));
    u32 buffer = ((u32)far_read16(r->ds, (u16)(r->si + 6)) << 4) + far_read16(r->ds, (u16)(r->si + 4));
    u32 lba = far_read32(r->ds, (u16)(r->si + 8));
    if (far_read8(r->ds, r->si) < 16)
        return disk_bad_command;
    u8 status = far_read32(r->ds, (u16)(r->si + 12)) ? disk_not_found : move(drive, command, lba, count, buffer);
    if (status != disk_ok)
        far_write16(r->ds, (u16)(r->si + 2), 0);
    return status;
}

// 48h
static u8 extended_parameters(struct Regs* r, u8 drive)
{
    enum { result_bytes = 26 };
    u16 room = far_read16(r->ds, r->si);
    if (room < result_bytes)
        return disk_bad_command;
    far_write16(r->ds, r->si, result_bytes);
    far_write16(r->ds, (u16)(r->si + 2), own_geometry_flags(drive));
    far_write32(r->ds, (u16)(r->si + 4), own_cylinders(drive));
    far_write32(r->ds, (u16)(r->si + 8), own_heads(drive));
    far_write32(r->ds, (u16)(r->si + 12), own_track(drive));
    far_write32(r->ds, (u16)(r->si + 16), disk_sectors(drive));
    far_write32(r->ds, (u16)(r->si + 20), 0);
    far_write16(r->ds, (u16)(r->si + 24), block_bytes);
    give_interface(r, drive, room);
    return disk_ok;
}

static void get_parameters(struct Regs* r, u8 drive)
{
    u16 last = (u16)(cylinders(drive) - 1);
    r->al = 0;
    r->ch = (u8)last;
    r->cl = (u8)(entry8(drive, entry_track) | (last >> 2 & 0xC0));
    r->dh = (u8)(entry8(drive, entry_heads) - 1);
    r->dl = bda->disk_count;
}

static u8 serve(struct Regs* r, u8 drive)
{
    switch (r->ah) {
    case 0x00: case 0x0D: case 0x09: case 0x0C: case 0x10: case 0x11: case 0x14: case 0x47:
        return disk_ok;                    // handled by the target itself
    case 0x02: return transfer(r, drive, disk_read);
    case 0x03: return transfer(r, drive, disk_write);
    case 0x04: return transfer(r, drive, disk_verify);
    case 0x42: return extended(r, drive, disk_read);
    case 0x43: return extended(r, drive, disk_write);
    case 0x44: return extended(r, drive, disk_verify);
    case 0x48: return extended_parameters(r, drive);
    case 0x08:
        get_parameters(r, drive);
        return disk_ok;
    default: return disk_bad_command;
    }
}

void disk_service(struct Regs* r)
{
    u8 drive = (u8)(r->dl - 0x80), function = r->ah, status;
    int present = drive < bda->disk_count;
    switch (function) {
    case 0x01:
        r->ah = 0;
        r->al = bda->disk_status;
        set_carry(r, 0);
        return;
    case 0x15:
        r->ah = present ? 3 : 0;
        r->cx = present ? (u16)(disk_sectors(drive) >> 16) : 0;
        r->dx = present ? (u16)disk_sectors(drive) : 0;
        set_carry(r, 0);
        return;
    case 0x41:
        if (present && r->bx == 0x55AA) {
            r->ah = edd_version;
            r->bx = 0xAA55;
            r->cx = edd_subsets;
            set_carry(r, 0);
            return;
        }
        break;
    default: break;
    }
    if (present) {
        status = serve(r, drive);
    } else if (function == 0x08) {
        r->al = 0;
        r->bx = r->cx = r->dx = 0;
        status = 0x07;
    } else {
        status = disk_bad_command;
    }
    bda->disk_status = status;
    r->ah = status;
    set_carry(r, status != disk_ok);
}
