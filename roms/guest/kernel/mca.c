// SPDX-License-Identifier: GPL-2.0-or-later
//
// Micro Channel: reads the POS registers of all slots once, in the order of Linux 2.2
// (docs/hardware/pos-and-adf.md#linuxs-scan): adapter setup off; planar video (94h = DFh),
// integrated SCSI (F7h, and FDh when that read all ones), planar setup off; then slots 0 to 7
// through 96h.
#include "kernel.h"

enum { PLANAR_SETUP = 0x94, ADAPTER_SETUP = 0x96, POS0 = 0x100 };

struct pos mca_slot[8];

static int read_pos(struct pos *p) {
    int present = 0;
    for (int i = 0; i < 8; i++) {
        p->reg[i] = inb_p((u16)(POS0 + i));
        present |= p->reg[i] != 0xFF;
    }
    return present;
}

void mca_scan(void) {
    struct pos planar;
    u32 flags;
    save_flags_cli(flags);
    outb_p(0, ADAPTER_SETUP);
    outb_p(0xDF, PLANAR_SETUP);
    read_pos(&planar);
    outb_p(0xF7, PLANAR_SETUP);
    if (!read_pos(&planar)) {
        outb_p(0xFD, PLANAR_SETUP);
        read_pos(&planar);
    }
    outb_p(0xFF, PLANAR_SETUP);
    for (int slot = 0; slot < 8; slot++) {
        outb_p((u8)(8 | slot), ADAPTER_SETUP);
        read_pos(&mca_slot[slot]);
    }
    outb_p(0, ADAPTER_SETUP);
    restore_flags(flags);
}

void mca_write_pos(int slot, int reg, u8 value) {
    u32 flags;
    save_flags_cli(flags);
    outb_p(0xFF, PLANAR_SETUP);
    outb_p((u8)(8 | slot), ADAPTER_SETUP);
    outb_p(value, (u16)(POS0 + reg));
    outb_p(0, ADAPTER_SETUP);
    restore_flags(flags);
    mca_slot[slot].reg[reg] = value;
}

u8 mca_read_pos(int slot, int reg) {
    u32 flags;
    save_flags_cli(flags);
    outb_p(0xFF, PLANAR_SETUP);
    outb_p((u8)(8 | slot), ADAPTER_SETUP);
    u8 value = inb_p((u16)(POS0 + reg));
    outb_p(0, ADAPTER_SETUP);
    restore_flags(flags);
    return value;
}
