// SPDX-License-Identifier: GPL-2.0-or-later
// The 82077-class diskette controller in PS/2 mode
// (docs/hardware/planar-devices.md#diskette-controller): ports 3F0h to 3F7h, DMA channel 2, IRQ 6.
// Commands, motor, seek; all waits are bounded.
#pragma once

#include "firmware.h"

enum FdcRate { rate_500 = 0, rate_300 = 1, rate_250 = 2, rate_1000 = 3 };

// INT 13h status codes.
enum DisketteStatus {
    diskette_ok = 0x00, diskette_bad_command = 0x01, diskette_no_address_mark = 0x02,
    diskette_write_protected = 0x03, diskette_sector_not_found = 0x04, diskette_changed = 0x06,
    diskette_dma_overrun = 0x08, diskette_dma_boundary = 0x09, diskette_unknown_media = 0x0C,
    diskette_crc = 0x10, diskette_controller = 0x20, diskette_seek_failed = 0x40,
    diskette_timeout = 0x80,
};

u8 diskette_parameter(int index);          // byte of the table at vector 1Eh
u8 fdc_reset(void);
void fdc_motor_on(u8 drive, int writing);
void fdc_motor_timeout(void);              // start the countdown that turns the motor off
void fdc_set_rate(u8 rate, int perpendicular);
int fdc_change_line(u8 drive);
u8 fdc_seek(u8 drive, u8 cylinder, u8 head);
u8 fdc_recalibrate(u8 drive);
u8 fdc_read_id(u8 drive, u8 head);
void fdc_start_dma(u8 mode, u32 address, u32 bytes);
u32 fdc_dma_left(void);                    // bytes that channel 2 has not transferred
// Sends a command, waits for its interrupt, reads the seven result bytes into the BDA.
u8 fdc_execute(const u8* command, int length);
