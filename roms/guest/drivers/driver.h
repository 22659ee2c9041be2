// SPDX-License-Identifier: GPL-2.0-or-later
//
// A driver of the test bench: which adapters of a bus it serves and how it takes one over. To add one: a file of its
// own (PCI in pci/, Token Ring in tokenring/) and a row in registry.c.
//
// Its state for an adapter is a struct of its own, initially zero, at dev->private_data: one build serves any number of
// adapters.
//
// Ethernet: start_transmit() gets a frame starting at the destination address, without FCS and unpadded; received
// frames go up with `b->protocol = eth_type(b, dev); netif_rx(b)`. The driver of a card that negotiates sets dev->linked:
// nothing is sent before all adapters have their links (net/dev.c).
//
// Token Ring: the probe sets dev->link = LINK_TOKEN_RING. In both directions frames begin with the AC byte and have
// addresses as on the ring (most significant bit first), a routing field and SNAP; no FCS. Received frames go up with
// `b->protocol = tr_type(b, dev); netif_rx(b)`. dev->mtu, set before the probe, is the longest IP datagram: buffers of
// TR_HEADER + mtu bytes hold every frame. open() inserts the station into the ring before it returns, which may take
// seconds (wait_for()); it returns nonzero if the station is not accepted.
#pragma once
#include "device.h"
#include "net.h"
#include "settings.h"

struct driver {
    const char *name;                   // same as planar's card name if a driver serves a single card
    const struct bus *bus;
    const u32 *ids;                     // IDs on that bus, in the search order of the period's driver; ends with 0
    int (*locate)(struct device *d);    // fills in io, mem and irq from the bus's data; 0 = known. NULL: the bus did
    int (*probe)(struct netdev *dev, const struct device *d);   // 0 = running
    u32 state_bytes;                    // at dev->private_data
};

// The number of frames that a driver takes in one call: all that are there, like the period's drivers, unless a receive
// mode allows fewer (receive/mode.h). The remaining frames stay in the adapter, which may not signal them again: a
// driver that was stopped checks receive_left() when it is called again.
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

// The value of the setting `driver`, up to the end of its line: the version whose habits the driver imitates
// (settings_is()); NULL if not set.
extern const char *driver_version;

// Takes over and opens the adapters that the settings select: the first that a driver finds, or `adapters` of them.
// Returns 0 if there is none.
int drivers_start(const char *settings);
