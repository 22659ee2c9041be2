// SPDX-License-Identifier: GPL-2.0-or-later
//
// Novell NE/2 (7154h), Arco AE/2 (6354h), Compex ENET16-MC/P (70DEh), D-Link DE-320CT (56EAh): 16-bit
// programmed I/O through the 8390's remote DMA. Touches the card as Linux's ne2.c does (the DE-320 as
// in its version of February 2001, whose data path is that of 2.2); the code is our own.
//
// POS 2: bit 0 enable, bits 3:1 I/O base, bits 6:5 interrupt (docs/hardware/dp8390.md#novell-ne2); DE-320: bits 6:5 I/O base,
// bits 4:2 interrupt (docs/hardware/dp8390.md#d-link-de-320ct). I/O: +00h chip, +10h data port (words), +20h reset port, DE-320
// +1Eh address EEPROM.
#include "dp8390.h"

enum { DATA_PORT = 0x10, RESET_PORT = 0x20, START_PAGE = 0x40, STOP_PAGE = 0x80 };
enum { WAIT_LIMIT = 2 * HZ / 100 };     // 20 ms

static const u16 bases[8] = {0, 0x1000, 0x2020, 0x8020, 0xA0A0, 0xB0B0, 0xC0C0, 0xC3D0};
static const u8 interrupts[4] = {3, 4, 5, 9};
enum { DLINK = 0x56EA };
static const u32 ids[] = {0x6354, 0x70DE, 0x7154, DLINK, 0};
static const u8 dlink_interrupts[8] = {3, 4, 5, 9, 10, 11, 14, 15};

#define REG(r) ((u16)(dev->io + (r)))

static void reset(struct netdev *dev) {
    struct dp8390 *board = dev->private_data;
    u32 start = jiffies;
    outb(inb(REG(RESET_PORT)), REG(RESET_PORT));
    board->transmitting = 0;
    board->dma_busy = 0;
    while (!(inb_p(REG(ISR)) & ISR_RESET))
        if (jiffies - start > WAIT_LIMIT) {
            printk("ne2: reset did not complete\n");
            break;
        }
    outb_p(ISR_RESET, REG(ISR));
}

static int dma_conflict(struct netdev *dev, const char *where) {
    struct dp8390 *board = dev->private_data;
    if (!board->dma_busy)
        return 0;
    printk("ne2: remote DMA already busy in %s\n", where);
    return 1;
}

static void remote_setup(struct netdev *dev, int count, int address) {
    outb_p((u8)count, REG(RBCR0));
    outb_p((u8)(count >> 8), REG(RBCR1));
    outb_p((u8)address, REG(RSAR0));
    outb_p((u8)(address >> 8), REG(RSAR1));
}

static void get_header(struct netdev *dev, struct dp8390_header *h, int page) {
    struct dp8390 *board = dev->private_data;
    if (dma_conflict(dev, "header"))
        return;
    board->dma_busy = 1;
    outb_p(CR_NO_DMA | CR_START, REG(CR));
    remote_setup(dev, sizeof *h, page << 8);
    outb_p(CR_REMOTE_READ | CR_START, REG(CR));
    insw(REG(DATA_PORT), h, sizeof *h / 2);
    outb_p(ISR_REMOTE_DONE, REG(ISR));
    board->dma_busy = 0;
}

static void block_input(struct netdev *dev, int count, struct skb *b, int offset) {
    struct dp8390 *board = dev->private_data;
    u8 *to = b->data;
    if (dma_conflict(dev, "input"))
        return;
    board->dma_busy = 1;
    outb_p(CR_NO_DMA | CR_START, REG(CR));
    remote_setup(dev, count, offset);
    outb_p(CR_REMOTE_READ | CR_START, REG(CR));
    insw(REG(DATA_PORT), to, (u32)count >> 1);
    if (count & 1)
        to[count - 1] = inb(REG(DATA_PORT));
    outb_p(ISR_REMOTE_DONE, REG(ISR));
    board->dma_busy = 0;
}

static void block_output(struct netdev *dev, int count, const u8 *from, int page) {
    struct dp8390 *board = dev->private_data;
    u32 start;
    count = (count + 1) & ~1;
    if (dma_conflict(dev, "output"))
        return;
    board->dma_busy = 1;
    outb_p(CR_NO_DMA | CR_START, REG(CR));
    outb_p(ISR_REMOTE_DONE, REG(ISR));
    remote_setup(dev, count, page << 8);
    outb_p(CR_REMOTE_WRITE | CR_START, REG(CR));
    outsw(REG(DATA_PORT), from, (u32)count >> 1);
    start = jiffies;
    while (!(inb_p(REG(ISR)) & ISR_REMOTE_DONE))
        if (jiffies - start > WAIT_LIMIT) {
            printk("ne2: remote DMA did not complete\n");
            reset(dev);
            dp8390_init(dev, 1);
            break;
        }
    outb_p(ISR_REMOTE_DONE, REG(ISR));
    board->dma_busy = 0;
}

// The DE-320's address EEPROM, accessed through a single port. After each write the driver waits for two edges of the
// port's slow clock, found by comparing pairs of reads.
enum { EEPROM = 0x1E, EEPROM_DO = 0x01, EEPROM_DI = 0x02, EEPROM_SK = 0x04, EEPROM_CS = 0x08, EEPROM_CLOCK = 0x80 };

static void eeprom_put(struct netdev *dev, u8 value) {
    outb(value, REG(EEPROM));
    for (int edges = 0; edges < 2; edges++) {
        u8 first, second;
        do {
            first = inb(REG(EEPROM));
            second = inb(REG(EEPROM));
        } while (!((first ^ second) & EEPROM_CLOCK));
    }
}

static void eeprom_bit(struct netdev *dev, int bit) {
    u8 level = EEPROM_DO | EEPROM_CS | (bit ? EEPROM_DI : 0);
    eeprom_put(dev, level);
    eeprom_put(dev, level | EEPROM_SK);
    eeprom_put(dev, level | EEPROM_SK);
    eeprom_put(dev, level);
}

static u16 eeprom_word(struct netdev *dev, int address) {
    u16 value = 0;
    int command = 0x180 | address;      // start bit, opcode 10, six address bits
    eeprom_put(dev, EEPROM_DO);
    eeprom_put(dev, EEPROM_DO | EEPROM_CS);
    for (int bit = 8; bit >= 0; bit--)
        eeprom_bit(dev, command >> bit & 1);
    for (int bit = 0; bit < 16; bit++) {
        eeprom_bit(dev, 0);
        value = (u16)(value << 1 | (inb(REG(EEPROM)) & EEPROM_DO));
    }
    return value;
}

static int locate(struct device *d) {
    if (d->id == DLINK) {
        d->io = (u16)(0x300 + (mca_field(d, 2, 5, 2) << 5));
        d->irq = dlink_interrupts[mca_field(d, 2, 2, 3)];
    } else {
        d->io = bases[mca_field(d, 2, 1, 3)];
        d->irq = interrupts[mca_field(d, 2, 5, 2)];
    }
    if (!d->io)
        printk("ne2: POS 2 = %x selects no I/O base\n", mca_stored_pos(d, 2));
    return d->io ? 0 : -1;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct dp8390 *board = dev->private_data;
    // NS8390 start-up sequence needed before the address PROM can be read
    static const struct {
        u8 value, reg;
    } sequence[] = {
        {CR_NO_DMA | CR_STOP, CR}, {0x49, DCR},  {0x00, RBCR0}, {0x00, RBCR1}, {0x00, IMR},
        {0xFF, ISR},               {0x20, RCR},  {0x02, TCR},   {32, RBCR0},   {0x00, RBCR1},
        {0x00, RSAR0},             {0x00, RSAR1}, {CR_REMOTE_READ | CR_START, CR},
    };
    for (int i = 0; i < 8; i++)
        outb(0, REG(RESET_PORT));
    inb(REG(RESET_PORT));
    outb(0x21, REG(CR));
    if (inb(REG(CR)) != 0x21) {
        printk("ne2: the adapter does not respond at %x\n", dev->io);
        return -1;
    }
    for (u32 i = 0; i < sizeof sequence / sizeof *sequence; i++)
        outb_p(sequence[i].value, REG(sequence[i].reg));
    for (int i = 0; i < 6; i++)
        dev->mac[i] = inb(REG(DATA_PORT));
    for (int i = 0; d->id == DLINK && i < 3; i++) {
        u16 word = eeprom_word(dev, i);
        dev->mac[2 * i] = (u8)word;
        dev->mac[2 * i + 1] = (u8)(word >> 8);
    }
    board->word16 = 1;
    board->tx_start_page = START_PAGE;
    board->rx_start_page = START_PAGE + TX_PAGES;
    board->stop_page = STOP_PAGE;
    board->reset = reset;
    board->get_header = get_header;
    board->block_input = block_input;
    board->block_output = block_output;
    if (request_irq(dev->irq, dp8390_interrupt, 0, dev)) {
        printk("ne2: interrupt %d is taken\n", dev->irq);
        return -1;
    }
    dp8390_attach(dev);
    dp8390_init(dev, 0);
    return 0;
}

const struct driver ne2_driver = {
    .name = "ne2", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe, .state_bytes = sizeof(struct dp8390)};
