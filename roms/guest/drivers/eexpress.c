// SPDX-License-Identifier: GPL-2.0-or-later
//
// Intel EtherExpress/MC (628Bh): an 82586 whose RAM is reached through ports. Touches the card as Linux's eexpress.c does (the
// Micro Channel part came with 2.4; busy handling is 2.2's, since 2.4.0 itself never stops its queue): same order, width and
// number of accesses; the code is our own.
//
// Frames go through the data port and its two pointers, single words through the shadow ports. Each transmit block is
// followed by a NOP that links to itself; a frame is started by patching the NOP before it. The receive ring is closed.
//
// Not done: promiscuous mode and multicast lists (the bench asks for neither), 8-bit mode, close.
#include "driver.h"

enum { DATA = 0x00, WRITE_PTR = 0x02, READ_PTR = 0x04, ATTENTION = 0x06, IRQ_SELECT = 0x07, SHADOW_PTR = 0x08, CONFIG = 0x0D,
       CONTROL = 0x0E, CONNECTOR = 0x300E, SHADOW_LOW = 0x4000, SHADOW_HIGH = 0x8000, SCB_STATUS = 0xC008, SCB_COMMAND = 0xC00A,
       SCB_CBL = 0xC00C, SCB_RFA = 0xC00E };
enum { EE_CLOCK = 0x01, EE_SELECT = 0x02, EE_TO = 0x04, EE_FROM = 0x08, ASIC_RESET = 0x40, CHIP_RESET = 0x80 };
enum { IRQ_ENABLE = 0x08, CONFIG_LOOPBACK = 0x02 };
enum { CU_START = 0x0100, RU_START = 0x0010, EVENTS = 0xF000, CX = 0x8000, FR = 0x4000, CNA = 0x2000, RNR = 0x1000 };
enum { DONE = 0x8000, OK = 0x2000, ABORTED = 0x1000, BOTH_MARKS = 0xC000, COUNT = 0x3FFF };
enum { STARTED_CU = 1, STARTED_RU = 2 };
enum { TX_START = 0x100, TX_SIZE = (24 + 1514 + 31) & ~31, RX_SIZE = (32 + 1514 + 31) & ~31, TRANSMIT = 0x2004 };
// Offsets in the start-up program.
enum { PROGRAM = 0x20, PROGRAM_FILTER = 0x2E, PROGRAM_ADDRESS = 0x38, PROGRAM_DIAGNOSE = 0x76, PROGRAM_TDR = 0x82 };

static const u16 start_program[] = {
    1, 8, 0, 0,                                         // ISCP: busy, SCB at 8
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                 // SCB
    0, 2, 0x32, 0x080C, 0x2E40, 0x6000, 0xF200, 0, 60,  // configure: 12 bytes
    0, 1, 0x3E, 0, 0, 0,                                // station address
    0, 3, 0x76, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  // multicast list
    0, 7, 0x7C,                                         // diagnose
    0, 0x2005, 0x84, 0,                                 // TDR, with interrupt
    0, 0x8000, 0x84,                                    // end
};

static const u32 ids[] = {0x628B, 0};
static const u16 bases[16] = {0x270, 0x260, 0x250, 0x240, 0x230, 0x220, 0x210, 0x200,
                              0x370, 0x360, 0x350, 0x340, 0x330, 0x320, 0x310, 0x300};
static const u8 interrupts[8] = {12, 9, 3, 4, 5, 10, 11, 15};
static const u8 irq_codes[16] = {0, 0, 1, 2, 3, 4, 0, 0, 0, 1, 5, 6, 0, 0, 0, 0};

struct eexpress {
    u16 rx_start, rx_end, rx_last, rx_next;
    u16 tx_head, tx_reap, tx_tail, tx_link, restarted;
    int tx_count, rx_count;
    u8 started;
    u32 init_time;
};

#define PORT(p) ((u16)(dev->io + (p)))

static u16 shadow(u16 at) {
    at &= 0x1F;
    return at > 0xF ? (u16)(SHADOW_HIGH + at - 0x10) : (u16)(SHADOW_LOW + at);
}
static void aim(struct netdev *dev, u16 at) { outw((u16)(at & ~31), PORT(SHADOW_PTR)); }
static u16 scb_status(struct netdev *dev) { return inw(PORT(SCB_STATUS)); }
static void scb_command(struct netdev *dev, u16 command) { outw(command, PORT(SCB_COMMAND)); }
static void attention(struct netdev *dev) { outb(0, PORT(ATTENTION)); }
static int cu_state(u16 status) { return status >> 8 & 3; }
static int ru_state(u16 status) { return status >> 4 & 7; }

// ---- EEPROM, probe ------------------------------------------------------------------------------
// 39 writes to port 80h: the period's driver times its clock half-periods in slow I/O cycles.
static void half_clock(void) {
    for (int i = 0; i < 39; i++)
        __asm__ volatile("outb %al,$0x80");
}

static u16 eeprom(struct netdev *dev, int location) {
    u16 command = (u16)(0x180 | (location & 0x7F)), value = 0;
    u8 wires = EE_SELECT | CHIP_RESET;
    outb(wires, PORT(CONTROL));
    for (u16 bit = 0x100; bit; bit >>= 1) {
        wires = (u8)(command & bit ? wires | EE_TO : wires & ~EE_TO);
        outb(wires, PORT(CONTROL));
        outb(wires | EE_CLOCK, PORT(CONTROL));
        half_clock();
        outb(wires, PORT(CONTROL));
        half_clock();
    }
    wires &= (u8)~EE_TO;
    outb(wires, PORT(CONTROL));
    for (u16 bit = 0x8000; bit; bit >>= 1) {
        outb(wires | EE_CLOCK, PORT(CONTROL));
        half_clock();
        if (inb(PORT(CONTROL)) & EE_FROM)
            value |= bit;
        outb(wires, PORT(CONTROL));
        half_clock();
    }
    wires &= (u8)~EE_SELECT;
    outb(wires | EE_CLOCK, PORT(CONTROL));
    half_clock();
    outb(wires, PORT(CONTROL));
    half_clock();
    return value;
}

// Size of the RAM in KB: writes a pattern into each KB until one reads back differently.
static int size_ram(struct netdev *dev) {
    int kb;
    outw(0, PORT(WRITE_PTR));
    for (int i = 0; i < 32768; i++)
        outw(0, PORT(DATA));
    for (kb = 0; kb < 64; kb++) {
        outw((u16)(kb << 10), PORT(READ_PTR));
        if (inw(PORT(DATA)))
            break;
        outw((u16)(kb << 10), PORT(WRITE_PTR));
        outw((u16)(kb | 0x5000), PORT(DATA));
        outw((u16)(kb << 10), PORT(READ_PTR));
        if (inw(PORT(DATA)) != (kb | 0x5000))
            break;
    }
    return kb;
}

// ---- the lists ----------------------------------------------------------------------------------
static void transmit_ring(struct netdev *dev) {
    struct eexpress *card = dev->private_data;
    u16 at = TX_START;
    for (int i = 0; i < card->tx_count; i++) {
        outw(at, PORT(WRITE_PTR));
        outw(0, PORT(DATA));
        outw(TRANSMIT, PORT(DATA));
        outw((u16)(at + 0x08), PORT(DATA));
        outw((u16)(at + 0x0E), PORT(DATA));
        outw(0, PORT(DATA));                    // the NOP that links to itself
        outw(0, PORT(DATA));
        outw((u16)(at + 0x08), PORT(DATA));
        outw(0x8000, PORT(DATA));               // the buffer descriptor
        outw(0xFFFF, PORT(DATA));
        outw((u16)(at + 0x16), PORT(DATA));
        outw(0, PORT(DATA));
        at += TX_SIZE;
    }
    card->tx_head = card->tx_reap = TX_START;
    card->tx_tail = (u16)(at - TX_SIZE);
    card->tx_link = (u16)(card->tx_tail + 0x08);
    card->rx_start = at;
}

static void receive_ring(struct netdev *dev) {
    struct eexpress *card = dev->private_data;
    u16 at = card->rx_start;
    card->rx_count = 0;
    card->rx_next = at;
    do {
        card->rx_count++;
        outw(at, PORT(WRITE_PTR));
        outw(0, PORT(DATA));
        outw(0, PORT(DATA));
        outw((u16)(at + RX_SIZE), PORT(DATA));
        outw(0xFFFF, PORT(DATA));
        outw(0, PORT(DATA));
        for (int i = 0; i < 6; i++)
            outw(0xDEAD, PORT(DATA));
        outw(0, PORT(DATA));
        outw((u16)(at + RX_SIZE + 0x16), PORT(DATA));
        outw((u16)(at + 0x20), PORT(DATA));
        outw(0, PORT(DATA));
        outw(RX_SIZE - 0x20, PORT(DATA));
        card->rx_last = at;
        at += RX_SIZE;
    } while (at <= card->rx_end - RX_SIZE);
    outw((u16)(card->rx_start + 6), PORT(WRITE_PTR));
    outw((u16)(card->rx_start + 0x16), PORT(DATA));
    outw((u16)(card->rx_last + 4), PORT(WRITE_PTR));
    outw(card->rx_start, PORT(DATA));
    outw((u16)(card->rx_last + 0x16 + 2), PORT(WRITE_PTR));
    outw((u16)(card->rx_start + 0x16), PORT(DATA));
}

// ---- start --------------------------------------------------------------------------------------
static u16 program_word(u32 at) { return at < sizeof start_program ? start_program[at / 2] : 0; }

// Polls until waiting() returns 0, kicking the chip after 50 polls and then every 100, five times in all.
static int kick_while(struct netdev *dev, int (*waiting)(struct netdev *dev), void (*kick)(struct netdev *dev)) {
    int polls = 50, rounds = 5;
    while (waiting(dev))
        if (!--polls) {
            if (!--rounds) {
                printk("eexpress: the 82586 does not start, status %x\n", scb_status(dev));
                return -1;
            }
            kick(dev);
            polls = 100;
        }
    return 0;
}
static int iscp_busy(struct netdev *dev) { return inw(PORT(SHADOW_LOW)); }
static int status_zero(struct netdev *dev) { return !scb_status(dev); }
static void kick_reset(struct netdev *dev) {
    scb_command(dev, 0);
    attention(dev);
}
static void start_program_unit(struct netdev *dev) {
    outw(PROGRAM, PORT(SCB_CBL));
    scb_command(dev, EVENTS | CU_START);
    attention(dev);
}

static void init(struct netdev *dev) {
    struct eexpress *card = dev->private_data;
    u16 filter;
    const u16 *mac = (const u16 *)dev->mac;
    card->started = 0;
    outb(inb(PORT(CONFIG)) | CONFIG_LOOPBACK, PORT(CONFIG));
    outb(irq_codes[dev->irq], PORT(IRQ_SELECT));

    aim(dev, card->rx_end);                      // SCP: 16-bit bus, ISCP at 0
    outw(0, PORT(SHADOW_HIGH + 0x6));
    outw(0, PORT(SHADOW_HIGH + 0x8));
    outw(0, PORT(SHADOW_HIGH + 0xA));
    outw(0, PORT(SHADOW_HIGH + 0xC));
    outw(0, PORT(SHADOW_HIGH + 0xE));
    for (u32 i = 0; i < sizeof start_program; i += 32) {
        outw((u16)i, PORT(SHADOW_PTR));
        for (u32 j = 0; j < 16; j += 2)
            outw(program_word(i + j), PORT(SHADOW_LOW + j));
        for (u32 j = 0; j < 16; j += 2)
            outw(program_word(i + j + 16), PORT(SHADOW_HIGH + j));
    }
    aim(dev, PROGRAM_FILTER);
    filter = inw(PORT(shadow(PROGRAM_FILTER)));
    outw(filter & ~1, PORT(shadow(PROGRAM_FILTER)));
    aim(dev, PROGRAM_ADDRESS);
    for (u16 i = 0; i < 3; i++)
        outw(mac[i], PORT(shadow((u16)(PROGRAM_ADDRESS + 2 * i))));
    transmit_ring(dev);
    receive_ring(dev);

    outb(0, PORT(CONTROL));                     // take the chip out of reset
    udelay_spin(5000);
    scb_command(dev, EVENTS);
    attention(dev);
    outw(0, PORT(SHADOW_PTR));
    if (kick_while(dev, iscp_busy, kick_reset))
        return;
    start_program_unit(dev);
    if (kick_while(dev, status_zero, start_program_unit))
        return;
    outb(inb(PORT(CONFIG)) & (u8)~CONFIG_LOOPBACK, PORT(CONFIG));
    outb(IRQ_ENABLE | irq_codes[dev->irq], PORT(IRQ_SELECT));
    card->init_time = jiffies;
}

// The start-up program has ended: checks its results and starts both units.
static u16 program_done(struct netdev *dev, u16 status) {
    struct eexpress *card = dev->private_data;
    u16 command = status & EVENTS, diagnose, tdr;
    if (!(card->started & STARTED_CU)) {
        while (cu_state(status) == 2)
            status = scb_status(dev);
        aim(dev, PROGRAM_DIAGNOSE);
        diagnose = inw(PORT(shadow(PROGRAM_DIAGNOSE)));
        if (diagnose & 1 << 11 || !(diagnose & 1 << 13))
            printk("eexpress: self-test %x\n", diagnose);
        aim(dev, PROGRAM_TDR);
        tdr = inw(PORT(shadow(PROGRAM_TDR)));
        if (!(tdr & 0x8000))
            printk("eexpress: cable test %x\n", tdr);
        card->started |= STARTED_CU;
        outw(card->tx_link, PORT(SCB_CBL));
        if (!(card->started & STARTED_RU)) {
            command |= RU_START;
            outw(card->rx_start, PORT(SCB_RFA));
            card->rx_next = card->rx_start;
            card->started |= STARTED_RU;
        }
        command |= CU_START | CNA;
    }
    if (!(card->started & STARTED_RU) && ru_state(status) == 4)
        card->started |= STARTED_RU;
    return command;
}

static int open(struct netdev *dev) {
    dev->busy = 0;
    dev->started = 1;
    init(dev);
    return 0;
}

// ---- transmit -----------------------------------------------------------------------------------
static u16 next_transmit(struct netdev *dev, u16 at) {
    struct eexpress *card = dev->private_data;
    return at == TX_START + (card->tx_count - 1) * TX_SIZE ? TX_START : (u16)(at + TX_SIZE);
}

// Frees transmitted frames. 0: none was waiting.
static u16 reap(struct netdev *dev) {
    struct eexpress *card = dev->private_data;
    struct net_counters *c = &dev->counters;
    u16 at = card->tx_reap, status;
    if (!dev->busy && card->tx_head == card->tx_reap)
        return 0;
    do {
        aim(dev, at);
        status = inw(PORT(shadow(at)));
        if (!(status & DONE)) {
            card->tx_link = at;
            return status;
        }
        card->restarted = 0;
        c->collisions += status & 0x0F;
        if (status & OK) {
            c->tx_packets++;
        } else {
            c->tx_errors++;
            c->tx_aborted_errors += (status & ABORTED) != 0;
            c->tx_carrier_errors += (status & 0x600) != 0;
            c->tx_fifo_errors += (status & 0x100) != 0;
            c->tx_aborted_errors += (status & 0x20) != 0;
        }
        card->tx_reap = at = next_transmit(dev, at);
        dev->busy = 0;
        mark_bh(NET_BH);
    } while (card->tx_reap != card->tx_head);
    card->tx_link = (u16)(card->tx_tail + 0x08);
    return status;
}

static void start_at_link(struct netdev *dev) {
    struct eexpress *card = dev->private_data;
    outw(card->tx_link, PORT(SCB_CBL));
    scb_command(dev, CU_START);
    attention(dev);
}
static void restart_transmitter(struct netdev *dev) {
    struct eexpress *card = dev->private_data;
    card->restarted = card->tx_link;
    start_at_link(dev);
    kick_while(dev, status_zero, start_at_link);
}

// All buffers have been full for too long.
static void unstick(struct netdev *dev) {
    struct eexpress *card = dev->private_data;
    u16 status = scb_status(dev);
    if (!card->started) {
        if (jiffies - card->init_time > 10)
            init(dev);
        return;
    }
    if (jiffies - dev->transmit_start <= 50)
        return;
    printk("eexpress: transmit timeout, status %x\n", status);
    if (card->tx_link == card->restarted) {
        transmit_ring(dev);
        card->restarted = 0;
        start_at_link(dev);
        dev->busy = 0;
    } else if (status & CNA) {
        restart_transmitter(dev);
    } else if (dev->busy && !reap(dev)) {
        init(dev);
        dev->busy = 0;
    }
}

static void load(struct netdev *dev, const u8 *from, u16 length) {
    struct eexpress *card = dev->private_data;
    u16 at = card->tx_head;
    outw(at, PORT(WRITE_PTR));
    outw(0, PORT(DATA));
    outw(TRANSMIT, PORT(DATA));
    outw((u16)(at + 0x08), PORT(DATA));
    outw((u16)(at + 0x0E), PORT(DATA));
    outw(0, PORT(DATA));
    outw(0, PORT(DATA));
    outw((u16)(at + 0x08), PORT(DATA));
    outw((u16)(0x8000 | length), PORT(DATA));
    outw(0xFFFF, PORT(DATA));
    outw((u16)(at + 0x16), PORT(DATA));
    outw(0, PORT(DATA));
    outsw(PORT(DATA), from, (u32)(length + 1) >> 1);
    outw((u16)(card->tx_tail + 0x0C), PORT(WRITE_PTR));
    outw(at, PORT(DATA));
    dev->transmit_start = jiffies;
    card->tx_tail = at;
    card->tx_head = next_transmit(dev, at);
    if (card->tx_head != card->tx_reap)
        dev->busy = 0;
    dev->counters.tx_packets++;         // counted again once it has been sent, as in the period's driver
}

static int start_transmit(struct skb *b, struct netdev *dev) {
    u16 length = b->length > ETH_MIN ? (u16)b->length : ETH_MIN;
    disable_irq(dev->irq);
    if (dev->busy) {
        unstick(dev);
        if (dev->busy) {
            enable_irq(dev->irq);
            return 1;
        }
    }
    dev->busy = 1;
    dev->counters.tx_bytes += length;
    load(dev, b->data, length);
    skb_free(b);
    enable_irq(dev->irq);
    return 0;
}

// ---- receive ------------------------------------------------------------------------------------
static void receive(struct netdev *dev) {
    struct eexpress *card = dev->private_data;
    struct net_counters *c = &dev->counters;
    u16 at = card->rx_next, status;
    int left = card->rx_count;
    do {
        u16 command, next, buffer, length;
        outw(at, PORT(READ_PTR));
        status = inw(PORT(DATA));
        if (!(status & DONE))
            break;
        command = inw(PORT(DATA));
        next = inw(PORT(DATA));
        buffer = inw(PORT(DATA));
        outw(buffer, PORT(READ_PTR));
        length = inw(PORT(DATA));
        if (command || buffer != at + 0x16 || (length & BOTH_MARKS) != BOTH_MARKS) {
            printk("eexpress: receive ring: %x at %x, buffer %x, length %x\n", command, at, buffer, length);
            continue;
        }
        if (!(status & OK)) {
            c->rx_errors++;
            c->rx_crc_errors += (status & 0x800) != 0;
            c->rx_frame_errors += (status & 0x400) != 0;
            c->rx_fifo_errors += (status & 0x200) != 0;
            c->rx_over_errors += (status & 0x100) != 0;
            c->rx_length_errors += (status & 0x80) != 0;
        } else {
            length &= COUNT;
            struct skb *b = skb_alloc(length + 16u + 16u);
            if (!b) {
                c->rx_dropped++;
                break;
            }
            b->dev = dev;
            skb_reserve(b, 16 + 2);
            outw((u16)(buffer + 10), PORT(READ_PTR));
            insw(PORT(DATA), skb_put(b, length), (u32)(length + 1) >> 1);
            b->protocol = eth_type(b, dev);
            netif_rx(b);
            c->rx_packets++;
            c->rx_bytes += length;
        }
        outw(at, PORT(WRITE_PTR));
        outw(0, PORT(DATA));
        outw(0, PORT(DATA));
        at = next;
    } while (left-- && receive_more(dev));
    card->rx_next = at;
}

// ---- interrupt ----------------------------------------------------------------------------------
static void wait_command(struct netdev *dev) {
    u32 start = jiffies;
    while (inw(PORT(SCB_COMMAND)) && jiffies - start < 10)
        ;
    if (inw(PORT(SCB_COMMAND)))
        printk("eexpress: the chip does not take a command\n");
}

static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    struct eexpress *card = dev->private_data;
    u16 read = inw(PORT(READ_PTR)), write = inw(PORT(WRITE_PTR)), status;
    (void)r;
    outb(irq_codes[irq], PORT(IRQ_SELECT));
    status = scb_status(dev);
    if (card->started == (STARTED_CU | STARTED_RU)) {
        do {
            wait_command(dev);
            scb_command(dev, status & EVENTS);
            attention(dev);
            wait_command(dev);
            if (status & CX && !reap(dev))
                printk("eexpress: transmit interrupt without a status\n");
            if (status & FR || receive_left(dev))
                receive(dev);
            status = scb_status(dev);
        } while (status & (CX | FR) && receive_more(dev));
        if (status & RNR) {
            printk("eexpress: receiver stopped, status %x\n", status);
            dev->counters.rx_errors++;
            receive_ring(dev);
            outw(card->rx_start, PORT(SCB_RFA));
            scb_command(dev, RU_START);
            attention(dev);
        }
    } else {
        scb_command(dev, status & CX ? program_done(dev, status) : status & EVENTS);
        attention(dev);
    }
    wait_command(dev);
    outb(IRQ_ENABLE | irq_codes[irq], PORT(IRQ_SELECT));
    outw(read, PORT(READ_PTR));
    outw(write, PORT(WRITE_PTR));
}

static void update_counters(struct netdev *dev) { (void)dev; }  // the period's driver never reads the SCB's counters

static int locate(struct device *d) {
    d->io = bases[mca_field(d, 3, 0, 4)];
    d->irq = interrupts[mca_field(d, 3, 4, 3)];
    return 0;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct eexpress *card = dev->private_data;
    u16 address[3], sum = 0;
    u8 connector;
    int kb;
    outb(ASIC_RESET, PORT(CONTROL));
    outb(0, PORT(CONTROL));
    udelay_spin(500);
    outb(CHIP_RESET, PORT(CONTROL));
    for (int i = 0; i < 3; i++)
        address[i] = eeprom(dev, 2 + i);
    if (!((address[2] == 0x00AA && !(address[1] & 0xFF00)) || (address[2] == 0x0080 && (address[1] & 0xFF00) == 0x5F00))) {
        printk("eexpress: station address %x %x %x is not Intel's\n", address[2], address[1], address[0]);
        return -1;
    }
    for (int i = 0; i < 64; i++)
        sum = (u16)(sum + eeprom(dev, i));
    if (sum != 0xBABA)
        printk("eexpress: EEPROM sum %x\n", sum);
    for (int i = 0; i < 6; i++)
        dev->mac[i] = (u8)(address[(5 - i) / 2] >> ((5 - i) & 1 ? 8 : 0));
    eeprom(dev, 0);
    connector = inb(PORT(CONNECTOR)) & (u8)~0x82;
    if (mca_field(d, 2, 0, 3) == 5)
        connector |= mca_field(d, 3, 7, 1) ? 0x80 : 0x82;
    outb(connector, PORT(CONNECTOR));
    udelay_spin(20000);

    kb = size_ram(dev);
    card->tx_count = kb >= 48 ? 8 : 4;
    card->rx_end = (u16)(0x3FF6 + (kb - 16) * 1024);
    card->rx_start = (u16)(TX_START + card->tx_count * TX_SIZE);
    if (kb != 16 && kb != 32 && kb != 48 && kb != 64) {
        printk("eexpress: %d KB of RAM\n", kb);
        return -1;
    }
    if (!irq_codes[dev->irq] || request_irq(dev->irq, interrupt, 0, dev)) {
        printk("eexpress: interrupt %d cannot be used\n", dev->irq);
        return -1;
    }
    dev->open = open;
    dev->start_transmit = start_transmit;
    dev->update_counters = update_counters;
    return 0;
}

const struct driver eexpress_driver = {
    .name = "eexpress", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe, .state_bytes = sizeof(struct eexpress)};
