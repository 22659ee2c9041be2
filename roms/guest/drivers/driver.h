// SPDX-License-Identifier: GPL-2.0-or-later
//
// A driver of the test bench: which adapters of a bus it serves and how it takes one over. To add one: a file of its own
// (on PCI in pci/, for Token Ring in tokenring/) and a row in registry.c.
//
// What it keeps of an adapter is a struct of its own, zero to begin with, at dev->private_data: one build serves any
// number of adapters.
//
// Ethernet: start_transmit() gets a frame from the destination address on, without FCS and unpadded; what was received
// goes up with `b->protocol = eth_type(b, dev); netif_rx(b)`.
//
// Token Ring: the probe sets dev->link = LINK_TOKEN_RING. Frames begin with the AC byte both ways, addresses are as on the
// ring (most significant bit first), a routing field and SNAP follow; no FCS. What was received goes up with
// `b->protocol = tr_type(b, dev); netif_rx(b)`. dev->mtu, set before the probe, is the longest IP datagram: buffers of
// TR_HEADER + mtu bytes hold every frame. open() puts the station into the ring before it returns and may take seconds
// (wait_for()); not 0 when it is not accepted.
#pragma once
#include "device.h"
#include "net.h"
#include "settings.h"

struct driver {
    const char *name;                   // as planar's card name where one driver serves one card
    const struct bus *bus;
    const u32 *ids;                     // of that bus, in the order in which the period's driver looks; 0 ends
    int (*locate)(struct device *d);    // io, mem and irq from what the bus has stored; 0 = known. NULL: the bus has
    int (*probe)(struct netdev *dev, const struct device *d);   // 0 = running
    u32 state_bytes;                    // at dev->private_data
};

// How many frames a driver takes in one go: all that are there, as the period's do, unless a mode of receiving allows
// fewer (receive/mode.h). What is left stays in the adapter, which may have nothing new to say of it: a driver that was
// stopped asks receive_left() when it is called again.
static inline int receive_more(struct netdev *dev) {
    if (receive_allowed > 0)
        return 1;
    dev->frames_left = 1;
    return 0;
}
static inline int receive_left(struct netdev *dev) {
    int left = dev->frames_left;
    dev->frames_left = 0;
    return left;
}

// The setting `driver`, up to its line's end: the version whose habits a driver is to have (settings_is()); NULL when there
// is none.
extern const char *driver_version;

// Takes over and opens the adapters that the settings ask for: the first that a driver finds, or `adapters` of them. 0: there
// is none.
int drivers_start(const char *settings);
