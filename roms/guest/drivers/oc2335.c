// SPDX-License-Identifier: GPL-2.0-or-later
//
// Olicom OC-2335 (6F35h), with the HYPOTHETICAL INTERFACE that planar declares for it: no driver of the real card is
// public, and this one could not run it. In the style of Linux 2.2's drivers for FIFO cards (3c509.c): no port 80h
// delays, the frame copied in the transmit call, received frames copied and dropped in the interrupt.
//
// The transmit FIFO holds several frames and sends each as soon as it is complete. If there is no room for another full
// frame, the queue stops until a transmit interrupt finds enough. POS 2: bits 2:1 interrupt, 7:4 I/O base.
#include "declared_pos.h"
#include "driver.h"

enum { DATA = 0x00, TLR = 0x02, TFR = 0x04, TSR = 0x06, RSR = 0x08, CR = 0x0A, ISR = 0x0C, IMR = 0x0E, TCR = 0x10,
       RCR = 0x12, MPT = 0x14, CRCT = 0x16, FAET = 0x18, PAR = 0x20, MAR = 0x28 };
enum { CR_RST = 0x01, CR_RXEN = 0x02, CR_TXEN = 0x08, CR_RDISC = 0x20, CR_TFLUSH = 0x40 };
enum { PTX = 0x01, TXER = 0x02, PRX = 0x04, RFO = 0x08, TFE = 0x10, CTO = 0x20 };
enum { TDONE = 0x8000, COLLISIONS = 0x1F, EXC = 0x20, OWC = 0x40, CRS = 0x80 };
enum { RDONE = 0x8000, CRCE = 0x4000, FAE = 0x2000, LENGTH = 0x0FFF };
enum { RCR_BRD = 0x01 };
enum { ROOM_WANTED = 1514 + 4, MAX_SERVICE = 20, TRANSMIT_TIMEOUT = 40 * HZ / 100 };

static const u32 ids[] = {0x6F35, 0};

#define REG(r) ((u16)(dev->io + (r)))

static void read_tallies(struct netdev *dev) {
    dev->counters.rx_missed_errors += inw(REG(MPT));
    dev->counters.rx_crc_errors += inw(REG(CRCT));
    dev->counters.rx_frame_errors += inw(REG(FAET));
}

// ---- transmit -----------------------------------------------------------------------------------
static int start_transmit(struct skb *b, struct netdev *dev) {
    if (dev->busy) {
        if (jiffies - dev->transmit_start < TRANSMIT_TIMEOUT)
            return 1;
        printk("%s: transmit timeout, ISR %x, room %d\n", dev->name, inw(REG(ISR)), inw(REG(TFR)));
        dev->counters.tx_errors++;
        outw(CR_TFLUSH, REG(CR));
    }
    dev->busy = 1;
    outw((u16)b->length, REG(TLR));
    outsw(REG(DATA), b->data, (b->length + 1) >> 1);
    dev->transmit_start = jiffies;
    dev->counters.tx_bytes += b->length;
    if (inw(REG(TFR)) >= ROOM_WANTED)
        dev->busy = 0;
    skb_free(b);
    return 0;
}

static void transmit_done(struct netdev *dev) {
    struct net_counters *c = &dev->counters;
    u16 status;
    while ((status = inw(REG(TSR))) & TDONE) {
        c->collisions += status & COLLISIONS;
        if (status & (EXC | OWC | CRS)) {
            c->tx_errors++;
            c->tx_aborted_errors += (status & EXC) != 0;
            c->tx_window_errors += (status & OWC) != 0;
            c->tx_carrier_errors += (status & CRS) != 0;
        } else {
            c->tx_packets++;
        }
    }
    if (dev->busy && inw(REG(TFR)) >= ROOM_WANTED) {
        dev->busy = 0;
        mark_bh(NET_BH);
    }
}

// ---- receive ------------------------------------------------------------------------------------
static void receive(struct netdev *dev) {
    struct net_counters *c = &dev->counters;
    u16 status;
    while (receive_more(dev) && (status = inw(REG(RSR))) & RDONE) {
        u32 length = status & LENGTH;
        struct skb *b = status & (CRCE | FAE) ? NULL : skb_alloc(length + 2 + 16);
        if (b) {
            b->dev = dev;
            skb_reserve(b, 16 + 2);             // aligns the IP header to 16 bytes
            insw(REG(DATA), skb_put(b, length), (length + 1) >> 1);
            outw(CR_RDISC, REG(CR));
            b->protocol = eth_type(b, dev);
            c->rx_packets++;
            c->rx_bytes += length;
            netif_rx(b);
        } else {
            if (status & (CRCE | FAE))
                c->rx_errors++;
            else
                c->rx_dropped++;
            outw(CR_RDISC, REG(CR));
        }
    }
}

// ---- interrupt ----------------------------------------------------------------------------------
static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    u16 causes;
    (void)irq, (void)r;
    dev->in_interrupt = 1;
    if (receive_left(dev))
        receive(dev);
    for (int n = 0; receive_more(dev) && (causes = inw(REG(ISR))) != 0; n++) {
        if (n == MAX_SERVICE) {
            printk("%s: too much work in one interrupt, ISR %x\n", dev->name, causes);
            break;
        }
        outw(causes, REG(ISR));
        if (causes & PRX)
            receive(dev);
        if (causes & (PTX | TXER))
            transmit_done(dev);
        if (causes & RFO)
            dev->counters.rx_fifo_errors++;
        if (causes & TFE) {
            dev->counters.tx_fifo_errors++;
            printk("%s: the transmit FIFO was misused\n", dev->name);
        }
        if (causes & CTO)
            read_tallies(dev);
    }
    dev->in_interrupt = 0;
}

static void update_counters(struct netdev *dev) {
    u32 flags;
    save_flags_cli(flags);
    read_tallies(dev);
    restore_flags(flags);
}

// ---- taking over --------------------------------------------------------------------------------
static int open(struct netdev *dev) {
    outw(CR_RST, REG(CR));
    for (int polls = 0; inw(REG(CR)) & CR_RST; polls++) {
        if (polls == 1000) {
            printk("%s: the adapter stays in reset\n", dev->name);
            return -1;
        }
        udelay_spin(10);
    }
    if (request_irq(dev->irq, interrupt, 0, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    for (u32 i = 0; i < 6; i += 2)
        outw((u16)(dev->mac[i] | dev->mac[i + 1] << 8), REG(PAR + i));
    for (u32 i = 0; i < 8; i += 2)
        outw(0, REG(MAR + i));
    outw(RCR_BRD, REG(RCR));
    outw(0, REG(TCR));
    outw(0xFFFF, REG(ISR));
    dev->busy = 0;
    dev->started = 1;
    outw(PTX | TXER | PRX | RFO | TFE | CTO, REG(IMR));
    outw(CR_RXEN | CR_TXEN, REG(CR));
    return 0;
}

static int probe(struct netdev *dev, const struct device *d) {
    (void)d;
    for (u32 i = 0; i < 6; i += 2) {
        u16 word = inw(REG(PAR + i));
        dev->mac[i] = (u8)word;
        dev->mac[i + 1] = (u8)(word >> 8);
    }
    dev->open = open;
    dev->start_transmit = start_transmit;
    dev->update_counters = update_counters;
    dev->megabits = 100;
    return 0;
}

const struct driver oc2335_driver = {
    .name = "oc2335", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe, .state_bytes = 0};
