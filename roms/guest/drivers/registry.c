// SPDX-License-Identifier: GPL-2.0-or-later
//
// The drivers, and the search for adapters. Without the setting `adapters` one adapter is opened, found as in Linux 2.2
// (mca_find_unused_adapter, pci_find_device): for each driver, for each of its IDs, the slots in order. With the
// setting, that many are opened, those in the lowest slots. Adapters that the firmware has not enabled are skipped.
#include "driver.h"
#include "bond.h"

// In the order in which they are tried.
#define DRIVERS(row) \
    row(threec523) row(threec527) row(el3) row(ne2) row(smc_mca) row(ibmlana) row(eexpress) row(sk_mca) row(depca) \
    row(oc2335) row(streamer) row(ibmtr) row(lanstreamer) row(tms380) row(eepro100) \
    row(tulip) row(vortex) row(rtl8139) row(e1000)

#define DECLARE(name) extern const struct driver name##_driver;
DRIVERS(DECLARE)
#define ROW(name) &name##_driver,
static const struct driver *const drivers[] = {DRIVERS(ROW)};
enum { DRIVER_COUNT = sizeof drivers / sizeof *drivers };

enum { STATES = 8192 };                 // bytes, for the states of all adapters
static u8 states[STATES] __attribute__((aligned(32)));
static u32 states_used;

const char *driver_version;

#ifdef GUEST_ISA_TEST
// For QEMU's ISA NE2000 (make isa-test; never the committed image): -device ne2k_isa,iobase=0xc3d0,irq=5 as an NE/2.
static void pretend(void) {
    struct device *d = device_add(&mca_bus, 0x7154, 1, 1);
    d->io = 0xC3D0;
    d->irq = 5;
}
#endif

static int serves(const struct driver *driver, const struct device *d, u32 id) {
    return d->bus == driver->bus && d->id == id && d->enabled;
}

static int take_over(const struct driver *driver, struct device *d) {
    struct netdev *dev = &net_adapters[net_adapter_count];
    u32 bytes = (driver->state_bytes + 31) & ~31u;
    if (states_used + bytes > STATES)
        fail("no room for the state of %s", driver->name);
    if (driver->locate && !d->io && driver->locate(d))
        return 0;
    dev->name = driver->name;
    dev->slot = d->slot;
    dev->io = d->io;
    dev->irq = d->irq;
    dev->link = LINK_ETHERNET;
    dev->megabits = d->bus == &pci_bus ? 100 : 10;
    dev->mtu = netdev->mtu;
    dev->private_data = states + states_used;
    queue_init(&dev->queue);
    if (driver->probe(dev, d)) {
        memset(dev->private_data, 0, bytes);
        return 0;
    }
    if (dev->link == LINK_ETHERNET && dev->mtu > MTU_ETHERNET)
        fail("mtu %u is more than an Ethernet frame holds", dev->mtu);
    states_used += bytes;
    net_adapter_count++;
    return 1;
}

static int find_first(void) {
    for (u32 n = 0; n < DRIVER_COUNT; n++)
        for (const u32 *id = drivers[n]->ids; *id; id++)
            for (struct device *d = devices; d < devices + device_count; d++)
                if (serves(drivers[n], d, *id) && take_over(drivers[n], d))
                    return 1;
    return 0;
}

static void find_by_slot(u32 wanted) {
    for (struct device *d = devices; d < devices + device_count; d++)
        for (u32 n = 0; n < DRIVER_COUNT && net_adapter_count < wanted; n++)
            for (const u32 *id = drivers[n]->ids; *id; id++)
                if (serves(drivers[n], d, *id) && take_over(drivers[n], d))
                    break;
    if (net_adapter_count < wanted)
        fail("adapters=%u, but %u found", wanted, net_adapter_count);
}

static u32 number(const char *settings, const char *key, u32 standard, u32 low, u32 high) {
    const char *value = settings_find(settings, key);
    if (value && !settings_number(value, low, high, &standard))
        fail("setting not understood: %s", key);
    return standard;
}

int drivers_start(const char *settings) {
    u32 wanted = number(settings, "adapters", 0, 1, ADAPTERS_MOST);
#ifdef GUEST_ISA_TEST
    pretend();
#endif
    if (!has_mca && !device_count)
        fail("no Micro Channel (INT 15h C0h feature byte 1 bit 1 is clear) and no PCI");
    if (wanted)
        find_by_slot(wanted);
    else if (!find_first())
        return 0;
    if (number(settings, "bond", 0, 0, 1))
        bond_all();
    net_open();
    netdev->opened = 1;
    net_list_adapters = wanted != 0;
    return 1;
}
