// SPDX-License-Identifier: GPL-2.0-or-later
//
// The network device: its send queue (what Linux 2.2 calls the pfifo discipline), the receive
// backlog and the bottom half.
//
// Rules of Linux 2.2 that shape the timing: a frame is handed to the card at once when the card
// takes one, else it waits; the queue runs again from the bottom half that the transmit interrupt
// marks; sending excludes bottom halves.
#include "linux_cost.h"
#include "net.h"
#include "tcp.h"

struct netdev netdev;
static struct skb_queue backlog;
extern struct skb_queue netdev_backlog __attribute__((alias("backlog")));      // for system/sink.c
static int active;                      // the device is on the list of queues to run
static struct timer watchdog;
enum { WATCHDOG = 5 * HZ };

static struct skb *dequeue(struct netdev *dev) {
    struct skb *b = queue_first(&dev->queue);
    if (b)
        queue_unlink(b);
    return b;
}

// 0: the queue is empty; -1: sent one, or the card refused it.
static int restart_queue(struct netdev *dev) {
    COST(restart);
    struct skb *b = dequeue(dev);
    if (!b)
        return 0;
    COST(start_transmit);
    if (dev->start_transmit(b, dev) == 0)
        dev->last_transmit = jiffies;
    else
        queue_head(&dev->queue, b);
    return -1;
}

static void run_queue(struct netdev *dev) {
    int r = -1;
    COST(run_queue);
    while (!dev->busy && (r = restart_queue(dev)) < 0)
        ;
    if (r == 0)
        active = 0;
}

void dev_queue_transmit(struct skb *b) {
    struct netdev *dev = b->dev;
    bh_atomic_begin();
    COST(dev_queue);
    if (dev->queue.length <= QUEUE_LENGTH)
        queue_tail(&dev->queue, b);
    else
        skb_free(b);
    if (!dev->busy && restart_queue(dev))
        active = 1;
    bh_atomic_end();
}

static void watchdog_rings(u32 data) {
    struct netdev *dev = (struct netdev *)data;
    if (active && dev->busy && jiffies - dev->last_transmit > WATCHDOG)
        restart_queue(dev);
    timer_set(&watchdog, jiffies + WATCHDOG);
}

void netif_rx(struct skb *b) {
    u32 flags;
    COST(netif_rx);
    if (backlog.length > BACKLOG_LENGTH && backlog_full(b))
        return;
    save_flags_cli(flags);
    queue_tail(&backlog, b);
    restore_flags(flags);
    mark_bh(NET_BH);
}

static void net_bottom_half(void) {
    u32 start = jiffies, flags;
    COST(net_bh);
    if (active)
        run_queue(&netdev);
    while (!queue_empty(&backlog)) {
        if (jiffies - start > 1) {      // others get their turn
            mark_bh(NET_BH);
            return;
        }
        save_flags_cli(flags);
        struct skb *b = queue_first(&backlog);
        queue_unlink(b);
        restore_flags(flags);
        net_deliver(b);
    }
    if (active)
        run_queue(&netdev);
}

void net_init(void) {
    skb_init();
    queue_init(&backlog);
    queue_init(&netdev.queue);
    queue_init(&gateway.waiting);
    bh_init(NET_BH, net_bottom_half);
}

void net_open(void) {
    struct netdev *dev = &netdev;
    if (dev->open(dev))
        fail("%s: the adapter does not open", dev->name);
    dev->opened = 1;
    watchdog.function = watchdog_rings;
    watchdog.data = (u32)dev;
    timer_set(&watchdog, jiffies + WATCHDOG);
    const u8 *m = dev->mac;
    char mac[18];
    sformat(mac, sizeof mac, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
    printk("%s in slot %d, I/O %x, interrupt %d, address %s\n", dev->name, dev->slot, dev->io,
           dev->irq, mac);
    report("@card %s slot %d io %x irq %d mac %s\n", dev->name, dev->slot, dev->io, dev->irq, mac);
}

void net_report_counters(void) {
    struct netdev *dev = &netdev;
    if (!dev->opened)
        return;
    const struct net_counters *c = &dev->counters;
    if (dev->update_counters)
        dev->update_counters(dev);
    report("@counters sent=%u received=%u collisions=%u tx_errors=%u rx_errors=%u overruns=%u "
           "missed=%u dropped=%u retransmitted=%u interrupts=%u switches=%u\n",
           c->tx_packets, c->rx_packets, c->collisions, c->tx_errors, c->rx_errors,
           c->rx_over_errors, c->rx_missed_errors, c->rx_dropped, tcp_retransmitted,
           irq_count(dev->irq), context_switches);
}
