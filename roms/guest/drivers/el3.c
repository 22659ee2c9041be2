// SPDX-License-Identifier: GPL-2.0-or-later
//
// 3Com EtherLink III (3C529: 627C, 627D, 62DB, 62F6, 62F7): programmed I/O through two FIFOs. Touches the card as Linux
// 2.2's 3c509.c does: same registers, same values, same order, same width, no port 80h delays; the code is our own.
//
// start_transmit() writes one frame into the transmit FIFO; with 1536 bytes or fewer left the queue stops until TX
// Available. Frames are read, and discarded without waiting for the command, in the interrupt. Good frames leave no TX
// Status. POS 4: bits 7:2 I/O base, 1:0 transceiver; POS 5: bits 3:0 interrupt
// (docs/hardware/etherlink3.md#3com-3c529).
#include "driver.h"

enum { MAX_SERVICE = 10, TRANSMIT_TIMEOUT = 40 * HZ / 100, ROOM_WANTED = 1536 };

// Ports; COMMAND and STATUS exist in every window
enum { FIFO = 0x00, RX_STATUS = 0x08, TX_STATUS = 0x0B, TX_FREE = 0x0C, COMMAND = 0x0E, STATUS = 0x0E,
       CONFIG_CONTROL = 0x04, RESOURCE_CONFIG = 0x08, EEPROM_COMMAND = 0x0A, EEPROM_DATA = 0x0C, MEDIA_STATUS = 0x0A };
#define CMD(code) ((code) << 11)
enum { SELECT_WINDOW = CMD(1), START_COAX = CMD(2), RX_ENABLE = CMD(4), RX_RESET = CMD(5), RX_DISCARD = CMD(8),
       TX_ENABLE = CMD(9), TX_RESET = CMD(11), ACKNOWLEDGE = CMD(13), SET_INTERRUPT_MASK = CMD(14),
       SET_READ_ZERO_MASK = CMD(15), SET_RX_FILTER = CMD(16), SET_TX_AVAILABLE = CMD(18), STATISTICS_ENABLE = CMD(21),
       STATISTICS_DISABLE = CMD(22) };
enum { INT_LATCH = 0x01, ADAPTER_FAILURE = 0x02, TX_COMPLETE = 0x04, TX_AVAILABLE = 0x08, RX_COMPLETE = 0x10,
       RX_EARLY = 0x20, REQUESTED = 0x40, UPDATE_STATISTICS = 0x80, IN_PROGRESS = 0x1000 };
enum { FILTER_STATION = 1, FILTER_GROUP = 2, FILTER_BROADCAST = 4 };
enum { EEPROM_READ = 0x80, MEDIA_TP = 0xC0, XCVR_TP = 0, XCVR_COAX = 3 };

static const u32 ids[] = {0x627C, 0x627D, 0x62DB, 0x62F6, 0x62F7, 0};

struct el3 {
    int transceiver;
};

#define PORT(r) ((u16)(dev->io + (r)))

static void command(struct netdev *dev, u32 value) { outw((u16)value, PORT(COMMAND)); }

static void interrupt(int irq, void *arg, struct regs *r);

// ---- start --------------------------------------------------------------------------------------
static int open(struct netdev *dev) {
    struct el3 *card = dev->private_data;
    command(dev, TX_RESET);
    command(dev, RX_RESET);
    command(dev, SET_READ_ZERO_MASK);
    if (request_irq(dev->irq, interrupt, 0, dev)) {
        printk("3c529: interrupt %d is taken\n", dev->irq);
        return -1;
    }
    command(dev, SELECT_WINDOW);
    outw(0x0001, PORT(CONFIG_CONTROL));
    outw((u16)(dev->irq << 12 | 0x0F00), PORT(RESOURCE_CONFIG));
    command(dev, SELECT_WINDOW | 2);
    for (int i = 0; i < 6; i++)
        outb(dev->mac[i], PORT(i));
    if (card->transceiver == XCVR_COAX) {
        command(dev, START_COAX);
    } else if (card->transceiver == XCVR_TP) {
        command(dev, SELECT_WINDOW | 4);
        outw(inw(PORT(MEDIA_STATUS)) | MEDIA_TP, PORT(MEDIA_STATUS));
    }
    command(dev, STATISTICS_DISABLE);
    command(dev, SELECT_WINDOW | 6);
    for (int i = 0; i < 9; i++)
        inb(PORT(i));
    inw(PORT(10));
    inw(PORT(12));
    command(dev, SELECT_WINDOW | 1);
    command(dev, SET_RX_FILTER | FILTER_STATION | FILTER_BROADCAST);
    command(dev, STATISTICS_ENABLE);
    dev->in_interrupt = 0;
    dev->busy = 0;
    dev->started = 1;
    command(dev, RX_ENABLE);
    command(dev, TX_ENABLE);
    command(dev, SET_READ_ZERO_MASK | 0xFF);
    command(dev, ACKNOWLEDGE | INT_LATCH | TX_AVAILABLE | RX_EARLY | REQUESTED);
    command(dev, SET_INTERRUPT_MASK | INT_LATCH | TX_AVAILABLE | TX_COMPLETE | RX_COMPLETE | UPDATE_STATISTICS);
    // The kernel's two calls for the multicast list: empty, then with the all-hosts group.
    command(dev, SET_RX_FILTER | FILTER_STATION | FILTER_BROADCAST);
    command(dev, SET_RX_FILTER | FILTER_STATION | FILTER_GROUP | FILTER_BROADCAST);
    return 0;
}

// ---- transmit -----------------------------------------------------------------------------------
static void pop_tx_status(struct netdev *dev) {
    u8 status;
    for (int i = 4; --i > 0 && (status = inb(PORT(TX_STATUS))) != 0;) {
        if (status & 0x38)
            dev->counters.tx_aborted_errors++;
        if (status & 0x30)
            command(dev, TX_RESET);
        if (status & 0x3C)
            command(dev, TX_ENABLE);
        outb(0, PORT(TX_STATUS));
    }
}

static int start_transmit(struct skb *b, struct netdev *dev) {
    if (dev->busy) {
        if (jiffies - dev->transmit_start < TRANSMIT_TIMEOUT)
            return 1;
        u8 tx_status = inb(PORT(TX_STATUS));
        u16 status = inw(PORT(STATUS)), room = inw(PORT(TX_FREE));
        printk("%s: transmit timeout, TX status %x status %x room %d\n", dev->name, tx_status, status, room);
        dev->counters.tx_errors++;
        dev->transmit_start = jiffies;
        command(dev, TX_RESET);
        command(dev, TX_ENABLE);
    }
    dev->counters.tx_bytes += b->length;
    dev->busy = 1;
    outw((u16)b->length, PORT(FIFO));
    outw(0, PORT(FIFO));
    outsl(PORT(FIFO), b->data, (b->length + 3) >> 2);
    dev->transmit_start = jiffies;
    if (inw(PORT(TX_FREE)) > ROOM_WANTED)
        dev->busy = 0;
    else
        command(dev, SET_TX_AVAILABLE | ROOM_WANTED);
    skb_free(b);
    pop_tx_status(dev);
    return 0;
}

// ---- receive ------------------------------------------------------------------------------------
static void count_receive_error(struct net_counters *c, u16 status) {
    c->rx_errors++;
    switch (status & 0x3800) {
    case 0x0000: c->rx_over_errors++; break;
    case 0x0800: c->rx_length_errors++; break;
    case 0x1000: c->rx_frame_errors++; break;
    case 0x1800: c->rx_length_errors++; break;
    case 0x2000: c->rx_frame_errors++; break;
    case 0x2800: c->rx_crc_errors++; break;
    default: break;
    }
}

static void receive(struct netdev *dev) {
    short status;
    while (receive_more(dev) && (status = (short)inw(PORT(RX_STATUS))) > 0) {
        if (status & 0x4000) {
            command(dev, RX_DISCARD);
            count_receive_error(&dev->counters, (u16)status);
        } else {
            u32 length = status & 0x7FF;
            struct skb *b = skb_alloc(length + 5 + 16);
            dev->counters.rx_bytes += length;
            if (b) {
                b->dev = dev;
                skb_reserve(b, 16 + 2);         // aligns the IP header to 16 bytes
                insl(PORT(FIFO), skb_put(b, length), (length + 3) >> 2);
                command(dev, RX_DISCARD);
                b->protocol = eth_type(b, dev);
                netif_rx(b);
                dev->counters.rx_packets++;
                continue;
            }
            command(dev, RX_DISCARD);
            dev->counters.rx_dropped++;
        }
        inw(PORT(STATUS));
        while (inw(PORT(STATUS)) & IN_PROGRESS)
            ;
    }
}

// ---- statistics ---------------------------------------------------------------------------------
static void read_statistics(struct netdev *dev) {
    struct net_counters *c = &dev->counters;
    command(dev, STATISTICS_DISABLE);
    command(dev, SELECT_WINDOW | 6);
    c->tx_carrier_errors += inb(PORT(0));
    c->tx_heartbeat_errors += inb(PORT(1));
    inb(PORT(2));
    c->collisions += inb(PORT(3));
    c->tx_window_errors += inb(PORT(4));
    c->rx_fifo_errors += inb(PORT(5));
    c->tx_packets += inb(PORT(6));
    inb(PORT(7));
    inb(PORT(8));
    inw(PORT(10));
    inw(PORT(12));
    command(dev, SELECT_WINDOW | 1);
    command(dev, STATISTICS_ENABLE);
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
static void restart_receiver(struct netdev *dev) {
    command(dev, RX_RESET);
    command(dev, SET_RX_FILTER | FILTER_STATION | FILTER_BROADCAST);
    command(dev, RX_ENABLE);
    command(dev, ACKNOWLEDGE | ADAPTER_FAILURE);
}

static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    int left = MAX_SERVICE;
    u16 status;
    (void)irq, (void)r;
    if (dev->in_interrupt)
        printk("%s: interrupted in its own interrupt\n", dev->name);
    dev->in_interrupt = 1;
    while (receive_more(dev) && (status = inw(PORT(STATUS))) & (INT_LATCH | RX_COMPLETE | UPDATE_STATISTICS)) {
        if (status & RX_COMPLETE)
            receive(dev);
        if (status & TX_AVAILABLE) {
            command(dev, ACKNOWLEDGE | TX_AVAILABLE);
            dev->busy = 0;
            mark_bh(NET_BH);
        }
        if (status & (ADAPTER_FAILURE | RX_EARLY | UPDATE_STATISTICS | TX_COMPLETE)) {
            if (status & UPDATE_STATISTICS)
                read_statistics(dev);
            if (status & RX_EARLY) {
                receive(dev);
                command(dev, ACKNOWLEDGE | RX_EARLY);
            }
            if (status & TX_COMPLETE)
                pop_tx_status(dev);
            if (status & ADAPTER_FAILURE)
                restart_receiver(dev);
        }
        if (--left < 0) {
            printk("%s: too much work in one interrupt, status %x\n", dev->name, status);
            command(dev, ACKNOWLEDGE | 0xFF);
            break;
        }
        command(dev, ACKNOWLEDGE | REQUESTED | INT_LATCH);
    }
    dev->in_interrupt = 0;
}

// ---- probe --------------------------------------------------------------------------------------
static u16 read_eeprom(struct netdev *dev, int word) {
    outw((u16)(EEPROM_READ + word), PORT(EEPROM_COMMAND));
    udelay_spin(500);
    return inw(PORT(EEPROM_DATA));
}

// The manufacturer ID is not checked: the adapter ID identifies the card.
static int locate(struct device *d) {
    d->io = (u16)((mca_field(d, 4, 2, 6) << 2 | 0x02) << 8);
    d->irq = (int)mca_field(d, 5, 0, 4);
    return 0;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct el3 *card = dev->private_data;
    card->transceiver = (int)mca_field(d, 4, 0, 2);
    command(dev, SELECT_WINDOW);
    for (int i = 0; i < 3; i++) {
        u16 word = read_eeprom(dev, i);
        dev->mac[2 * i] = (u8)(word >> 8);
        dev->mac[2 * i + 1] = (u8)word;
    }
    dev->open = open;
    dev->start_transmit = start_transmit;
    dev->update_counters = update_counters;
    return 0;
}

const struct driver el3_driver = {
    .name = "3c529", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe, .state_bytes = sizeof(struct el3)};
