// SPDX-License-Identifier: GPL-2.0-or-later
//
// One frame to each slave in turn, in slot order, regardless of what is waiting in its queue and of whether its cable
// is connected. The bond has no queue. All slaves have the first one's address.
#include "bond.h"
#include "linux_cost.h"

struct slave {
    struct slave *next;
    struct netdev *dev;
};
static struct slave slaves[ADAPTERS_MOST];
static struct slave *turn;
static struct netdev bond;

static int transmit(struct skb *b, struct netdev *dev) {
    (void)dev;
    COST(bond_transmit);
    for (int given = 0; !given;) {
        struct netdev *to = turn->dev;
        if (to->opened) {
            b->dev = to;
            dev_queue_transmit(b);
            given = 1;
        }
        turn = turn->next ? turn->next : slaves;
    }
    return 0;
}

void bond_all(void) {
    bond = net_adapters[0];
    bond.no_queue = 1;
    bond.start_transmit = transmit;
    for (u32 n = 0; n < net_adapter_count; n++) {
        struct netdev *dev = &net_adapters[n];
        memcpy(dev->mac, bond.mac, 6);
        dev->master = &bond;
        slaves[n].dev = dev;
        slaves[n].next = n + 1 < net_adapter_count ? &slaves[n + 1] : NULL;
    }
    turn = slaves;
    netdev = &bond;
}

int bonded(void) { return netdev == &bond; }
