// SPDX-License-Identifier: GPL-2.0-or-later
//
// Intel EtherExpress PRO/100+ (8086:1229) as Linux 2.2.16's eepro100.c (1.09j-t, revision 1.20.2.10) touches it: EEPROM
// through the ports, all else through memory, in the same order, width and number; the code is our own.
//
// Habits that set the figures: rings of 32, of which 28 frames may wait; an interrupt on every eighth, and the chip's
// own (CNA) when it runs out; before each command the command byte is read until it is 0; frames of 200 bytes and more
// go up in the buffer they arrived in, IP at 2 modulo 4; one descriptor is refilled for each frame taken. Every chip
// gets the 82558's configuration. Counters are one dump old, like those of /proc/net/dev
// (devices/ethernet/eepro100/eepro100.md).
//
// Left out: the transceivers of other boards, options, lists of more than three groups, promiscuous mode.
#include "eepro100.h"

static void wait_for_command(struct speedo *sp) {
    int wait = 1000;
    while (csr_byte(sp, COMMAND) && --wait >= 0)
        ;
    if (wait < 0)
        printk("eepro100: wait_for_cmd_done timeout!\n");
}

static void clear_suspend(struct command *c) { ((volatile u16 *)&c->status)[1] &= (u16)~0x4000; }

// ---- receive descriptors ------------------------------------------------------------------------
static struct rx_descriptor *descriptor_in(struct netdev *dev, struct skb *b) {
    struct rx_descriptor *r = (struct rx_descriptor *)b->tail;
    b->dev = dev;
    skb_reserve(b, sizeof *r);
    return r;
}
static struct skb *receive_buffer(void) {
    struct skb *b = skb_alloc(BUFFER + sizeof(struct rx_descriptor) + 16);
    if (b)
        skb_reserve(b, 16);
    return b;
}

static void init_rx_ring(struct netdev *dev) {
    struct speedo *sp = dev->private_data;
    struct rx_descriptor *last = NULL;
    u32 n;
    sp->cur_rx = 0;
    for (n = 0; n < RX_RING; n++) {
        struct skb *b = receive_buffer();
        sp->rx_skb[n] = b;
        if (!b)
            break;
        struct rx_descriptor *r = descriptor_in(dev, b);
        sp->rx_ring[n] = r;
        if (last)
            last->link = phys(r);
        last = r;
        r->status = 1;
        r->link = 0;
        r->buffer = ~0u;
        r->count = BUFFER << 16;
    }
    if (!last)
        fail("%s: no memory for receive buffers", dev->name);
    sp->dirty_rx = n - RX_RING;
    last->status = RX_LAST | 2;
    sp->last_rx = last;
}

static void link_descriptor(struct speedo *sp, struct rx_descriptor *r) {
    r->status = RX_LAST | 1;
    r->link = 0;
    r->count = BUFFER << 16;
    sp->last_rx->link = phys(r);
    sp->last_rx->status &= ~RX_LAST;
    sp->last_rx = r;
}

// 0: done, -1: no memory. `force`: takes the buffer of a later entry if necessary.
static int refill_one(struct netdev *dev, int force) {
    struct speedo *sp = dev->private_data;
    u32 entry = sp->dirty_rx % RX_RING, later;
    struct rx_descriptor *r = sp->rx_ring[entry];
    if (!sp->rx_skb[entry]) {
        struct skb *b = sp->rx_skb[entry] = receive_buffer();
        if (b) {
            r = sp->rx_ring[entry] = descriptor_in(dev, b);
            r->buffer = phys(b->tail);
        } else {
            sp->rx_ring[entry] = NULL;
            if (!(sp->rx_state & REPORTED)) {
                printk("%s: can't fill rx buffer (force %d)!\n", dev->name, force);
                sp->rx_state |= REPORTED;
            }
            if (!force)
                return -1;
            for (later = sp->dirty_rx + 1; later != sp->cur_rx; later++)
                if (sp->rx_skb[later % RX_RING])
                    break;
            if (later == sp->cur_rx)
                return -1;
            later %= RX_RING;
            sp->rx_skb[entry] = sp->rx_skb[later];
            sp->rx_skb[later] = NULL;
            r = sp->rx_ring[entry] = sp->rx_ring[later];
            sp->rx_ring[later] = NULL;
        }
    }
    link_descriptor(sp, r);
    sp->dirty_rx++;
    sp->rx_state &= (u8)~(NO_MEMORY | REPORTED);
    return 0;
}

static void refill(struct netdev *dev, int force) {
    struct speedo *sp = dev->private_data;
    while ((s32)(sp->cur_rx - sp->dirty_rx) > 0 && refill_one(dev, force) != -1)
        ;
}

// ---- start --------------------------------------------------------------------------------------
static struct command *next_block(struct speedo *sp, u32 command) {
    struct command *c = &sp->tx_ring[sp->cur_tx++ % TX_RING];
    c->status = command;
    c->link = phys(&sp->tx_ring[sp->cur_tx % TX_RING]);
    return c;
}

// The block is complete: clears the suspend bit of the previous one and resumes the unit.
static void resume(struct netdev *dev, struct command *c) {
    struct speedo *sp = dev->private_data;
    wait_for_command(sp);
    clear_suspend(sp->last_command);
    set_byte(sp, COMMAND, CU_RESUME);
    sp->last_command = c;
    if ((s32)(sp->cur_tx - sp->dirty_tx) >= TX_LIMIT) {
        dev->busy = 1;
        sp->tx_full = 1;
    }
}

static void start_units(struct netdev *dev) {
    struct speedo *sp = dev->private_data;
    sp->threshold = 0x01208000;
    wait_for_command(sp);
    set_long(sp, POINTER, 0);
    set_byte(sp, COMMAND, RU_BASE);
    wait_for_command(sp);
    set_byte(sp, COMMAND, CU_BASE);
    wait_for_command(sp);
    set_long(sp, POINTER, phys(&sp->dump));
    set_byte(sp, COMMAND, CU_COUNTERS);
    sp->dump.done = 0;
    wait_for_command(sp);
    if (sp->rx_ring[sp->cur_rx % RX_RING]) {
        set_long(sp, POINTER, phys(sp->rx_ring[sp->cur_rx % RX_RING]));
        set_byte(sp, COMMAND, RU_START);
        wait_for_command(sp);
    }
    set_byte(sp, COMMAND, CU_DUMP_RESET);
    struct command *c = next_block(sp, CMD_SUSPEND | CMD_ADDRESS | 0xA000);
    memcpy(&c->array, dev->mac, 6);
    sp->last_command = c;
    wait_for_command(sp);
    set_long(sp, POINTER, phys(&sp->tx_ring[sp->dirty_tx % TX_RING]));
    set_word(sp, COMMAND, CU_START | MASK_EARLY_RX | MASK_FLOW);
}

static void set_rx_mode(struct netdev *dev) {
    static const u8 i82558[22] = {22, 0x08, 0, 1, 0,    0,    0x22, 0x03, 1,    0,    0x2E,
                                  0,  0x60, 8, 0x88, 0x68, 0,    0x40, 0xF2, 0x84, 0x31, 0x05};
    static const u8 all_hosts[6] = {0x01, 0x00, 0x5E, 0x00, 0x00, 0x01};
    struct speedo *sp = dev->private_data;
    u32 flags;
    if ((s32)(sp->cur_tx - sp->dirty_tx) > TX_RING - 2) {
        sp->rx_mode = -1;
        return;
    }
    if (sp->rx_mode != 0) {
        save_flags_cli(flags);
        sp->tx_skb[sp->cur_tx % TX_RING] = NULL;
        struct command *c = next_block(sp, CMD_SUSPEND | CMD_CONFIGURE);
        u8 *config = (u8 *)&c->array;
        memcpy(config, i82558, sizeof i82558);
        config[1] = 8 << 4 | 8;
        config[4] = 0;
        config[5] = (u8)(128 + 0x80);   // wraps to 0: no limit for either DMA unit
        config[19] = 0x84;
        config[21] = 0x05;
        resume(dev, c);
        restore_flags(flags);
    }
    save_flags_cli(flags);
    sp->tx_skb[sp->cur_tx % TX_RING] = NULL;
    struct command *c = next_block(sp, CMD_SUSPEND | CMD_GROUPS);
    u16 *list = (u16 *)&c->array;
    *list++ = (u16)(sp->groups * 6);
    for (u32 n = 0; n < sp->groups; n++, list += 3)
        memcpy(list, all_hosts, 6);
    resume(dev, c);
    restore_flags(flags);
    sp->rx_mode = 0;
}

static void check_link(u32 data) {
    struct netdev *dev = (struct netdev *)data;
    struct speedo *sp = dev->private_data;
    u16 partner = speedo_mdio_read(sp, 5);
    if (partner != sp->partner) {
        u8 flow = sp->advertising & partner & 0x0400 ? 1 : 0;
        sp->partner = partner;
        if (flow != sp->flow_control) {
            sp->flow_control = flow;
            sp->rx_mode = -1;
        }
        speedo_mdio_read(sp, 1);
        speedo_mdio_read(sp, 1);
    }
    if (sp->rx_mode < 0)
        set_rx_mode(dev);
    timer_set(&sp->timer, jiffies + 2 * HZ);
}

// ---- transmit -----------------------------------------------------------------------------------
static void collect_sent(struct netdev *dev) {
    struct speedo *sp = dev->private_data;
    u32 dirty = sp->dirty_tx;
    while ((s32)(sp->cur_tx - dirty) > 0) {
        u32 entry = dirty % TX_RING, status = sp->tx_ring[entry].status;
        if (!(status & COMPLETE))
            break;
        if (status & TX_UNDERRUN && sp->threshold < 0x01E08000)
            sp->threshold += 0x00040000;
        if (sp->tx_skb[entry]) {
            dev->counters.tx_packets++;
            dev->counters.tx_bytes += sp->tx_skb[entry]->length;
            skb_free(sp->tx_skb[entry]);
            sp->tx_skb[entry] = NULL;
        }
        dirty++;
    }
    sp->dirty_tx = dirty;
}

static void wake_queue(struct netdev *dev) {
    dev->busy = 0;
    mark_bh(NET_BH);
}

static void transmit_timeout(struct netdev *dev) {
    struct speedo *sp = dev->private_data;
    u32 flags;
    printk("%s: Transmit timed out: status %x %x at %d/%d command %x.\n", dev->name, csr_word(sp, STATUS),
           csr_word(sp, COMMAND), sp->dirty_tx, sp->cur_tx, sp->tx_ring[sp->dirty_tx % TX_RING].status);
    timer_del(&sp->timer);
    reset_chip(sp);
    set_word(sp, COMMAND, MASK_ALL);
    collect_sent(dev);
    for (; (s32)(sp->cur_tx - sp->dirty_tx) > 0; sp->dirty_tx++) {
        struct skb **b = &sp->tx_skb[sp->dirty_tx % TX_RING];
        if (*b) {
            dev->counters.tx_errors++;
            skb_free(*b);
            *b = NULL;
        }
    }
    sp->tx_full = 0;
    wake_queue(dev);
    refill(dev, 1);
    save_flags_cli(flags);
    start_units(dev);
    sp->rx_mode = -1;
    dev->transmit_start = jiffies;
    restore_flags(flags);
    set_rx_mode(dev);
    timer_set(&sp->timer, jiffies + 2 * HZ);
}

static int start_transmit(struct skb *b, struct netdev *dev) {
    struct speedo *sp = dev->private_data;
    u32 flags;
    if (dev->busy) {
        u32 waited = jiffies - dev->transmit_start;
        if (waited < TX_TIMEOUT - 2)
            return 1;
        if (waited < TX_TIMEOUT) {
            save_flags_cli(flags);
            wait_for_command(sp);
            set_word(sp, COMMAND, TRIGGER);
            restore_flags(flags);
            return 1;
        }
        transmit_timeout(dev);
        return 1;
    }
    save_flags_cli(flags);
    if ((s32)(sp->cur_tx - sp->dirty_tx) >= TX_LIMIT) {
        printk("%s: incorrect tbusy state, fixed.\n", dev->name);
        dev->busy = 1;
        sp->tx_full = 1;
        restore_flags(flags);
        return 1;
    }
    u32 entry = sp->cur_tx++ % TX_RING;
    struct command *c = &sp->tx_ring[entry];
    sp->tx_skb[entry] = b;
    c->status = CMD_SUSPEND | CMD_TRANSMIT | CMD_FLEXIBLE;
    if (!(entry & ((TX_RING >> 2) - 1)))
        c->status |= CMD_INTERRUPT;
    c->link = phys(&sp->tx_ring[sp->cur_tx % TX_RING]);
    c->array = phys(&c->address0);
    c->count = sp->threshold;
    c->address0 = phys(b->data);
    c->size0 = b->length;
    resume(dev, c);
    restore_flags(flags);
    dev->transmit_start = jiffies;
    return 0;
}

// ---- receive ------------------------------------------------------------------------------------
static void take_frame(struct netdev *dev, u32 entry, u32 length) {
    struct speedo *sp = dev->private_data;
    struct skb *b = NULL;
    if (length < COPYBREAK)
        b = skb_alloc(length + 2 + 16);
    if (b) {
        skb_reserve(b, 16);
        b->dev = dev;
        skb_reserve(b, 2);
        eth_copy_and_sum(b, sp->rx_skb[entry]->tail, length);
        skb_put(b, length);
    } else {
        b = sp->rx_skb[entry];
        sp->rx_skb[entry] = NULL;
        skb_put(b, length);
        sp->rx_ring[entry] = NULL;
    }
    b->protocol = eth_type(b, dev);
    netif_rx(b);
    dev->counters.rx_packets++;
    dev->counters.rx_bytes += length;
}

static void receive(struct netdev *dev) {
    struct speedo *sp = dev->private_data;
    u32 entry = sp->cur_rx % RX_RING, status;
    s32 limit = (s32)(sp->dirty_rx + RX_RING - sp->cur_rx);
    int memory = 1;
    while (sp->rx_ring[entry] && (status = sp->rx_ring[entry]->status) & COMPLETE && receive_more(dev)) {
        u32 length = sp->rx_ring[entry]->count & 0x3FFF;
        if (--limit < 0)
            break;
        if (sp->last_rx == sp->rx_ring[entry]) {
            sp->rx_state |= POSTPONED;
            break;
        }
        if ((status & (RX_TOO_BIG | RX_OK | RX_BAD)) == RX_OK) {
            take_frame(dev, entry, length);
        } else if (status & RX_TOO_BIG) {
            printk("%s: Ethernet frame overran the Rx buffer, status %x!\n", dev->name, status);
        } else if (!(status & RX_OK)) {
            dev->counters.rx_errors++;
            printk("%s: Anomalous event in speedo_rx(), status %x.\n", dev->name, status);
        }
        entry = ++sp->cur_rx % RX_RING;
        sp->rx_state &= (u8)~POSTPONED;
        if (memory && refill_one(dev, 0) == -1)
            memory = 0;
    }
    refill(dev, 1);
}

static void restart_receiver(struct speedo *sp) {
    set_long(sp, POINTER, phys(sp->rx_ring[sp->cur_rx % RX_RING]));
    set_byte(sp, COMMAND, RU_START);
}

// The unit has stopped: restart it unless the ring is empty.
static void receiver_stopped(struct netdev *dev, u16 status) {
    struct speedo *sp = dev->private_data;
    struct rx_descriptor *r = sp->rx_ring[sp->cur_rx % RX_RING];
    int empty = !r || r == sp->last_rx;
    if ((status & 0x003C) == 0x0028) {
        printk("%s: card reports no RX buffers.\n", dev->name);
        if (!empty)
            set_byte(sp, COMMAND, RU_RESUME_NO_RESOURCES);
    } else if ((status & 0x003C) == 0x0008) {
        printk("%s: card reports no resources.\n", dev->name);
        if (!empty)
            restart_receiver(sp);
    } else {
        empty = 0;
    }
    if (empty)
        sp->rx_state |= NO_MEMORY | NO_RESOURCES;
    dev->counters.rx_errors++;
}

// ---- interrupt ----------------------------------------------------------------------------------
static void interrupt(int irq, void *arg, struct regs *regs) {
    struct netdev *dev = arg;
    struct speedo *sp = dev->private_data;
    int work = MAX_WORK;
    (void)irq, (void)regs;
    dev->in_interrupt = 1;
    if (receive_left(dev))
        receive(dev);
    for (;;) {
        u16 status = csr_word(sp, STATUS);
        set_word(sp, STATUS, status & 0xFC00);
        status |= sp->stopped;
        sp->stopped = 0;
        if (!(status & 0xFC00))
            break;
        refill(dev, 0);
        if (status & 0x5000 || (sp->rx_state & (NO_MEMORY | POSTPONED)) == POSTPONED)
            receive(dev);
        if (dev->frames_left)           // a restarted unit would reuse a descriptor whose frame was not taken
            sp->stopped = status & 0x1000;
        else if (status & 0x1000)
            receiver_stopped(dev, status);
        if (!dev->frames_left && (sp->rx_state & (NO_MEMORY | NO_RESOURCES)) == NO_RESOURCES) {
            printk("%s: restart the receiver after a possible hang.\n", dev->name);
            restart_receiver(sp);
            sp->rx_state &= (u8)~NO_RESOURCES;
        }
        if (status & 0xA400) {
            collect_sent(dev);
            if (sp->tx_full && (s32)(sp->cur_tx - sp->dirty_tx) < TX_UNFULL) {
                sp->tx_full = 0;
                wake_queue(dev);
            }
        }
        if (dev->frames_left)
            break;
        if (--work < 0) {
            printk("%s: Too much work at interrupt, status=%x.\n", dev->name, status);
            set_long(sp, STATUS, 0xFC00);
            break;
        }
    }
    dev->in_interrupt = 0;
}

// ---- counters -----------------------------------------------------------------------------------
// Adds the counters of the previous dump and requests another one.
static void read_dump(struct netdev *dev) {
    struct speedo *sp = dev->private_data;
    struct net_counters *c = &dev->counters;
    u32 flags;
    if (sp->dump.done != DUMPED)
        return;
    c->tx_aborted_errors += sp->dump.tx_aborted;
    c->tx_window_errors += sp->dump.tx_late;
    c->tx_fifo_errors += sp->dump.tx_underruns + sp->dump.tx_carrier;
    c->collisions += sp->dump.tx_collisions;
    c->rx_crc_errors += sp->dump.rx_crc;
    c->rx_frame_errors += sp->dump.rx_align;
    c->rx_over_errors += sp->dump.rx_resource;
    c->rx_fifo_errors += sp->dump.rx_overrun;
    c->rx_length_errors += sp->dump.rx_runts;
    sp->dump.done = 0;
    save_flags_cli(flags);
    wait_for_command(sp);
    set_byte(sp, COMMAND, CU_DUMP_RESET);
    restore_flags(flags);
}

// /proc/net/dev requests the counters twice.
static void update_counters(struct netdev *dev) {
    read_dump(dev);
    udelay_spin(100);
    read_dump(dev);
}

// ---- taking over --------------------------------------------------------------------------------
static int open_card(struct netdev *dev) {
    struct speedo *sp = dev->private_data;
    sp->cur_tx = sp->dirty_tx = 0;
    sp->last_command = NULL;
    sp->tx_full = 0;
    if (request_irq(dev->irq, interrupt, IRQF_SHARED, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    init_rx_ring(dev);
    set_word(sp, COMMAND, MASK_ALL);
    start_units(dev);
    dev->started = 1;
    dev->busy = 0;
    sp->flow_control = 0;
    sp->partner = 0;
    sp->rx_mode = -1;
    set_rx_mode(dev);
    sp->advertising = speedo_mdio_read(sp, 4);
    sp->timer.function = check_link;
    sp->timer.data = (u32)dev;
    timer_set(&sp->timer, jiffies + 24 * HZ / 10);
    speedo_mdio_read(sp, 0);
    // The kernel's two calls for the multicast list: empty, then with the all-hosts group.
    set_rx_mode(dev);
    sp->groups = 1;
    set_rx_mode(dev);
    return 0;
}

static int probe(struct netdev *dev, const struct device *d) {
    speedo_found(dev, d);
    dev->open = open_card;
    dev->start_transmit = start_transmit;
    dev->update_counters = update_counters;
    return 0;
}

static const u32 ids[] = {PCI_ID(0x8086, 0x1229), 0};

const struct driver eepro100_driver = {
    .name = "eepro100", .bus = &pci_bus, .ids = ids, .probe = probe, .state_bytes = sizeof(struct speedo)};
