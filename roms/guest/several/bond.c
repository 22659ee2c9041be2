// SPDX-License-Identifier: GPL-2.0-or-later
//
// A bond: several adapters as one device, the frames dealt out in turn. Behaves as the bonding device of Linux 2.2.17
// (docs/hardware/channel-bonding.md); the code is our own.
//
// One frame a slave, in the order in which they were enslaved, whatever is waiting in its queue and whether or not its
// cable leads anywhere. The bond has no queue. All slaves have the first one's address.
#include "adapters.h"
#include "linux_cost.h"

struct slave {
    struct slave *next;
    struct netdev *dev;
};
static struct slave slaves[ADAPTERS_MOST];
static struct slave *head, *tail, *turn;
u32 bond_slaves;

void bond_enslave(struct netdev *master, struct adapter *slave) {
    struct slave *s = &slaves[bond_slaves];
    s->dev = &slave->dev;
    slave->master = master;
    if (head)
        tail->next = s;
    else
        head = turn = s;
    tail = s;
    bond_slaves++;
}

void bond_transmit(struct skb *b) {
    COST(bond_transmit);
    for (int given = 0; !given;) {
        struct netdev *dev = turn->dev;
        if (dev->opened) {
            b->dev = dev;
            several_queue_transmit(b);
            given = 1;
        }
        turn = turn->next ? turn->next : head;
    }
}
