// SPDX-License-Identifier: GPL-2.0-or-later
//
// Madge Smart 16/4 MC (002Dh) and MC 32 (0074h), which use a TMS380. Touches the card as Linux 2.4.0's madgemc.c and
// tms380tr.c do: order, width and number of accesses; the code is our own. The downloaded image is our own too: a few
// words at the addresses where TI's microcode has its program and its start vector. planar's chip needs no more; a real
// one could not run it.
//
// Habits that set the figures (other drivers: versions.c): three transmit lists in a circle, one of which stays unused,
// so two frames are in progress; each is announced by a doorbell, before which the status register is read once. Three
// receive lists with a buffer each, which goes up with the frame (4504 bytes there, here what the MTU needs). Every
// interrupt turns the card's interrupt enable off and on, and the handler runs until the chip reports nothing more.
//
// Not done: the check every two seconds that reopens a stalled adapter, reopening after a wire fault, and the reset
// after an adapter check. Half-second waits halt the processor here, where the kernel spins.
//
// POS 2: bit 5 I/O base, 7:6 interrupt; POS 3: bit 2 no speed chosen, 6 cable; POS 4: bit 2 I/O base, 5 16 Mbit/s; POS
// 5: bit 5 I/O base.
#include "tms380.h"

// ---- commands -----------------------------------------------------------------------------------
static void set_scb(struct netdev *dev, u16 command, u32 parameter) {
    struct madge_state *madge = dev->private_data;
    madge->scb.parameter[0] = (u16)parameter;
    madge->scb.parameter[1] = (u16)(parameter >> 16);
    madge->scb.command = command;
}

// The circle has one list more than frames may be in progress: one stays unused.
u32 madge_next_list(struct netdev *dev, u32 at) {
    return at == ((struct madge_state *)dev->private_data)->version->transmits ? 0 : at + 1;
}

static void drop_sent(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    while (madge->tx[madge->tx_busy].busy) {
        struct transmit_list *t = &madge->tx[madge->tx_busy];
        madge->tx_busy = madge_next_list(dev, madge->tx_busy);
        t->status = 0;
        t->busy = 0;
        skb_free(t->skb);
    }
}

// Issues the next pending command, in the driver's order, if the SCB is free.
static void next_command(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    if (!madge->wanted || madge->scb_used)
        return;
    if (!madge->is_open) {
        if (!(madge->wanted & WANT_OPEN))
            return;
        madge->wanted ^= WANT_OPEN;
        set_scb(dev, OPEN, htonl(phys(&madge->open)));
    } else if (madge->wanted & WANT_RECEIVE) {
        madge->wanted ^= WANT_RECEIVE;
        set_scb(dev, RECEIVE, htonl(phys(&madge->rx[madge->rx_head])));
    } else if (madge->wanted & WANT_TRANSMIT) {
        madge->wanted ^= WANT_TRANSMIT;
        drop_sent(dev);
        set_scb(dev, TRANSMIT, htonl(phys(&madge->tx[madge->tx_busy])));
        madge->transmitting = 1;
    } else if (madge->wanted & WANT_MODIFY) {
        madge->wanted ^= WANT_MODIFY;
        set_scb(dev, MODIFY_OPEN, madge->open.options);
    } else if (madge->wanted & WANT_FUNCTIONAL) {
        madge->wanted ^= WANT_FUNCTIONAL;
        set_scb(dev, SET_FUNCTIONAL, madge->open.functional);
    } else {
        madge->wanted ^= WANT_LOG;
        set_scb(dev, READ_ERROR_LOG, htonl(phys(madge->log)));
    }
    madge->scb_used = 1;
    barrier();
    doorbell(dev, CMD_EXECUTE | CMD_SCB_REQUEST);
}

void madge_want(struct netdev *dev, u32 command) {
    struct madge_state *madge = dev->private_data;
    madge->wanted |= command;
    next_command(dev);
}

// ---- transmit -----------------------------------------------------------------------------------
// The version's interrupt for the frame being handed over.
static u16 interrupt_wanted(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    if (madge->version->transmit_done == SECOND && !madge->unannounced) {
        madge->unannounced = 1;
        return 0;
    }
    madge->unannounced = 0;
    return LIST_IRQ;
}

// Called with interrupts off, as the handler calls it too. The kernel's driver leaves them on and may lose a frame.
static void fill_lists(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    for (;;) {
        struct transmit_list *t = &madge->tx[madge->tx_free];
        if (madge->tx[madge_next_list(dev, madge->tx_free)].busy)
            return;
        struct skb *b = queue_first(&madge->queue);
        if (!b)
            return;
        queue_unlink(b);
        madge->queue_room++;
        t->busy = 1;
        madge->tx_free = madge_next_list(dev, madge->tx_free);
        t->skb = b;
        t->fragment[0].count = htons((u16)b->length);
        t->fragment[0].address = htonl(phys(b->data));
        t->size = htons((u16)b->length);
        barrier();
        t->status = LIST_VALID | LIST_START | LIST_END | TX_PASS_SOURCE | interrupt_wanted(dev);
        doorbell(dev, CMD_TX_VALID);
    }
}

int madge_start_transmit(struct skb *b, struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    u32 flags;
    dev->busy = 1;
    if (!madge->queue_room)
        return 1;
    madge->queue_room--;
    save_flags_cli(flags);
    queue_tail(&madge->queue, b);
    fill_lists(dev);
    if (madge->queue_room)
        dev->busy = 0;
    restore_flags(flags);
    return 0;
}

static void transmit_done(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    struct net_counters *c = &dev->counters;
    for (;;) {
        struct transmit_list *t = &madge->tx[madge->tx_busy];
        if (!t->busy || (t->status & (LIST_VALID | LIST_COMPLETE)) != LIST_COMPLETE)
            break;
        madge->tx_busy = madge_next_list(dev, madge->tx_busy);
        if (t->status & TX_ERROR)
            c->tx_errors++;
        else
            c->tx_packets++;
        c->tx_bytes += t->skb->length;
        skb_free(t->skb);
        t->busy = 0;
    }
    dev->busy = 0;
    mark_bh(NET_BH);
    if (madge->queue_room < TX_QUEUE)
        fill_lists(dev);
}

// ---- receive ------------------------------------------------------------------------------------
int madge_new_buffer(struct receive_list *l, struct netdev *dev) {
    u32 bytes = TR_HEADER + dev->mtu;
    struct skb *b = skb_alloc(bytes + HEADROOM_RX);
    if (!b)
        return -1;
    skb_reserve(b, HEADROOM_RX);
    l->skb = b;
    l->fragment.address = htonl(phys(b->data));
    l->fragment.count = htons((u16)bytes);
    return 0;
}

// The frame of a list, which gets a new buffer; NULL if there is none.
static struct skb *take_buffer(struct receive_list *l, u32 length, struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    struct skb *b = l->skb;
    if (madge->version->receive_buffers == HAND_OVER) {
        if (madge_new_buffer(l, dev))
            return NULL;
        skb_put(b, length);
        return b;
    }
    struct skb *copy = skb_alloc(length + HEADROOM_RX);
    if (copy) {
        skb_reserve(copy, HEADROOM_RX);
        memcpy(skb_put(copy, length), b->data, length);
    }
    return copy;
}

static void receive(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    struct net_counters *c = &dev->counters;
    for (;;) {
        struct receive_list *l = &madge->rx[madge->rx_head];
        if (l->status & LIST_VALID || !receive_more(dev))
            return;
        u16 length = htons(l->size), again;
        if ((l->status & WHOLE_FRAME) == WHOLE_FRAME) {
            again = htons(l->size);
            if (!length || length != again)
                return;
            struct skb *b = take_buffer(l, length, dev);
            if (b) {
                c->rx_packets++;
                c->rx_bytes += length;
                b->dev = dev;
                b->protocol = tr_type(b, dev);
                netif_rx(b);
            } else {
                c->rx_dropped++;
            }
        } else {
            c->rx_errors++;
        }
        madge->rx_head = (madge->rx_head + 1) % RX_LISTS;
        l->size = 0;
        madge->rx[madge->rx_tail].size = 0;
        barrier();
        madge->rx[madge->rx_tail].status = LIST_VALID | LIST_IRQ;
        madge->rx_tail = (madge->rx_tail + 1) % RX_LISTS;
        doorbell(dev, CMD_RX_VALID);
    }
}

// ---- interrupt ----------------------------------------------------------------------------------
// The SSB is filled with ones, which show later whether the chip has written it.
static void acknowledge(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    madge->ssb.command = madge->ssb.status[0] = madge->ssb.status[1] = madge->ssb.status[2] = 0xFFFF;
    barrier();
    doorbell(dev, CMD_SSB_CLEAR | CMD_SYSTEM_IRQ);
}

static int ssb_written(struct netdev *dev, u32 code) {
    struct madge_state *madge = dev->private_data;
    u32 words = code == IRQ_TRANSMIT || code == IRQ_RECEIVE ? 3 : code == IRQ_RING_STATUS ? 1 : 0;
    if (!words && code != IRQ_COMMAND)
        return 1;
    if (madge->ssb.command == 0xFFFF)
        return 0;
    for (u32 i = 0; i < words; i++)
        if (madge->ssb.status[i] == 0xFFFF)
            return 0;
    return 1;
}

static void command_done(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    if (madge->ssb.command != OPEN)
        return;
    madge->answered = 1;
    madge->scb_used = 0;
    if ((madge->ssb.status[0] & 0xFF) != GOOD) {
        printk("%s: open error %04x\n", dev->name, htons(madge->ssb.status[0]));
        return;
    }
    madge->is_open = 1;
    madge->transmitting = 0;
    madge_want(dev, WANT_TRANSMIT);
    madge_want(dev, WANT_RECEIVE);
}

static void ring_status(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    u16 status = madge->ssb.status[0];
    printk("%s: ring status %04x\n", dev->name, htons(status));
    if (status & COUNTER_OVERFLOW)
        madge_want(dev, WANT_LOG);
    if (status & ADAPTER_CLOSED)
        madge->is_open = 0;
}

static void serve(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    for (u16 status = sif_read(dev, SIFSTS); status & STS_SYSTEM_IRQ; status = sif_read(dev, SIFSTS)) {
        u32 code = status & STS_CODE;
        if (!ssb_written(dev, code)) {
            printk("%s: the adapter's status is late\n", dev->name);
            return;
        }
        switch (code) {
        case IRQ_RECEIVE:
            acknowledge(dev);
            receive(dev);
            continue;
        case IRQ_TRANSMIT:
            if (madge->ssb.status[0] & COMMAND_COMPLETE) {
                madge->transmitting = 0;
                madge_want(dev, WANT_TRANSMIT);
            }
            acknowledge(dev);
            transmit_done(dev);
            continue;
        case IRQ_COMMAND: command_done(dev); break;
        case IRQ_SCB_CLEAR:
            madge->scb_used = 0;
            next_command(dev);
            break;
        case IRQ_RING_STATUS: ring_status(dev); break;
        case IRQ_ADAPTER_CHECK:
            printk("%s: adapter check\n", dev->name);
            madge->is_open = 0;
            break;
        }
        acknowledge(dev);
    }
}

void madge_interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    (void)irq, (void)r;
    if (receive_left(dev))
        receive(dev);
    if (!(inb(PORT(CONTROL0)) & C0_SINTR))
        return;
    do {
        u8 control = inb(PORT(CONTROL1));
        outb(control ^ C1_SINTEN, PORT(CONTROL1));
        outb(control, PORT(CONTROL1));
        serve(dev);
    } while (sif_read(dev, SIFSTS) & STS_SYSTEM_IRQ);
}
