// SPDX-License-Identifier: GPL-2.0-or-later
//
// DP8390 core driver. Touches the chip as Linux 2.2's 8390.c does: same registers, same values,
// same order, same width, and a write to port 80h after every access except the two that Linux makes
// without one (TSR in the transmit interrupt, BNRY after a bogus header). The code is our own.
//
// Two transmit buffers of six pages: the second is filled while the first is being sent, and is started
// from the transmit interrupt. While a frame is loaded, chip interrupts are off (IMR) and the line is
// masked at the 8259. Counts of accesses:
// docs/hardware/linux-2.2-network-path.md#port-accesses.
#include "dp8390.h"

enum { MAX_SERVICE = 12, MAX_FRAMES = 9, TRANSMIT_TIMEOUT = 20 * HZ / 100 };
enum { RCR_NORMAL = 0x04, RCR_OFF = 0x20, TCR_NORMAL = 0x00, TCR_LOOPBACK = 0x02 };
enum { RSR_OK = 0x01, RSR_FIFO_OVERRUN = 0x08, RSR_MULTICAST = 0x20 };
enum { TSR_OK = 0x01, TSR_COLLIDED = 0x04, TSR_ABORTED = 0x08, TSR_CARRIER_LOST = 0x10,
       TSR_UNDERRUN = 0x20, TSR_HEARTBEAT = 0x40, TSR_LATE = 0x80 };

#define REG(r) ((u16)(dev->io + (r)))

static struct dp8390 *chip(struct netdev *dev) { return dev->private_data; }

// ---- start --------------------------------------------------------------------------------------
static void load_multicast(struct netdev *dev) {
    if (dev->started)
        outb_p(RCR_NORMAL, REG(RCR));
    outb_p(CR_NO_DMA | CR_PAGE1, REG(CR));
    for (int i = 0; i < 8; i++)
        outb_p(0, REG(MAR0 + i));
    outb_p(CR_NO_DMA, REG(CR));
    outb_p(RCR_NORMAL, REG(RCR));
}

void dp8390_init(struct netdev *dev, int start) {
    struct dp8390 *d = chip(dev);
    outb_p(CR_NO_DMA | CR_STOP, REG(CR));
    outb_p(d->word16 ? 0x49 : 0x48, REG(DCR));
    outb_p(0, REG(RBCR0));
    outb_p(0, REG(RBCR1));
    outb_p(RCR_OFF, REG(RCR));
    outb_p(TCR_LOOPBACK, REG(TCR));
    outb_p(d->tx_start_page, REG(TPSR));
    outb_p(d->rx_start_page, REG(PSTART));
    outb_p((u8)(d->stop_page - 1), REG(BNRY));
    d->current_page = d->rx_start_page;
    outb_p(d->stop_page, REG(PSTOP));
    outb_p(0xFF, REG(ISR));
    outb_p(0, REG(IMR));
    outb_p(CR_NO_DMA | CR_PAGE1 | CR_STOP, REG(CR));
    for (int i = 0; i < 6; i++) {
        outb_p(dev->mac[i], REG(PAR0 + i));
        if (inb_p(REG(PAR0 + i)) != dev->mac[i])
            printk("%s: station address register %d does not read back\n", dev->name, i);
    }
    outb_p(d->rx_start_page, REG(CURR));
    outb_p(CR_NO_DMA | CR_STOP, REG(CR));
    dev->busy = 0;
    dev->in_interrupt = 0;
    d->tx1 = d->tx2 = 0;
    d->transmitting = 0;
    if (start) {
        outb_p(0xFF, REG(ISR));
        outb_p(ISR_ALL, REG(IMR));
        outb_p(CR_NO_DMA | CR_START, REG(CR));
        outb_p(TCR_NORMAL, REG(TCR));
        outb_p(RCR_NORMAL, REG(RCR));
        load_multicast(dev);
    }
}

int dp8390_open(struct netdev *dev) {
    u32 flags;
    save_flags_cli(flags);
    dp8390_init(dev, 1);
    dev->started = 1;
    restore_flags(flags);
    chip(dev)->irq_lock = 0;
    return 0;
}

// ---- transmit -----------------------------------------------------------------------------------
static void trigger(struct netdev *dev, int length, int page) {
    outb_p(CR_NO_DMA, REG(CR));
    if (inb_p(REG(CR)) & CR_TRANSMIT) {
        printk("%s: transmitter busy when it should not be\n", dev->name);
        return;
    }
    outb_p((u8)length, REG(TBCR0));
    outb_p((u8)(length >> 8), REG(TBCR1));
    outb_p((u8)page, REG(TPSR));
    outb_p(CR_NO_DMA | CR_TRANSMIT | CR_START, REG(CR));
}

// Called while the card is busy, which only the watchdog does. 1 = not yet timed out, else the card was reset.
static int transmit_timeout(struct netdev *dev) {
    struct dp8390 *d = chip(dev);
    u32 flags, ticks = jiffies - dev->transmit_start;
    save_flags_cli(flags);
    u8 status = inb(REG(TSR));
    if (ticks < TRANSMIT_TIMEOUT || (ticks < TRANSMIT_TIMEOUT + 5 && !(status & TSR_OK))) {
        restore_flags(flags);
        return 1;
    }
    dev->counters.tx_errors++;
    u8 pending = inb(REG(ISR));
    restore_flags(flags);
    printk("%s: transmit timeout, TSR %x ISR %x\n", dev->name, status, pending);
    disable_irq(dev->irq);
    d->reset(dev);
    dp8390_init(dev, 1);
    enable_irq(dev->irq);
    dev->transmit_start = jiffies;
    return 0;
}

static int start_transmit(struct skb *b, struct netdev *dev) {
    struct dp8390 *d = chip(dev);
    u32 flags;
    int page, length, refused = 0;
    u8 padded[ETH_MIN];

    if (dev->busy && transmit_timeout(dev))
        return 1;
    length = b->length > ETH_MIN ? (int)b->length : ETH_MIN;

    save_flags_cli(flags);
    outb_p(0, REG(IMR));
    restore_flags(flags);
    disable_irq(dev->irq);
    d->irq_lock = 1;

    if (!d->tx1) {
        page = d->tx_start_page;
        d->tx1 = length;
    } else if (!d->tx2) {
        page = d->tx_start_page + TX_PAGES_EACH;
        d->tx2 = length;
    } else {
        dev->busy = 1;
        dev->counters.tx_errors++;
        refused = 1;
        goto out;
    }
    if ((int)b->length == length) {
        d->block_output(dev, length, b->data, page);
    } else {
        memset(padded, 0, ETH_MIN);
        memcpy(padded, b->data, b->length);
        d->block_output(dev, length, padded, page);
    }
    if (!d->transmitting) {
        d->transmitting = 1;
        trigger(dev, length, page);
        dev->transmit_start = jiffies;
        if (page == d->tx_start_page)
            d->tx1 = -1;
        else
            d->tx2 = -1;
    }
    dev->busy = d->tx1 && d->tx2;
out:
    d->irq_lock = 0;
    outb_p(ISR_ALL, REG(IMR));
    enable_irq(dev->irq);
    if (refused)
        return 1;
    skb_free(b);
    dev->counters.tx_bytes += (u32)length;
    return 0;
}

static void count_transmit_error(struct netdev *dev, u8 status) {
    struct net_counters *c = &dev->counters;
    c->tx_errors++;
    if (status & TSR_ABORTED) {
        c->tx_aborted_errors++;
        c->collisions += 16;
    }
    c->tx_carrier_errors += (status & TSR_CARRIER_LOST) != 0;
    c->tx_fifo_errors += (status & TSR_UNDERRUN) != 0;
    c->tx_heartbeat_errors += (status & TSR_HEARTBEAT) != 0;
    c->tx_window_errors += (status & TSR_LATE) != 0;
}

// A buffer has been sent: start the other one if it is filled, then count.
static void transmit_done(struct netdev *dev) {
    struct dp8390 *d = chip(dev);
    u8 status = inb(REG(TSR));
    outb_p(ISR_TX, REG(ISR));
    if (d->tx1 < 0) {
        d->tx1 = 0;
        dev->busy = 0;
        if (d->tx2 > 0) {
            d->transmitting = 1;
            trigger(dev, d->tx2, d->tx_start_page + TX_PAGES_EACH);
            dev->transmit_start = jiffies;
            d->tx2 = -1;
        } else {
            d->transmitting = 0;
        }
    } else if (d->tx2 < 0) {
        d->tx2 = 0;
        dev->busy = 0;
        if (d->tx1 > 0) {
            d->transmitting = 1;
            trigger(dev, d->tx1, d->tx_start_page);
            dev->transmit_start = jiffies;
            d->tx1 = -1;
        } else {
            d->transmitting = 0;
        }
    }
    if (status & TSR_COLLIDED)
        dev->counters.collisions++;
    if (status & TSR_OK)
        dev->counters.tx_packets++;
    else
        count_transmit_error(dev, status);
    mark_bh(NET_BH);
}

static void transmit_error(struct netdev *dev) {
    u8 status = inb_p(REG(TSR));
    outb_p(ISR_TX_ERROR, REG(ISR));
    if (status & (TSR_ABORTED | TSR_UNDERRUN))
        transmit_done(dev);
    else
        count_transmit_error(dev, status);
}

// ---- receive ------------------------------------------------------------------------------------
static void take_frame(struct netdev *dev, const struct dp8390_header *h, int length, int offset) {
    struct dp8390 *d = chip(dev);
    struct skb *b = skb_alloc((u32)length + 2 + 16);
    if (!b) {
        dev->counters.rx_dropped++;
        return;
    }
    skb_reserve(b, 16 + 2);             // aligns the IP header to 16 bytes
    b->dev = dev;
    skb_put(b, (u32)length);
    d->block_input(dev, length, b, offset);
    b->protocol = eth_type(b, dev);
    netif_rx(b);
    dev->counters.rx_packets++;
    dev->counters.rx_bytes += (u32)length;
    if (h->status & RSR_MULTICAST)
        dev->counters.multicast++;
}

static void receive(struct netdev *dev) {
    struct dp8390 *d = chip(dev);
    struct dp8390_header h;
    int pages = d->stop_page - d->rx_start_page;
    for (int n = 0; n < MAX_FRAMES && receive_more(dev); n++) {
        outb_p(CR_NO_DMA | CR_PAGE1, REG(CR));
        u8 write_page = inb_p(REG(CURR));
        outb_p(CR_NO_DMA, REG(CR));
        u8 page = (u8)(inb_p(REG(BNRY)) + 1);
        if (page >= d->stop_page)
            page = d->rx_start_page;
        if (page != d->current_page)
            printk("%s: read pointer %x, expected %x\n", dev->name, page, d->current_page);
        if (page == write_page)
            break;
        d->get_header(dev, &h, page);
        int length = h.count - (int)sizeof h;
        int next = page + 1 + ((length + 4) >> 8);
        if (h.next != next && h.next != next + 1 && h.next != next - pages &&
            h.next != next + 1 - pages) {
            d->current_page = write_page;
            outb((u8)(write_page - 1), REG(BNRY));
            dev->counters.rx_errors++;
            continue;
        }
        if (length < 60 || length > 1518) {
            dev->counters.rx_errors++;
            dev->counters.rx_length_errors++;
        } else if ((h.status & 0x0F) == RSR_OK) {
            take_frame(dev, &h, length, (page << 8) + (int)sizeof h);
        } else {
            dev->counters.rx_errors++;
            if (h.status & RSR_FIFO_OVERRUN)
                dev->counters.rx_fifo_errors++;
        }
        next = h.next;
        if (next >= d->stop_page) {
            printk("%s: next page %x is outside the ring\n", dev->name, next);
            next = d->rx_start_page;
        }
        d->current_page = (u8)next;
        outb_p((u8)(next - 1), REG(BNRY));
    }
    outb_p(ISR_RX | ISR_RX_ERROR, REG(ISR));
}

// The ring is full and the receiver has stopped. National's procedure: stop, wait longer than a frame
// time, empty the ring in loopback, resume, and resend the frame that the stop cut off.
static void overrun(struct netdev *dev) {
    u8 was_sending = inb_p(REG(CR)) & CR_TRANSMIT;
    int resend = 0;
    outb_p(CR_NO_DMA | CR_STOP, REG(CR));
    dev->counters.rx_over_errors++;
    udelay_spin(10 * 1000);
    outb_p(0, REG(RBCR0));
    outb_p(0, REG(RBCR1));
    if (was_sending && !(inb_p(REG(ISR)) & (ISR_TX | ISR_TX_ERROR)))
        resend = 1;
    outb_p(TCR_LOOPBACK, REG(TCR));
    outb_p(CR_NO_DMA | CR_START, REG(CR));
    receive(dev);
    outb_p(ISR_OVERRUN, REG(ISR));
    outb_p(TCR_NORMAL, REG(TCR));
    if (resend)
        outb_p(CR_NO_DMA | CR_START | CR_TRANSMIT, REG(CR));
}

static void read_counters(struct netdev *dev) {
    dev->counters.rx_frame_errors += inb_p(REG(CNTR0));
    dev->counters.rx_crc_errors += inb_p(REG(CNTR1));
    dev->counters.rx_missed_errors += inb_p(REG(CNTR2));
}

static void update_counters(struct netdev *dev) {
    u32 flags;
    if (!dev->started)
        return;
    save_flags_cli(flags);
    read_counters(dev);
    restore_flags(flags);
}

// ---- interrupt ----------------------------------------------------------------------------------
void dp8390_interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    struct dp8390 *d = chip(dev);
    int served = 0;
    u8 causes;
    (void)irq, (void)r;
    if (dev->in_interrupt || d->irq_lock) {
        printk("%s: interrupted while interrupts are off, ISR %x IMR %x\n", dev->name,
               inb_p(REG(ISR)), inb_p(REG(IMR)));
        return;
    }
    dev->in_interrupt = 1;
    outb_p(CR_NO_DMA, REG(CR));
    if (receive_left(dev))
        receive(dev);
    while ((causes = inb_p(REG(ISR))) != 0 && receive_more(dev) && ++served < MAX_SERVICE) {
        if (!dev->started) {
            causes = 0;
            break;
        }
        if (causes & ISR_OVERRUN)
            overrun(dev);
        else if (causes & (ISR_RX | ISR_RX_ERROR))
            receive(dev);
        if (causes & ISR_TX)
            transmit_done(dev);
        else if (causes & ISR_TX_ERROR)
            transmit_error(dev);
        if (causes & ISR_COUNTERS) {
            read_counters(dev);
            outb_p(ISR_COUNTERS, REG(ISR));
        }
        if (causes & ISR_REMOTE_DONE)
            outb_p(ISR_REMOTE_DONE, REG(ISR));
        outb_p(CR_NO_DMA | CR_START, REG(CR));
    }
    if (causes && receive_more(dev)) {
        outb_p(CR_NO_DMA | CR_START, REG(CR));
        printk("%s: too much work in one interrupt, ISR %x\n", dev->name, causes);
        outb_p(served >= MAX_SERVICE ? ISR_ALL : 0xFF, REG(ISR));
    }
    dev->in_interrupt = 0;
}

void dp8390_attach(struct netdev *dev) {
    dev->open = dp8390_open;
    dev->start_transmit = start_transmit;
    dev->update_counters = update_counters;
}
