// SPDX-License-Identifier: GPL-2.0-or-later
//
// The queues of several devices: dev.c's rules, for a list of devices that have something to send. As Linux 2.2's
// net/sched/sch_generic.c (read): who joins the list stands in front, the bottom half serves them in the order of the
// list, one that the card keeps waiting stays on it.
#include "adapters.h"

#include "linux_cost.h"
#include "mode.h"

static struct queue_link end = {&end};  // its `forward` is the first of the list
static struct timer watchdog;
u32 several_queue_dropped;
enum { WATCHDOG = 5 * HZ };

static struct adapter *adapter_of(struct queue_link *link) {
    return (struct adapter *)((u8 *)link - offsetof(struct adapter, active));
}

// 0: the queue is empty; -1: sent one, or the card refused it.
static int restart_queue(struct netdev *dev) {
    COST(restart);
    struct skb *b = queue_first(&dev->queue);
    if (!b)
        return 0;
    queue_unlink(b);
    COST(start_transmit);
    if (dev->start_transmit(b, dev) == 0)
        dev->last_transmit = jiffies;
    else
        queue_head(&dev->queue, b);
    return -1;
}

static void run_queues(void) {
    struct queue_link **at = &end.forward, *link;
    COST(run_queue);
    while ((link = *at) != &end) {
        struct netdev *dev = &adapter_of(link)->dev;
        int r = -1;
        while (!dev->busy && (r = restart_queue(dev)) < 0)
            ;
        if (r == 0 && *at == link) {
            *at = link->forward;
            link->forward = NULL;
            continue;
        }
        at = &link->forward;
    }
}

void several_queue_transmit(struct skb *b) {
    struct netdev *dev = b->dev;
    bh_atomic_begin();
    if (dev == &netdev) {
        if (bond_slaves) {              // a device without a queue: the frame goes on at once
            bond_transmit(b);
            bh_atomic_end();
            return;
        }
        b->dev = dev = &several_adapter[0].dev;
    }
    COST(dev_queue);
    if (dev->queue.length <= QUEUE_LENGTH)
        queue_tail(&dev->queue, b);
    else {
        several_queue_dropped++;
        skb_free(b);
    }
    struct queue_link *link = &((struct adapter *)dev)->active;
    if (!dev->busy && restart_queue(dev) && !link->forward) {
        link->forward = end.forward;
        end.forward = link;
    }
    bh_atomic_end();
}

void several_receive(struct skb *b) {
    struct netdev *master = ((struct adapter *)b->dev)->master;
    if (master)
        b->dev = master;
    if (receive_limited)
        receive_allowed--;
    netif_rx(b);
}

int several_stop_receiving(struct netdev *dev) {
    ((struct adapter *)dev)->left = 1;
    return 0;
}

int several_receive_left(struct netdev *dev) {
    struct adapter *a = (struct adapter *)dev;
    int left = a->left;
    a->left = 0;
    return left;
}

static void (*receive_backlog)(void);   // dev.c's bottom half: with the device that it knows out of use

static void bottom_half(void) {
    if (end.forward != &end)
        run_queues();
    receive_backlog();
    if (queue_empty(&netdev_backlog) && end.forward != &end)
        run_queues();
}

static void watchdog_rings(u32 data) {
    (void)data;
    for (struct queue_link *link = end.forward; link != &end; link = link->forward) {
        struct netdev *dev = &adapter_of(link)->dev;
        if (dev->busy && jiffies - dev->last_transmit > WATCHDOG)
            restart_queue(dev);
    }
    timer_set(&watchdog, jiffies + WATCHDOG);
}

// A jump in front of a function of the kernel, whose callers keep their addresses.
void several_divert(void *function, void *to) {
    u8 *code = function;
    code[0] = 0xE9;
    *(u32 *)(code + 1) = (u32)to - (u32)(code + 5);
}

void several_queue_init(void) {
    several_divert((void *)dev_queue_transmit, (void *)several_queue_transmit);
    receive_backlog = bh_replace(NET_BH, bottom_half);
    watchdog.function = watchdog_rings;
    timer_set(&watchdog, jiffies + WATCHDOG);
}
