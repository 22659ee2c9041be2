// SPDX-License-Identifier: GPL-2.0-or-later
//
// Finding and opening several adapters, and their counters.
#include "several.h"

#include "adapters.h"
#include "driver.h"
#include "mode.h"
#include "tcp.h"

extern char settings_text[];            // system/main.c

#define ROW(name) &name##_driver,       // as drivers/several.h calls it
static const struct driver *const drivers[] = {ETHERNET_DRIVERS(ROW)};

struct adapter several_adapter[ADAPTERS_MOST];
u32 several_adapters;

enum { STATES = 4096 };                 // bytes of all adapters' states; the largest has 640
static u8 states[STATES] __attribute__((aligned(32)));
static u32 states_used;

static u32 number(const char *key, u32 standard, u32 low, u32 high) {
    const char *value = settings_find(settings_text, key);
    if (value && !settings_number(value, low, high, &standard))
        fail("setting not understood: %s", key);
    return standard;
}

static const struct driver *driver_for(u16 id) {
    for (u32 d = 0; d < sizeof drivers / sizeof *drivers; d++)
        for (const u16 *known = drivers[d]->ids; *known; known++)
            if (*known == id)
                return drivers[d];
    return NULL;
}

static int take_over(int slot) {
    const u8 *pos = mca_slot[slot].reg;
    const struct driver *driver = driver_for((u16)(pos[0] | pos[1] << 8));
    if (!driver || !(pos[2] & 1))
        return 0;
    struct netdev *dev = &several_adapter[several_adapters].dev;
    dev->name = driver->name;
    dev->slot = slot + 1;
    dev->mtu = netdev.mtu;
    dev->private_data = states + states_used;
    queue_init(&dev->queue);
    states_used += (driver->state_bytes + 31) & ~31u;
    if (states_used > STATES)
        fail("no room for the state of %s", dev->name);
    return driver->probe(dev, pos) == 0;
}

static void add(u32 *to, const u32 *what) {
    for (u32 i = 0; i < sizeof(struct net_counters) / sizeof(u32); i++)
        to[i] += what[i];
}

// Of `netdev`: the sum over all of a bond, or those of the first adapter. What each has counted is reported on the way.
static void update_counters(struct netdev *above) {
    memset(&above->counters, 0, sizeof above->counters);
    for (u32 n = 0; n < several_adapters; n++) {
        struct netdev *dev = &several_adapter[n].dev;
        const struct net_counters *c = &dev->counters;
        if (dev->update_counters)
            dev->update_counters(dev);
        if (bond_slaves || n == 0)
            add((u32 *)&above->counters, (const u32 *)c);
        report("@adapter_counters slot=%d sent=%u received=%u collisions=%u tx_errors=%u rx_errors=%u overruns=%u missed=%u "
               "dropped=%u interrupts=%u waiting=%u\n",
               dev->slot, c->tx_packets, c->rx_packets, c->collisions, c->tx_errors, c->rx_errors, c->rx_over_errors,
               c->rx_missed_errors, c->rx_dropped, irq_count(dev->irq), dev->queue.length);
    }
    report("@reordered segments=%u\n", tcp_out_of_order);
    forward_report();
}

static void open_adapter(struct netdev *dev) {
    char mac[18];
    const u8 *m = dev->mac;
    if (dev->open(dev))
        fail("%s in slot %d: the adapter does not open", dev->name, dev->slot);
    dev->opened = 1;
    sformat(mac, sizeof mac, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
    printk("%s in slot %d, I/O %x, interrupt %d, address %s\n", dev->name, dev->slot, dev->io, dev->irq, mac);
    report("@card %s slot %d io %x irq %d mac %s\n", dev->name, dev->slot, dev->io, dev->irq, mac);
}

// Programs need not know the setting: its line becomes a comment.
static void understood(const char *key) {
    char *line = (char *)settings_find(settings_text, key);
    while (line && line[-1] != '\n')
        line--;
    if (line)
        *line = '#';
}

int several_probe(struct netdev *above) {
    u32 wanted = number("adapters", 1, 1, ADAPTERS_MOST), bonded = number("bond", 0, 0, 1);
    if (!has_mca)
        fail("no Micro Channel: INT 15h C0h feature byte 1 bit 1 is clear");
    if (above->mtu > MTU_ETHERNET)
        fail("mtu %u is more than an Ethernet frame holds", above->mtu);
    for (int slot = 0; slot < 8 && several_adapters < wanted; slot++)
        several_adapters += (u32)take_over(slot);
    if (several_adapters < wanted)
        fail("adapters=%u, but %u found", wanted, several_adapters);

    const struct netdev *first = &several_adapter[0].dev;
    above->name = first->name;
    above->slot = first->slot;
    above->io = first->io;
    above->irq = first->irq;
    above->update_counters = update_counters;
    memcpy(above->mac, first->mac, 6);
    for (u32 n = 0; bonded && n < several_adapters; n++) {
        memcpy(several_adapter[n].dev.mac, above->mac, 6);
        bond_enslave(above, &several_adapter[n]);
    }
    several_queue_init();
    for (u32 n = 0; n < several_adapters; n++)
        open_adapter(&several_adapter[n].dev);
    above->opened = 1;
    net_adapter = &several_adapter[0].dev;
    forward_init();
    for (u32 n = 0; n < several_adapters; n++)
        receive_opened(&several_adapter[n].dev);
    understood("adapters");
    understood("bond");
    understood("forward");
    return 0;
}
