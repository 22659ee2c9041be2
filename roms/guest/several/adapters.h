// SPDX-License-Identifier: GPL-2.0-or-later
//
// Several Ethernet adapters in one machine: what the setting `adapters` brings in. All of it lies apart (kernel/kernel.ld): a
// run with one adapter neither loads nor executes a byte of it, and takes not a cycle more (head.asm).
//
// The adapters are those in the lowest slots, of any kinds, each with a queue of its own. `netdev` is what the stack above
// sees: the first adapter under another name, or, with `bond=1`, the bond over all of them (bond.c).
#pragma once
#include "net.h"

enum { ADAPTERS_MOST = 4 };

struct queue_link {                     // of a list of queues to run; NULL: on none
    struct queue_link *forward;
};

struct adapter {
    struct netdev dev;                  // first: what a driver has in hand is its adapter
    struct netdev *master;              // whom its frames are from, above the driver; NULL: the adapter itself
    struct queue_link active;
    int left;                           // frames may be left in it, which it will not tell of again
};

extern struct adapter several_adapter[ADAPTERS_MOST];
extern u32 several_adapters;            // in use

// ---- adapters.c ---------------------------------------------------------------------------------
// In the place of driver_probe() (head.asm): the settings `adapters` and `bond` (roms/README.md section 3). Finds and opens
// that many adapters, and `above` as what the stack sees of them. 0: there is nothing left to open.
int several_probe(struct netdev *above);

// ---- queue.c ------------------------------------------------------------------------------------
// In the place of dev.c's dev_queue_transmit() and bottom half, which know one device.
void several_queue_init(void);
void several_queue_transmit(struct skb *b);
void several_receive(struct skb *b);    // netif_rx() of a driver
// A jump in front of a function of the kernel, whose callers keep their addresses.
void several_divert(void *function, void *to);
extern u32 several_queue_dropped;       // frames that found their adapter's queue full

// ---- bond.c -------------------------------------------------------------------------------------
void bond_enslave(struct netdev *master, struct adapter *slave);
void bond_transmit(struct skb *b);
extern u32 bond_slaves;                 // 0: no bond

// ---- forward.c ----------------------------------------------------------------------------------
void forward_init(void);                // the setting `forward`; all adapters are open
void forward_report(void);
