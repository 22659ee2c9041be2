// SPDX-License-Identifier: GPL-2.0-or-later
//
// 3Com 3C527 EtherLink/MC 32 (0041h; 8EF5h as IBM's). Touches the card as Linux 2.4.0's 3c527.c does:
// order, width and number of accesses; the code is our own.
//
// Habits that set the figures: nothing is copied to the card; every frame suspends the transmitter, waits
// for the card to take the command, appends its descriptor and restarts it, with interrupts off all the
// time; a received frame suspends reception, and the completion interrupts again; then reception is suspended
// once more, the ring is walked from the position in the mailbox, and reception is restarted there.
//
// POS 2: bits 3:1 I/O base, 6:4 window; POS 4: bit 0 window enabled; POS 5: bits 3:2 interrupt, 5:4 window size
// (docs/hardware/3c527.md#pos).
#include "driver.h"

enum { COMMAND = 0, STATUS = 2, CONTROL = 6 };
enum { STATUS_CRR = 0x40, STATUS_CWR = 0x20, CONTROL_ATTENTION = 0x80, CONTROL_RESET = 0x40, CONTROL_INTERRUPT = 0x04 };
enum { TX_SUSPEND = 3, TX_RESTART = 5, RX_START = 1 << 3, RX_SUSPEND = 3 << 3, EXECUTE = 1 << 6 };
enum { COMPLETED = 0x80, GOOD = 0x40, END_OF_PACKET = 0x80, END_OF_LIST = 0x40 };
enum { RX_RING = 32, TX_RING = 16, BUFFER = 1532, HEADROOM_RX = 18 };

struct mailbox {
    volatile u16 box;
    volatile u16 data[1];
} __attribute__((packed));

struct descriptor {
    volatile u8 status, control;
    volatile u16 next, length;
    volatile u32 data;
} __attribute__((packed));

struct threec527 {
    u8 *base;                           // base of the card's offsets
    struct mailbox *exec, *rx, *tx;
    u16 tx_length;
    volatile int exec_pending;          // 0 no, 1 yes, 2 answered, 3 yes, but nobody waits for the answer
    volatile int rx_halted, rx_pending, tx_halted;
    u32 tx_free, tx_top, tx_end;
    struct skb *tx_skb[TX_RING], *rx_skb[RX_RING];
};

#define REG(r) ((u16)(dev->io + (r)))

static struct descriptor *descriptor_at(struct netdev *dev, u16 offset) {
    return (struct descriptor *)(((struct threec527 *)dev->private_data)->base + offset);
}

static void wait_ready(struct netdev *dev) {
    while (!(inb(REG(STATUS)) & STATUS_CRR))
        ;
}

// ---- exec mailbox -------------------------------------------------------------------------------
static void issue(struct netdev *dev, u16 code, const void *data, u32 n) {
    struct threec527 *board = dev->private_data;
    board->exec->box = 0;
    board->exec->box = code;
    memcpy_toio(board->exec->data, data, n);
    wait_ready(dev);
    outb(EXECUTE, REG(COMMAND));
}

static void execute(struct netdev *dev, u16 code, const void *data, u32 n) {
    struct threec527 *board = dev->private_data;
    while (board->exec_pending)
        ;
    board->exec_pending = 1;
    issue(dev, code, data, n);
    while (board->exec_pending != 2)
        ;
    board->exec_pending = 0;
    (void)board->exec->data[0];          // an error bit that the driver looks for in the wrong word
}

static void execute_nowait(struct netdev *dev, u16 code, const void *data, u32 n) {
    struct threec527 *board = dev->private_data;
    if (board->exec_pending)
        return;
    board->exec_pending = 3;
    issue(dev, code, data, n);
}

// ---- start --------------------------------------------------------------------------------------
static void load_rx_ring(struct netdev *dev) {
    struct threec527 *board = dev->private_data;
    u16 at = board->rx->data[0];
    struct descriptor *d = NULL;
    for (int i = 0; i < RX_RING; i++) {
        board->rx_skb[i] = skb_alloc(BUFFER + HEADROOM_RX);
        if (!board->rx_skb[i])
            fail("3c527: no memory for receive buffers");
        d = descriptor_at(dev, at);
        d->control = 0;
        d->data = phys(board->rx_skb[i]->data + HEADROOM_RX);
        d->status = 0;
        d->length = BUFFER;
        at = d->next;
    }
    d->control = END_OF_LIST;
    board->rx->box = 0;
}

static int open_card(struct netdev *dev) {
    struct threec527 *board = dev->private_data;
    u16 zero = 0, filter = 0, one = 1;

    outb(inb(REG(CONTROL)) | CONTROL_INTERRUPT, REG(CONTROL));
    execute(dev, 4, &one, 2);           // indications
    wait_ready(dev);
    board->rx->box = 0;
    outb(RX_SUSPEND, REG(COMMAND));
    wait_ready(dev);
    board->tx->box = 0;
    outb(TX_SUSPEND, REG(COMMAND));
    board->tx_free = board->tx_length;
    board->tx_top = board->tx_end = 0;
    execute(dev, 1, dev->mac, 6);
    execute_nowait(dev, 0, &filter, 2);
    execute(dev, 0x0D, &zero, 2);       // the workaround for the 82586
    load_rx_ring(dev);
    wait_ready(dev);
    board->rx->box = 0;
    outb(RX_START, REG(COMMAND));
    wait_ready(dev);
    board->rx_halted = board->rx_pending = 0;
    wait_ready(dev);
    board->tx->box = 0;
    board->tx_halted = 0;
    dev->busy = 0;
    dev->started = 1;
    return 0;
}

// ---- transmit -----------------------------------------------------------------------------------
static int start_transmit(struct skb *b, struct netdev *dev) {
    struct threec527 *board = dev->private_data;
    u32 flags;
    dev->busy = 1;
    save_flags_cli(flags);
    if (!board->tx_free) {
        restore_flags(flags);
        return 1;
    }
    u16 head = board->tx->data[0];
    board->tx_free--;
    board->tx_skb[board->tx_end] = b;
    board->tx_end = (board->tx_end + 1) % TX_RING;

    wait_ready(dev);
    board->tx->box = 0;
    outb(TX_SUSPEND, REG(COMMAND));
    struct descriptor *last = descriptor_at(dev, head), *d = descriptor_at(dev, last->next);
    d->control = d->control | END_OF_LIST;
    d->length = (u16)b->length;
    if (d->length < ETH_MIN)
        d->length = ETH_MIN;
    d->data = phys(b->data);
    d->status = 0;
    d->control = END_OF_PACKET | END_OF_LIST;
    last->status = 0;
    last->control = last->control & (u8)~END_OF_LIST;
    wait_ready(dev);
    board->tx->box = 0;
    outb(TX_RESTART, REG(COMMAND));
    restore_flags(flags);
    dev->busy = 0;
    return 0;
}

static void transmit_done(struct netdev *dev, int failed) {
    struct threec527 *board = dev->private_data;
    struct net_counters *c = &dev->counters;
    c->tx_errors += failed;
    c->tx_packets++;
    struct skb *b = board->tx_skb[board->tx_top];
    c->tx_bytes += b->length;
    skb_free(b);
    board->tx_skb[board->tx_top] = NULL;
    board->tx_top = (board->tx_top + 1) % TX_RING;
    board->tx_free++;
    dev->busy = 0;
    mark_bh(NET_BH);
}

// ---- receive ------------------------------------------------------------------------------------
static void walk_ring(struct netdev *dev) {
    struct threec527 *board = dev->private_data;
    struct net_counters *c = &dev->counters;
    u16 top, at;

    wait_ready(dev);
    outb(RX_SUSPEND, REG(COMMAND));
    while (inb(REG(STATUS)) & STATUS_CRR)
        ;
    top = at = board->rx->data[0];
    for (int n = 0; n <= 48; n++) {
        struct descriptor *d = descriptor_at(dev, at);
        if (!(d->status & COMPLETED))
            break;
        if (d->status & GOOD) {
            u16 length = d->length;
            struct skb *b = skb_alloc(length + 2u + 16);
            if (b) {
                skb_reserve(b, 16 + 2);
                memcpy(skb_put(b, length), virt(d->data), length);
                b->dev = dev;
                b->protocol = eth_type(b, dev);
                c->rx_packets++;
                c->rx_bytes += length;
                netif_rx(b);
            } else {
                c->rx_dropped++;
            }
        } else {
            u32 error = d->status & 15u;
            c->rx_errors++;
            c->rx_crc_errors += error == 1;
            c->rx_fifo_errors += error == 2;
            c->rx_frame_errors += error == 3;
            c->rx_missed_errors += error == 4;
            c->rx_length_errors += error == 5;
        }
        d->length = BUFFER;
        d->control = d->control & (u8)~END_OF_LIST;
        d->status = 0;
        at = d->next;
    }
    wait_ready(dev);
    board->rx->box = 0;
    board->rx->data[0] = top;
    outb(RX_START, REG(COMMAND));
    board->rx_halted = 0;
}

// ---- interrupt ----------------------------------------------------------------------------------
static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    struct threec527 *board = dev->private_data;
    (void)irq, (void)r;
    for (int n = 0; (inb(REG(STATUS)) & STATUS_CWR) && n < 2000; n++) {
        u8 response = inb(REG(COMMAND));
        switch (response & 7) {
        case 2: transmit_done(dev, 0); break;
        case 6: transmit_done(dev, 1); break;
        case 3:
        case 4: board->tx_halted = 1; break;
        case 5: board->tx_halted = 0; break;
        }
        switch (response >> 3 & 7) {
        case 2:
            board->rx_pending = 1;
            if (!board->rx_halted) {
                wait_ready(dev);
                outb(RX_SUSPEND, REG(COMMAND));
            }
            break;
        case 3:
        case 4: board->rx_halted = 1; break;
        case 5: board->rx_halted = 0; break;
        case 6:
            dev->counters.rx_dropped++;
            board->rx_pending = board->rx_halted = 1;
            break;
        }
        if (response & 0x40)
            board->exec_pending = board->exec_pending == 3 ? 0 : 2;
        if ((response & 0x80) && (inb(REG(STATUS)) & STATUS_CRR))
            outb(0, REG(COMMAND));
    }
    if (board->rx_pending && board->rx_halted) {
        walk_ring(dev);
        board->rx_pending = 0;
    }
}

// ---- taking over --------------------------------------------------------------------------------
static int boot(struct netdev *dev, u32 memory) {
    struct threec527 *board = dev->private_data;
    u8 control = inb(REG(CONTROL));
    control |= CONTROL_ATTENTION | CONTROL_RESET;
    control &= (u8)~CONTROL_INTERRUPT;
    outb(control, REG(CONTROL));
    udelay_spin(100);
    control &= (u8)~(CONTROL_ATTENTION | CONTROL_RESET);
    outb(control, REG(CONTROL));
    udelay_spin(300);
    if (request_irq(dev->irq, interrupt, 0, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    u8 result = inb(REG(COMMAND));
    for (int polls = 1; result == 0xFF; polls++) {
        if (polls == 1000) {
            printk("%s: the adapter does not boot\n", dev->name);
            return -1;
        }
        udelay_spin(1000);
        if (inb(REG(STATUS)) & STATUS_CWR)
            result = inb(REG(COMMAND));
    }
    if (result) {
        printk("%s: the adapter's self-test failed, %x\n", dev->name, result);
        return -1;
    }
    u32 offset = 0;
    for (int i = 0; i < 4; i++) {
        for (int polls = 0; !(inb(REG(STATUS)) & STATUS_CWR); polls++) {
            if (polls > 100) {
                printk("%s: the adapter does not tell its mailbox\n", dev->name);
                return -1;
            }
            udelay_spin(50);
        }
        offset |= (u32)inb(REG(COMMAND)) << (8 * i);
    }
    board->exec = virt(memory + offset);
    board->base = virt(memory + (board->exec->data[1] << 16 | board->exec->data[0]));
    board->rx = (struct mailbox *)(board->base + board->exec->data[2]);
    board->tx = (struct mailbox *)(board->base + board->exec->data[3]);
    (void)board->exec->data[5];          // statistics, which 2.4.0 does not use
    (void)board->exec->data[8];
    (void)board->exec->data[10];
    board->tx_length = board->exec->data[9];
    (void)board->exec->data[11];
    if (board->tx_length > TX_RING)
        board->tx_length = TX_RING;
    return 0;
}

static int locate(struct device *d) {
    static const u16 bases[] = {0x7280, 0x7290, 0x7680, 0x7690, 0x7A80, 0x7A90, 0x7E80, 0x7E90};
    if (!mca_field(d, 4, 0, 1) || mca_field(d, 5, 4, 2) == 3) {
        printk("3c527: the memory window is off\n");
        return -1;
    }
    d->io = bases[mca_field(d, 2, 1, 3)];
    d->mem = 0xC0000 + mca_field(d, 2, 4, 3) * 0x4000u;
    d->irq = 9 + (int)mca_field(d, 5, 2, 2);
    return 0;
}

static int probe(struct netdev *dev, const struct device *d) {
    for (int i = 0; i < 6; i++) {
        mca_write_pos(d, 6, (u8)(12 + i));
        mca_write_pos(d, 7, 0);
        dev->mac[i] = mca_read_pos(d, 3);
    }
    mca_write_pos(d, 6, 0);
    mca_write_pos(d, 7, 0);
    if (boot(dev, d->mem))
        return -1;
    dev->open = open_card;
    dev->start_transmit = start_transmit;
    return 0;
}

static const u32 ids[] = {0x0041, 0x8EF5, 0};

const struct driver threec527_driver = {
    .name = "3c527", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe, .state_bytes = sizeof(struct threec527)};
