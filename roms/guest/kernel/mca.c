// SPDX-License-Identifier: GPL-2.0-or-later
//
// Micro Channel: reads the POS registers of all slots once, in the order of Linux 2.2
// (docs/hardware/pos-and-adf.md#linuxs-scan): adapter setup off; planar video (94h = DFh),
// integrated SCSI (F7h, and FDh when that read all ones), planar setup off; then slots 0 to 7
// through 96h.
#include "device.h"

enum { PLANAR_SETUP = 0x94, ADAPTER_SETUP = 0x96, POS0 = 0x100, NOTHING = 0xFFFF };

struct pos {
    u8 reg[8];
};
static struct pos slots[8];

int has_mca;

static int read_pos(struct pos *p) {
    int present = 0;
    for (int i = 0; i < 8; i++) {
        p->reg[i] = inb_p((u16)(POS0 + i));
        present |= p->reg[i] != 0xFF;
    }
    return present;
}

static void scan(void) {
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
        read_pos(&slots[slot]);
    }
    outb_p(0, ADAPTER_SETUP);
    restore_flags(flags);
    for (int slot = 0; slot < 8; slot++) {
        const u8 *pos = slots[slot].reg;
        u32 id = (u32)(pos[0] | pos[1] << 8);
        if (id != NOTHING)
            device_add(&mca_bus, id, slot + 1, pos[2] & 1);
    }
}

u8 mca_stored_pos(const struct device *d, int reg) { return slots[d->slot - 1].reg[reg]; }

static void open_setup(const struct device *d) {
    outb_p(0xFF, PLANAR_SETUP);
    outb_p((u8)(8 | (d->slot - 1)), ADAPTER_SETUP);
}

void mca_write_pos(const struct device *d, int reg, u8 value) {
    u32 flags;
    save_flags_cli(flags);
    open_setup(d);
    outb_p(value, (u16)(POS0 + reg));
    outb_p(0, ADAPTER_SETUP);
    restore_flags(flags);
    slots[d->slot - 1].reg[reg] = value;
}

u8 mca_read_pos(const struct device *d, int reg) {
    u32 flags;
    save_flags_cli(flags);
    open_setup(d);
    u8 value = inb_p((u16)(POS0 + reg));
    outb_p(0, ADAPTER_SETUP);
    restore_flags(flags);
    return value;
}

const struct bus mca_bus = {"Micro Channel", scan};
