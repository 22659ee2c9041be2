// SPDX-License-Identifier: GPL-2.0-or-later
//
// The network devices: their send queues (the pfifo discipline of Linux 2.2), the receive backlog and the bottom half.
//
// Rules of Linux 2.2 that affect the timing (net/sched/sch_generic.c, net/core/dev.c; read): a frame is handed to the
// card at once if the card accepts one, otherwise it waits; a device whose queue was not emptied is added at the head
// of a list. The bottom half that the transmit interrupt marks serves the list in order, and a device that the card
// keeps waiting stays on it. Sending excludes bottom halves.
#include "linux_cost.h"
#include "net.h"
#include "tcp.h"

struct netdev net_adapters[ADAPTERS_MOST];
u32 net_adapter_count;
struct netdev *netdev = net_adapters;
int net_list_adapters;
u32 net_queue_dropped;
int receive_limited, receive_allowed = 1;
struct skb_queue netdev_backlog;

static struct queue_link end = {&end};  // its `next` is the first entry of the list
static struct timer watchdog;
enum { WATCHDOG = 5 * HZ, LINK_WAIT = 4 * HZ };

static struct netdev *device_of(struct queue_link *link) {
    return (struct netdev *)((u8 *)link - offsetof(struct netdev, active));
}

static struct skb *dequeue(struct netdev *dev) {
    struct skb *b = queue_first(&dev->queue);
    if (b)
        queue_unlink(b);
    return b;
}

// 0: the queue is empty; -1: a frame was sent, or the card refused it.
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

static void run_queues(void) {
    struct queue_link **at = &end.next, *link;
    while ((link = *at) != &end) {
        struct netdev *dev = device_of(link);
        int r = -1;
        while (!dev->busy && (r = restart_queue(dev)) < 0)
            ;
        if (r == 0 && *at == link) {
            *at = link->next;
            link->next = NULL;
            continue;
        }
        at = &link->next;
    }
}

void dev_queue_transmit(struct skb *b) {
    struct netdev *dev = b->dev;
    bh_atomic_begin();
    if (dev->no_queue) {
        dev->start_transmit(b, dev);
        bh_atomic_end();
        return;
    }
    COST(dev_queue);
    if (dev->queue.length <= QUEUE_LENGTH) {
        queue_tail(&dev->queue, b);
    } else {
        net_queue_dropped++;
        skb_free(b);
    }
    if (!dev->busy && restart_queue(dev) && !dev->active.next) {
        dev->active.next = end.next;
        end.next = &dev->active;
    }
    bh_atomic_end();
}

static void watchdog_rings(u32 data) {
    (void)data;
    for (struct queue_link *link = end.next; link != &end; link = link->next) {
        struct netdev *dev = device_of(link);
        if (dev->busy && jiffies - dev->last_transmit > WATCHDOG)
            restart_queue(dev);
    }
    timer_set(&watchdog, jiffies + WATCHDOG);
}

void netif_rx(struct skb *b) {
    u32 flags;
    COST(netif_rx);
    if (b->dev->master)
        b->dev = b->dev->master;
    if (receive_limited)
        receive_allowed--;
    if (netdev_backlog.length > BACKLOG_LENGTH && backlog_full(b))
        return;
    save_flags_cli(flags);
    queue_tail(&netdev_backlog, b);
    restore_flags(flags);
    mark_bh(NET_BH);
}

static void net_bottom_half(void) {
    u32 start = jiffies, flags;
    COST(net_bh);
    if (end.next != &end)
        run_queues();
    while (!queue_empty(&netdev_backlog)) {
        if (jiffies - start > 1) {      // yield to others
            mark_bh(NET_BH);
            return;
        }
        save_flags_cli(flags);
        struct skb *b = queue_first(&netdev_backlog);
        queue_unlink(b);
        restore_flags(flags);
        net_deliver(b);
    }
    if (end.next != &end)
        run_queues();
}

void net_init(void) {
    queue_init(&netdev_backlog);
    queue_init(&gateway.waiting);
    bh_init(NET_BH, net_bottom_half);
    watchdog.function = watchdog_rings;
    timer_set(&watchdog, jiffies + WATCHDOG);
}

static void open_device(struct netdev *dev) {
    if (dev->open(dev))
        fail("%s in slot %d: the adapter does not open", dev->name, dev->slot);
    dev->opened = 1;
    const u8 *m = dev->mac;
    char mac[18];
    sformat(mac, sizeof mac, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
    printk("%s in slot %d, I/O %x, interrupt %d, address %s\n", dev->name, dev->slot, dev->io,
           dev->irq, mac);
    report("@card %s slot %d io %x irq %d mac %s\n", dev->name, dev->slot, dev->io, dev->irq, mac);
}

// Negotiation may begin when the adapter is opened. A person who measures waits until it is done.
static void wait_for_link(struct netdev *dev) {
    static const volatile int never;
    u32 start = jiffies;
    while (!dev->linked(dev)) {
        if (jiffies - start >= LINK_WAIT) {
            printk("%s in slot %d: no link\n", dev->name, dev->slot);
            return;
        }
        wait_for(&never, HZ / 10);
    }
}

void net_open(void) {
    for (u32 n = 0; n < net_adapter_count; n++)
        open_device(&net_adapters[n]);
    for (u32 n = 0; n < net_adapter_count; n++)
        if (net_adapters[n].linked)
            wait_for_link(&net_adapters[n]);
}

// ---- counters -----------------------------------------------------------------------------------
#define ADAPTER_COUNTERS                                                                                     \
    "@adapter_counters slot=%d sent=%u received=%u collisions=%u tx_errors=%u rx_errors=%u overruns=%u "     \
    "missed=%u dropped=%u interrupts=%u waiting=%u\n"
#define COUNTERS                                                                                             \
    "@counters sent=%u received=%u collisions=%u tx_errors=%u rx_errors=%u overruns=%u "                     \
    "missed=%u dropped=%u retransmitted=%u interrupts=%u switches=%u\n"
REPORT_FITS(ADAPTER_COUNTERS, 11);
REPORT_FITS(COUNTERS, 11);

void net_report_adapters(void) {
    for (u32 n = 0; n < net_adapter_count; n++) {
        struct netdev *dev = &net_adapters[n];
        const struct net_counters *c = &dev->counters;
        if (dev->update_counters)
            dev->update_counters(dev);
        if (net_list_adapters)
            report(ADAPTER_COUNTERS,
                   dev->slot, c->tx_packets, c->rx_packets, c->collisions, c->tx_errors, c->rx_errors, c->rx_over_errors,
                   c->rx_missed_errors, c->rx_dropped, irq_count(dev->irq), dev->queue.length);
    }
    if (net_list_adapters)
        report("@reordered segments=%u\n", tcp_out_of_order);
}

// The counters of `netdev`: those of the first adapter, or the sum over the bond's adapters.
void net_report_counters(void) {
    struct net_counters sum = {0};
    if (!netdev->opened)
        return;
    for (u32 n = 0; n < net_adapter_count; n++)
        for (u32 i = 0; (n == 0 || net_adapters[n].master) && i < sizeof sum / sizeof(u32); i++)
            ((u32 *)&sum)[i] += ((const u32 *)&net_adapters[n].counters)[i];
    report(COUNTERS,
           sum.tx_packets, sum.rx_packets, sum.collisions, sum.tx_errors, sum.rx_errors, sum.rx_over_errors,
           sum.rx_missed_errors, sum.rx_dropped, tcp_retransmitted, irq_count(netdev->irq), context_switches);
}
