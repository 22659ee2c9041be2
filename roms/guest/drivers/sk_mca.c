// SPDX-License-Identifier: GPL-2.0-or-later
//
// SKnet MC2+ (6AFDh) and Junior MC2 (6BE9h): a LANCE with a 16 KB memory window. Touches the card as
// Linux 2.2's sk_mca.c does: order, width and number of accesses, copies with the kernel's memcpy_toio
// and memcpy_fromio; the code is our own. MERR, BABL and MISS without another cause are handled as in
// 2.4: 2.2 would loop on them forever.
//
// Habits that set the figures: transmit demand is never issued, because the number of busy buffers is
// compared with zero only after this frame has been counted: frames wait for the chip's own poll; four
// transmit buffers, whole descriptors read and written back; each register access takes nine accesses to
// the window and two waits of 1 us; each cause is acknowledged separately, by writing back what was read.
#include "lance.h"

enum { WINDOW_ADDRESS = 0x3FC0, WINDOW_LATCH = 0x3FF0, WINDOW_CONTROL = 0x3FF2, WINDOW_COMMAND = 0x3FF3 };
enum { CONTROL_RAP = 1, CONTROL_READ = 2, CONTROL_RUN = 8, STATUS_BUSY = 0x20, COMMAND_GO = 0x80 };
enum { TX_COUNT = 4, RX_COUNT = 4, LOG_COUNT = 2, BLOCK_BASE = 0, TX_BASE = 24, RX_BASE = TX_BASE + 8 * TX_COUNT,
       DATA_BASE = RX_BASE + 8 * RX_COUNT, BUFFER_SIZE = 1580 };

struct descriptor {
    u16 address, flags, size, status;   // status: the message length of a received frame
};

enum { JUNIOR = 0x6BE9 };
static const u32 ids[] = {0x6AFD, JUNIOR, 0};

struct sk_mca {
    u8 *ram;
    volatile u8 *control, *command;
    volatile u16 *latch;
    int next_rx, next_put, next_done, busy;
};

// ---- the LANCE's registers ----------------------------------------------------------------------
static void reset_board(struct netdev *dev) {
    struct sk_mca *board = dev->private_data;
    *board->control = 0;
    udelay_spin(10);
    *board->control = CONTROL_RUN;
}

static void wait_transfer(struct netdev *dev) {
    struct sk_mca *board = dev->private_data;
    while (*board->control & STATUS_BUSY)
        ;
}

static void transfer(struct netdev *dev, u8 control) {
    struct sk_mca *board = dev->private_data;
    *board->control = CONTROL_RUN | control;
    if (!(control & CONTROL_READ))
        return;
    *board->command = COMMAND_GO;
    udelay_spin(1);
    wait_transfer(dev);
}

static void put(struct netdev *dev, u8 control, u16 value) {
    struct sk_mca *board = dev->private_data;
    transfer(dev, control);
    *board->latch = value;
    *board->command = COMMAND_GO;
    udelay_spin(1);
    wait_transfer(dev);
}

static void set_lance(struct netdev *dev, u16 reg, u16 value) {
    u32 flags;
    save_flags_cli(flags);
    wait_transfer(dev);
    put(dev, CONTROL_RAP, reg);
    put(dev, 0, value);
    restore_flags(flags);
}

static u16 get_lance(struct netdev *dev, u16 reg) {
    struct sk_mca *board = dev->private_data;
    u32 flags;
    save_flags_cli(flags);
    wait_transfer(dev);
    put(dev, CONTROL_RAP, reg);
    transfer(dev, CONTROL_READ);
    u16 value = *board->latch;
    restore_flags(flags);
    return value;
}

// ---- start --------------------------------------------------------------------------------------
static void clear_buffer(struct netdev *dev, u32 at) {
    struct sk_mca *board = dev->private_data;
    u32 words = BUFFER_SIZE / 4;
    void *to = board->ram + at;
    __asm__ volatile("cld\n\trep stosl" : "+D"(to), "+c"(words) : "a"(0) : "memory");
}

static void init_descriptors(struct netdev *dev) {
    struct sk_mca *board = dev->private_data;
    struct descriptor d;
    u32 at = DATA_BASE;
    for (int n = 0; n < TX_COUNT; n++, at += BUFFER_SIZE) {
        d.address = (u16)at;
        d.flags = 0;
        d.size = 0xF000;
        d.status = 0;
        memcpy_toio(board->ram + TX_BASE + n * sizeof d, &d, sizeof d);
        clear_buffer(dev, at);
    }
    for (int n = 0; n < RX_COUNT; n++, at += BUFFER_SIZE) {
        d.address = (u16)at;
        d.flags = MD1_OWN;
        d.size = (u16)-BUFFER_SIZE;
        d.status = 0;
        memcpy_toio(board->ram + RX_BASE + n * sizeof d, &d, sizeof d);
        clear_buffer(dev, at);
    }
}

static void init_lance(struct netdev *dev) {
    struct sk_mca *board = dev->private_data;
    init_descriptors(dev);
    board->next_rx = board->next_put = board->next_done = board->busy = 0;
    set_lance(dev, 3, CSR3_ACON);
    set_lance(dev, 1, BLOCK_BASE);
    set_lance(dev, 2, 0);
    dev->busy = 1;                      // until IDON interrupts
    set_lance(dev, 0, CSR0_INEA | CSR0_INIT);
}

static void stop_lance(struct netdev *dev) {
    dev->busy = 1;
    set_lance(dev, 0, CSR0_STOP);
}

static void init_board(struct netdev *dev) {
    struct sk_mca *board = dev->private_data;
    struct lance_block block;
    memset(&block, 0, sizeof block);
    memcpy(block.address, dev->mac, 6);
    block.rx_ring = RX_BASE | (u32)LOG_COUNT << 29;
    block.tx_ring = TX_BASE | (u32)LOG_COUNT << 29;
    memcpy_toio(board->ram + BLOCK_BASE, &block, sizeof block);
    init_lance(dev);
}

// ---- transmit -----------------------------------------------------------------------------------
static int start_transmit(struct skb *b, struct netdev *dev) {
    struct sk_mca *board = dev->private_data;
    static const char filler[] = "NetBSD is a nice OS too! ";
    struct descriptor d;
    u32 flags, length = b->length > ETH_MIN ? b->length : ETH_MIN;
    if (board->busy >= TX_COUNT) {
        dev->counters.tx_errors++;
        return 1;                       // Linux drops it; a device that is not ready is never called
    }
    u8 *descriptor = board->ram + TX_BASE + board->next_put * sizeof d;
    memcpy_fromio(&d, descriptor, sizeof d);
    d.size = (u16)-length;
    u8 *data = board->ram + d.address;
    if (length > b->length)
        for (u32 at = 0; at < length; at += sizeof filler - 1)
            memcpy_toio(data + at, filler, sizeof filler - 1);
    memcpy_toio(data, b->data, b->length);
    d.flags = MD1_OWN | MD1_STP | MD1_ENP;

    save_flags_cli(flags);
    if (++board->next_put >= TX_COUNT)
        board->next_put = 0;
    board->busy++;
    dev->busy = board->busy >= TX_COUNT;
    memcpy_toio(descriptor, &d, sizeof d);
    if (board->busy == 0)                // never true
        set_lance(dev, 0, CSR0_INEA | CSR0_TDMD);
    restore_flags(flags);
    skb_free(b);
    return 0;
}

static u16 transmit_done(struct netdev *dev, u16 csr0) {
    struct sk_mca *board = dev->private_data;
    struct descriptor d;
    struct net_counters *c = &dev->counters;
    u32 at = TX_BASE + (u32)board->next_done * sizeof d;
    while (board->busy > 0) {
        memcpy_fromio(&d, board->ram + at, sizeof d);
        if (d.flags & MD1_OWN)
            break;
        if (!(d.flags & MD1_ERR)) {
            c->tx_packets++;
            c->tx_bytes++;              // sic
        } else {
            c->tx_errors++;
            if (d.status & TMD3_UFLO) {
                c->tx_fifo_errors++;
                init_lance(dev);
            } else if (d.status & TMD3_LCOL) {
                c->tx_window_errors++;
            } else if (d.status & TMD3_LCAR) {
                c->tx_carrier_errors++;
            } else if (d.status & TMD3_RTRY) {
                c->tx_aborted_errors++;
            }
        }
        at += sizeof d;
        if (++board->next_done >= TX_COUNT) {
            board->next_done = 0;
            at = TX_BASE;
        }
        board->busy--;
    }
    set_lance(dev, 0, csr0 | CSR0_TINT);
    csr0 = get_lance(dev, 0);
    dev->busy = 0;
    mark_bh(NET_BH);
    return csr0;
}

// ---- receive ------------------------------------------------------------------------------------
static void take_frame(struct netdev *dev, const struct descriptor *d) {
    struct sk_mca *board = dev->private_data;
    struct skb *b = skb_alloc((u32)d->status + 2 + 16);
    if (!b) {
        dev->counters.rx_dropped++;
        return;
    }
    skb_reserve(b, 16);
    memcpy_fromio(skb_put(b, d->status), board->ram + d->address, d->status);
    b->dev = dev;
    b->protocol = eth_type(b, dev);
    dev->counters.rx_packets++;
    dev->counters.rx_bytes += d->status;
    netif_rx(b);
}

static u16 receive(struct netdev *dev, u16 csr0) {
    struct sk_mca *board = dev->private_data;
    struct descriptor d;
    u32 at = RX_BASE + (u32)board->next_rx * sizeof d;
    if (csr0 & CSR0_MISS)
        dev->counters.rx_fifo_errors++;
    while (receive_more(dev)) {
        memcpy_fromio(&d, board->ram + at, sizeof d);
        if (d.flags & MD1_OWN)
            break;
        if (d.flags & MD1_ERR) {
            dev->counters.rx_errors++;
            if (d.flags & RMD1_CRC)
                dev->counters.rx_crc_errors++;
            else if (d.flags & RMD1_OFLO)
                dev->counters.rx_fifo_errors++;
        } else {
            take_frame(dev, &d);
        }
        d.status = 0;
        d.flags |= MD1_OWN;
        memcpy_toio(board->ram + at, &d, sizeof d);
        at += sizeof d;
        if (++board->next_rx >= RX_COUNT) {
            board->next_rx = 0;
            at = RX_BASE;
        }
    }
    set_lance(dev, 0, csr0 | CSR0_RINT);
    return get_lance(dev, 0);
}

// ---- interrupt ----------------------------------------------------------------------------------
static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    (void)irq, (void)r;
    u16 csr0 = get_lance(dev, 0);
    int left = receive_left(dev);
    if (!(csr0 & CSR0_INTR) && !left)
        return;
    dev->in_interrupt = 1;
    do {
        if (csr0 & CSR0_IDON) {
            dev->busy = 0;
            set_lance(dev, 0, csr0 | CSR0_IDON | CSR0_STRT);
            csr0 = get_lance(dev, 0);
        }
        if (csr0 & CSR0_RINT)
            csr0 = receive(dev, csr0);
        else if (left)                  // receive() acknowledges the causes that it is given
            csr0 = receive(dev, csr0 & ~(u32)CSR0_TINT);
        if (csr0 & CSR0_TINT)
            csr0 = transmit_done(dev, csr0);
        if (csr0 & (CSR0_MISS | CSR0_MERR | CSR0_BABL)) {
            set_lance(dev, 0, csr0);
            csr0 = get_lance(dev, 0);
        }
        left = 0;
    } while (csr0 & CSR0_INTR && receive_more(dev));
    dev->in_interrupt = 0;
}

// ---- taking over --------------------------------------------------------------------------------
static int open_card(struct netdev *dev) {
    struct sk_mca *board = dev->private_data;
    struct lance_block block;
    if (request_irq(dev->irq, interrupt, IRQF_SHARED, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    init_board(dev);
    dev->started = 1;
    stop_lance(dev);                    // the kernel sets the multicast list of a device after opening it
    memcpy_fromio(&block, board->ram + BLOCK_BASE, sizeof block);
    block.mode &= 0x7FFF;
    memcpy_toio(board->ram + BLOCK_BASE, &block, sizeof block);
    init_lance(dev);
    return 0;
}

static int locate(struct device *d) {
    static const u8 interrupts[4] = {3, 5, 10, 11};
    if (d->id == JUNIOR) {
        d->mem = 0xC0000 + (mca_field(d, 2, 1, 3) << 14);
        d->irq = 10 + (int)mca_field(d, 2, 4, 1);
    } else {
        d->mem = 0xC0000 + (mca_field(d, 3, 0, 3) << 14);
        d->irq = interrupts[mca_field(d, 4, 2, 2)];
    }
    return 0;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct sk_mca *board = dev->private_data;
    if (d->id != JUNIOR) {
        mca_write_pos(d, 4, mca_stored_pos(d, 4) & 0xFC);
        mca_write_pos(d, 2, mca_stored_pos(d, 2) | 0x01);
    }
    board->ram = virt(d->mem);
    board->latch = (volatile u16 *)(board->ram + WINDOW_LATCH);
    board->control = board->ram + WINDOW_CONTROL;
    board->command = board->ram + WINDOW_COMMAND;
    for (int i = 0; i < 6; i++)
        dev->mac[i] = *(volatile u8 *)(board->ram + WINDOW_ADDRESS + 2 * i);
    reset_board(dev);
    dev->open = open_card;
    dev->start_transmit = start_transmit;
    return 0;
}

const struct driver sk_mca_driver = {
    .name = "sknet", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe, .state_bytes = sizeof(struct sk_mca)};
