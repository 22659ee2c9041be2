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
#ifdef SEVERAL_ADAPTERS
    u32 state_bytes;                    // what it keeps of an adapter
#endif
};

// What a driver keeps of an adapter: `struct X`, declared by ONE_ADAPTER(X), is STATE_OF(X) wherever `dev` is in scope. A driver
// is built twice: for the one adapter of a machine, with its state at a fixed address, and to serve several
// (several.h), with the state where the device points, as Linux has it in dev->priv. The measured path of one
// adapter is so the same to the byte as before there were several.
#ifdef SEVERAL_ADAPTERS
#define ONE_ADAPTER(type) struct type
#define STATE_OF(type) (*(struct type *)dev->private_data)
#define STATE_BEHIND(first, type) (*(struct type *)((struct first *)dev->private_data + 1))
#define DRIVER(row, name, ids, probe, state) const struct driver row = {name, ids, probe, sizeof(struct state)}
#else
#define ONE_ADAPTER(type) static struct type the_##type
#define STATE_OF(type) (*((void)dev, &the_##type))
#define STATE_BEHIND(first, type) STATE_OF(type)
#define DRIVER(row, name, ids, probe, state) const struct driver row = {name, ids, probe}
#endif
// How many frames a driver takes in one go: all that are there, as the period's do; where it serves several adapters as many
// as it is allowed (several/queue.c). Then it has to be called again though the adapter has nothing new to say.
#ifdef SEVERAL_ADAPTERS
#define RECEIVE_MORE(dev) (receive_allowed > 0 || several_stop_receiving(dev))
#define RECEIVE_LEFT(dev) several_receive_left(dev)
#else
#define RECEIVE_MORE(dev) 1
#define RECEIVE_LEFT(dev) 0
#endif
struct no_state {
    u32 unused;
};

// The setting `driver`, up to its line's end: the version whose habits a driver is to have (settings_is()); NULL when there
// is none.
extern const char *driver_version;

// The first adapter that a driver has taken over, in `dev`: 1. 0 = none.
int driver_probe(struct netdev *dev);

// Those of Ethernet, in the order in which registry.c tries them.
#define ETHERNET_DRIVERS(row) \
    row(threec523) row(threec527) row(el3) row(ne2) row(smc_mca) row(ibmlana) row(eexpress) row(sk_mca) row(depca) \
    row(oc2335) row(streamer)

#define DECLARE_DRIVER(name) extern const struct driver name##_driver;
ETHERNET_DRIVERS(DECLARE_DRIVER)
extern const struct driver ibmtr_driver;
extern const struct driver lanstreamer_driver;
extern const struct driver tms380_driver;
