// SPDX-License-Identifier: GPL-2.0-or-later
//
// Intel PRO/1000 with an 82542 or 82543 (8086:1000, 8086:1001) as Intel's Linux driver 2.5.11 touches it: through
// memory, doublewords, in the same order, width and number; the code is our own. Source: the driver in Click's
// distribution (BSD licence).
//
// Habits that set the figures: rings of 80; each frame sent writes TDT, each frame received writes RDT; a buffer of
// 2050 bytes replaces each one that goes up. The handler reads ICR, masks, and loops up to five times until ICR is 0.
// All frames have IDE and TIDV is 131 us; RDTR is 0. The status is written back when a frame has been read (RS); on an
// 82542 with a chip set that the driver does not know, when it has been sent (RPS).
//
// receive=delayed is R. Morris's change of November 2000: RDTR 131 us, no pause frames, and every sixtieth frame
// without IDE. Polling is also his: no interrupts, ICR is not read, RDT is written once for the buffers of a visit, and
// while one descriptor is examined the next is prefetched.
//
// Left out: copper, the 82542's revision 2.0, VLANs, longer frames, more than one group, promiscuous mode.
#include "e1000.h"
#include "mode.h"

enum { RX_DELAY = 128, UNDELAYED = 60 };        // of receive=delayed

// ---- transmit -----------------------------------------------------------------------------------
static int start_transmit(struct skb *b, struct netdev *dev) {
    struct e1000 *ep = dev->private_data;
    u32 flags, command;
    save_flags_cli(flags);
    if (ep->free_tx <= 1) {
        ep->tx_out = 1;
        dev->busy = 1;
        restore_flags(flags);
        return 1;
    }
    struct tx_descriptor *d = &ep->tx_ring[ep->next_tx];
    d->address = phys(b->data);
    d->address_high = 0;
    d->lower = b->length;
    d->upper = 0;
    ep->tx_skb[ep->next_tx] = b;
    if (++ep->next_tx == TX_RING)
        ep->next_tx = 0;
    ep->free_tx--;
    command = TX_EOP | TX_IFCS;
    if (receive_delayed && !--ep->undelayed_after)
        ep->undelayed_after = UNDELAYED;
    else
        command |= TX_IDE;
    d->lower |= command | (ep->report_early ? TX_RS : TX_RPS);
    write_reg(ep, TDT, ep->next_tx);
    dev->transmit_start = jiffies;
    restore_flags(flags);
    return 0;
}

static void collect_sent(struct netdev *dev) {
    struct e1000 *ep = dev->private_data;
    u32 flags;
    save_flags_cli(flags);
    while (ep->tx_skb[ep->oldest_tx] && ep->tx_ring[ep->oldest_tx].upper & TX_DD) {
        skb_free(ep->tx_skb[ep->oldest_tx]);
        ep->tx_skb[ep->oldest_tx] = NULL;
        if (++ep->oldest_tx == TX_RING)
            ep->oldest_tx = 0;
        ep->free_tx++;
        if (ep->tx_out && dev->busy) {
            ep->tx_out = 0;
            dev->busy = 0;
            mark_bh(NET_BH);
        }
    }
    restore_flags(flags);
}

// ---- receive ------------------------------------------------------------------------------------
static struct skb *receive_buffer(struct netdev *dev) {
    struct skb *b = skb_alloc(BUFFER + 2);
    if (b) {
        skb_reserve(b, 2);
        b->dev = dev;
    }
    return b;
}

static void give_buffer(struct e1000 *ep, u32 n, struct skb *b) {
    ep->rx_ring[n].status = 0;
    ep->rx_skb[n] = b;
    ep->rx_ring[n].address = phys(b->tail);
    ep->rx_ring[n].address_high = 0;
}

static int acceptable(const struct rx_descriptor *d, u32 length) {
    if (!(d->status & RX_EOP)) {
        printk("Receive packet consumed mult buffers\n");
        return 0;
    }
    if (length > ETH_HEADER + MTU_ETHERNET || length < ETH_MIN || d->errors) {
        printk("e1000: Bad Packet Length\n");
        return 0;
    }
    return 1;
}

static void pass_up(struct netdev *dev, struct skb *b, u32 length) {
    skb_put(b, length);
    b->protocol = eth_type(b, dev);
    netif_rx(b);
}

static void receive(struct netdev *dev) {
    struct e1000 *ep = dev->private_data;
    for (u32 count = 0; count < RX_RING; count++) {
        u32 n = ep->next_rx;
        struct rx_descriptor *d = &ep->rx_ring[n];
        if (!(d->status & RX_DD) || !receive_more(dev))
            return;
        struct skb *b = ep->rx_skb[n], *next = b;
        u32 length = (u32)d->length - FCS;
        if (acceptable(d, length)) {
            next = receive_buffer(dev);
            if (!next) {
                printk("e1000: no memory for a buffer\n");
                return;
            }
            pass_up(dev, b, length);
        }
        give_buffer(ep, n, next);
        ep->next_rx = n + 1 == RX_RING ? 0 : n + 1;
        write_reg(ep, RDT, n);
    }
}

// ---- interrupt ----------------------------------------------------------------------------------
static void link_event(struct netdev *dev, u32 icr) {
    struct e1000 *ep = dev->private_data;
    if (icr & (RXSEQ | LSC | GPI1)) {
        ep->link_changed = 1;
        timer_set(&ep->timer, jiffies);
    }
    if (!ep->link_changed)
        return;
    u32 ctrl = read_reg(ep, CTRL), txcw = read_reg(ep, TXCW), rxcw = read_reg(ep, RXCW);
    if (ctrl & CTRL_SWDPIN1 || (rxcw & RXCW_C && txcw & TXCW_ANE)) {
        write_reg(ep, TXCW, ep->txcw);
        write_reg(ep, CTRL, ctrl & ~(u32)CTRL_SLU);
        ep->negotiation_failed = 0;
    }
    ep->link_changed = 0;
}

static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    struct e1000 *ep = dev->private_data;
    int left = receive_left(dev);
    u32 icr = read_reg(ep, ICR);
    (void)irq, (void)r;
    if (!icr && !left)
        return;
    write_reg(ep, IMC, ~(u32)RXSEQ);
    link_event(dev, icr);
    for (u32 rounds = ROUNDS; rounds;) {
        receive(dev);
        collect_sent(dev);
        if (--rounds && !read_reg(ep, ICR))
            break;
    }
    write_reg(ep, IMS, INTERRUPTS);
}

static void watchdog(u32 data) {
    struct netdev *dev = (struct netdev *)data;
    struct e1000 *ep = dev->private_data;
    if (!ep->stopped)
        e1000_check_link(dev);
    if (read_reg(ep, STATUS) & STATUS_LU && ep->is_82543)
        read_reg(ep, STATUS);           // speed and duplex
    e1000_read_statistics(dev);
    timer_set(&ep->timer, jiffies + 2 * HZ);
}

// ---- polling ------------------------------------------------------------------------------------
static void visit(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    struct e1000 *ep = dev->private_data;
    u32 filled = RX_RING;
    (void)irq, (void)r;
    while (!ep->rx_skb[ep->fill_rx]) {  // buffers for the frames of the previous visit
        struct skb *b = receive_buffer(dev);
        if (!b)
            break;
        filled = ep->fill_rx;
        give_buffer(ep, filled, b);
        ep->fill_rx = filled + 1 == RX_RING ? 0 : filled + 1;
    }
    if (filled < RX_RING)
        write_reg(ep, RDT, filled);
    for (;;) {
        u32 n = ep->next_rx, following = n + 1 == RX_RING ? 0 : n + 1;
        struct rx_descriptor *d = &ep->rx_ring[n];
        struct skb *b = ep->rx_skb[n];
        if (has_prefetch)
            prefetch(&ep->rx_ring[following].status);
        if (!b || !(d->status & RX_DD) || !receive_more(dev))
            break;
        u32 length = (u32)d->length - FCS;
        if (acceptable(d, length))
            pass_up(dev, b, length);
        else
            skb_free(b);
        ep->rx_skb[n] = NULL;
        ep->next_rx = following;
    }
    collect_sent(dev);
}

static irq_handler *begin_polling(struct netdev *dev) {
    struct e1000 *ep = dev->private_data;
    write_reg(ep, IMC, ~(u32)RXSEQ);
    ep->fill_rx = ep->next_rx;
    return visit;
}

// ---- start --------------------------------------------------------------------------------------
static void start_transmitter(struct e1000 *ep) {
    ep->next_tx = ep->oldest_tx = 0;
    ep->free_tx = TX_RING;
    ep->undelayed_after = UNDELAYED;
    write_reg(ep, TCTL, TCTL_PSP | TCTL_EN | TCTL_CT | TCTL_COLD);
    write_reg(ep, TDBAL, phys(ep->tx_ring));
    write_reg(ep, TDBAH, 0);
    write_reg(ep, TDLEN, TX_RING * sizeof *ep->tx_ring);
    write_reg(ep, TDH, 0);
    write_reg(ep, TDT, 0);
    if (!ep->is_82543) {
        write_reg(ep, TQSAL, 0);
        write_reg(ep, TQSAH, 0);
    }
    write_reg(ep, TIPG, ep->is_82543 ? 6 | 8 << 10 | 6 << 20 : 10 | 2 << 10 | 10 << 20);
    write_reg(ep, TIDV, TX_DELAY);
}

static void start_receiver(struct netdev *dev) {
    struct e1000 *ep = dev->private_data;
    ep->next_rx = 0;
    for (u32 n = 0; n < RX_RING; n++) {
        struct skb *b = receive_buffer(dev);
        if (!b)
            fail("%s: no memory for receive buffers", dev->name);
        give_buffer(ep, n, b);
    }
    write_reg(ep, RCTL, 0);
    write_reg(ep, RDTR, (receive_delayed ? RX_DELAY : 0) | RDTR_FPD);
    write_reg(ep, RDBAL, phys(ep->rx_ring));
    write_reg(ep, RDBAH, 0);
    write_reg(ep, RDLEN, RX_RING * sizeof *ep->rx_ring);
    write_reg(ep, RDH, 0);
    write_reg(ep, RDT, RX_RING - 1);
    if (!ep->is_82543)
        for (u32 r = 0; r < 5; r++) {   // the second ring's registers
            static const u16 second[] = {RDBAL1, RDBAH1, RDLEN1, RDH1, RDT1};
            write_reg(ep, second[r], 0);
        }
    write_reg(ep, RCTL, RCTL_EN | RCTL_BAM);
    if (!(read_reg(ep, STATUS) & STATUS_LU))
        printk("%s: no link\n", dev->name);
}

static int open_card(struct netdev *dev) {
    struct e1000 *ep = dev->private_data;
    if (e1000_reset(dev))
        return -1;
    ep->tx_ring = alloc_pages(1);
    ep->rx_ring = alloc_pages(1);
    start_transmitter(ep);
    start_receiver(dev);
    ep->stopped = 0;
    if (request_irq(dev->irq, interrupt, IRQF_SHARED, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    e1000_not_promiscuous(ep);
    ep->timer.function = watchdog;
    ep->timer.data = (u32)dev;
    timer_set(&ep->timer, jiffies + 2 * HZ);
    dev->busy = 0;
    dev->started = 1;
    write_reg(ep, IMS, INTERRUPTS);
    e1000_clear_statistics(ep);
    // The kernel's two calls for the multicast list: empty, then with the all-hosts group.
    e1000_set_groups(dev, 0);
    e1000_set_groups(dev, 1);
    return 0;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct e1000 *ep = dev->private_data;
    static const u8 looked_at[] = {0x40, 0x41, 0x08};   // PCI time-outs, which may be missing; revision
    for (u32 n = 0; n < sizeof looked_at; n++)
        pci_read_byte(d, looked_at[n]);
    pci_read_word(d, 0x2E);
    pci_read_word(d, 0x2C);
    pci_read_word(d, PCI_COMMAND);
    ep->is_82543 = d->id == PCI_ID(0x8086, 0x1001);
    ep->registers = ioremap(d->mem, 0x20000);
    dev->open = open_card;
    dev->start_transmit = start_transmit;
    dev->update_counters = e1000_read_statistics;
    dev->begin_polling = begin_polling;
    dev->can_delay = 1;
    dev->megabits = 1000;
    if (e1000_reset(dev))
        return -1;
    e1000_clear_statistics(ep);
    e1000_read_statistics(dev);
    return 0;
}

static const u32 ids[] = {PCI_ID(0x8086, 0x1000), PCI_ID(0x8086, 0x1001), 0};

const struct driver e1000_driver = {
    .name = "pro1000", .bus = &pci_bus, .ids = ids, .probe = probe, .state_bytes = sizeof(struct e1000)};
