// SPDX-License-Identifier: GPL-2.0-or-later
// CD-ROM drives of a PC: ATAPI drives on the IDE channels (cdrom.c), booting from them (el_torito.c) and INT 13h for
// the drive that was booted from (cd_service.c).
#pragma once

#include "firmware.h"

enum { cd_block_bytes = 2048, cd_sectors_per_block = 4 };  // programs count in sectors of 512 bytes

// State of the CD-ROM drives, in a reserved part of the BIOS data area. The image is the one named in El Torito's
// catalog: of a diskette or a disk, or a program.
struct Cd {
    u8 found;                              // bit n: device n is a CD-ROM drive
    u8 device, drive;                      // booted from: the device, and its number in INT 13h
    u8 media;                              // 0 not booted from, else media_started and the media type in the catalog
    u32 image, catalog;                    // blocks
    u32 sectors;                           // in the image
    u16 segment, count;                    // load segment, and number of sectors to load
    u16 cylinders;
    u8 heads, track;
} __attribute__((packed));
#define cd ((volatile struct Cd __seg_fs*)0x4D0)
_Static_assert(sizeof(struct Cd) <= 0x20, "40:D0 to 40:EF");

enum { media_started = 0x80, media_none = 0, media_1200 = 1, media_1440 = 2, media_2880 = 3, media_disk = 4, media_kind = 0x0F };

static inline u8 cd_kind(void) { return cd->media & media_kind; }

// cdrom.c
int cd_identify(u8 device);                // POST: is it a CD-ROM drive? Records it.
u8 cd_read(u8 device, u32 block, u8 skip, u32 sectors, u32 buffer);  // skips `skip` sectors of the first block
u32 cd_blocks(u8 device);                  // on the medium; 0: unknown

// el_torito.c
void cd_forget(void);                      // no CD-ROM drive was booted from
void cd_boot(void);                        // boots from the first bootable CD-ROM; returns if there is none

// cd_service.c
void cd_drive_service(struct Regs* r, void (*rest)(struct Regs*));
