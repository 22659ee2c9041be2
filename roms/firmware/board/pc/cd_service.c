// SPDX-License-Identifier: GPL-2.0-or-later
// INT 13h for the CD-ROM that was booted from (El Torito 1.0, chapter 4; Phoenix EDD 1.1): its blocks as drive E0h, or
// a diskette or disk emulated by an image on it. Existing diskettes or disks are renumbered after the one of the image.
#include "cdrom.h"
#include "ata.h"
#include "disk.h"

enum {
    packet_bytes = 16, parameters_bytes = 26, status_bytes = 19,
    all_drives = 0x7F, version_1_1 = 0x21, packets = 0x0001, removable = 0x0004, geometry_valid = 0x0002,
    type_1200 = 2, type_1440 = 4, type_2880 = 5, most_sectors = 128,
};

static u8 read_image(u32 first, u32 sectors, u32 buffer)
{
    u32 all = cd->sectors;
    if (first >= all || sectors > all - first)
        return disk_not_found;
    if (sectors == 0)
        return disk_bad_command;
    return cd_read(cd->device, cd->image + first / cd_sectors_per_block, first % cd_sectors_per_block, sectors, buffer);
}

// 02h, 04h
static u8 transfer(struct Regs* r, int verify)
{
    u8 sector = r->cl & 0x3F, heads = cd->heads, track = cd->track, count = r->al;
    u16 cylinder = (u16)(r->ch | (r->cl & 0xC0) << 2);
    r->al = 0;
    if (sector == 0 || sector > track || r->dh >= heads || cylinder >= cd->cylinders || count > most_sectors)
        return disk_not_found;
    u32 first = ((u32)cylinder * heads + r->dh) * track + sector - 1;
    u8 status = verify ? disk_ok : read_image(first, count, ((u32)r->es << 4) + r->bx);
    if (status == disk_ok)
        r->al = count;
    return status;
}

// 42h, 44h
static u8 extended(struct Regs* r, int verify)
{
    u16 count = far_read16(r->ds, (u16)(r->si + 2));
    u32 buffer = ((u32)far_read16(r->ds, (u16)(r->si + 6)) << 4) + far_read16(r->ds, (u16)(r->si + 4));
    u32 first = far_read32(r->ds, (u16)(r->si + 8));
    if (far_read8(r->ds, r->si) < packet_bytes)
        return disk_bad_command;
    u8 status = disk_ok;
    if (far_read32(r->ds, (u16)(r->si + 12)))
        status = disk_not_found;
    else if (verify)
        status = disk_ok;
    else if (cd_kind() != media_none)
        status = read_image(first, count, buffer);
    else
        status = cd_read(cd->device, first, 0, (u32)count * cd_sectors_per_block, buffer);
    if (status != disk_ok)
        far_write16(r->ds, (u16)(r->si + 2), 0);
    return status;
}

// 48h
static u8 extended_parameters(struct Regs* r)
{
    struct {
        u16 bytes, flags;
        u32 cylinders, heads, track, sectors, sectors_high;
        u16 sector_bytes;
    } __attribute__((packed)) p;
    if (far_read16(r->ds, r->si) < parameters_bytes)
        return disk_bad_command;
    p.bytes = parameters_bytes;
    p.cylinders = p.heads = p.track = p.sectors_high = 0;
    if (cd_kind() == media_none) {
        p.flags = removable;
        p.sectors = cd_blocks(cd->device);
        p.sector_bytes = cd_block_bytes;
    } else {
        p.flags = geometry_valid;
        p.cylinders = cd->cylinders;
        p.heads = cd->heads;
        p.track = cd->track;
        p.sectors = cd->sectors;
        p.sector_bytes = 512;
    }
    give_bytes(r->ds, r->si, &p, parameters_bytes);
    return disk_ok;
}

static void get_geometry(u8* ch, u8* cl, u8* dh)
{
    u16 last = (u16)(cd->cylinders - 1);
    *ch = (u8)last;
    *cl = (u8)(cd->track | (last >> 2 & 0xC0));
    *dh = (u8)(cd->heads - 1);
}

// 08h
static u8 parameters(struct Regs* r)
{
    u8 media = cd_kind();
    r->ax = r->bx = 0;
    get_geometry(&r->ch, &r->cl, &r->dh);
    r->dl = (u8)(bda->disk_count + 1);
    if (media == media_disk)
        return disk_ok;
    r->bl = media == media_1200 ? type_1200 : media == media_1440 ? type_1440 : type_2880;
    r->dl = (u8)((bda->equipment >> 6 & 3) + 1);
    r->es = rom_segment;
    r->di = rom_offset(diskette_parameters);
    return disk_ok;
}

// 4Bh: the specification packet of the drive that was booted from.
static u8 emulation_status(struct Regs* r)
{
    struct {
        u8 bytes, media, drive, controller;
        u32 image;
        u16 device, buffer, segment, count;
        u8 ch, cl, dh;
    } __attribute__((packed)) p;
    p.bytes = status_bytes;
    p.media = cd_kind();
    p.drive = cd->drive;
    p.controller = cd->device >> 1;
    p.image = cd->image;
    p.device = cd->device & 1;
    p.buffer = 0;
    p.segment = cd->segment;
    p.count = cd->count;
    p.ch = p.cl = p.dh = 0;
    if (p.media != media_none) {
        get_geometry(&p.ch, &p.cl, &p.dh);
        if (r->al == 0)
            cd_forget();
    }
    give_bytes(r->ds, r->si, &p, status_bytes);
    return r->al <= 1 ? disk_ok : disk_bad_command;
}

// 4Dh: reads blocks of the boot catalog.
static u8 read_catalog(struct Regs* r)
{
    u32 blocks = far_read8(r->ds, (u16)(r->si + 1));
    u32 buffer = ((u32)far_read16(r->ds, (u16)(r->si + 4)) << 4) + far_read16(r->ds, (u16)(r->si + 2));
    u32 first = cd->catalog + far_read16(r->ds, (u16)(r->si + 6));
    return cd_read(cd->device, first, 0, blocks * cd_sectors_per_block, buffer);
}

static u8 serve_any(struct Regs* r)
{
    switch (r->ah) {
    case 0x00: case 0x0D: case 0x09: case 0x0C: case 0x10: case 0x11: case 0x14: case 0x47: return disk_ok;
    case 0x03: case 0x05: case 0x43: return disk_write_protected;
    case 0x4D: return read_catalog(r);
    default: return disk_bad_command;
    }
}

static u8 serve_image(struct Regs* r)
{
    switch (r->ah) {
    case 0x02: return transfer(r, 0);
    case 0x04: return transfer(r, 1);
    case 0x08: return parameters(r);
    case 0x16: return cd_kind() == media_disk ? disk_bad_command : disk_ok;
    default: return serve_any(r);
    }
}

static u8 serve_packets(struct Regs* r)
{
    switch (r->ah) {
    case 0x42: return extended(r, 0);
    case 0x44: return extended(r, 1);
    case 0x48: return extended_parameters(r);
    default: return cd_kind() == media_none ? serve_any(r) : serve_image(r);
    }
}

static void serve(struct Regs* r)
{
    u8 function = r->ah, media = cd_kind();
    int diskette = media != media_none && media != media_disk;
    if (function == 0x01) {
        r->ah = 0;
        r->al = diskette ? bda->diskette_status : bda->disk_status;
        set_carry(r, 0);
        return;
    }
    if (function == 0x15 && media != media_none) {
        r->ah = diskette ? 1 : 3;          // no change line
        if (!diskette) {
            r->cx = (u16)(cd->sectors >> 16);
            r->dx = (u16)cd->sectors;
        }
        set_carry(r, 0);
        return;
    }
    if (function == 0x41 && !diskette && r->bx == 0x55AA) {
        r->ah = version_1_1;
        r->bx = 0xAA55;
        r->cx = packets;
        set_carry(r, 0);
        return;
    }
    u8 status = diskette ? serve_image(r) : serve_packets(r);
    if (diskette)
        bda->diskette_status = status;
    else
        bda->disk_status = status;
    r->ah = status;
    set_carry(r, status != disk_ok);
}

// The existing drives, whose numbers the image has raised by one.
static void serve_next(struct Regs* r, void (*rest)(struct Regs*))
{
    u8 drive = r->dl, function = r->ah;
    --r->dl;
    rest(r);
    if (function == 0x08) {
        if (drive >= 0x80 && r->dl)
            ++r->dl;
    } else if (drive < 0x80 || function != 0x15) {
        r->dl = drive;
    }
}

void cd_drive_service(struct Regs* r, void (*rest)(struct Regs*))
{
    u8 started = cd->media, drive = cd->drive;
    if (!started) {
        rest(r);
    } else if (r->ah == 0x4B && (r->dl == drive || r->dl == all_drives)) {
        u8 status = emulation_status(r);
        r->ah = status;
        set_carry(r, status != disk_ok);
    } else if (r->dl == drive) {
        serve(r);
    } else if (cd_kind() != media_none && ((r->dl ^ drive) & 0x80) == 0) {
        serve_next(r, rest);
    } else {
        rest(r);
    }
}
