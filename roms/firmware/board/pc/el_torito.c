// SPDX-License-Identifier: GPL-2.0-or-later
// Booting from a CD-ROM ("El Torito" Bootable CD-ROM Format Specification 1.0): the boot record in block 17 points to
// the catalog, whose default entry names a program to load or the image of a diskette or a disk. Also the order in
// which drives are tried.
#include "board.h"
#include "cdrom.h"
#include "disk.h"

enum {
    boot_record = 17, boot_buffer = 0x7C00, boot_segment = 0x7C0,
    record_catalog = 0x47,
    validation = 0, validation_platform = 1, validation_key = 0x1E, validation_bytes = 32,
    entry = 32, entry_media = entry + 1, entry_segment = entry + 2, entry_count = entry + 6, entry_block = entry + 8,
    header_id = 1, bootable = 0x88, platform_x86 = 0, key_word = 0xAA55,
    partition = 0x1BE, partition_head = partition + 5, partition_sector = partition + 6, partition_cylinder = partition + 7,
    equipment_diskette = 0x01, equipment_number = 0xC0, equipment_one_more = 0x40,
    lowest_segment = 0x50, emulated_diskette = 0x00, emulated_disk = 0x80, plain_drive = 0xE0,
    order_low = 0x3D, order_high = 0x38, usual_order = 0x321, order_diskette = 1, order_disk = 2, order_cd = 3,
};

static u8 loaded8(u16 at) { return far_read8(0, (u16)(boot_buffer + at)); }
static u16 loaded16(u16 at) { return far_read16(0, (u16)(boot_buffer + at)); }
static u32 loaded32(u16 at) { return far_read32(0, (u16)(boot_buffer + at)); }

static int emulates(u8 media) { return (media & media_started) && (media & media_kind) != media_none; }

void cd_forget(void)
{
    u8 media = cd->media;
    if (emulates(media) && (media & media_kind) != media_disk) {
        if (bda->equipment & equipment_number)
            bda->equipment -= equipment_one_more;
        else
            bda->equipment &= (u16)~equipment_diskette;
    }
    cd->media = 0;
}

static int is_boot_record(void)
{
    ROM char wanted[] = "\0CD001\1EL TORITO SPECIFICATION";
    for (u16 n = 0; n < sizeof wanted; ++n)
        if (loaded8(n) != (u8)wanted[n])
            return 0;
    return 1;
}

// The validation entry, and a bootable default entry.
static int is_catalog(void)
{
    u16 sum = 0;
    for (u16 n = 0; n < validation_bytes; n += 2)
        sum = (u16)(sum + loaded16(n));
    return sum == 0 && loaded8(validation) == header_id && loaded16(validation_key) == key_word
           && loaded8(validation_platform) == platform_x86 && loaded8(entry) == bootable
           && (loaded8(entry_media) & media_kind) <= media_disk;
}

static void set_geometry(u16 cylinders, u8 heads, u8 track)
{
    cd->cylinders = cylinders;
    cd->heads = heads;
    cd->track = track;
    cd->sectors = (u32)cylinders * heads * track;
}

// A disk image has the geometry of its only partition, from the first track to the last. 0: none found.
static int find_geometry(u8 device, u8 kind)
{
    switch (kind) {
    case media_1200: set_geometry(80, 2, 15); return 1;
    case media_1440: set_geometry(80, 2, 18); return 1;
    case media_2880: set_geometry(80, 2, 36); return 1;
    case media_disk: break;
    default: return 1;
    }
    if (cd_read(device, cd->image, 0, 1, boot_buffer) != disk_ok)
        return 0;
    u8 sector = loaded8(partition_sector);
    set_geometry((u16)((loaded8(partition_cylinder) | (sector & 0xC0) << 2) + 1), (u8)(loaded8(partition_head) + 1), sector & 0x3F);
    return cd->sectors != 0;
}

static void note_entry(u8 device)
{
    u16 segment = loaded16(entry_segment), count = loaded16(entry_count);
    cd->device = device;
    cd->image = loaded32(entry_block);
    cd->segment = segment ? segment : boot_segment;
    cd->count = count ? count : 1;
}

static RomText start_from(u8 device)
{
    if (cd_read(device, boot_record, 0, cd_sectors_per_block, boot_buffer) != disk_ok)
        return TEXT("it cannot be read");
    if (!is_boot_record())
        return TEXT("it has no El Torito boot record");
    cd->catalog = loaded32(record_catalog);
    if (cd_read(device, cd->catalog, 0, cd_sectors_per_block, boot_buffer) != disk_ok)
        return TEXT("its boot catalog cannot be read");
    if (!is_catalog())
        return TEXT("its boot catalog names nothing that can be started");
    note_entry(device);
    u8 kind = loaded8(entry_media) & media_kind;
    u16 segment = cd->segment, count = cd->count;
    if (segment < lowest_segment || ((u32)segment << 4) + count * 512u > (u32)ebda_segment << 4)
        return TEXT("its boot program does not fit into memory");
    if (!find_geometry(device, kind))
        return TEXT("its disk image has no partition");
    if (cd_read(device, cd->image, 0, count, (u32)segment << 4) != disk_ok)
        return TEXT("its boot program cannot be read");
    u8 drive = kind == media_none ? plain_drive : kind == media_disk ? emulated_disk : emulated_diskette;
    cd->drive = drive;
    cd->media = (u8)(media_started | kind);
    if (drive == emulated_diskette)
        bda->equipment += bda->equipment & equipment_diskette ? equipment_one_more : equipment_diskette;
    checkpoint(0x21, TEXT("        "));
    // 07C0:0 is started as 0:7C00, as from a diskette.
    start_program((u16)(segment & 0xF000), (u16)(segment << 4), drive);
}

void cd_boot(void)
{
    for (u8 device = 0; device < 4; ++device) {
        if (!(cd->found >> device & 1))
            continue;
        checkpoint(0x23, TEXT("BOOT CD "));
        RomText why = start_from(device);
        print(TEXT("The CD-ROM is not bootable: "));
        print(why);
        print(TEXT(".\n"));
    }
}

// The boot order is in CMOS 3Dh, low half first, and the high half of 38h: 1 diskette, 2 disk, 3 CD-ROM.
void board_boot(void (*diskette)(void), void (*disk)(void))
{
    cd_forget();
    u16 order = (u16)(cmos_read(order_low) | (cmos_read(order_high) & 0xF0) << 4);
    nmi_enable();
    for (order = order ? order : usual_order; order; order >>= 4)
        switch (order & 15) {
        case order_diskette: diskette(); break;
        case order_disk: disk(); break;
        case order_cd: cd_boot(); break;
        default: break;
        }
}
