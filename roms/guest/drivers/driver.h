// SPDX-License-Identifier: GPL-2.0-or-later
//
// A driver of the test bench: which Micro Channel IDs it serves and how it takes one over. To add
// one: a file of its own (for Token Ring in tokenring/) and a row in registry.c.
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
#include "net.h"
#include "settings.h"

struct driver {
    const char *name;                   // as planar's card name where one driver serves one card
    const u16 *ids;                     // in the order in which the period's driver looks; 0 ends
    int (*probe)(struct netdev *dev, const u8 pos[8]);      // 0 = running
};

// The setting `driver`, up to its line's end: the version whose habits a driver is to have (settings_is()); NULL when there
// is none.
extern const char *driver_version;

// The first adapter that a driver has taken over, in `dev`: 1. 0 = none.
int driver_probe(struct netdev *dev);

extern const struct driver threec523_driver;
extern const struct driver threec527_driver;
extern const struct driver el3_driver;
extern const struct driver ne2_driver;
extern const struct driver smc_mca_driver;
extern const struct driver ibmlana_driver;
extern const struct driver eexpress_driver;
extern const struct driver sk_mca_driver;
extern const struct driver depca_driver;
extern const struct driver oc2335_driver;
extern const struct driver streamer_driver;
extern const struct driver ibmtr_driver;
extern const struct driver lanstreamer_driver;
extern const struct driver tms380_driver;
