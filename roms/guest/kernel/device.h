// SPDX-License-Identifier: GPL-2.0-or-later
//
// An adapter as drivers see it, whatever bus it sits on. A bus is a file with a `struct bus` (mca.c); its scan fills
// `devices` in the order of the slots, with all that the bus itself tells of an adapter.
#pragma once
#include "kernel.h"

struct bus {
    const char *name;
    void (*scan)(void);
};

struct device {
    const struct bus *bus;
    u32 id;                             // as the bus numbers adapters
    int slot;                           // from 1
    int enabled;                        // configured by the firmware
    u16 io;                             // where it answers, once the driver or the bus has told it
    u32 mem;                            // physical
    int irq;
};

enum { DEVICES_MOST = 16 };
extern struct device devices[DEVICES_MOST];
extern u32 device_count;
void device_add(const struct bus *bus, u32 id, int slot, int enabled);

// ---- Micro Channel (mca.c) ----------------------------------------------------------------------
// What the firmware has chosen stands in POS 2 to 5, laid out by each adapter as it likes: its driver decodes it.
extern const struct bus mca_bus;
extern int has_mca;                     // the firmware says so: the only sign that Linux goes by
u8 mca_stored_pos(const struct device *d, int reg);                 // what the scan saw
u8 mca_read_pos(const struct device *d, int reg);                   // the register itself
void mca_write_pos(const struct device *d, int reg, u8 value);      // the stored copy follows
// `bits` bits of a stored register, from `bit` on.
static inline u32 mca_field(const struct device *d, int reg, int bit, int bits) {
    return mca_stored_pos(d, reg) >> bit & ((1u << bits) - 1);
}
