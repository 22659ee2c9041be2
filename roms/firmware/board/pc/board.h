// SPDX-License-Identifier: GPL-2.0-or-later
// POST's interface to its board, implemented for a PC with PCI: the AT's ports and CMOS, and PCI functions, to which it
// assigns addresses and interrupts. There are no adapter records.
#pragma once

#include "cdrom.h"
#include "firmware.h"

#define BOARD_TITLE TEXT("planar PC firmware 1.0\n")

enum {
    board_icw1 = 0x11,                     // 8259s: cascade, ICW4 follows; ELCR makes PCI lines level-triggered
    board_has_panel = 0,
    cmos_checksum = 0x2E, cmos_found_kb = 0x30, cmos_century = 0x32,
};

// Port 80h as on any PC; 680h is the port that planar reads on every machine.
static inline void board_checkpoint(u8 code)
{
    outb(0x80, code);
    outb(0x680, code);
}

/// Checkpoint 02: initialisation required before memory and interrupts.
static inline void board_ports_init(void)
{
    u8 b = inb(0x61) & 0x03;
    outb(0x61, b | 0x0C);                  // clear latched checks, then enable checking
    outb(0x61, b);
    outb(0xD6, 0xC0);                      // DMA channel 4 cascades channels 0 to 3
    outb(0xD4, 0x00);
    outb(0xF0, 0);                         // clear the coprocessor error
}

// Timer channel 1, mode 2, count 18: a refresh request every 15.09 us.
static inline void board_timer_init(void)
{
    outb(0x43, 0x54);
    outb(0x41, 18);
}

static inline void board_timer_served(void) {}
static inline u8 board_arbitration(void) { return 0xFF; }
static inline void board_arbitrate_again(u8 central) { (void)central; }

// PIIX's reset control register: resets processor and PCI. Without one, execution continues as after a soft reset.
static inline void board_reset(void)
{
    outb(0xCF9, 0x02);
    outb(0xCF9, 0x06);
}

// cmos_at.c
int cmos_sum_good(void);          // AT: the sum of 10h to 2Dh
void cmos_note_memory(void);      // AT: 30h and 31h hold the size that POST has found
static inline int board_cmos_good(void) { return cmos_sum_good(); }

// memory_types.c
void memory_types_set_up(void);   // P6 only

// pci_setup.c
void board_reset_bus(void);       // checkpoint 05: disables decoding and bus mastering of all functions
void board_wake_video(void);      // checkpoint 06
void pci_set_up(void);

// pci_bios.c
int board_time_service(struct Regs* r);

// INT 13h: before diskettes and disks, the CD-ROM that was booted from.
static inline void board_drive_service(struct Regs* r, void (*rest)(struct Regs*)) { cd_drive_service(r, rest); }

// el_torito.c
void board_boot(void (*diskette)(void), void (*disk)(void));   // INT 19h: the boot order of the drives

#define BOARD_RECORDS_LOST TEXT("")
static inline int board_records_valid(void) { return 1; }

// Checkpoint 0B, in this order.
static inline void board_set_up(int records_valid)
{
    (void)records_valid;
    cmos_note_memory();
    memory_types_set_up();
}
static inline void board_set_up_slots(void) { pci_set_up(); }
static inline void board_set_up_ends(void) {}
