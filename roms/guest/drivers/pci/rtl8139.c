// SPDX-License-Identifier: GPL-2.0-or-later
//
// Realtek RTL8139 (10EC:8139) as Linux 2.2.16's rtl8139.c (1.07) touches it: through ports, in the same order, width and
// number; the code is our own.
//
// Habits that set the figures: every frame sent is copied, because the stack's frames begin two bytes after a
// doubleword; every frame received is copied out of the ring, with its check sequence, so that IP is aligned; each
// frame sent interrupts. The handler loops until the status is 0, at most 20 times. A ring that was full continues at
// the chip's position. After a FIFO overflow the receiver is restarted without the bits that accept frames: the card
// receives nothing from then on, as with the real driver.
//
// Left out: the RTL8129 and its MII pins, options, more than one group, promiscuous mode.
#include "driver.h"

enum {                                  // registers, by I/O offset
    MAC0 = 0x00, MAR0 = 0x08, TX_STATUS = 0x10, TX_ADDRESS = 0x20, RX_BUFFER = 0x30, COMMAND = 0x37, RX_READ = 0x38,
    RX_WRITE = 0x3A, INT_MASK = 0x3C, INT_STATUS = 0x3E, TX_CONFIG = 0x40, RX_CONFIG = 0x44, RX_MISSED = 0x4C,
    EEPROM = 0x50, CONFIG1 = 0x52, MEDIA_STATUS = 0x58, HALT_CLOCK = 0x5B, BMCR = 0x62, BMSR = 0x64, ADVERTISED = 0x66,
    PARTNER = 0x68, EXPANSION = 0x6A, CSCR = 0x74
};
enum { RESET = 0x10, RX_ENABLE = 0x08, TX_ENABLE = 0x04, RX_EMPTY = 0x01 };     // COMMAND
enum { PCI_ERROR = 0x8000, TIME_OUT = 0x4000, RX_FIFO_OVER = 0x40, RX_UNDERRUN = 0x20, RX_OVERFLOW = 0x10, TX_ERROR = 0x08,
       TX_OK = 0x04, RX_ERROR = 0x02, RX_OK = 0x01, CAUSES = 0xC07F,
       RX_CAUSES = RX_OK | RX_UNDERRUN | RX_OVERFLOW | RX_FIFO_OVER,
       UNCOMMON = CAUSES & ~(RX_OK | TX_OK) };
enum { UNDERRUN = 0x4000, SENT = 0x8000, OUT_OF_WINDOW = 0x20000000, ABORTED = 0x40000000 };     // transmit status
#define CARRIER_LOST 0x80000000u
enum { BAD_SYMBOL = 0x20, RUNT = 0x10, TOO_LONG = 0x08, BAD_CRC = 0x04, BAD_ALIGNMENT = 0x02 };  // headers in the ring
enum { LINK_CHANGED = 0x0800 };         // CSCR
enum { ACCEPT_BROADCAST = 8, ACCEPT_GROUPS = 4, ACCEPT_OWN = 2 };
enum { SLOTS = 4, TX_BUFFER = 1536, RING = 65536, WORK = 20, TX_TIMEOUT = 4 * HZ };
enum { RX_THRESHOLDS = 4 << 13 | 3 << 11 | 4 << 8, TX_BURST = 4 << 8, GAP = 0x03000000 };
enum { THRESHOLD = 256 << 11, THRESHOLD_STEP = 0x00020000, THRESHOLD_MOST = 0x00300000 };

struct rtl8139 {
    const struct device *device;
    struct skb *tx_skb[SLOTS];
    u8 *tx_buffer[SLOTS], *ring;
    u32 cur_tx, dirty_tx, tx_flag;
    u16 cur_rx;
    int tx_full, full_duplex;
    int link;                           // the link is up, or has been
    struct timer timer;
};

#define REG(r) ((u16)(dev->io + (r)))
#define SLOT(base, n) REG((base) + 4 * (n))

// ---- the address filter -------------------------------------------------------------------------
static u32 ether_crc(const u8 *p, u32 length) {
    s32 crc = -1;
    while (length--) {
        u32 octet = *p++;
        for (int bit = 0; bit < 8; bit++, octet >>= 1)
            crc = (s32)((u32)crc << 1 ^ ((u32)(crc < 0) ^ (octet & 1) ? 0x04C11DB7u : 0));
    }
    return (u32)crc;
}

static void set_rx_mode(struct netdev *dev, u32 groups) {
    static const u8 all_hosts[6] = {0x01, 0x00, 0x5E, 0x00, 0x00, 0x01};
    u32 filter[2] = {0, 0};
    if (groups) {
        u32 bit = ether_crc(all_hosts, sizeof all_hosts) >> 26;
        filter[bit / 32] |= 1u << bit % 32;
    }
    outb(ACCEPT_BROADCAST | ACCEPT_GROUPS | ACCEPT_OWN, REG(RX_CONFIG));
    outl(filter[0], REG(MAR0));
    outl(filter[1], REG(MAR0 + 4));
}

// ---- set-up -------------------------------------------------------------------------------------
static void set_config1(struct netdev *dev, u8 value) {
    outb(0xC0, REG(EEPROM));
    outb(value, REG(CONFIG1));
    outb(0x00, REG(EEPROM));
}

static void set_duplex(struct netdev *dev, int full) {
    struct rtl8139 *tp = dev->private_data;
    tp->full_duplex = full;
    set_config1(dev, full ? 0x60 : 0x20);
}

static void wait_for_reset(struct netdev *dev) {
    for (int n = 1000; n > 0; n--)
        if (!(inb(REG(COMMAND)) & RESET))
            break;
    for (int n = 0; n < 6; n++)
        outb(dev->mac[n], REG(MAC0 + n));
}

// After a bad frame or a FIFO overflow: restarts at the beginning of the ring.
static void restart_receiver(struct netdev *dev) {
    struct rtl8139 *tp = dev->private_data;
    tp->cur_rx = 0;
    outb(TX_ENABLE, REG(COMMAND));
    outb(RX_ENABLE | TX_ENABLE, REG(COMMAND));
    outl(RX_THRESHOLDS, REG(RX_CONFIG));
}

static void count_missed(struct netdev *dev) {
    dev->counters.rx_missed_errors += inl(REG(RX_MISSED));
    outl(0, REG(RX_MISSED));
}

// ---- transmit -----------------------------------------------------------------------------------
static void fill_slot(struct netdev *dev, u32 entry, struct skb *b) {
    struct rtl8139 *tp = dev->private_data;
    tp->tx_skb[entry] = b;
    if ((u32)b->data & 3) {
        memcpy(tp->tx_buffer[entry], b->data, b->length);
        outl(phys(tp->tx_buffer[entry]), SLOT(TX_ADDRESS, entry));
    } else {
        outl(phys(b->data), SLOT(TX_ADDRESS, entry));
    }
    outl(tp->tx_flag | (b->length >= ETH_MIN ? b->length : ETH_MIN), SLOT(TX_STATUS, entry));
}

static void transmit_timeout(struct netdev *dev) {
    static const u8 phy[8] = {BMCR, BMSR, 0, 0, ADVERTISED, PARTNER, EXPANSION, 0};
    struct rtl8139 *tp = dev->private_data;
    struct skb *saved[SLOTS];
    u32 count = 0;
    u8 command = inb(REG(COMMAND));
    u16 status = inw(REG(INT_STATUS));
    printk("%s: Transmit timeout, status %x %x media %x.\n", dev->name, command, status, inb(REG(MEDIA_STATUS)));
    outw(0, REG(INT_MASK));
    printk("%s: Tx queue start entry %u  dirty entry %u.\n", dev->name, tp->cur_tx, tp->dirty_tx);
    for (u32 n = 0; n < SLOTS; n++)
        printk("%s:  Tx descriptor %u is %x.\n", dev->name, n, inl(SLOT(TX_STATUS, n)));
    for (u32 n = 0; n < sizeof phy; n++)
        printk(" %x", phy[n] ? inw(REG(phy[n])) : 0);
    printk(".\n");
    outb(RESET, REG(COMMAND));
    wait_for_reset(dev);
    outb(0x00, REG(EEPROM));
    tp->cur_rx = 0;
    outb(RX_ENABLE | TX_ENABLE, REG(COMMAND));
    outl(RX_THRESHOLDS, REG(RX_CONFIG));
    outl(TX_BURST, REG(TX_CONFIG));
    set_rx_mode(dev, 1);
    for (; tp->cur_tx != tp->dirty_tx; tp->dirty_tx++)
        saved[count++] = tp->tx_skb[tp->dirty_tx % SLOTS];
    tp->dirty_tx = tp->cur_tx = 0;
    for (u32 n = 0; n < count; n++)
        fill_slot(dev, n, saved[n]);
    tp->cur_tx = count;
    for (u32 n = count; n < SLOTS; n++)
        tp->tx_skb[n] = NULL;
    tp->tx_full = count >= SLOTS;
    if (!tp->tx_full)
        dev->busy = 0;
    dev->transmit_start = jiffies;
    dev->counters.tx_errors++;
    outw(CAUSES, REG(INT_MASK));
}

static int start_transmit(struct skb *b, struct netdev *dev) {
    struct rtl8139 *tp = dev->private_data;
    if (dev->busy) {
        if (jiffies - dev->transmit_start >= TX_TIMEOUT)
            transmit_timeout(dev);
        return 1;
    }
    dev->busy = 1;
    fill_slot(dev, tp->cur_tx % SLOTS, b);
    if (++tp->cur_tx - tp->dirty_tx < SLOTS)
        dev->busy = 0;
    else
        tp->tx_full = 1;
    dev->transmit_start = jiffies;
    return 0;
}

static void count_transmit_error(struct netdev *dev, u32 status) {
    struct net_counters *c = &dev->counters;
    c->tx_errors++;
    if (status & ABORTED) {
        c->tx_aborted_errors++;
        outl(TX_BURST | GAP | 1, REG(TX_CONFIG));
    }
    if (status & CARRIER_LOST)
        c->tx_carrier_errors++;
    if (status & OUT_OF_WINDOW)
        c->tx_window_errors++;
}

static void collect_sent(struct netdev *dev) {
    struct rtl8139 *tp = dev->private_data;
    u32 dirty = tp->dirty_tx;
    for (; dirty != tp->cur_tx; dirty++) {
        u32 entry = dirty % SLOTS, status = inl(SLOT(TX_STATUS, entry));
        if (!(status & (SENT | UNDERRUN | ABORTED)))
            break;
        if (status & (OUT_OF_WINDOW | ABORTED)) {
            count_transmit_error(dev, status);
        } else {
            if (status & UNDERRUN) {
                if (tp->tx_flag < THRESHOLD_MOST)
                    tp->tx_flag += THRESHOLD_STEP;
                dev->counters.tx_fifo_errors++;
            }
            dev->counters.collisions += status >> 24 & 15;
            dev->counters.tx_bytes += status & 0x7FF;
            dev->counters.tx_packets++;
        }
        skb_free(tp->tx_skb[entry]);
        tp->tx_skb[entry] = NULL;
        if (tp->tx_full) {
            tp->tx_full = 0;
            dev->busy = 0;
            mark_bh(NET_BH);
        }
    }
    tp->dirty_tx = dirty;
}

// ---- receive ------------------------------------------------------------------------------------
static void count_receive_error(struct netdev *dev, u32 header) {
    struct net_counters *c = &dev->counters;
    if (header & TOO_LONG) {
        c->rx_length_errors++;
        return;
    }
    c->rx_errors++;
    if (header & (BAD_SYMBOL | BAD_ALIGNMENT))
        c->rx_frame_errors++;
    if (header & RUNT)
        c->rx_length_errors++;
    if (header & BAD_CRC)
        c->rx_crc_errors++;
    restart_receiver(dev);
}

// 0: no memory
static int take_frame(struct netdev *dev, u32 offset, u32 size) {
    struct rtl8139 *tp = dev->private_data;
    struct skb *b = skb_alloc(size + 2 + 16);
    if (!b) {
        dev->counters.rx_dropped++;
        return 0;
    }
    b->dev = dev;
    skb_reserve(b, 16 + 2);
    if (offset + size + 4 > RING) {
        u32 first = RING - offset - 4;
        memcpy(skb_put(b, first), tp->ring + offset + 4, first);
        memcpy(skb_put(b, size - first), tp->ring, size - first);
    } else {
        eth_copy_and_sum(b, tp->ring + offset + 4, size);
        skb_put(b, size);
    }
    b->protocol = eth_type(b, dev);
    netif_rx(b);
    dev->counters.rx_bytes += size;
    dev->counters.rx_packets++;
    return 1;
}

static void receive(struct netdev *dev) {
    struct rtl8139 *tp = dev->private_data;
    u16 at = tp->cur_rx;
    while (!(inb(REG(COMMAND)) & RX_EMPTY) && receive_more(dev)) {
        u32 header = *(volatile u32 *)(tp->ring + at), size = header >> 16;
        if (header & (BAD_SYMBOL | RUNT | TOO_LONG | BAD_CRC | BAD_ALIGNMENT))
            count_receive_error(dev, header);
        else if (!take_frame(dev, at, size))
            break;
        at = (u16)((at + size + 4 + 3) & ~3u);
        outw((u16)(at - 16), REG(RX_READ));
    }
    tp->cur_rx = at;
}

// ---- interrupt ----------------------------------------------------------------------------------
static void link_changed(struct netdev *dev) {
    struct rtl8139 *tp = dev->private_data;
    u16 partner = inw(REG(PARTNER));
    int full = partner & 0x0100 || (partner & 0x01C0) == 0x0040;
    if (partner)
        tp->link = 1;
    if (tp->full_duplex != full)
        set_duplex(dev, full);
}

static void serve_uncommon(struct netdev *dev, u32 status, int link) {
    struct rtl8139 *tp = dev->private_data;
    struct net_counters *c = &dev->counters;
    count_missed(dev);
    if (status & RX_UNDERRUN && link) {
        link_changed(dev);
        status &= ~(u32)RX_UNDERRUN;
    }
    if (status & (RX_UNDERRUN | RX_OVERFLOW | RX_ERROR | RX_FIFO_OVER))
        c->rx_errors++;
    if (status & TIME_OUT)
        c->rx_length_errors++;
    if (status & (RX_UNDERRUN | RX_FIFO_OVER))
        c->rx_fifo_errors++;
    if (status & RX_FIFO_OVER)
        restart_receiver(dev);
    if (status & RX_OVERFLOW) {
        c->rx_over_errors++;
        tp->cur_rx = inw(REG(RX_WRITE));
        outw((u16)(tp->cur_rx - 16), REG(RX_READ));
    }
    if (status & PCI_ERROR)
        printk("%s: PCI Bus error %x.\n", dev->name, pci_read_dword(tp->device, PCI_COMMAND));
}

static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    int work = WORK, link = 0;
    (void)irq, (void)r;
    dev->in_interrupt = 1;
    if (receive_left(dev))
        receive(dev);
    for (;;) {
        u32 status = inw(REG(INT_STATUS));
        if (status & RX_UNDERRUN && inw(REG(CSCR)) & LINK_CHANGED)
            link = 1;
        outw((u16)status, REG(INT_STATUS));
        if (!(status & CAUSES))
            break;
        if (status & RX_CAUSES)
            receive(dev);
        if (status & (TX_OK | TX_ERROR))
            collect_sent(dev);
        if (status & UNCOMMON)
            serve_uncommon(dev, status, link);
        if (--work < 0) {
            printk("%s: Too much work at interrupt, IntrStatus=0x%x.\n", dev->name, status);
            outw(0xFFFF, REG(INT_STATUS));
            break;
        }
    }
    dev->in_interrupt = 0;
}

// ---- the timer: 2.4 s after open, then each minute ----------------------------------------------
static void check_link(u32 data) {
    struct netdev *dev = (struct netdev *)data;
    struct rtl8139 *tp = dev->private_data;
    u16 partner = inw(REG(PARTNER));
    int full = partner & 0x0100 || (partner & 0x01C0) == 0x0040;
    if (partner != 0xFFFF && tp->full_duplex != full) {
        printk("%s: Setting %s-duplex, partner ability of %x.\n", dev->name, full ? "full" : "half", partner);
        set_duplex(dev, full);
    }
    if (inw(REG(INT_STATUS)) & (TX_OK | RX_OK)) {
        u16 status = inw(REG(INT_STATUS));
        if (status & (TX_OK | RX_OK)) {
            printk("%s: RTL8139 Interrupt line blocked, status %x.\n", dev->name, status);
            interrupt(dev->irq, dev, NULL);
        }
    }
    if (dev->busy && jiffies - dev->transmit_start >= 2 * TX_TIMEOUT)
        transmit_timeout(dev);
    timer_set(&tp->timer, jiffies + 60 * HZ);
}

// ---- start --------------------------------------------------------------------------------------
static int open_card(struct netdev *dev) {
    struct rtl8139 *tp = dev->private_data;
    u16 partner;
    outb(RESET, REG(COMMAND));
    if (request_irq(dev->irq, interrupt, IRQF_SHARED, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    tp->tx_buffer[0] = alloc_pages((SLOTS * TX_BUFFER + PAGE_SIZE - 1) / PAGE_SIZE);
    for (u32 n = 1; n < SLOTS; n++)
        tp->tx_buffer[n] = tp->tx_buffer[0] + n * TX_BUFFER;
    tp->ring = alloc_pages((RING + 16 + PAGE_SIZE - 1) / PAGE_SIZE);
    wait_for_reset(dev);
    outb(RX_ENABLE | TX_ENABLE, REG(COMMAND));
    outl(RX_THRESHOLDS, REG(RX_CONFIG));
    outl(TX_BURST | GAP, REG(TX_CONFIG));
    tp->tx_flag = THRESHOLD;
    partner = inw(REG(PARTNER));
    tp->link = partner != 0;
    set_duplex(dev, partner != 0xFFFF && (partner & 0x0100 || (partner & 0x00C0) == 0x0040));
    outl(phys(tp->ring), REG(RX_BUFFER));
    outl(0, REG(RX_MISSED));
    set_rx_mode(dev, 0);
    outb(RX_ENABLE | TX_ENABLE, REG(COMMAND));
    dev->busy = 0;
    dev->in_interrupt = 0;
    dev->started = 1;
    outw(CAUSES, REG(INT_MASK));
    tp->timer.function = check_link;
    tp->timer.data = (u32)dev;
    timer_set(&tp->timer, jiffies + 24 * HZ / 10);
    // The kernel's two calls for the multicast list: empty, then with the all-hosts group.
    set_rx_mode(dev, 0);
    set_rx_mode(dev, 1);
    return 0;
}

static int linked(struct netdev *dev) { return ((struct rtl8139 *)dev->private_data)->link; }

static void update_counters(struct netdev *dev) {
    if (dev->started)
        count_missed(dev);
}

// ---- taking over -------------------------------------------------------------------------------
static u16 read_eeprom(struct netdev *dev, u32 word) {
    enum { CLOCK = 4, DATA = 2, ENABLE = 0x88, PROGRAM = 0x80, READ = 6 << 6 };
    u32 command = word | READ, value = 0;
    outb(PROGRAM, REG(EEPROM));
    outb(ENABLE, REG(EEPROM));
    for (int n = 10; n >= 0; n--) {
        u8 bit = command >> n & 1 ? DATA : 0;
        outb(ENABLE | bit, REG(EEPROM));
        inl(REG(EEPROM));               // delay
        outb((u8)(ENABLE | bit | CLOCK), REG(EEPROM));
        inl(REG(EEPROM));
    }
    outb(ENABLE, REG(EEPROM));
    inl(REG(EEPROM));
    for (int n = 16; n > 0; n--) {
        outb(ENABLE | CLOCK, REG(EEPROM));
        inl(REG(EEPROM));
        value = value << 1 | (inb(REG(EEPROM)) & 1);
        outb(ENABLE, REG(EEPROM));
        inl(REG(EEPROM));
    }
    outb(0xF7, REG(EEPROM));
    return (u16)value;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct rtl8139 *tp = dev->private_data;
    u16 command, wanted;
    tp->device = d;
    pci_read_word(d, 0x00);
    pci_read_word(d, 0x02);
    command = pci_read_word(d, PCI_COMMAND);
    wanted = command | PCI_COMMAND_MASTER | PCI_COMMAND_IO;
    if (command != wanted) {
        printk("%s: the firmware has not enabled this device, command %x to %x\n", dev->name, command, wanted);
        pci_write_word(d, PCI_COMMAND, wanted);
    }
    outb(0x00, REG(CONFIG1));
    if (read_eeprom(dev, 0) != 0xFFFF) {
        for (u32 n = 0; n < 3; n++) {
            u16 word = read_eeprom(dev, n + 7);
            dev->mac[2 * n] = (u8)word;
            dev->mac[2 * n + 1] = (u8)(word >> 8);
        }
    } else {
        for (u32 n = 0; n < 6; n++)
            dev->mac[n] = inb(REG(MAC0 + n));
    }
    outb(0xC0, REG(EEPROM));            // powered down until it is opened
    outb(0x03, REG(CONFIG1));
    outb('H', REG(HALT_CLOCK));
    pci_raise_latency(d, 32, 64);
    dev->open = open_card;
    dev->linked = linked;
    dev->start_transmit = start_transmit;
    dev->update_counters = update_counters;
    return 0;
}

static const u32 ids[] = {PCI_ID(0x10EC, 0x8139), PCI_ID(0x1113, 0x1211), 0};

const struct driver rtl8139_driver = {
    .name = "rtl8139", .bus = &pci_bus, .ids = ids, .probe = probe, .state_bytes = sizeof(struct rtl8139)};
