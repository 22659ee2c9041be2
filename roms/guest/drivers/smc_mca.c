// SPDX-License-Identifier: GPL-2.0-or-later
//
// SMC 8013EP/A and WP/A (61C8h, 61C9h), WD 8003E/A and W/A (6FC0h, 6FC1h, 6FC2h), IBM Adapter/A for
// Ethernet (EFD4h, EFD5h, EFE5h): an 8390 whose RAM the host shares. Touches the card as Linux 2.2's
// smc-mca.c does; the code is our own.
//
// The Linux driver was derived from one for a later bus chip and programs this one as if it were the later one
// (registers +4, +5, +6, +Ch); the sequence is kept, and the cards ignore registers that they do not have.
//
// POS: docs/hardware/wd83c58x.md#8013-boards. I/O: +00h bus chip, +08h address, +10h the 8390.
#include "dp8390.h"

enum { COMMAND = 0, REGISTER_SET = 4, ADDRESS = 8, FINE16 = 0x0C, NIC = 0x10 };
enum { COMMAND_MEMORY = 0x40, COMMAND_RESET = 0x80, START_PAGE = 0 };

static const u32 ids[] = {0x61C8, 0x61C9, 0x6FC0, 0x6FC1, 0x6FC2, 0xEFD4, 0xEFD5, 0xEFE5, 0};
static const u8 interrupts_8013[4] = {3, 4, 10, 14};
static const u8 interrupts_8003[4] = {3, 4, 10, 15};

// 61C8h and 61C9h: the settings of POS 3 that the driver knows, without bit 6.
static const struct choice {
    u8 code;
    u32 start;
    u8 pages;
} memory[] = {
    {0x10, 0xC0000, 0x40},  {0x12, 0xC4000, 0x40},  {0x14, 0xC8000, 0x40},  {0x16, 0xCC000, 0x40},
    {0x18, 0xD0000, 0x40},  {0x1A, 0xD4000, 0x40},  {0x1C, 0xD8000, 0x40},  {0x1E, 0xDC000, 0x40},
    {0x90, 0xFC0000, 0x40}, {0x94, 0xFC8000, 0x40}, {0x9A, 0xFD0000, 0x40}, {0x9C, 0xFD8000, 0x40},
    {0x00, 0xC0000, 0x20},  {0x01, 0xC2000, 0x20},  {0x02, 0xC4000, 0x20},  {0x03, 0xC6000, 0x20},
};

struct smc_mca {
    struct dp8390 chip;                 // first: the core driver's
    u8 *ring_end, *ring_start, *ram;
};

// The bus chip's registers are below the 8390's, which the core driver uses as its base.
#define ASIC(r) ((u16)(dev->io - NIC + (r)))

static void reset(struct netdev *dev) {
    outb(COMMAND_RESET, ASIC(COMMAND));
    ((struct dp8390 *)dev->private_data)->transmitting = 0;
    outb(0x80, ASIC(5));
    outb(0x01, ASIC(6));
}

static void get_header(struct netdev *dev, struct dp8390_header *h, int page) {
    struct smc_mca *card = dev->private_data;
    *(u32 *)h = *(volatile u32 *)(card->ram + (page << 8));
}

static void block_input(struct netdev *dev, int count, struct skb *b, int offset) {
    struct smc_mca *card = dev->private_data;
    u8 *from = card->ram + offset;
    if (from + count > card->ring_end) {
        u32 head = (u32)(card->ring_end - from);
        memcpy_fromio(b->data, from, head);
        memcpy_fromio(b->data + head, card->ring_start, (u32)count - head);
    } else {
        eth_copy_and_sum(b, from, (u32)count);
    }
}

static void block_output(struct netdev *dev, int count, const u8 *from, int page) {
    struct smc_mca *card = dev->private_data;
    memcpy_toio(card->ram + (page << 8), from, (u32)count);
}

static int open(struct netdev *dev) {
    if (request_irq(dev->irq, dp8390_interrupt, 0, dev))
        return -1;
    outb(COMMAND_MEMORY, ASIC(COMMAND));
    outb(0x80, ASIC(5));
    outb(0x01, ASIC(6));
    outb(0x04, ASIC(5));
    return dp8390_open(dev);
}

static int is_8003(const struct device *d) { return (d->id & 0xFFF0) == 0x6FC0 || d->id == 0xEFE5; }
static int is_ibm(const struct device *d) { return (d->id & 0xFFF0) == 0xEFD0; }

// The row of an SMC 8013; a row with no pages if POS selects nothing that the driver knows.
static struct choice chosen(const struct device *d) {
    for (u32 i = 0; i < sizeof memory / sizeof *memory; i++)
        if (memory[i].code == (mca_stored_pos(d, 3) & ~0x40))
            return memory[i];
    return (struct choice){0, 0, 0};
}

static u8 ram_pages(const struct device *d) {
    return is_8003(d) ? 0x40 : is_ibm(d) ? (u8)(0x20 + (mca_field(d, 3, 4, 1) << 5)) : chosen(d).pages;
}

static int locate(struct device *d) {
    if (is_8003(d)) {
        d->io = (u16)(mca_field(d, 2, 1, 7) << 5);
        d->mem = mca_field(d, 3, 2, 6) << 14;
        d->irq = interrupts_8003[mca_field(d, 5, 0, 2)];
    } else {
        d->io = (u16)(0x0800 + (mca_field(d, 2, 4, 4) << 12));
        d->mem = is_ibm(d) ? 0xC0000 + 0x2000 * mca_field(d, 3, 0, 4) : chosen(d).start;
        d->irq = interrupts_8013[mca_field(d, 5, 2, 2)];
    }
    if (d->io && d->mem)
        return 0;
    printk("smc-mca: POS selects no I/O base or memory\n");
    return -1;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct smc_mca *card = dev->private_data;
    u8 set;
    u16 asic = d->io;
    set = inb(asic + REGISTER_SET) & 0x7F;
    outb(set, asic + REGISTER_SET);
    for (int i = 0; i < 6; i++)
        dev->mac[i] = inb((u16)(asic + ADDRESS + i));
    outb(0x80 | set, asic + REGISTER_SET);
    outb(0x80 | inb(asic + FINE16), asic + FINE16);
    outb(set, asic + REGISTER_SET);
    dev->io = asic + NIC;
    card->ram = virt(d->mem);
    card->ring_start = card->ram + TX_PAGES * 256;
    card->ring_end = card->ram + ram_pages(d) * 256;
    card->chip.word16 = 1;
    card->chip.tx_start_page = START_PAGE;
    card->chip.rx_start_page = START_PAGE + TX_PAGES;
    card->chip.stop_page = ram_pages(d);
    card->chip.reset = reset;
    card->chip.get_header = get_header;
    card->chip.block_input = block_input;
    card->chip.block_output = block_output;
    dp8390_attach(dev);
    dev->open = open;
    dp8390_init(dev, 0);
    return 0;
}

const struct driver smc_mca_driver = {
    .name = "smc-mca", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe, .state_bytes = sizeof(struct smc_mca)};
