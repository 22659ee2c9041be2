// SPDX-License-Identifier: GPL-2.0-or-later
// INT 13h: diskettes; disk.c serves fixed disks. The medium is determined by
// trying the data rates that a drive supports; sectors per track, gap and size come from the table at
// vector 1Eh, which software may replace.
#include "board.h"
#include "fdc.h"

enum {  // diskette_media: bits 7-6 rate, bit 5 double step, bit 4 established, bits 2-0 kind
    media_established = 0x10, media_double_step = 0x20,
    max_drives = 2,
};

// Drive types as in CMOS 10h.
enum { drive_none, drive_360, drive_1200, drive_720, drive_1440, drive_2880 };

struct Medium {
    u8 drive_type, rate, last_sector, last_cylinder, double_step, media_bits;
    u8 table[11];
};

#define TABLE(last, gap, format_gap) {0xAF, 0x02, 0x25, 2, last, gap, 0xFF, format_gap, 0xF6, 15, 4}

// In the order in which a drive type tries them.
ROM struct Medium media[] = {
    {drive_360, rate_250, 9, 39, 0, 4, TABLE(9, 0x2A, 0x50)},
    {drive_1200, rate_500, 15, 79, 0, 5, TABLE(15, 0x1B, 0x54)},
    {drive_1200, rate_300, 9, 39, 1, 4, TABLE(9, 0x2A, 0x50)},
    {drive_720, rate_250, 9, 79, 0, 7, TABLE(9, 0x2A, 0x50)},
    {drive_1440, rate_500, 18, 79, 0, 7, TABLE(18, 0x1B, 0x6C)},
    {drive_1440, rate_250, 9, 79, 0, 7, TABLE(9, 0x2A, 0x50)},
    {drive_2880, rate_1000, 36, 79, 0, 7, TABLE(36, 0x38, 0x53)},
    {drive_2880, rate_500, 18, 79, 0, 7, TABLE(18, 0x1B, 0x6C)},
    {drive_2880, rate_250, 9, 79, 0, 7, TABLE(9, 0x2A, 0x50)},
};
enum { media_count = sizeof media / sizeof media[0] };

static u8 drive_type(u8 drive)
{
    if (drive >= max_drives)
        return drive_none;
    u8 types = cmos_read(cmos_diskettes);
    nmi_enable();
    u8 type = drive ? types & 15 : types >> 4;
    if (type == 6)
        type = drive_2880;                 // some set-up programs write 6 for it
    // POST has found drive A although CMOS does not list it: assume 1.44 MB, the standard drive.
    if (type == drive_none && drive == 0 && (bda->equipment & 1))
        type = drive_1440;
    return type <= drive_2880 ? type : drive_none;
}

// The medium that a drive of this type tries first.
static const __seg_gs struct Medium* first_medium(u8 type)
{
    for (int i = 0; i < media_count; ++i)
        if (media[i].drive_type == type)
            return &media[i];
    return 0;
}

static const __seg_gs struct Medium* current_medium(u8 drive)
{
    u8 type = drive_type(drive), rate = bda->diskette_media[drive] >> 6;
    for (int i = 0; i < media_count; ++i)
        if (media[i].drive_type == type && media[i].rate == rate)
            return &media[i];
    return first_medium(type);
}

static void apply(u8 drive, const __seg_gs struct Medium* m)
{
    fdc_set_rate(m->rate, m->drive_type == drive_2880);
    bda->diskette_media[drive] = (u8)(m->rate << 6 | (m->double_step ? media_double_step : 0)
                                      | (m->media_bits & 7));
}

// Determines the medium by reading any sector's ID on cylinder 0.
static u8 establish(u8 drive)
{
    u8 type = drive_type(drive), status = diskette_timeout;
    for (int i = 0; i < media_count; ++i) {
        if (media[i].drive_type != type)
            continue;
        apply(drive, &media[i]);
        status = fdc_seek(drive, 0, 0);
        if (status != diskette_ok)
            return status;
        status = fdc_read_id(drive, 0);
        if (status == diskette_ok) {
            bda->diskette_media[drive] |= media_established;
            return diskette_ok;
        }
        if (status == diskette_timeout || status == diskette_controller) {
            fdc_reset();
            if (status == diskette_timeout)
                return status;
        }
    }
    return status;
}

// The change line is cleared when the head steps with a diskette in the drive. The first check after POST
// is not reported as a change; later ones are reported once.
static u8 check_change(u8 drive)
{
    if (!fdc_change_line(drive))
        return diskette_ok;
    u8 known = bda->diskette_media[drive] & media_established;
    bda->diskette_media[drive] = 0;
    u8 status = fdc_seek(drive, 0, 0);
    if (status == diskette_ok)
        status = fdc_seek(drive, 1, 0);
    if (status == diskette_ok)
        status = fdc_seek(drive, 0, 0);
    if (status != diskette_ok)
        return status;
    if (fdc_change_line(drive))
        return diskette_timeout;           // still set: no diskette
    return known ? diskette_changed : diskette_ok;
}

static u8 prepare(u8 drive, int writing)
{
    fdc_motor_on(drive, writing);
    u8 status = check_change(drive);
    if (status != diskette_ok)
        return status;
    if (!(bda->diskette_media[drive] & media_established))
        return establish(drive);
    fdc_set_rate(bda->diskette_media[drive] >> 6, drive_type(drive) == drive_2880);
    return diskette_ok;
}

// The firmware's own table says 18 sectors; while vector 1Eh points to it, the medium's number is used instead.
static u8 last_sector(u8 drive)
{
    if (vector_segment(0x1E) == rom_segment && vector_offset(0x1E) == rom_offset(diskette_parameters))
        return current_medium(drive)->last_sector;
    return diskette_parameter(4);
}

static u8 seek_to(u8 drive, u8 cylinder, u8 head)
{
    u8 shift = bda->diskette_media[drive] & media_double_step ? 1 : 0;
    return fdc_seek(drive, (u8)(cylinder << shift), head);
}

enum { read_sectors = 0xE6, write_sectors = 0xC5, format_track = 0x4D };
enum { dma_verify = 0x42, dma_to_memory = 0x46, dma_from_memory = 0x4A };

// Functions 02h, 03h, 04h and 05h.
static u8 transfer(struct Regs* r)
{
    u8 drive = r->dl, head = r->dh & 1, sectors = r->al, size = diskette_parameter(3);
    int format = r->ah == 5;
    u8 mode = r->ah == 2 ? dma_to_memory : r->ah == 4 ? dma_verify : dma_from_memory;
    u32 bytes = format ? (u32)last_sector(drive) * 4 : (u32)sectors << (size + 7);
    u32 address = ((u32)r->es << 4) + r->bx;
    r->al = 0;
    if (bytes == 0 || (!format && r->cl == 0) || size > 3)
        return diskette_bad_command;
    if (r->ah != 4 && (address & 0xFFFF) + bytes > 0x10000)
        return diskette_dma_boundary;
    if (r->ah == 4 && (address & 0xFFFF) + bytes > 0x10000)
        address = 0;                       // nothing is moved
    u8 status;
    if (format && (bda->diskette_media[drive] & media_established)) {
        // 17h or 18h has set the medium; a blank diskette has no sector to read.
        fdc_motor_on(drive, 1);
        fdc_set_rate(bda->diskette_media[drive] >> 6, drive_type(drive) == drive_2880);
        status = diskette_ok;
    } else {
        status = prepare(drive, mode == dma_from_memory);
    }
    if (status == diskette_ok)
        status = seek_to(drive, r->ch, head);
    if (status != diskette_ok)
        return status;
    fdc_start_dma(mode, address, bytes);
    u8 select = (u8)(head << 2 | drive);
    if (format) {
        u8 command[6] = {format_track, select, size, last_sector(drive), diskette_parameter(7),
                         diskette_parameter(8)};
        status = fdc_execute(command, 6);
    } else {
        u8 command[9] = {r->ah == 3 ? write_sectors : read_sectors, select, r->ch, r->dh, r->cl, size,
                         last_sector(drive), diskette_parameter(5), diskette_parameter(6)};
        status = fdc_execute(command, 9);
    }
    u32 left = fdc_dma_left();
    if (left == 0 && status == diskette_sector_not_found && !format)
        status = diskette_ok;              // end of cylinder reported with the last byte
    if (!format)
        r->al = (u8)((bytes - (left > bytes ? bytes : left)) >> (size + 7));
    if (status == diskette_timeout || status == diskette_controller)
        fdc_reset();
    if (status == diskette_no_address_mark)
        bda->diskette_media[drive] &= (u8)~media_established;
    return status;
}

static u8 get_parameters(struct Regs* r)
{
    u8 drives = (bda->equipment & 1) ? (u8)(((bda->equipment >> 6) & 3) + 1) : 0;
    u8 type = drive_type(r->dl);
    r->ax = r->bx = r->cx = r->dx = 0;
    r->es = r->di = 0;
    r->dl = drives;
    const __seg_gs struct Medium* m = first_medium(type);
    if (!m)
        return diskette_ok;
    r->bl = type;
    r->ch = m->last_cylinder;
    r->cl = m->last_sector;
    r->dh = 1;
    r->es = rom_segment;
    r->di = rom_offset(m->table);
    return diskette_ok;
}

// Format with media type: 1 = 360 KB, 2 = 360 KB in a 1.2 MB drive, 3 = 1.2 MB, 4 = 720 KB.
static u8 set_type(struct Regs* r)
{
    u8 type = drive_type(r->dl);
    u8 rate = r->al == 2 ? rate_300 : r->al == 3 ? rate_500 : rate_250;
    if (r->al < 1 || r->al > 4)
        return diskette_bad_command;
    for (int i = 0; i < media_count; ++i)
        if (media[i].drive_type == type && media[i].rate == rate) {
            apply(r->dl, &media[i]);
            bda->diskette_media[r->dl] |= media_established;
            return diskette_ok;
        }
    return diskette_bad_command;
}

// CH = highest cylinder, CL = sectors per track.
static u8 set_media(struct Regs* r)
{
    u8 type = drive_type(r->dl);
    for (int i = 0; i < media_count; ++i)
        if (media[i].drive_type == type && media[i].last_cylinder == r->ch
            && media[i].last_sector == (r->cl & 0x3F)) {
            apply(r->dl, &media[i]);
            bda->diskette_media[r->dl] |= media_established;
            r->es = rom_segment;
            r->di = rom_offset(media[i].table);
            return diskette_ok;
        }
    return diskette_unknown_media;
}

static u8 serve(struct Regs* r)
{
    u8 type;
    switch (r->ah) {
    case 0x00: return fdc_reset();
    case 0x01:
        r->ah = bda->diskette_status;
        return r->ah;
    case 0x08: return get_parameters(r);
    default: break;
    }
    type = drive_type(r->dl);
    if (r->ah == 0x15) {
        r->ah = type == drive_none ? 0 : type == drive_360 ? 1 : 2;
        return diskette_ok;
    }
    if (r->ah >= 0x02 && r->ah <= 0x05)
        return type == drive_none ? (r->al = 0, diskette_timeout) : transfer(r);
    if (r->ah >= 0x16 && r->ah <= 0x18 && type == drive_none)
        return diskette_timeout;
    switch (r->ah) {
    case 0x16:
        fdc_motor_on(r->dl, 0);
        if (type == drive_360 || !fdc_change_line(r->dl))
            return diskette_ok;
        bda->diskette_media[r->dl] = 0;
        return diskette_changed;
    case 0x17: return set_type(r);
    case 0x18: return set_media(r);
    default: return diskette_bad_command;
    }
}

static void drive_service(struct Regs* r)
{
    if (r->dl >= 0x80) {
        if (r->ah == 0)
            fdc_reset();
        disk_service(r);
        return;
    }
    u8 function = r->ah;
    u8 status = serve(r);
    if (function != 0x15) {
        if (function != 0x01)
            bda->diskette_status = status;
        r->ah = status;
    }
    if ((function >= 0x02 && function <= 0x05) || function == 0x16)
        fdc_motor_timeout();
    set_carry(r, status != diskette_ok);
}

void diskette_service(struct Regs* r)
{
    sti();
    board_drive_service(r, drive_service);
}

// POST: does the controller respond, and is there a drive A that finds track 0?
void diskette_init(void)
{
    bda->diskette_seek = bda->diskette_motor = 0;
    bda->diskette_media[0] = bda->diskette_media[1] = 0;
    bda->diskette_info = 0x77;             // both drives: change line, several rates
    u8 status = fdc_reset();
    u8 types = cmos_read(cmos_diskettes);
    if (status != diskette_ok) {
        if (types)
            post_error(error_diskette, TEXT("Diskette controller does not answer"), no_slot);
        return;
    }
    if (types & 0xF0)
        bda->equipment |= (types & 0x0F) ? 0x41 : 0x01;
    else if (fdc_recalibrate(0) == diskette_ok)
        bda->equipment |= 0x01;
}
