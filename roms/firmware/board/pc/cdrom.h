// SPDX-License-Identifier: GPL-2.0-or-later
// CD-ROM drives of a PC: ATAPI drives on the IDE channels (cdrom.c), starting from them (el_torito.c) and INT 13h for the one that
// was started from (cd_service.c).
#pragma once

#include "firmware.h"

enum { cd_block_bytes = 2048, cd_sectors_per_block = 4 };  // programs count in sectors of 512 bytes

// What is known of them, in a part of the BIOS data area that is reserved. The image is what El Torito's catalog names: a
// diskette's or a disk's, or a program.
struct Cd {
    u8 found;                              // bit n: device n is one
    u8 device, drive;                      // started from: the device, its number in INT 13h
    u8 media;                              // 0 nothing was started, else media_started and what the catalog says
    u32 image, catalog;                    // blocks
    u32 sectors;                           // of the image
    u16 segment, count;                    // where to and how many sectors are loaded
    u16 cylinders;
    u8 heads, track;
} __attribute__((packed));
#define cd ((volatile struct Cd __seg_fs*)0x4D0)
_Static_assert(sizeof(struct Cd) <= 0x20, "40:D0 to 40:EF");

enum { media_started = 0x80, media_none = 0, media_1200 = 1, media_1440 = 2, media_2880 = 3, media_disk = 4, media_kind = 0x0F };

static inline u8 cd_kind(void) { return cd->media & media_kind; }

// cdrom.c
int cd_identify(u8 device);                // POST: is it a CD-ROM drive? Notes it.
u8 cd_read(u8 device, u32 block, u8 skip, u32 sectors, u32 buffer);  // `skip` sectors of the first block are left out
u32 cd_blocks(u8 device);                  // on the medium; 0: unknown

// el_torito.c
void cd_forget(void);                      // no drive was started from
void cd_boot(void);                        // starts from the first CD-ROM that can be started from; returns without one

// cd_service.c
void cd_drive_service(struct Regs* r, void (*rest)(struct Regs*));
