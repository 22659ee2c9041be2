// SPDX-License-Identifier: GPL-2.0-or-later
//
// The drivers, and the search for an adapter: for each driver, for each of its IDs, the slots in
// order; an adapter whose POS 2 bit 0 is clear is not configured and is passed over
// (Linux 2.2 mca_find_unused_adapter).
#include "driver.h"

#define ROW(name) &name##_driver,
static const struct driver *const drivers[] = {
    ETHERNET_DRIVERS(ROW)
    &ibmtr_driver,
    &lanstreamer_driver,
    &tms380_driver,
};

const char *driver_version;

#ifdef GUEST_ISA_TEST
// Build for QEMU's ISA NE2000 (make isa-test; never the committed image): pretend that slot 1 holds
// an NE/2 whose POS says I/O C3D0h and interrupt 5. QEMU: -device ne2k_isa,iobase=0xc3d0,irq=5.
static void pretend(void) {
    memset(mca_slot, 0xFF, sizeof mca_slot);
    mca_slot[0].reg[0] = 0x54;
    mca_slot[0].reg[1] = 0x71;
    mca_slot[0].reg[2] = 0x01 | 7 << 1 | 1 << 4 | 2 << 5;
}
#endif

int driver_probe(struct netdev *dev) {
#ifdef GUEST_ISA_TEST
    pretend();
#else
    if (!has_mca)
        fail("no Micro Channel: INT 15h C0h feature byte 1 bit 1 is clear");
#endif
    for (u32 d = 0; d < sizeof drivers / sizeof *drivers; d++)
        for (const u16 *id = drivers[d]->ids; *id; id++)
            for (int slot = 0; slot < 8; slot++) {
                const u8 *pos = mca_slot[slot].reg;
                if ((pos[0] | pos[1] << 8) != *id || !(pos[2] & 1))
                    continue;
                dev->name = drivers[d]->name;
                dev->slot = slot + 1;
                if (drivers[d]->probe(dev, pos) == 0)
                    return 1;
            }
    return 0;
}
