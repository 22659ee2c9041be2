// SPDX-License-Identifier: GPL-2.0-or-later
//
// SMC 8013EP/A and WP/A (61C8h, 61C9h), WD 8003E/A and W/A (6FC0h, 6FC1h, 6FC2h), IBM Adapter/A for
// Ethernet (EFD4h, EFD5h, EFE5h): an 8390 whose RAM the host shares. Touches the card as Linux 2.2's
// smc-mca.c does; the code is our own.
//
// The Linux driver was derived from one for a later bus chip and pokes this one as if it were that
// (registers +4, +5, +6, +Ch); the sequence is kept, the cards ignore what they do not have.
//
// POS: docs/hardware/wd83c58x.md#8013-boards. I/O: +00h bus chip, +08h address, +10h the 8390.
#include "dp8390.h"

enum { COMMAND = 0, REGISTER_SET = 4, ADDRESS = 8, FINE16 = 0x0C, NIC = 0x10 };
enum { COMMAND_MEMORY = 0x40, COMMAND_RESET = 0x80, START_PAGE = 0 };

static const u16 ids[] = {0x61C8, 0x61C9, 0x6FC0, 0x6FC1, 0x6FC2, 0xEFD4, 0xEFD5, 0xEFE5, 0};
static const u8 interrupts_8013[4] = {3, 4, 10, 14};
static const u8 interrupts_8003[4] = {3, 4, 10, 15};

// 61C8h and 61C9h: the choices of POS 3 that the driver knows, bit 6 left out.
static const struct {
    u8 code;
    u32 start;
    u8 pages;
} memory[] = {
    {0x10, 0xC0000, 0x40},  {0x12, 0xC4000, 0x40},  {0x14, 0xC8000, 0x40},  {0x16, 0xCC000, 0x40},
    {0x18, 0xD0000, 0x40},  {0x1A, 0xD4000, 0x40},  {0x1C, 0xD8000, 0x40},  {0x1E, 0xDC000, 0x40},
    {0x90, 0xFC0000, 0x40}, {0x94, 0xFC8000, 0x40}, {0x9A, 0xFD0000, 0x40}, {0x9C, 0xFD8000, 0x40},
    {0x00, 0xC0000, 0x20},  {0x01, 0xC2000, 0x20},  {0x02, 0xC4000, 0x20},  {0x03, 0xC6000, 0x20},
};

struct smc_memory {
    u8 *ring_end, *ring_start, *ram;
};
struct smc_mca {                        // of one adapter, where there are several
    struct dp8390 board;
    struct smc_memory memory;
};
ONE_ADAPTER(dp8390);
ONE_ADAPTER(smc_memory);
#define board STATE_OF(dp8390)
#define card STATE_BEHIND(dp8390, smc_memory)

// The bus chip lies below the 8390, whose base the core driver works with.
#define ASIC(r) ((u16)(dev->io - NIC + (r)))

static void reset(struct netdev *dev) {
    outb(COMMAND_RESET, ASIC(COMMAND));
    board.transmitting = 0;
    outb(0x80, ASIC(5));
    outb(0x01, ASIC(6));
}

static void get_header(struct netdev *dev, struct dp8390_header *h, int page) {
    *(u32 *)h = *(volatile u32 *)(card.ram + (page << 8));
}

static void block_input(struct netdev *dev, int count, struct skb *b, int offset) {
    u8 *from = card.ram + offset;
    if (from + count > card.ring_end) {
        u32 head = (u32)(card.ring_end - from);
        memcpy_fromio(b->data, from, head);
        memcpy_fromio(b->data + head, card.ring_start, (u32)count - head);
    } else {
        eth_copy_and_sum(b, from, (u32)count);
    }
}

static void block_output(struct netdev *dev, int count, const u8 *from, int page) {
    memcpy_toio(card.ram + (page << 8), from, (u32)count);
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

// 0 = POS selects nothing that the driver knows.
static int decode(struct netdev *dev, const u8 pos[8], u32 *start, u8 *pages) {
    u16 id = (u16)(pos[0] | pos[1] << 8);
    int old = (id & 0xFFF0) == 0x6FC0 || id == 0xEFE5;
    dev->io = (u16)(old ? (pos[2] & 0xFE) * 0x10 : 0x0800 + ((pos[2] & 0xF0) << 8));
    dev->irq = old ? interrupts_8003[pos[5] & 3] : interrupts_8013[pos[5] >> 2 & 3];
    *start = 0;
    if (old) {
        *start = (u32)(pos[3] & 0xFC) * 0x1000;
        *pages = 0x40;
    } else if ((id & 0xFFF0) == 0xEFD0) {
        *start = 0xC0000 + 0x2000 * (u32)(pos[3] & 0x0F);
        *pages = (u8)(0x20 + 2 * (pos[3] & 0x10));
    } else {
        for (u32 i = 0; i < sizeof memory / sizeof *memory; i++)
            if (memory[i].code == (pos[3] & ~0x40)) {
                *start = memory[i].start;
                *pages = memory[i].pages;
            }
    }
    return dev->io && *start;
}

static int probe(struct netdev *dev, const u8 pos[8]) {
    u32 start;
    u8 pages, set;
    if (!decode(dev, pos, &start, &pages)) {
        printk("smc-mca: POS selects no I/O base or memory\n");
        return -1;
    }
    u16 asic = (u16)dev->io;
    set = inb(asic + REGISTER_SET) & 0x7F;
    outb(set, asic + REGISTER_SET);
    for (int i = 0; i < 6; i++)
        dev->mac[i] = inb((u16)(asic + ADDRESS + i));
    outb(0x80 | set, asic + REGISTER_SET);
    outb(0x80 | inb(asic + FINE16), asic + FINE16);
    outb(set, asic + REGISTER_SET);
    dev->io = asic + NIC;
    card.ram = virt(start);
    card.ring_start = card.ram + TX_PAGES * 256;
    card.ring_end = card.ram + pages * 256;
    board.word16 = 1;
    board.tx_start_page = START_PAGE;
    board.rx_start_page = START_PAGE + TX_PAGES;
    board.stop_page = pages;
    board.reset = reset;
    board.get_header = get_header;
    board.block_input = block_input;
    board.block_output = block_output;
    dp8390_attach(dev, &board);
    dev->open = open;
    dp8390_init(dev, 0);
    return 0;
}

DRIVER(smc_mca_driver, "smc-mca", ids, probe, smc_mca);
