// SPDX-License-Identifier: GPL-2.0-or-later
//
// IBM LANStreamer MC 32 (8FA0h) and Auto LANStreamer MC 32 (8FA2h), with the HYPOTHETICAL INTERFACE that planar
// declares for them on the Micro Channel: no public driver could run it. Order, width and number of accesses are those
// of Linux 2.4.0's lanstreamer.c, which drives a PCI card of the family, with its registers in I/O ports: reset and
// self-test, OPEN through the SRB, sixteen receive buffers, transmit descriptors on channel 2 that point into the
// packets, both rings walked in the interrupt. Receive buffers have the size that Linux gives them when the MTU is set,
// not its default of 4096 bytes. The differences of other drivers are in versions.c.
//
// POS 2: bits 2:1 interrupt, 7:4 I/O base; POS 4: bits 1:0 data rate.
//
// Not modelled: MAC frames through the ARB, source-routing counters, a second attempt after a failed autosense.
#include "declared_pos.h"
#include "streamer.h"
#include "versions.h"

enum { SRB_SIZE = 50, OPEN_FDX = 0x0040, OPENED_16 = 0x01, OPENED_FDX = 0x08 };
enum { ARB_LAN_STATUS = 0x84, LSC_CLOSED = 0x0800 | 0x0400 | 0x0200 | 0x0100 };
enum { RX_RING = 16, TX_MOST = 31, RESERVED = 16, SELF_TEST_POLLS = 400, OPEN_TICKS = 30 * HZ };
#define RX_ERRORS 0x7E830000u

struct lanstreamer {
    struct receive_descriptor rx[RX_RING] __attribute__((aligned(32)));
    struct transmit_descriptor tx[TX_MOST] __attribute__((aligned(32)));
    struct skb *rx_skb[RX_RING], *tx_skb[TX_MOST];
    u8 *tx_copy[TX_MOST];               // for versions that copy
    u32 rx_next, tx_out, tx_next, tx_done;
    u32 buffer;                         // size of a receive buffer in bytes
    const struct version *version;
    u16 srb, arb, speed;
    volatile int srb_replied;
};

// ---- local memory: big-endian words -------------------------------------------------------------
static void local_at(struct netdev *dev, u16 at) { outw(at, REG(LAPA)); }
static u16 local_next(struct netdev *dev) { return ntohs(inw(REG(LAPDINC))); }
static void local_put(struct netdev *dev, u16 word) { outw(htons(word), REG(LAPDINC)); }
static u16 local(struct netdev *dev, u32 at) {
    outw((u16)at, REG(LAPA));
    return ntohs(inw(REG(LAPD)));
}

// ---- transmit: the ring has as many entries as the version hands over frames --------------------
static u32 next_transmit(struct netdev *dev, u32 at) {
    return at + 1 == ((struct lanstreamer *)dev->private_data)->version->transmits ? 0 : at + 1;
}

// The interrupt that the version requests for frames handed over.
static u16 transmit_causes(struct netdev *dev) {
    struct lanstreamer *board = dev->private_data;
    u32 when = board->version->transmit_done;
    if (when == IDLE)
        return MISR_TX2_IDLE;
    if (when == NEVER)
        return 0;
    return when == EACH || board->tx_out == board->version->transmits ? MISR_TX2_EOF : 0;
}

static void set_causes(struct netdev *dev) {
    outw((u16)(transmit_causes(dev) | MISR_TX2_HALT | MISR_RX_NOBUF | MISR_RX_EOF), REG(MISR_MASK));
}

static void transmit_done(struct netdev *dev) {
    struct lanstreamer *board = dev->private_data;
    struct net_counters *c = &dev->counters;
    int was_full = board->tx_out == board->version->transmits;
    while (board->tx_out && board->tx[board->tx_done].status) {
        struct transmit_descriptor *d = &board->tx[board->tx_done];
        struct skb *b = board->tx_skb[board->tx_done];
        c->tx_bytes += d->buffer_length;
        if (d->status & TX_BAD) {
            c->tx_errors++;
            c->tx_fifo_errors += d->status & 1;
        } else {
            c->tx_packets++;
        }
        if (b)
            skb_free(b);
        d->buffer = 0xDEADBEEF;
        d->status = d->lengths = d->buffer_length = 0;
        board->tx_out--;
        board->tx_done = next_transmit(dev, board->tx_done);
    }
    if (board->tx_out == board->version->transmits)
        return;
    if (was_full && board->version->transmit_done == WHEN_FULL)
        set_causes(dev);
    dev->busy = 0;
    mark_bh(NET_BH);
}

static int start_transmit(struct skb *b, struct netdev *dev) {
    struct lanstreamer *board = dev->private_data;
    u32 flags;
    save_flags_cli(flags);
    dev->busy = 1;
    if (board->version->transmit_done >= WHEN_FULL)
        transmit_done(dev);
    if (board->tx_out == board->version->transmits) {
        restore_flags(flags);
        return 1;
    }
    u32 at = board->tx_next, length = b->length;
    struct transmit_descriptor *d = &board->tx[at];
    d->status = 0;
    d->lengths = 1u << 16 | length;
    d->buffer_length = length;
    if (board->version->transmit_buffers == COPY) {
        memcpy(board->tx_copy[at], b->data, length);
        d->buffer = phys(board->tx_copy[at]);
        board->tx_skb[at] = NULL;
        skb_free(b);
    } else {
        d->buffer = phys(b->data);
        board->tx_skb[at] = b;
    }
    board->tx_out++;
    barrier();
    outl(phys(d), REG(TX2LFDA));
    board->tx_next = next_transmit(dev, at);
    if (board->tx_out < board->version->transmits)
        dev->busy = 0;
    else if (board->version->transmit_done == WHEN_FULL)
        set_causes(dev);
    restore_flags(flags);
    return 0;
}

// ---- receive ------------------------------------------------------------------------------------
static struct skb *buffer_alloc(u32 bytes) {
    struct skb *b = skb_alloc(bytes + RESERVED);
    if (b)
        skb_reserve(b, RESERVED);
    return b;
}

static void hand_up(struct skb *b, struct netdev *dev) {
    b->dev = dev;
    b->protocol = tr_type(b, dev);
    netif_rx(b);
}

static void give_back(struct netdev *dev, u32 at) {
    struct lanstreamer *board = dev->private_data;
    struct receive_descriptor *d = &board->rx[at];
    d->status = 0;
    d->lengths = board->buffer;
    barrier();
    outl(phys(d), REG(RXLBDA));
}

static void take_frame(struct netdev *dev, u32 at, u32 length) {
    struct lanstreamer *board = dev->private_data;
    int copy = board->version->receive_buffers == COPY;
    struct skb *old = board->rx_skb[at], *b = buffer_alloc(copy ? length : board->buffer);
    if (!b) {
        dev->counters.rx_dropped++;
        give_back(dev, at);
        return;
    }
    dev->counters.rx_packets++;
    dev->counters.rx_bytes += length;
    if (copy) {
        memcpy(skb_put(b, length), old->data, length);
        give_back(dev, at);
        hand_up(b, dev);
    } else {
        skb_put(old, length);
        board->rx[at].buffer = phys(b->data);
        board->rx_skb[at] = b;
        give_back(dev, at);
        hand_up(old, dev);
    }
}

static void receive(struct netdev *dev) {
    struct lanstreamer *board = dev->private_data;
    struct receive_descriptor *d;
    while ((d = &board->rx[board->rx_next])->status & RX_PROCESSED && receive_more(dev)) {
        u32 at = board->rx_next;
        board->rx_next = (at + 1) % RX_RING;
        if (d->status & RX_ERRORS || !(d->status & RX_LAST)) {
            dev->counters.rx_errors++;
            give_back(dev, at);
        } else {
            take_frame(dev, at, d->lengths >> 16);
        }
    }
}

// ---- interrupt ----------------------------------------------------------------------------------
static void ring_status(struct netdev *dev) {
    struct lanstreamer *board = dev->private_data;
    if (local(dev, board->arb) >> 8 != ARB_LAN_STATUS) {
        outw(LISR_ARB_FREE, REG(LISR_SUM));
        return;
    }
    local_at(dev, (u16)(board->arb + 6));
    u16 status = local_next(dev);
    inw(REG(LAPD));
    outw(LISR_ARB_FREE, REG(LISR_SUM));
    printk("%s: ring status %04x%s\n", dev->name, status, status & LSC_CLOSED ? ", the adapter is closed" : "");
    if (status & LSC_CLOSED)
        dev->busy = 1;
}

static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    struct lanstreamer *board = dev->private_data;
    (void)irq, (void)r;
    if (receive_left(dev))
        receive(dev);
    outw((u16)~SISR_MI, REG(SISR_MASK_RUM));
    u16 sisr = inw(REG(SISR));
    outw((u16)~sisr, REG(SISR_RUM));
    u16 misr = inw(REG(MISR_RUM));
    outw((u16)~misr, REG(MISR_RUM));
    if (sisr | misr) {                  // Linux tests sisr alone; polling would miss a frame between the two reads
        if (sisr & SISR_SRB_REPLY)
            board->srb_replied = 1;
        if (misr & (MISR_TX2_EOF | MISR_TX2_IDLE))
            transmit_done(dev);
        if (misr & MISR_TX2_HALT)
            printk("%s: the transmit channel has halted\n", dev->name);
        if (misr & MISR_RX_EOF)
            receive(dev);
        if (sisr & SISR_ADAPTER_CHECK)
            printk("%s: adapter check\n", dev->name);
        if (sisr & SISR_ARB_CMD)
            ring_status(dev);
        if (misr & MISR_RX_NOBUF)
            dev->counters.rx_missed_errors++;
    }
    outw(SISR_MI, REG(SISR_MASK_SUM));
}

// ---- onto the ring ------------------------------------------------------------------------------
static int open_adapter(struct netdev *dev) {
    struct lanstreamer *board = dev->private_data;
    outw(SISR_MI | SISR_SRB_REPLY, REG(SISR_MASK));
    outw(LISR_LIE, REG(LISR));
    outw(inw(REG(LAPWWO)), REG(LAPA));
    for (u32 i = 0; i < SRB_SIZE; i += 2)
        outw(0, REG(LAPDINC));
    outw(inw(REG(LAPWWO)), REG(LAPA));
    local_put(dev, SRB_OPEN << 8);
    local_put(dev, NO_ANSWER << 8);
    outw(NO_ANSWER, REG(LAPDINC));      // not swapped, as in Linux
    outw((u16)(inw(REG(LAPWWO)) + 8), REG(LAPA));
    local_put(dev, OPEN_FDX);
    u16 srb = inw(REG(LAPWWO));
    board->srb_replied = 0;
    outw(LISR_SRB_CMD, REG(LISR_SUM));
    if (!wait_for(&board->srb_replied, OPEN_TICKS)) {
        printk("%s: OPEN is not answered\n", dev->name);
        return -1;
    }
    u16 code = local(dev, srb + 2u) >> 8;
    if (code) {
        printk("%s: OPEN fails with %02x, error %04x\n", dev->name, code, local(dev, srb + 6u));
        return -1;
    }
    u16 as = local(dev, srb + 18u) >> 8;
    printk("%s: %s Mbit/s, %s duplex, driver %s\n", dev->name, as & OPENED_16 ? "16" : "4",
           as & OPENED_FDX ? "full" : "half", board->version->name);
    local_at(dev, (u16)(srb + 8));
    local_next(dev);                    // ASB
    board->srb = local_next(dev);
    board->arb = local_next(dev);
    return 0;
}

static int lay_out_rings(struct netdev *dev) {
    struct lanstreamer *board = dev->private_data;
    for (u32 i = 0; i < RX_RING; i++) {
        struct skb *b = buffer_alloc(board->buffer);
        if (!b)
            return -1;
        board->rx_skb[i] = b;
        board->rx[i].forward = phys(&board->rx[(i + 1) % RX_RING]);
        board->rx[i].status = 0;
        board->rx[i].buffer = phys(b->data);
        board->rx[i].lengths = board->buffer;
    }
    for (u32 i = 0; i < board->version->transmits; i++) {
        board->tx[i].forward = phys(&board->tx[next_transmit(dev, i)]);
        board->tx[i].status = board->tx[i].lengths = board->tx[i].buffer = board->tx[i].buffer_length = 0;
        if (board->version->transmit_buffers == COPY)
            board->tx_copy[i] = alloc_pages((board->buffer + PAGE_SIZE - 1) / PAGE_SIZE);
    }
    return 0;
}

static int open(struct netdev *dev) {
    struct lanstreamer *board = dev->private_data;
    if (request_irq(dev->irq, interrupt, 0, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    if (open_adapter(dev))
        return -1;
    outw((u16)~BMCTL_RX_DIS, REG(BMCTL_RUM));
    if (lay_out_rings(dev)) {
        printk("%s: no memory for its buffers\n", dev->name);
        return -1;
    }
    outl(phys(&board->rx[0]), REG(RXBDA));
    outl(phys(&board->rx[RX_RING - 1]), REG(RXLBDA));
    outw(MISR_RX_NOBUF | MISR_RX_EOF, REG(MISR_MASK));
    outw((u16)~BMCTL_TX2_DIS, REG(BMCTL_RUM));
    set_causes(dev);
    outw(SISR_ADAPTER_CHECK | SISR_ARB_CMD | SISR_TRB_REPLY | SISR_ASB_FREE, REG(SISR_MASK_SUM));
    dev->busy = 0;
    dev->started = 1;
    return 0;
}

// ---- taking over --------------------------------------------------------------------------------
static void ticks(u32 n) {
    static const volatile int never;
    wait_for(&never, n);
}

static int reset(struct netdev *dev) {
    struct lanstreamer *board = dev->private_data;
    static struct {
        struct receive_descriptor d;
        u8 bytes[512];
    } test __attribute__((aligned(32)));
    outw((u16)(inw(REG(BCTL)) | BCTL_SOFTRESET), REG(BCTL));
    ticks(HZ);
    outw((u16)(inw(REG(BCTL)) & (0xFFFF & ~BCTL_SOFTRESET)), REG(BCTL));
    if (board->speed == 0)
        outw((u16)(inw(REG(GPR)) | GPR_AUTOSENSE), REG(GPR));
    else
        outw(board->speed == 16 ? GPR_16MBPS : 0, REG(GPR));
    test.d.forward = test.d.status = 0;
    test.d.buffer = phys(test.bytes);
    test.d.lengths = sizeof test.bytes;
    outl(phys(&test.d), REG(RXBDA));
    outw(SISR_MI, REG(SISR_MASK_SUM));
    for (u32 polls = 0; !(inw(REG(SISR)) & SISR_SRB_REPLY); polls++) {
        if (polls == SELF_TEST_POLLS)
            return -1;
        ticks(HZ / 10);
    }
    outw((u16)~SISR_SRB_REPLY, REG(SISR_RUM));
    u16 misr = inw(REG(MISR_RUM));
    outw((u16)~misr, REG(MISR_RUM));
    outw((u16)(inw(REG(LAPWWO)) + 6), REG(LAPA));
    if (inw(REG(LAPD)))
        return -1;
    outw((u16)(inw(REG(LAPWWO)) + 8), REG(LAPA));
    u16 address = local_next(dev);
    local_next(dev);                    // level
    local_next(dev);                    // address table
    local_next(dev);                    // parameter table
    local_at(dev, address);
    for (u32 i = 0; i < 6; i += 2) {
        u16 word = local_next(dev);
        dev->mac[i] = (u8)(word >> 8);
        dev->mac[i + 1] = (u8)word;
    }
    return 0;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct lanstreamer *board = dev->private_data;
    static const u8 speeds[] = {16, 4, 0, 16};
    dev->link = LINK_TOKEN_RING;
    board->speed = speeds[mca_field(d, 4, 0, 2)];
    board->version = version_find(streamer_versions, streamer_version_count);
    board->buffer = (u32)TR_HEADER + dev->mtu;
    if (reset(dev)) {
        printk("%s: the adapter's self-test fails\n", dev->name);
        return -1;
    }
    dev->open = open;
    dev->start_transmit = start_transmit;
    return 0;
}

static const u32 ids[] = {0x8FA2, 0x8FA0, 0};

const struct driver lanstreamer_driver = {
    .name = "lanstreamer", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe,
    .state_bytes = sizeof(struct lanstreamer)};
