// SPDX-License-Identifier: GPL-2.0-or-later
//
// 3Com 3C905B-TX (10B7:9055) as Linux 2.2.17pre18's 3c59x.c (0.99H) touches it: through the ports, in the same order, width
// and number, no port 80h delays; the code is our own.
//
// Habits that set the figures: rings of 16 and 32; before a frame is linked, the download is stalled and the status is
// read until the stall takes effect; only the last linked frame interrupts; frames of 200 bytes and more go up in the
// buffer they arrived in, IP aligned; TCP and UDP checksums are checked by the chip; an UpUnStall for each refilled
// buffer; after 20 rounds in an interrupt all causes are masked until a timer has run. The receiver reset restarts
// auto-negotiation (devices/ethernet/3c905b/3c905b.md).
//
// Ours: linked(). Left out: other boards, media selection other than auto-negotiation, options, large frames.
#include "3c59x.h"

// ---- start --------------------------------------------------------------------------------------
static void set_rx_mode(struct netdev *dev) {
    struct vortex *vp = dev->private_data;
    command(dev, SET_RX_FILTER | FILTER_STATION | FILTER_BROADCAST | (vp->groups ? FILTER_GROUP : 0));
}

// As dev_alloc_skb(BUFFER), with the IP header aligned.
static struct skb *receive_buffer(struct netdev *dev) {
    struct skb *b = skb_alloc(BUFFER + 16);
    if (b) {
        skb_reserve(b, 16);
        b->dev = dev;
        skb_reserve(b, 2);
    }
    return b;
}

static void fill_rx_ring(struct netdev *dev) {
    struct vortex *vp = dev->private_data;
    u32 i;
    vp->cur_rx = vp->dirty_rx = 0;
    command(dev, SET_RX_THRESHOLD + (1536 >> 2));
    outl(0x0020, PORT(DMA_CONTROL));
    for (i = 0; i < RX_RING; i++) {
        struct boom_descriptor *r = &vp->rx_ring[i];
        r->next = phys(&vp->rx_ring[i + 1]);
        r->status = 0;
        r->length = BUFFER | LAST_FRAGMENT;
        vp->rx_skb[i] = receive_buffer(dev);
        if (!vp->rx_skb[i])
            fail("%s: no memory for receive buffers", dev->name);
        r->address = phys(vp->rx_skb[i]->tail);
    }
    vp->rx_ring[RX_RING - 1].next = phys(&vp->rx_ring[0]);
    outl(phys(&vp->rx_ring[0]), PORT(UP_LIST));
}

static void interrupt(int irq, void *arg, struct regs *r);
static void check_media(u32 data);

static void set_duplex(struct netdev *dev, int full) { outb(full ? 0x20 : 0, PORT(W3_MAC_CONTROL)); }

static int open(struct netdev *dev) {
    struct vortex *vp = dev->private_data;
    window(dev, 3);
    u32 config = inl(PORT(W3_CONFIG));
    u32 port = vp->autoselect ? AUTO_NEGOTIATE : vp->default_media;
    outl((config & ~0x00F00000u) | port << 20, PORT(W3_CONFIG));
    vp->full_duplex = 0;
    if (port == AUTO_NEGOTIATE) {
        window(dev, 4);
        vortex_mii_read(dev, vp->phys[0], 1);
        u16 partner = vortex_mii_read(dev, vp->phys[0], 5);
        if (partner != 0xFFFF && partner && (partner & PARTNER_FULL || (partner & 0x00C0) == 0x0040))
            vp->full_duplex = 1;
        window(dev, 3);
    }
    set_duplex(dev, vp->info1 & 0x8000 || vp->full_duplex);
    command(dev, TX_RESET);
    wait_command(dev, 2000);
    command(dev, RX_RESET);
    wait_command(dev, 2000);
    command(dev, SET_STATUS);
    if (request_irq(dev->irq, interrupt, IRQF_SHARED, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    window(dev, 2);
    for (int i = 0; i < 6; i++)
        outb(dev->mac[i], PORT(i));
    for (int i = 6; i < 12; i += 2)
        outw(0, PORT(i));
    command(dev, STATISTICS_DISABLE);
    window(dev, 6);
    for (int i = 0; i < 10; i++)
        inb(PORT(i));
    inw(PORT(10));
    inw(PORT(12));
    window(dev, 4);
    inb(PORT(12));
    outw(0x0040, PORT(W4_NET));
    window(dev, 7);
    fill_rx_ring(dev);
    vp->cur_tx = vp->dirty_tx = 0;
    outb(BUFFER >> 8, PORT(TX_FREE_THRESHOLD));
    outl(0, PORT(DOWN_LIST));
    set_rx_mode(dev);
    command(dev, STATISTICS_ENABLE);
    dev->busy = 0;
    dev->started = 1;
    command(dev, RX_ENABLE);
    command(dev, TX_ENABLE);
    command(dev, STATUS_SHOWN);
    command(dev, ACKNOWLEDGE | INT_LATCH | TX_AVAILABLE | RX_EARLY | REQUESTED);
    command(dev, INTERRUPTS);
    vp->timer.function = check_media;
    vp->timer.data = (u32)dev;
    timer_set(&vp->timer, jiffies + 3 * HZ);
    // The kernel's two calls for the multicast list: empty, then with the all-hosts group.
    set_rx_mode(dev);
    vp->groups = 1;
    set_rx_mode(dev);
    return 0;
}

// Runs three seconds after the start, then once a minute; one jiffy after an interrupt with too much work.
static void check_media(u32 data) {
    struct netdev *dev = (struct netdev *)data;
    struct vortex *vp = dev->private_data;
    u32 flags;
    disable_irq(dev->irq);
    u32 before = inw(PORT(COMMAND)) >> 13;
    window(dev, 4);
    inw(PORT(W4_MEDIA));
    save_flags_cli(flags);
    if (vortex_mii_read(dev, vp->phys[0], 1) & 0x0004) {
        u16 partner = vortex_mii_read(dev, vp->phys[0], 5);
        u8 full = partner & PARTNER_FULL || (partner & 0x01C0) == 0x0040;
        if (partner != 0xFFFF && vp->full_duplex != full) {
            vp->full_duplex = full;
            printk("%s: setting %s-duplex\n", dev->name, full ? "full" : "half");
            window(dev, 3);
            set_duplex(dev, full);
        }
    }
    restore_flags(flags);
    window(dev, before);
    enable_irq(dev->irq);
    timer_set(&vp->timer, jiffies + 60 * HZ);
    if (vp->deferred)
        command(dev, FAKE_INTERRUPT);
}

static int linked(struct netdev *dev) {
    struct vortex *vp = dev->private_data;
    u32 flags;
    save_flags_cli(flags);
    window(dev, 4);
    vortex_mii_read(dev, vp->phys[0], 1);       // the bit stays clear until it is read after the link was down
    int up = vortex_mii_read(dev, vp->phys[0], 1) & 0x0004;
    window(dev, 7);
    restore_flags(flags);
    return up;
}

// ---- transmit -----------------------------------------------------------------------------------
static void transmit_timeout(struct netdev *dev) {
    struct vortex *vp = dev->private_data;
    u32 flags;
    u8 tx_status = inb(PORT(TX_STATUS));
    printk("%s: transmit timed out, tx_status %x status %x.\n", dev->name, tx_status, inw(PORT(STATUS)));
    if ((inb(PORT(TX_STATUS)) & 0x88) == 0x88)
        printk("%s: Transmitter encountered 16 collisions\n", dev->name);
    if (inw(PORT(STATUS)) & INT_LATCH) {
        printk("%s: Interrupt posted but not delivered\n", dev->name);
        save_flags_cli(flags);
        interrupt(dev->irq, dev, NULL);
        restore_flags(flags);
    }
    command(dev, TX_RESET);
    wait_command(dev, 200);
    inl(PORT(DOWN_LIST));           // the driver prints it
    dev->counters.tx_errors++;
    if (vp->cur_tx - vp->dirty_tx > 0 && inl(PORT(DOWN_LIST)) == 0)
        outl(phys(&vp->tx_ring[vp->dirty_tx % TX_RING]), PORT(DOWN_LIST));
    if (vp->tx_full && vp->cur_tx - vp->dirty_tx <= TX_RING - 1) {
        vp->tx_full = 0;
        dev->busy = 0;
    }
    outb(BUFFER >> 8, PORT(TX_FREE_THRESHOLD));
    command(dev, DOWN_UNSTALL);
    command(dev, TX_ENABLE);
    dev->transmit_start = jiffies;
    window(dev, 7);
}

static int start_transmit(struct skb *b, struct netdev *dev) {
    struct vortex *vp = dev->private_data;
    u32 flags;
    if (dev->busy) {
        if (jiffies - dev->transmit_start >= TX_TIMEOUT)
            transmit_timeout(dev);
        return 1;
    }
    dev->busy = 1;
    u32 entry = vp->cur_tx % TX_RING;
    struct boom_descriptor *t = &vp->tx_ring[entry], *previous = &vp->tx_ring[(vp->cur_tx - 1) % TX_RING];
    if (vp->tx_full) {
        printk("%s: Tx Ring full, refusing to send buffer.\n", dev->name);
        return 1;
    }
    u32 length = b->length;
    vp->tx_skb[entry] = b;
    t->next = 0;
    t->address = phys(b->data);
    t->length = length | LAST_FRAGMENT;
    t->status = length | INTERRUPT_WHEN_DOWN;
    save_flags_cli(flags);
    command(dev, DOWN_STALL);
    wait_command(dev, 4000);
    previous->next = phys(t);
    if (inl(PORT(DOWN_LIST)) == 0)
        outl(phys(t), PORT(DOWN_LIST));
    vp->cur_tx++;
    if (vp->cur_tx - vp->dirty_tx > TX_RING - 1) {
        vp->tx_full = 1;
    } else {
        previous->status &= ~INTERRUPT_WHEN_DOWN;
        dev->busy = 0;
    }
    command(dev, DOWN_UNSTALL);
    restore_flags(flags);
    dev->transmit_start = jiffies;
    dev->counters.tx_bytes += length;
    return 0;
}

static void collect_sent(struct netdev *dev) {
    struct vortex *vp = dev->private_data;
    u32 dirty = vp->dirty_tx;
    while (vp->cur_tx - dirty > 0) {
        u32 entry = dirty % TX_RING;
        if (inl(PORT(DOWN_LIST)) == phys(&vp->tx_ring[entry]))
            break;
        if (vp->tx_skb[entry]) {
            skb_free(vp->tx_skb[entry]);
            vp->tx_skb[entry] = NULL;
        }
        dirty++;
    }
    vp->dirty_tx = dirty;
    command(dev, ACKNOWLEDGE | DOWN_COMPLETE);
    if (vp->tx_full && vp->cur_tx - dirty <= TX_RING - 1) {
        vp->tx_full = 0;
        dev->busy = 0;
        mark_bh(NET_BH);
    }
}

// ---- receive ------------------------------------------------------------------------------------
static void count_receive_error(struct net_counters *c, u32 status) {
    c->rx_errors++;
    if (status & 0x010000)
        c->rx_over_errors++;
    if (status & 0x020000)
        c->rx_length_errors++;
    if (status & 0x040000)
        c->rx_frame_errors++;
    if (status & 0x080000)
        c->rx_crc_errors++;
    if (status & 0x100000)
        c->rx_length_errors++;
}

static void take_frame(struct netdev *dev, u32 entry, u32 status) {
    struct vortex *vp = dev->private_data;
    u32 length = status & 0x1FFF, checksums = status & CHECKSUM_BITS;
    struct skb *b = NULL;
    dev->counters.rx_bytes += length;
    if (length < COPYBREAK)
        b = skb_alloc(length + 2 + 16);
    if (b) {
        skb_reserve(b, 16);
        b->dev = dev;
        skb_reserve(b, 2);
        memcpy(skb_put(b, length), virt(vp->rx_ring[entry].address), length);
    } else {
        b = vp->rx_skb[entry];
        vp->rx_skb[entry] = NULL;
        skb_put(b, length);
    }
    b->protocol = eth_type(b, dev);
    if (checksums == (IP_CHECKED | TCP_CHECKED) || checksums == (IP_CHECKED | UDP_CHECKED))
        b->summed = SUM_CHECKED;
    netif_rx(b);
    dev->counters.rx_packets++;
}

static void receive(struct netdev *dev) {
    struct vortex *vp = dev->private_data;
    u32 entry = vp->cur_rx % RX_RING, status;
    int limit = (int)(vp->dirty_rx + RX_RING - vp->cur_rx);
    while ((status = vp->rx_ring[entry].status) & RX_COMPLETE && receive_more(dev)) {
        if (--limit < 0)
            break;
        if (status & RX_ERROR)
            count_receive_error(&dev->counters, status);
        else
            take_frame(dev, entry, status);
        entry = ++vp->cur_rx % RX_RING;
    }
    for (; vp->cur_rx - vp->dirty_rx > 0; vp->dirty_rx++) {
        entry = vp->dirty_rx % RX_RING;
        if (!vp->rx_skb[entry]) {
            struct skb *b = receive_buffer(dev);
            if (!b)
                break;
            vp->rx_ring[entry].address = phys(b->tail);
            vp->rx_skb[entry] = b;
        }
        vp->rx_ring[entry].status = 0;
        command(dev, UP_UNSTALL);
    }
}

// ---- statistics ---------------------------------------------------------------------------------
static void read_statistics(struct netdev *dev) {
    struct net_counters *c = &dev->counters;
    window(dev, 6);
    c->tx_carrier_errors += inb(PORT(0));
    c->tx_heartbeat_errors += inb(PORT(1));
    inb(PORT(2));
    c->collisions += inb(PORT(3));
    c->tx_window_errors += inb(PORT(4));
    c->rx_fifo_errors += inb(PORT(5));
    c->tx_packets += inb(PORT(6));
    c->tx_packets += (u32)(inb(PORT(9)) & 0x30) << 4;
    inb(PORT(7));
    inb(PORT(8));
    inw(PORT(10));
    inw(PORT(12));
    window(dev, 4);
    inb(PORT(12));
    window(dev, 7);
}

static void update_counters(struct netdev *dev) {
    u32 flags;
    if (!dev->started)
        return;
    save_flags_cli(flags);
    read_statistics(dev);
    restore_flags(flags);
}

// ---- interrupt ----------------------------------------------------------------------------------
static void statistics_full(struct netdev *dev) {
    static int done;
    read_statistics(dev);
    if (!done && inw(PORT(STATUS)) & STATISTICS_FULL) {
        printk("%s: Updating statistics failed, disabling stats as an interrupt source.\n", dev->name);
        window(dev, 5);
        command(dev, SET_INTERRUPTS | (inw(PORT(10)) & ~STATISTICS_FULL));
        window(dev, 7);
        done = 1;
    }
}

static void uncommon(struct netdev *dev, u16 status) {
    struct net_counters *c = &dev->counters;
    int reset = 0;
    if (status & TX_COMPLETE) {
        u8 tx_status = inb(PORT(TX_STATUS));
        if (tx_status != 0x88)
            printk("%s: Transmit error, Tx status register %x.\n", dev->name, tx_status);
        if (tx_status & 0x14)
            c->tx_fifo_errors++;
        if (tx_status & 0x38)
            c->tx_aborted_errors++;
        outb(0, PORT(TX_STATUS));
        if (tx_status & 0x3A)
            reset = 1;
        else
            command(dev, TX_ENABLE);
    }
    if (status & RX_EARLY)
        command(dev, ACKNOWLEDGE | RX_EARLY);
    if (status & STATISTICS_FULL)
        statistics_full(dev);
    if (status & REQUESTED) {
        command(dev, STATUS_SHOWN);
        command(dev, INTERRUPTS);
    }
    if (status & HOST_ERROR) {
        window(dev, 4);
        u16 fifo = inw(PORT(W4_FIFO));
        printk("%s: Host error, FIFO diagnostic register %x.\n", dev->name, fifo);
        command(dev, TOTAL_RESET | 0xFF);
        wait_command(dev, 2000);
        command(dev, RX_ENABLE);
        command(dev, TX_ENABLE);
        if (fifo & 0x3000) {
            command(dev, RX_RESET);
            wait_command(dev, 2000);
            set_rx_mode(dev);
            command(dev, RX_ENABLE);
            command(dev, ACKNOWLEDGE | HOST_ERROR);
        }
    }
    if (reset) {
        command(dev, TX_RESET);
        wait_command(dev, 200);
        command(dev, TX_ENABLE);
        dev->busy = 0;
    }
}

static void interrupt(int irq, void *arg, struct regs *regs) {
    struct netdev *dev = arg;
    struct vortex *vp = dev->private_data;
    int work = MAX_WORK;
    (void)irq, (void)regs;
    if (receive_left(dev))
        receive(dev);
    u16 status = inw(PORT(STATUS));
    if (!(status & INT_LATCH))
        return;
    if (status & REQUESTED) {
        status |= vp->deferred;
        vp->deferred = 0;
    }
    do {
        if (status & UP_COMPLETE) {
            command(dev, ACKNOWLEDGE | UP_COMPLETE);
            receive(dev);
        }
        if (status & DOWN_COMPLETE)
            collect_sent(dev);
        if (status & (HOST_ERROR | RX_EARLY | STATISTICS_FULL | TX_COMPLETE | REQUESTED)) {
            if (status == 0xFFFF)
                break;
            uncommon(dev, status);
        }
        if (--work < 0) {
            printk("%s: Too much work in interrupt, status %x.\n", dev->name, status);
            do {
                vp->deferred |= status;
                command(dev, SET_STATUS | (~(u32)vp->deferred & STATUS_SHOWN));
                command(dev, ACKNOWLEDGE | (vp->deferred & 0x7FF));
            } while ((status = inw(PORT(COMMAND))) & INT_LATCH);
            timer_del(&vp->timer);
            timer_set(&vp->timer, jiffies + 1);
            break;
        }
        command(dev, ACKNOWLEDGE | REQUESTED | INT_LATCH);
    } while ((status = inw(PORT(STATUS))) & INT_LATCH);
    if (vp->cur_rx - vp->dirty_rx == RX_RING)
        receive(dev);
}

// ---- taking over --------------------------------------------------------------------------------
static int probe(struct netdev *dev, const struct device *d) {
    if (vortex_found(dev, d))
        return -1;
    dev->open = open;
    dev->linked = linked;
    dev->start_transmit = start_transmit;
    dev->update_counters = update_counters;
    return 0;
}

static const u32 ids[] = {PCI_ID(0x10B7, 0x9055), 0};

const struct driver vortex_driver = {
    .name = "3c905b", .bus = &pci_bus, .ids = ids, .probe = probe, .state_bytes = sizeof(struct vortex)};
