// SPDX-License-Identifier: GPL-2.0-or-later
// POST's interface to its board, implemented for a PS/2: system control ports, Programmable Option Select, and the
// adapter records in its NVRAM. The firmware of another board has a board.h with the same functions (Makefile: BOARD).
#pragma once

#include "firmware.h"

#define BOARD_TITLE TEXT("planar PS/2 firmware 1.0\n")

enum { setup_system = 0x94, setup_adapter = 0x96, pos0 = 0x100 };

enum {
    board_icw1 = 0x19,                     // interrupt controllers: cascade, ICW4 follows, level-sensitive
    board_has_panel = 1,
    cmos_checksum = 0x32, cmos_century = 0x37,
};

static inline void board_checkpoint(u8 code) { outb(0x680, code); }
static inline int board_cmos_good(void) { return cmos_checksum_good(); }
static inline void board_timer_init(void) {}            // channel 1 does not exist; the watchdog is off
static inline int board_time_service(struct Regs* r) { return (void)r, 0; }
static inline void board_reset(void) {}
static inline void board_drive_service(struct Regs* r, void (*rest)(struct Regs*)) { rest(r); }

// INT 19h: the boot order of the drives.
static inline void board_boot(void (*diskette)(void), void (*disk)(void))
{
    diskette();
    disk();
}

// IRQ 0 is a latch that only this write clears (docs/hardware/micro-channel.md#interrupts).
static inline void board_timer_served(void) { outb(0x61, (inb(0x61) & 0x0F) | 0x80); }

// An NMI stops all arbitration on the channel until bit 6 of port 90h is written as 0
// (docs/hardware/micro-channel.md#nmi-and-arbitration).
static inline u8 board_arbitration(void) { return inb(0x90); }
static inline void board_arbitrate_again(u8 central) { outb(0x90, central & 0xA0 & ~0x20); }

/// Checkpoint 02: initialisation required before memory and interrupts.
static inline void board_ports_init(void)
{
    u8 b = inb(0x61) & 0x0F;
    outb(0x61, b | 0x0C);                  // clear latched checks, then enable checking
    outb(0x61, b & 0x00);
    outb(0x90, 0x00);                      // arbitration on, standard cycle length
    outb(0xF1, 0);                         // clear coprocessor reset and busy
    outb(0xF0, 0);
}

// drives.h
void disk_note_adapter(u16 id, u8 pos2);

// pos.c
void board_reset_bus(void);       // checkpoint 05
void board_wake_video(void);      // checkpoint 06: the display adapter responds from here on
void pos_end(void);               // ends setup: neither the system board nor a slot responds at the POS registers

/// Are the adapter records of the slots valid? Checkpoints 06 and 0B.
static inline int board_records_valid(void) { return nvram_good(); }
#define BOARD_RECORDS_LOST TEXT("Adapter records (NVRAM) checksum, no adapter is set up")

// Checkpoint 0B, in this order.
void board_set_up(int records_valid);
void board_set_up_slots(void);    // only with valid records
static inline void board_set_up_ends(void) { pos_end(); }
