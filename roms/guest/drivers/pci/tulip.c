// SPDX-License-Identifier: GPL-2.0-or-later
//
// LinkSys LNE100TX, Lite-On PNIC-II (11AD:C115), as Linux 2.2.16's tulip.c (0.91g-ppc) touches it: the registers
// through ports, as doublewords except CSR15, in the same order, width and number; the code is our own.
//
// Habits that set the figures: rings of 16 and 32; every frame queued writes CSR1; a frame requests an interrupt if it
// is the ninth in the ring, from the fifteenth on, and in the last entry; frames of 100 bytes and more go up in the
// buffer they arrived in, which begins on a doubleword: IP at 2 modulo 4. The handler reads CSR5 until nothing is left,
// CSR8 once. An underflow raises the threshold permanently. Negotiation begins when the interface is opened; frames are
// sent once it is done (devices/ethernet/lne100tx/lne100tx.md).
//
// Left out: the other chips of tulip.c, transceivers on the MII pins, options, more than fourteen groups, promiscuous
// mode.
#include "tulip.h"

// ---- the address filter -------------------------------------------------------------------------
static void setup_entry(struct tulip *tp, u32 n, const u8 *address) {
    u16 *to = &tp->setup_frame[n * 6];
    for (u32 k = 0; k < 3; k++) {
        u16 pair = (u16)(address[2 * k] | address[2 * k + 1] << 8);
        *to++ = pair;
        *to++ = pair;
    }
}

// Every unused entry has the broadcast address, which must be present.
static void fill_setup(struct netdev *dev, u32 groups) {
    static const u8 all_hosts[6] = {0x01, 0x00, 0x5E, 0x00, 0x00, 0x01};
    struct tulip *tp = dev->private_data;
    for (u32 n = 0; n < groups; n++)
        setup_entry(tp, n, all_hosts);
    memset(&tp->setup_frame[groups * 6], 0xFF, (15 - groups) * 12);
    setup_entry(tp, 15, dev->mac);
}

static void set_rx_mode(struct netdev *dev, u32 groups) {
    struct tulip *tp = dev->private_data;
    u32 csr6 = inl(CSR(CSR6)) & ~(u32)FILTER_BITS, control = SETUP | SETUP_BYTES, flags, entry;
    tp->csr6 &= ~(u32)FILTER_BITS;
    fill_setup(dev, groups);
    if (tp->cur_tx - tp->dirty_tx <= TX_RING - 2) {
        save_flags_cli(flags);
        entry = tp->cur_tx++ % TX_RING;
        if (entry) {                    // workaround for a bug of the 21140: an empty entry comes first
            tp->tx_skb[entry] = NULL;
            tp->tx_ring[entry].control = entry == TX_RING - 1 ? RING_END : 0;
            tp->tx_ring[entry].buffer1 = 0;
            tp->tx_ring[entry].status = OWNED;
            entry = tp->cur_tx++ % TX_RING;
        }
        tp->tx_skb[entry] = NULL;
        if (entry == TX_RING - 1)
            control |= RING_END;
        tp->tx_ring[entry].control = control;
        tp->tx_ring[entry].buffer1 = phys(tp->setup_frame);
        tp->tx_ring[entry].status = OWNED;
        if (tp->cur_tx - tp->dirty_tx >= TX_RING - 2) {
            dev->busy = 1;
            tp->tx_full = 1;
        }
        restore_flags(flags);
        outl(0, CSR(CSR1));
    }
    outl(csr6, CSR(CSR6));
}

// ---- rings --------------------------------------------------------------------------------------
static struct skb *receive_buffer(struct netdev *dev) {
    struct skb *b = skb_alloc(BUFFER + 16);
    if (b) {
        skb_reserve(b, 16);
        b->dev = dev;
    }
    return b;
}

static void init_rings(struct netdev *dev) {
    struct tulip *tp = dev->private_data;
    u32 n;
    tp->tx_full = 0;
    tp->cur_rx = tp->cur_tx = tp->dirty_rx = tp->dirty_tx = 0;
    tp->memory_timer = 0;
    for (n = 0; n < RX_RING; n++) {
        tp->rx_ring[n].status = 0;
        tp->rx_ring[n].control = BUFFER;
        tp->rx_ring[n].buffer2 = phys(&tp->rx_ring[(n + 1) % RX_RING]);
        tp->rx_skb[n] = NULL;
    }
    tp->rx_ring[RX_RING - 1].control = BUFFER | RING_END;
    for (n = 0; n < RX_RING; n++) {
        struct skb *b = receive_buffer(dev);
        tp->rx_skb[n] = b;
        if (!b)
            break;
        tp->rx_ring[n].status = OWNED;
        tp->rx_ring[n].buffer1 = phys(b->tail);
    }
    tp->dirty_rx = n - RX_RING;
    for (n = 0; n < TX_RING; n++) {
        tp->tx_skb[n] = NULL;
        tp->tx_ring[n].status = 0;
        tp->tx_ring[n].buffer2 = phys(&tp->tx_ring[(n + 1) % TX_RING]);
    }
}

static void refill(struct netdev *dev) {
    struct tulip *tp = dev->private_data;
    for (; tp->cur_rx != tp->dirty_rx; tp->dirty_rx++) {
        u32 entry = tp->dirty_rx % RX_RING;
        if (!tp->rx_skb[entry]) {
            struct skb *b = tp->rx_skb[entry] = receive_buffer(dev);
            if (!b)
                break;
            tp->rx_ring[entry].buffer1 = phys(b->tail);
        }
        tp->rx_ring[entry].status = OWNED;
    }
}

// ---- transmit -----------------------------------------------------------------------------------
static int start_transmit(struct skb *b, struct netdev *dev) {
    struct tulip *tp = dev->private_data;
    u32 entry, used, flag;
    if (dev->busy) {
        if (jiffies - dev->transmit_start >= TX_TIMEOUT)
            tulip_timeout(dev);
        return 1;
    }
    dev->busy = 1;
    entry = tp->cur_tx % TX_RING;
    tp->tx_skb[entry] = b;
    tp->tx_ring[entry].buffer1 = phys(b->data);
    used = tp->cur_tx - tp->dirty_tx;
    if (used < TX_RING / 2) {
        flag = WHOLE;
    } else if (used == TX_RING / 2) {
        flag = WHOLE_INTERRUPTS;
    } else if (used < TX_RING - 2) {
        flag = WHOLE;
    } else {
        tp->tx_full = 1;
        flag = WHOLE_INTERRUPTS;
    }
    if (entry == TX_RING - 1)
        flag = WHOLE_INTERRUPTS | RING_END;
    tp->tx_ring[entry].control = b->length | flag;
    tp->tx_ring[entry].status = OWNED;
    tp->cur_tx++;
    if (!tp->tx_full)
        dev->busy = 0;
    dev->transmit_start = jiffies;
    outl(0, CSR(CSR1));
    return 0;
}

static void count_transmit_error(struct net_counters *c, u32 status, int full_duplex) {
    c->tx_errors++;
    if (status & 0x4104)
        c->tx_aborted_errors++;
    if (status & 0x0C00)
        c->tx_carrier_errors++;
    if (status & 0x0200)
        c->tx_window_errors++;
    if (status & 0x0002)
        c->tx_fifo_errors++;
    if (status & 0x0080 && !full_duplex)
        c->tx_heartbeat_errors++;
}

static u32 collect_sent(struct netdev *dev, u32 csr5) {
    struct tulip *tp = dev->private_data;
    u32 dirty = tp->dirty_tx, sent = 0;
    for (; tp->cur_tx != dirty; dirty++) {
        u32 entry = dirty % TX_RING, status = tp->tx_ring[entry].status;
        if (status & OWNED)
            break;
        if (!tp->tx_skb[entry])         // an entry of the address filter
            continue;
        if (status & 0x8000) {
            count_transmit_error(&dev->counters, status, tp->full_duplex);
        } else {
            dev->counters.tx_bytes += tp->tx_skb[entry]->length;
            dev->counters.collisions += status >> 3 & 15;
            dev->counters.tx_packets++;
        }
        skb_free(tp->tx_skb[entry]);
        tp->tx_skb[entry] = NULL;
        sent++;
    }
    if (tp->tx_full && dev->busy && tp->cur_tx - dirty < TX_RING - 2) {
        tp->tx_full = 0;
        dev->busy = 0;
        mark_bh(NET_BH);
    }
    tp->dirty_tx = dirty;
    if (csr5 & TX_DIED) {
        outl(tp->csr6 | RECEIVE, CSR(CSR6));
        outl(tp->csr6 | TRANSMIT | RECEIVE, CSR(CSR6));
    }
    return sent;
}

// ---- receive ------------------------------------------------------------------------------------
static void count_receive_error(struct netdev *dev, u32 status) {
    struct net_counters *c = &dev->counters;
    if ((status & 0x38000300) != 0x0300) {
        if ((status & 0xFFFF) != 0x7FFF) {
            printk("%s: Oversized Ethernet frame spanned multiple buffers, status %x!\n", dev->name, status);
            c->rx_length_errors++;
        }
    } else if (status & 0x8000) {
        c->rx_errors++;
        if (status & 0x0890)
            c->rx_length_errors++;
        if (status & 0x0004)
            c->rx_frame_errors++;
        if (status & 0x0002)
            c->rx_crc_errors++;
        if (status & 0x0001)
            c->rx_fifo_errors++;
    }
}

static void take_frame(struct netdev *dev, u32 entry, u32 length) {
    struct tulip *tp = dev->private_data;
    struct skb *b = NULL;
    if (length < COPYBREAK)
        b = skb_alloc(length + 2 + 16);
    if (b) {
        b->dev = dev;
        skb_reserve(b, 16 + 2);
        eth_copy_and_sum(b, tp->rx_skb[entry]->tail, length);
        skb_put(b, length);
    } else {
        b = tp->rx_skb[entry];
        skb_put(b, length);
        tp->rx_skb[entry] = NULL;
    }
    b->protocol = eth_type(b, dev);
    netif_rx(b);
    dev->counters.rx_packets++;
    dev->counters.rx_bytes += length;
}

static u32 receive(struct netdev *dev) {
    struct tulip *tp = dev->private_data;
    u32 entry = tp->cur_rx % RX_RING, status, received = 0;
    s32 limit = (s32)(tp->dirty_rx + RX_RING - tp->cur_rx);
    while (!((status = tp->rx_ring[entry].status) & OWNED) && receive_more(dev)) {
        if (--limit < 0)
            break;
        if ((status & 0x38008300) != 0x0300)
            count_receive_error(dev, status);
        else
            take_frame(dev, entry, (status >> 16 & 0x7FF) - 4);
        received++;
        entry = ++tp->cur_rx % RX_RING;
    }
    return received;
}

// ---- interrupt ----------------------------------------------------------------------------------
static void serve_abnormal(struct netdev *dev, u32 csr5) {
    struct tulip *tp = dev->private_data;
    if (csr5 & TX_JABBER)
        dev->counters.tx_errors++;
    if (csr5 & TX_UNDERFLOW) {
        if ((tp->csr6 & 0xC000) != 0xC000)
            tp->csr6 += 0x4000;
        else
            tp->csr6 |= STORE_FORWARD;
        outl(tp->csr6 | RECEIVE, CSR(CSR6));
        outl(tp->csr6 | TRANSMIT | RECEIVE, CSR(CSR6));
        outl(0, CSR(CSR1));
    }
    if (csr5 & RX_DIED) {
        dev->counters.rx_errors++;
        dev->counters.rx_missed_errors += inl(CSR(CSR8)) & 0xFFFF;
        outl(tp->csr6 | TRANSMIT | RECEIVE, CSR(CSR6));
    }
    if (csr5 & (LINK_PASS | LINK_FAIL | LINK_CHANGED))
        tulip_link_changed(dev, csr5);
    if (csr5 & SYSTEM_ERROR)
        printk("%s: System Error occured\n", dev->name);
    outl(ALL_ERRORS, CSR(CSR5));
}

// No memory for the next buffer: the chip's timer triggers another attempt.
static void wait_for_memory(struct netdev *dev) {
    struct tulip *tp = dev->private_data;
    if (tp->memory_timer && inl(CSR(CSR11)) & 0xFFFF)
        return;
    outl(INTERRUPTS | TIMER, CSR(CSR7));
    outl(TIMER, CSR(CSR5));
    outl(12, CSR(CSR11));
    tp->memory_timer = 1;
}

static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    struct tulip *tp = dev->private_data;
    u32 csr5, missed, rx = 0, tx = 0, other = 0;
    (void)irq, (void)r;
    dev->in_interrupt = 1;
    if (receive_left(dev)) {
        rx += receive(dev);
        refill(dev);
    }
    do {
        csr5 = inl(CSR(CSR5));
        outl(csr5 & 0x0001FFFF, CSR(CSR5));
        if (!(csr5 & (NORMAL | ABNORMAL)))
            break;
        if (csr5 & (RX_DONE | RX_NO_BUFFER)) {
            rx += receive(dev);
            refill(dev);
        }
        if (csr5 & (TX_NO_BUFFER | TX_DIED | TX_DONE | TIMER))
            tx += collect_sent(dev, csr5);
        if (csr5 & ABNORMAL) {
            if (csr5 == ~0u)
                break;
            serve_abnormal(dev, csr5);
            other++;
        }
        if (csr5 & TIMER) {
            tp->memory_timer = 0;
            other++;
        }
    } while (tx <= TX_RING && rx <= RX_RING && other <= TX_RING);
    refill(dev);
    if (!tp->rx_skb[tp->dirty_rx % RX_RING])
        wait_for_memory(dev);
    missed = inl(CSR(CSR8)) & 0x1FFFF;
    if (missed)
        dev->counters.rx_dropped += missed & 0x10000 ? 0x10000 : missed;
    dev->in_interrupt = 0;
}

// ---- start --------------------------------------------------------------------------------------
static int open_card(struct netdev *dev) {
    struct tulip *tp = dev->private_data;
    outl(0x00000001, CSR(CSR0));
    if (request_irq(dev->irq, interrupt, IRQF_SHARED, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    outl(BUS_MODE, CSR(CSR0));
    init_rings(dev);
    fill_setup(dev, 0);
    tp->tx_ring[0].control = SETUP | SETUP_BYTES;
    tp->tx_ring[0].buffer1 = phys(tp->setup_frame);
    tp->tx_ring[0].status = OWNED;
    tp->cur_tx++;
    outl(phys(tp->rx_ring), CSR(CSR3));
    outl(phys(tp->tx_ring), CSR(CSR4));
    tulip_start_nway(dev);
    outl(tp->csr6, CSR(CSR6));
    outl(tp->csr6 | TRANSMIT, CSR(CSR6));
    dev->busy = 0;
    dev->in_interrupt = 0;
    dev->started = 1;
    outl(INTERRUPTS, CSR(CSR5));
    outl(INTERRUPTS, CSR(CSR7));
    outl(tp->csr6 | TRANSMIT | RECEIVE, CSR(CSR6));
    outl(0, CSR(CSR2));
    tp->timer.function = tulip_check_link;
    tp->timer.data = (u32)dev;
    timer_set(&tp->timer, jiffies + 3 * HZ);
    // The kernel's two calls for the multicast list: empty, then with the all-hosts group.
    set_rx_mode(dev, 0);
    set_rx_mode(dev, 1);
    return 0;
}

static int linked(struct netdev *dev) { return ((struct tulip *)dev->private_data)->nway_set; }

static void update_counters(struct netdev *dev) {
    if (dev->started)
        dev->counters.rx_missed_errors += inl(CSR(CSR8)) & 0xFFFF;
}

// ---- taking over -------------------------------------------------------------------------------
static int probe(struct netdev *dev, const struct device *d) {
    u16 command, wanted;
    pci_read_word(d, 0x00);
    pci_read_word(d, 0x02);
    pci_read_word(d, 0x2C);
    command = pci_read_word(d, PCI_COMMAND);
    wanted = command | PCI_COMMAND_MASTER | PCI_COMMAND_IO;
    if (command != wanted) {
        printk("%s: the firmware has not enabled this device, command %x to %x\n", dev->name, command, wanted);
        pci_write_word(d, PCI_COMMAND, wanted);
    }
    pci_read_byte(d, 0x08);
    outl(inl(CSR(CSR6)) & ~(u32)(TRANSMIT | RECEIVE), CSR(CSR6));
    inl(CSR(CSR8));
    tulip_read_address(dev);
    tulip_look_for_transceivers(dev);
    tulip_start_nway(dev);
    pci_raise_latency(d, 10, 64);
    dev->open = open_card;
    dev->linked = linked;
    dev->start_transmit = start_transmit;
    dev->update_counters = update_counters;
    return 0;
}

static const u32 ids[] = {PCI_ID(0x11AD, 0xC115), 0};

const struct driver tulip_driver = {
    .name = "lne100tx", .bus = &pci_bus, .ids = ids, .probe = probe, .state_bytes = sizeof(struct tulip)};
