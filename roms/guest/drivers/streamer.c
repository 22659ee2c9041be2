// SPDX-License-Identifier: GPL-2.0-or-later
//
// IBM EtherStreamer MC 32 (8FA7h), with the HYPOTHETICAL INTERFACE that planar declares for it: no driver of the real
// card is public, and this one could not run it. In the style of Linux 2.4's lanstreamer.c, which drives a Token Ring
// relative: sixteen receive buffers, short frames copied and long ones handed up; eight transmit descriptors that point
// into the packets, each announced by one write of its address; both rings walked in the interrupt.
//
// POS 2: bits 2:1 interrupt, 7:4 I/O base.
#include "declared_pos.h"
#include "streamer.h"

enum { RX_RING = 16, TX_RING = 8, BUFFER = 1536, HEADROOM_RX = 18, COPY_BREAK = 200, OPEN_POLLS = 400 };
#define RX_ERRORS 0x7E000000u

struct streamer {
    struct receive_descriptor rx[RX_RING] __attribute__((aligned(32)));
    struct transmit_descriptor tx[TX_RING] __attribute__((aligned(32)));
    struct skb *rx_skb[RX_RING], *tx_skb[TX_RING];
    u32 rx_next, tx_free, tx_next, tx_done;
    u16 srb;
};

// ---- transmit -----------------------------------------------------------------------------------
static int start_transmit(struct skb *b, struct netdev *dev) {
    struct streamer *board = dev->private_data;
    u32 flags;
    save_flags_cli(flags);
    dev->busy = 1;
    if (!board->tx_free) {
        restore_flags(flags);
        return 1;
    }
    struct transmit_descriptor *d = &board->tx[board->tx_next];
    d->status = 0;
    d->lengths = 1u << 16 | b->length;
    d->buffer = phys(b->data);
    d->buffer_length = b->length;
    board->tx_skb[board->tx_next] = b;
    board->tx_next = (board->tx_next + 1) % TX_RING;
    barrier();
    outl(phys(d), REG(TX2LFDA));
    if (--board->tx_free)
        dev->busy = 0;
    restore_flags(flags);
    return 0;
}

static void transmit_done(struct netdev *dev) {
    struct streamer *board = dev->private_data;
    struct net_counters *c = &dev->counters;
    while (board->tx_free < TX_RING && board->tx[board->tx_done].status) {
        u32 status = board->tx[board->tx_done].status;
        struct skb *b = board->tx_skb[board->tx_done];
        c->collisions += status >> 8 & 0x1F;
        c->tx_bytes += b->length;
        if (status & TX_BAD) {
            c->tx_errors++;
            c->tx_fifo_errors += status & 1;
            c->tx_window_errors += status >> 1 & 1;
            c->tx_aborted_errors += status >> 2 & 1;
            c->tx_carrier_errors += status >> 3 & 1;
        } else {
            c->tx_packets++;
        }
        skb_free(b);
        board->tx_free++;
        board->tx_done = (board->tx_done + 1) % TX_RING;
    }
    if (board->tx_free) {
        dev->busy = 0;
        mark_bh(NET_BH);
    }
}

// ---- receive ------------------------------------------------------------------------------------
static void hand_up(struct skb *b, struct netdev *dev) {
    b->dev = dev;
    b->protocol = eth_type(b, dev);
    netif_rx(b);
}

static void take_frame(struct netdev *dev, u32 at, u32 length) {
    struct streamer *board = dev->private_data;
    struct skb *old = board->rx_skb[at];
    struct skb *b = skb_alloc(length > COPY_BREAK ? BUFFER + HEADROOM_RX : length + HEADROOM_RX);
    if (!b) {
        dev->counters.rx_dropped++;
        return;
    }
    skb_reserve(b, HEADROOM_RX);
    dev->counters.rx_packets++;
    dev->counters.rx_bytes += length;
    if (length > COPY_BREAK) {
        board->rx_skb[at] = b;
        board->rx[at].buffer = phys(b->data);
        skb_put(old, length);
        hand_up(old, dev);
    } else {
        memcpy(skb_put(b, length), old->data, length);
        hand_up(b, dev);
    }
}

static void receive(struct netdev *dev) {
    struct streamer *board = dev->private_data;
    struct receive_descriptor *d;
    while (receive_more(dev) && (d = &board->rx[board->rx_next])->status & RX_PROCESSED) {
        u32 status = d->status;
        if (status & RX_ERRORS || !(status & RX_LAST))
            dev->counters.rx_errors++;
        else
            take_frame(dev, board->rx_next, d->lengths >> 16);
        d->status = 0;
        d->lengths = BUFFER;
        barrier();
        outl(phys(d), REG(RXLBDA));
        board->rx_next = (board->rx_next + 1) % RX_RING;
    }
}

// ---- interrupt ----------------------------------------------------------------------------------
static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    (void)irq, (void)r;
    if (receive_left(dev))
        receive(dev);
    outw((u16)~SISR_MI, REG(SISR_MASK_RUM));
    u16 sisr = inw(REG(SISR));
    outw((u16)~sisr, REG(SISR_RUM));
    u16 misr = inw(REG(MISR_RUM));
    outw((u16)~misr, REG(MISR_RUM));
    if (sisr | misr) {                  // Linux tests sisr alone; polling would miss a frame between the two reads
        if (misr & MISR_TX2_EOF)
            transmit_done(dev);
        if (misr & MISR_TX2_HALT)
            printk("%s: the transmit channel has halted\n", dev->name);
        if (misr & (MISR_RX_EOF | MISR_RX_NOBUF))
            receive(dev);
        if (misr & MISR_RX_NOBUF)
            dev->counters.rx_missed_errors++;
    }
    outw(SISR_MI, REG(SISR_MASK_SUM));
}

// ---- requests -----------------------------------------------------------------------------------
static void local_write(struct netdev *dev, u32 at, const u16 *words, u32 n) {
    outw((u16)at, REG(LAPA));
    while (n--)
        outw(*words++, REG(LAPDINC));
}

static u16 local_read(struct netdev *dev, u32 at) {
    outw((u16)at, REG(LAPA));
    return inw(REG(LAPD));
}

// Waits for the SRB reply; the handler is not installed yet.
static int wait_reply(struct netdev *dev, u32 polls, u32 microseconds) {
    while (!(inw(REG(SISR)) & SISR_SRB_REPLY)) {
        if (!polls--)
            return -1;
        udelay_spin(microseconds);
    }
    outw((u16)~SISR_SRB_REPLY, REG(SISR_RUM));
    return 0;
}

static int open_adapter(struct netdev *dev) {
    struct streamer *board = dev->private_data;
    u16 block[9] = {SRB_OPEN, NO_ANSWER};
    for (int i = 0; i < 3; i++)
        block[6 + i] = (u16)(dev->mac[2 * i] | dev->mac[2 * i + 1] << 8);
    local_write(dev, board->srb, block, 9);
    outw(LISR_SRB_CMD, REG(LISR_SUM));
    if (wait_reply(dev, 1000, 10))
        return -1;
    return local_read(dev, board->srb + 2u) & 0xFF ? -1 : 0;
}

// ---- taking over --------------------------------------------------------------------------------
static int lay_out_rings(struct netdev *dev) {
    struct streamer *board = dev->private_data;
    for (u32 i = 0; i < RX_RING; i++) {
        struct skb *b = skb_alloc(BUFFER + HEADROOM_RX);
        if (!b)
            return -1;
        skb_reserve(b, HEADROOM_RX);
        board->rx_skb[i] = b;
        board->rx[i].forward = phys(&board->rx[(i + 1) % RX_RING]);
        board->rx[i].status = 0;
        board->rx[i].buffer = phys(b->data);
        board->rx[i].lengths = BUFFER;
    }
    for (u32 i = 0; i < TX_RING; i++)
        board->tx[i].forward = phys(&board->tx[(i + 1) % TX_RING]);
    board->tx_free = TX_RING;
    return 0;
}

static int open(struct netdev *dev) {
    struct streamer *board = dev->private_data;
    if (open_adapter(dev) || lay_out_rings(dev)) {
        printk("%s: the adapter cannot be opened\n", dev->name);
        return -1;
    }
    if (request_irq(dev->irq, interrupt, 0, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    outl(phys(&board->rx[0]), REG(RXBDA));
    outl(phys(&board->rx[RX_RING - 1]), REG(RXLBDA));
    outw(MISR_TX2_EOF | MISR_TX2_HALT | MISR_RX_NOBUF | MISR_RX_EOF, REG(MISR_MASK));
    dev->busy = 0;
    dev->started = 1;
    outw(SISR_MI | SISR_SRB_REPLY, REG(SISR_MASK));
    outw((u16)~(BMCTL_TX2_DIS | BMCTL_RX_DIS), REG(BMCTL_RUM));
    return 0;
}

static int probe(struct netdev *dev, const struct device *d) {
    (void)d;
    struct streamer *board = dev->private_data;
    outw(BCTL_SOFTRESET, REG(BCTL));
    udelay_spin(1000);
    outw(0, REG(BCTL));
    if (wait_reply(dev, OPEN_POLLS, 10000)) {
        printk("%s: the adapter does not end its self-test\n", dev->name);
        return -1;
    }
    board->srb = inw(REG(LAPWWO));
    if (local_read(dev, board->srb + 6u) & 0xFF) {
        printk("%s: the adapter's self-test failed\n", dev->name);
        return -1;
    }
    u16 at = htons(local_read(dev, board->srb + 8u));
    for (u32 i = 0; i < 6; i += 2) {
        u16 word = local_read(dev, at + i);
        dev->mac[i] = (u8)word;
        dev->mac[i + 1] = (u8)(word >> 8);
    }
    dev->open = open;
    dev->start_transmit = start_transmit;
    return 0;
}

static const u32 ids[] = {0x8FA7, 0};

const struct driver streamer_driver = {
    .name = "etherstreamer", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe, .state_bytes = sizeof(struct streamer)};
