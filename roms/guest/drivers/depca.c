// SPDX-License-Identifier: GPL-2.0-or-later
//
// Digital EtherWORKS MC, DE210 and DE212 (6DEFh; 628Dh in Linux 2.6): a LANCE with 64 or 32 KB of
// shared RAM. Touches the card as Linux 2.2's depca.c does: order, width and number of accesses, copies
// with the kernel's memcpy_toio and memcpy_fromio; the code is our own.
//
// Habits that set the figures: descriptors are read and written as doublewords, flag by flag; transmit
// demand after every frame; the interrupt handler masks the board, reads CSR0 once, acknowledges everything
// that it saw, and treats every frame as sent: all eight transmit buffers are filled, and for the next frame
// the processor reads the next descriptor in a loop until the LANCE returns it.
#include "lance.h"

enum { NICSR = 0x0, DATA = 0x4, ADDRESS = 0x6, PROM = 0xC };
enum { NICSR_SHE = 0x80, NICSR_BS = 0x40, NICSR_BUF = 0x20, NICSR_RBE = 0x10, NICSR_AAC = 0x08, NICSR_IM = 0x04,
       NICSR_IEN = 0x02, NICSR_LED = 0x01 };
enum { COUNT = 8, LOG_COUNT = 3, MASK = COUNT - 1, BUFFER_SIZE = 1536, ROM_OFFSET = 0xC000, SIGNATURE_BYTES = 16 };
#define OWN 0x80000000u
#define TX_STP 0x02000000u
#define TX_ENP 0x01000000u

struct descriptor {
    volatile u32 base;                  // flags in the upper byte
    volatile u16 size, message;
};

struct depca {
    u32 memory;                         // physical address of the RAM
    u8 *ram;
    struct descriptor *rx, *tx;
    u32 buffers;                        // the LANCE's address of the first one
    u8 *rx_data[COUNT], *tx_data[COUNT];
    struct lance_block block;
    u32 rx_new, rx_old, tx_new, tx_old;
    u32 bins[16], unicast, multicast, broadcast;
};

#define REG(r) ((u16)(dev->io + (r)))

static u32 room(struct netdev *dev) {
    struct depca *board = dev->private_data;
    return board->tx_old <= board->tx_new ? board->tx_old + MASK - board->tx_new : board->tx_old - board->tx_new - 1;
}

static void stop(struct netdev *dev) {
    outw(0, REG(ADDRESS));
    outw(CSR0_STOP, REG(DATA));
}

// ---- start --------------------------------------------------------------------------------------
static void init_rings(struct netdev *dev) {
    struct depca *board = dev->private_data;
    dev->busy = 1;
    board->rx_new = board->tx_new = board->rx_old = board->tx_old = 0;
    for (u32 i = 0; i < COUNT; i++) {
        u32 at = board->buffers + i * BUFFER_SIZE;
        board->rx[i].base = at | OWN;
        board->rx[i].size = (u16)-BUFFER_SIZE;
        board->rx_data[i] = virt((board->memory & 0xFF0000) + at);
    }
    for (u32 i = 0; i < COUNT; i++) {
        u32 at = board->buffers + (i + COUNT) * BUFFER_SIZE;
        board->tx[i].base = at;
        board->tx_data[i] = virt((board->memory & 0xFF0000) + at);
    }
    board->block.rx_ring = (phys(board->rx) & 0xFFFF) | (u32)LOG_COUNT << 29;
    board->block.tx_ring = (phys(board->tx) & 0xFFFF) | (u32)LOG_COUNT << 29;
    memset(board->block.filter, 0, sizeof board->block.filter);
    memcpy(board->block.address, dev->mac, 6);
    board->block.mode = 0;
}

static void load_registers(struct netdev *dev) {
    struct depca *board = dev->private_data;
    outw(1, REG(ADDRESS));
    outw((u16)board->memory, REG(DATA));
    outw(2, REG(ADDRESS));
    outw(0, REG(DATA));
    outw(3, REG(ADDRESS));
    outw(CSR3_ACON, REG(DATA));
    outw(0, REG(ADDRESS));
}

static int restart(struct netdev *dev) {
    struct depca *board = dev->private_data;
    int polls;
    memcpy_toio(board->ram, &board->block, sizeof board->block);
    outw(0, REG(ADDRESS));
    outw(CSR0_INIT, REG(DATA));
    for (polls = 0; polls < 100 && !(inw(REG(DATA)) & CSR0_IDON); polls++)
        ;
    if (polls == 100) {
        printk("%s: the LANCE does not initialise, CSR0 %x\n", dev->name, inw(REG(DATA)));
        return -1;
    }
    outw(CSR0_IDON | CSR0_INEA | CSR0_STRT, REG(DATA));
    return 0;
}

// ---- transmit -----------------------------------------------------------------------------------
static int load_frame(struct netdev *dev, const u8 *frame, u32 length) {
    struct depca *board = dev->private_data;
    struct descriptor *d = &board->tx[board->tx_new];
    if (d->base & OWN)
        return -1;
    memcpy_toio(board->tx_data[board->tx_new], frame, length);
    d->base = d->base & 0x00FFFFFF;
    d->message = 0;
    d->size = (u16)-length;
    d->base = d->base | TX_STP;
    d->base = d->base | TX_ENP;
    d->base = d->base | OWN;
    board->tx_new = (board->tx_new + 1) & MASK;
    return 0;
}

static int start_transmit(struct skb *b, struct netdev *dev) {
    if (dev->busy) {                    // only when called by the watchdog
        if (jiffies - dev->transmit_start < HZ)
            return 1;
        printk("%s: transmit timed out, CSR0 %x\n", dev->name, inw(REG(DATA)));
        stop(dev);
        init_rings(dev);
        load_registers(dev);
        dev->busy = 0;
        dev->transmit_start = jiffies;
        restart(dev);
        return 1;
    }
    u8 padded[ETH_MIN];
    const u8 *frame = b->data;
    u32 length = b->length;
    if (length < ETH_MIN) {
        memcpy(padded, frame, length);
        memset(padded + length, 0, ETH_MIN - length);
        frame = padded;
        length = ETH_MIN;
    }
    dev->busy = 1;
    if (!room(dev))
        return 1;
    int refused = load_frame(dev, frame, length);
    if (!refused) {
        outw(0, REG(ADDRESS));
        outw(CSR0_INEA | CSR0_TDMD, REG(DATA));
        dev->transmit_start = jiffies;
        skb_free(b);
    }
    if (room(dev))                         // even if the frame was refused
        dev->busy = 0;
    return refused;
}

static void transmit_done(struct netdev *dev) {
    struct depca *board = dev->private_data;
    struct net_counters *c = &dev->counters;
    while (board->tx_old != board->tx_new) {
        u32 status = board->tx[board->tx_old].base >> 16;
        // sic: the driver means to stop at a frame that has not been sent yet, but tests the sign of an unsigned
        // shift. Every interrupt treats all frames as sent, so the driver never waits for room; load_frame()
        // refuses instead, and the bottom half tries again until a descriptor comes back.
        if (status & MD1_ERR) {
            u32 error = *(volatile u32 *)&board->tx[board->tx_old].message;
            c->tx_errors++;
            c->tx_aborted_errors += (error & TMD3_RTRY) != 0;
            c->tx_carrier_errors += (error & TMD3_LCAR) != 0;
            c->tx_window_errors += (error & TMD3_LCOL) != 0;
            c->tx_fifo_errors += (error & TMD3_UFLO) != 0;
            if (error & (TMD3_BUFF | TMD3_UFLO)) {
                outw(0, REG(ADDRESS));
                outw(CSR0_INEA | CSR0_TDMD, REG(DATA));
            }
        } else if (status & (TMD1_MORE | TMD1_ONE)) {
            c->collisions++;            // sic: not counted as a packet
        } else {
            c->tx_packets++;
        }
        board->tx_old = (board->tx_old + 1) & MASK;
    }
}

// ---- receive ------------------------------------------------------------------------------------
static void count_kind(struct netdev *dev, const u8 *frame, u32 length) {
    struct depca *board = dev->private_data;
    const u16 *to = (const u16 *)frame, *mac = (const u16 *)dev->mac;
    for (u32 i = 1; i < 15; i++)
        if (length < i * 128) {
            board->bins[i]++;
            break;
        }
    if (frame[0] & 1) {
        if ((to[0] & to[1] & to[2]) == 0xFFFF)
            board->broadcast++;
        else
            board->multicast++;
    } else if (to[0] == mac[0] && to[1] == mac[1] && to[2] == mac[2]) {
        board->unicast++;
    }
    board->bins[0]++;
}

static int take_frame(struct netdev *dev, u32 entry) {
    struct depca *board = dev->private_data;
    u32 length = board->rx[entry].message - 4u;
    struct skb *b = skb_alloc(length + 2 + 16);
    if (!b) {
        dev->counters.rx_dropped++;
        return -1;
    }
    skb_reserve(b, 16 + 2);
    u8 *frame = skb_put(b, length);
    b->dev = dev;
    memcpy_fromio(frame, board->rx_data[board->rx_old], length);
    b->protocol = eth_type(b, dev);
    netif_rx(b);
    dev->counters.rx_packets++;
    count_kind(dev, frame, length);
    return 0;
}

static void receive(struct netdev *dev) {
    struct depca *board = dev->private_data;
    struct net_counters *c = &dev->counters;
    for (u32 entry = board->rx_new; receive_more(dev) && !(board->rx[entry].base & OWN); entry = board->rx_new) {
        u32 status = board->rx[entry].base >> 16;
        if (status & MD1_STP)
            board->rx_old = entry;
        if (status & MD1_ENP) {
            if (status & MD1_ERR) {
                c->rx_errors++;
                c->rx_frame_errors += (status & RMD1_FRAM) != 0;
                c->rx_over_errors += (status & RMD1_OFLO) != 0;
                c->rx_crc_errors += (status & RMD1_CRC) != 0;
                c->rx_fifo_errors += (status & RMD1_BUFF) != 0;
            } else if (take_frame(dev, entry)) {
                break;
            }
            for (; board->rx_old != entry; board->rx_old = (board->rx_old + 1) & MASK)
                board->rx[board->rx_old].base = board->rx[board->rx_old].base | OWN;
            board->rx[entry].base = board->rx[entry].base | OWN;
        }
        board->rx_new = (board->rx_new + 1) & MASK;
    }
}

// ---- interrupt ----------------------------------------------------------------------------------
static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    (void)irq, (void)r;
    dev->in_interrupt = 1;
    u8 nicsr = inb(REG(NICSR));
    nicsr |= NICSR_IM | NICSR_LED;
    outb(nicsr, REG(NICSR));
    outw(0, REG(ADDRESS));
    u16 csr0 = inw(REG(DATA));
    outw(csr0 & 0xFFF0, REG(DATA));
    if (csr0 & CSR0_RINT || receive_left(dev))
        receive(dev);
    if (csr0 & CSR0_TINT)
        transmit_done(dev);
    if (dev->busy) {
        dev->busy = 0;
        mark_bh(NET_BH);
    }
    nicsr &= (u8)~(NICSR_IM | NICSR_LED);
    outb(nicsr, REG(NICSR));
    dev->in_interrupt = 0;
}

// ---- taking over --------------------------------------------------------------------------------
static int open_card(struct netdev *dev) {
    stop(dev);
    u8 nicsr = inb(REG(NICSR));
    nicsr |= NICSR_SHE;
    outb(nicsr, REG(NICSR));
    init_rings(dev);
    load_registers(dev);
    if (request_irq(dev->irq, interrupt, 0, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    nicsr = (u8)((nicsr & ~(NICSR_IM | NICSR_LED)) | NICSR_IEN);
    outb(nicsr, REG(NICSR));
    outw(0, REG(ADDRESS));
    dev->busy = 0;
    dev->started = 1;
    if (restart(dev))
        return -1;
    stop(dev);                          // the kernel sets the multicast list of a device after opening it
    init_rings(dev);
    load_registers(dev);
    restart(dev);
    dev->busy = 0;
    return 0;
}

// 1 = the address PROM holds the family's pattern; its counter is then at the byte that follows
static int present(struct netdev *dev) {
    static const u8 pattern[8] = {0xFF, 0x00, 0x55, 0xAA, 0xFF, 0x00, 0x55, 0xAA};
    u32 found = 0;
    inb(REG(PROM));
    if (inb(REG(PROM)) == 0x08)
        outb(inb(REG(NICSR)) | NICSR_AAC, REG(NICSR));
    for (int i = 0; found < 8 && i < 32 + 8 - 1; i++) {
        u8 byte = inb(REG(PROM));
        found = byte == pattern[found] ? found + 1 : byte == pattern[0];
    }
    return found == 8;
}

// 1 = the first bytes of the ROM contain one of the family's names
static int signed_rom(u32 memory) {
    static const char *const names[] = {"DEPCA", "DE100", "DE101", "DE200", "DE201", "DE202", "DE210", "DE212", "DE422"};
    u8 text[SIGNATURE_BYTES];
    const volatile u8 *rom = virt((memory & 0xF0000) + ROM_OFFSET);
    for (u32 i = 0; i < SIGNATURE_BYTES; i++)
        text[i] = rom[i];
    for (u32 n = 0; n < sizeof names / sizeof *names; n++)
        for (u32 at = 0; at + 5 <= SIGNATURE_BYTES; at++)
            if (!memcmp(text + at, names[n], 5))
                return 1;
    return 0;
}

static int read_address(struct netdev *dev) {
    u32 sum = 0;
    for (int i = 0; i < 6; i += 2) {
        sum <<= 1;
        if (sum > 0xFFFF)
            sum -= 0xFFFF;
        dev->mac[i] = inb(REG(PROM));
        sum += dev->mac[i];
        dev->mac[i + 1] = inb(REG(PROM));
        sum += (u32)dev->mac[i + 1] << 8;
        if (sum > 0xFFFF)
            sum -= 0xFFFF;
    }
    if (sum == 0xFFFF)
        sum = 0;
    u32 check = inb(REG(PROM));
    return sum == (check | (u32)inb(REG(PROM)) << 8);
}

static int locate(struct device *d) {
    switch (mca_field(d, 3, 0, 4)) {
    case 1: d->irq = 9; break;
    case 2: d->irq = 5; break;
    case 4: d->irq = 10; break;
    case 8: d->irq = 11; break;
    default: printk("depca: POS 3 = %x selects no interrupt\n", mca_stored_pos(d, 3)); return -1;
    }
    d->io = (u16)(0x2C00 + 0x10 * mca_field(d, 2, 1, 2));
    d->mem = 0xC0000 + (mca_field(d, 2, 3, 2) << 16);
    return 0;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct depca *board = dev->private_data;
    board->memory = d->mem;
    if (!present(dev))
        printk("depca: the adapter at %x does not respond\n", dev->io);
    stop(dev);
    u8 nicsr = inb(REG(NICSR));
    nicsr = (u8)((nicsr & ~(NICSR_SHE | NICSR_RBE | NICSR_IEN)) | NICSR_IM);
    outb(nicsr, REG(NICSR));
    if (inw(REG(DATA)) != CSR0_STOP) {
        printk("depca: no LANCE at %x\n", dev->io);
        return -1;
    }
    if (!signed_rom(board->memory)) {
        printk("depca: no known name in the ROM at %x\n", board->memory + ROM_OFFSET);
        return -1;
    }
    if (!read_address(dev)) {
        printk("depca: the check word of the address is wrong\n");
        return -1;
    }
    if (nicsr & NICSR_BUF) {
        board->memory += 0x8000;
        nicsr &= (u8)~NICSR_BS;
    }
    nicsr |= NICSR_SHE;
    outb(nicsr, REG(NICSR));
    board->ram = virt(board->memory);
    board->rx = (struct descriptor *)(board->ram + sizeof board->block);
    board->tx = board->rx + COUNT;
    board->buffers = phys(board->tx + COUNT) & 0xFFFF;
    init_rings(dev);
    load_registers(dev);
    nicsr = (u8)((nicsr & ~NICSR_IM) | NICSR_IEN);
    outb(nicsr, REG(NICSR));
    dev->open = open_card;
    dev->start_transmit = start_transmit;
    return 0;
}

static const u32 ids[] = {0x6DEF, 0x628D, 0};

const struct driver depca_driver = {
    .name = "de210", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe, .state_bytes = sizeof(struct depca)};
