// SPDX-License-Identifier: GPL-2.0-or-later
//
// 3Com 3C523 EtherLink/MC (6042h): an 82586 with 16 KB of RAM in the host's memory. Touches the card as Linux 2.2's
// 3c523.c does: same structures at the same offsets, same order and width of accesses; the code is our own.
//
// Four transmit blocks, each after a NOP that links to itself; a frame is started by patching the NOP's link, without
// channel attention. Six receive frames of 1524 bytes, the last one marked "suspend". Every channel attention holds its
// bit for 1/65536 of a second, even in the interrupt handler.
//
// Not done: multicast lists and promiscuous mode (the bench asks for neither), close.
#include "driver.h"

enum { PORT_CONTROL = 6, PORT_REVISION = 7 };
enum { BANK = 0x03, INTE = 0x04, INT = 0x08, LOOPBACK = 0x20, ATTENTION = 0x40, RUN = 0x80 };
enum { WINDOW = 0x4000, SCP = WINDOW - 12, ISCP = SCP - 8, BUFFER = 1524, TX = 4, RX = 6 };
enum { CUC_START = 0x0100, CUC_ABORT = 0x0400, RUC_START = 0x0010, RUC_RESUME = 0x0020, RUC_ABORT = 0x0040 };
enum { EVENTS = 0xF000, CX = 0x8000, FR = 0x4000, CNA = 0x2000, RNR = 0x1000 };
enum { CU_ACTIVE = 0x200, RU_SUSPENDED = 0x10 };
enum { COMPLETE = 0x8000, OK = 0x2000, LAST = 0x8000, SUSPEND = 0x4000, INTERRUPT = 0x2000, END = 0x8000, COUNT = 0x3FFF };
enum { OP_NOP, OP_ADDRESS, OP_CONFIGURE, OP_MULTICAST, OP_TRANSMIT, OP_TDR };
enum { TX_COLLISIONS = 0x0F, TX_MAX_COLLISIONS = 0x20, TX_UNDERRUN = 0x100, TX_NO_CARRIER = 0x400, TX_LATE = 0x800 };
enum { TDR_OK = 0x8000 };
enum { SHORT_DELAY_US = 15, COMMAND_POLLS = 1024 };     // a 65536th of a second

struct scp {
    u16 zero;
    u8 sysbus, zero1;
    u16 zero2, zero3;
    u32 iscp;
};
struct iscp {
    u8 busy, zero;
    u16 scb_offset;
    u32 scb_base;
};
struct scb {
    u16 status, command, cbl, rfa, crc_errors, alignment_errors, resource_errors, overruns;
};
struct block {                          // any command
    u16 status, command, link, parameter[5];
};
struct nop {
    u16 status, command, link;
};
struct tbd {
    u16 size, next;
    u32 buffer;
};
struct rfd {
    u16 status, last, next, rbd, addresses[6], length, zero;
};
struct rbd {
    u16 status, next;
    u32 buffer;
    u16 size, zero;
};

struct threec523 {
    u8 *base;                           // of the memory window
    volatile struct scp *scp;
    volatile struct iscp *iscp;
    volatile struct scb *scb;
    volatile struct nop *nop[TX];
    volatile struct block *transmit[TX];
    volatile struct tbd *tbd[TX];
    u8 *buffer[TX];
    volatile struct rfd *rfd_first, *rfd_top, *rfd_last;
    int next, oldest;                   // indices of transmit buffers
};

static const u32 ids[] = {0x6042, 0};
static const u16 bases[4] = {0x0300, 0x1300, 0x2300, 0x3300};
static const u32 windows[4] = {0xC0000, 0xC8000, 0xD0000, 0xD8000};
static const u8 interrupts[4] = {12, 7, 3, 9};
static const u8 select[4] = {0x01, 0x02, 0x04, 0x08};

// Addresses as the chip sees them: 16-bit offsets from the end of the window, 24-bit addresses from FFC000h.
static u8 *base(const struct netdev *dev) { return ((struct threec523 *)dev->private_data)->base; }
static u16 offset(struct netdev *dev, const volatile void *p) { return (u16)((u32)p - (u32)base(dev) - WINDOW); }
static void *pointer(struct netdev *dev, u16 o) { return base(dev) + WINDOW - (u16)-o; }
static u32 address(struct netdev *dev, const volatile void *p) { return 0x1000000u - WINDOW + ((u32)p - (u32)base(dev)); }
static void *buffer_at(struct netdev *dev, u32 a) { return base(dev) + (a - (0x1000000u - WINDOW)); }

static void short_delay(void) { udelay_spin(SHORT_DELAY_US); }
static void long_delay(void) { udelay_spin(62500); }            // 2/32 of a second

// Linux's memcpy: doublewords, then a word and a byte.
static void copy(void *to, const void *from, u32 n) {
    u32 words = n >> 2;
    __asm__ volatile("cld\n\t"
                     "rep movsl\n\t"
                     "testb $2,%b3\n\t"
                     "je 1f\n\t"
                     "movsw\n"
                     "1:\ttestb $1,%b3\n\t"
                     "je 2f\n\t"
                     "movsb\n"
                     "2:"
                     : "+D"(to), "+S"(from), "+c"(words)
                     : "q"(n)
                     : "memory");
}
static void clear(volatile void *at, u32 n) { memset((void *)at, 0, n); }

static void attention(struct netdev *dev, u8 inte) {
    outb((u8)(RUN | BANK | ATTENTION | inte), (u16)(dev->io + PORT_CONTROL));
    short_delay();
    outb((u8)(RUN | BANK | inte), (u16)(dev->io + PORT_CONTROL));
}

static void reset(struct netdev *dev) {
    outb(BANK | LOOPBACK, (u16)(dev->io + PORT_CONTROL));
    short_delay();
    outb(RUN | LOOPBACK | BANK, (u16)(dev->io + PORT_CONTROL));
    attention(dev, 0);
}

static void wait_command(struct netdev *dev) {
    struct threec523 *card = dev->private_data;
    for (int i = 0; i < COMMAND_POLLS; i++) {
        if (!card->scb->command)
            return;
        short_delay();
    }
    printk("3c523: the chip does not take a command, status %x\n", card->scb->status);
    reset(dev);
}

// ---- start --------------------------------------------------------------------------------------
static int check(struct netdev *dev) {
    struct threec523 *card = dev->private_data;
    volatile struct iscp *at[2];
    card->scp = (void *)(card->base + SCP);
    clear(card->scp, sizeof *card->scp);
    card->scp->sysbus = 0;               // 16-bit bus
    at[0] = (void *)card->base;
    at[1] = (void *)(card->base + ISCP);
    for (int i = 0; i < 2; i++) {
        card->iscp = at[i];
        clear(card->iscp, sizeof *card->iscp);
        card->scp->iscp = address(dev, card->iscp);
        card->iscp->busy = 1;
        reset(dev);
        attention(dev, 0);
        if (card->iscp->busy)
            return 0;
    }
    return 1;
}

static void place(struct netdev *dev) {
    struct threec523 *card = dev->private_data;
    reset(dev);
    long_delay();
    card->scp = (void *)(card->base + SCP);
    card->scb = (void *)card->base;
    card->iscp = (void *)(card->base + ISCP);
    clear(card->iscp, sizeof *card->iscp);
    clear(card->scp, sizeof *card->scp);
    card->scp->iscp = address(dev, card->iscp);
    card->scp->sysbus = 0;
    card->iscp->scb_offset = offset(dev, card->scb);
    card->iscp->busy = 1;
    reset(dev);
    attention(dev, 0);
    long_delay();
    if (card->iscp->busy)
        printk("3c523: the chip does not start\n");
    clear(card->scb, sizeof *card->scb);
}

// Starts one command and waits up to 0.3 s for it.
static int run(struct netdev *dev, volatile struct block *b, u8 inte) {
    struct threec523 *card = dev->private_data;
    u32 start;
    card->scb->cbl = offset(dev, b);
    card->scb->command = CUC_START;
    attention(dev, inte);
    start = jiffies;
    while (!(b->status & COMPLETE))
        if (jiffies - start > 30 * HZ / 100)
            break;
    return (b->status & (OK | COMPLETE)) == (OK | COMPLETE);
}

static void head(volatile struct block *b, u16 op) {
    b->status = 0;
    b->command = (u16)(op | LAST);
    b->link = 0xFFFF;
}

static void *receive_area(struct netdev *dev, void *at) {
    struct threec523 *card = dev->private_data;
    volatile struct rfd *rfd = at;
    volatile struct rbd *rbd = (void *)(rfd + RX);
    u8 *buffers = (u8 *)(rbd + RX);
    clear(rfd, sizeof *rfd * RX);
    card->rfd_first = rfd;
    for (int i = 0; i < RX; i++)
        rfd[i].next = offset(dev, rfd + (i + 1) % RX);
    rfd[RX - 1].last = SUSPEND;
    clear(rbd, sizeof *rbd * RX);
    for (int i = 0; i < RX; i++) {
        rbd[i].next = offset(dev, rbd + (i + 1) % RX);
        rbd[i].size = BUFFER;
        rbd[i].buffer = address(dev, buffers);
        buffers += BUFFER;
    }
    card->rfd_top = card->rfd_first;
    card->rfd_last = card->rfd_first + RX - 1;
    card->scb->rfa = offset(dev, card->rfd_first);
    card->rfd_first->rbd = offset(dev, rbd);
    return buffers;
}

static int init(struct netdev *dev) {
    struct threec523 *card = dev->private_data;
    u8 *at = (u8 *)(card->scb + 1);
    volatile struct block *b = (void *)at;
    volatile u8 *bytes = (volatile u8 *)b->parameter;
    static const u8 configuration[] = {0x0A, 8, 0x40, 0x2E, 0x00, 0x60, 0x00, 0xF2, 0x00, 0x00};

    head(b, OP_CONFIGURE);
    for (u32 i = 0; i < sizeof configuration; i++)
        bytes[i] = configuration[i];
    if (!run(dev, b, 0)) {
        printk("3c523: configuration failed, %x\n", b->status);
        return -1;
    }
    head(b, OP_ADDRESS);
    copy((void *)b->parameter, dev->mac, 6);
    if (!run(dev, b, 0)) {
        printk("3c523: address setup failed, %x\n", b->status);
        return -1;
    }
    head(b, OP_TDR);
    b->parameter[0] = 0;
    if (run(dev, b, INTE) || b->status & COMPLETE) {
        long_delay();
        u16 result = b->parameter[0];
        card->scb->command = card->scb->status & EVENTS;
        attention(dev, 0);
        if (!(result & TDR_OK))
            printk("3c523: cable test %x\n", result);
    }
    card->scb->command = card->scb->status & EVENTS;
    attention(dev, 0);

    for (int i = 0; i < TX; i++) {
        card->nop[i] = (void *)at;
        card->nop[i]->command = OP_NOP;
        card->nop[i]->status = 0;
        card->nop[i]->link = offset(dev, card->nop[i]);
        at += sizeof *card->nop[i];
        card->transmit[i] = (void *)at;
        at += sizeof *card->transmit[i];
    }
    at = receive_area(dev, at);
    for (int i = 0; i < TX; i++) {
        card->buffer[i] = at;
        at += BUFFER;
        card->tbd[i] = (void *)at;
        at += sizeof *card->tbd[i];
        clear(card->transmit[i], sizeof *card->transmit[i]);
        clear(card->tbd[i], sizeof *card->tbd[i]);
        card->transmit[i]->status = COMPLETE;
        card->transmit[i]->command = OP_TRANSMIT | INTERRUPT;
        card->transmit[i]->parameter[0] = offset(dev, card->tbd[i]);
        card->tbd[i]->next = 0xFFFF;
        card->tbd[i]->buffer = address(dev, card->buffer[i]);
    }
    card->next = card->oldest = 0;
    card->scb->cbl = offset(dev, card->nop[0]);
    card->scb->command = CUC_START;
    attention(dev, 0);
    wait_command(dev);
    return 0;
}

static void start_receiver(struct netdev *dev) {
    struct threec523 *card = dev->private_data;
    card->scb->rfa = offset(dev, card->rfd_first);
    card->scb->command = RUC_START;
    attention(dev, INTE);
    wait_command(dev);
}

static int open(struct netdev *dev) {
    attention(dev, 0);
    place(dev);
    int failed = init(dev);
    start_receiver(dev);
    dev->in_interrupt = 0;
    dev->busy = 0;
    dev->started = 1;
    return failed;
}

// ---- transmit -----------------------------------------------------------------------------------
static int transmit_timeout(struct netdev *dev) {
    struct threec523 *card = dev->private_data;
    if (jiffies - dev->transmit_start < 5)
        return 1;
    dev->counters.tx_errors++;
    if (card->scb->status & CU_ACTIVE) {
        dev->busy = 0;
        printk("3c523: transmit timeout, command unit active\n");
        card->scb->command = CUC_ABORT;
        attention(dev, INTE);
        wait_command(dev);
        card->scb->cbl = offset(dev, card->nop[card->next]);
        card->scb->command = CUC_START;
        attention(dev, INTE);
        wait_command(dev);
    } else {
        printk("3c523: transmit timeout, status %x\n", card->scb->status);
        dev->started = 0;
        reset(dev);
        open(dev);
    }
    dev->transmit_start = jiffies;
    return 0;
}

static int start_transmit(struct skb *b, struct netdev *dev) {
    struct threec523 *card = dev->private_data;
    int here = card->next, following;
    u16 length = b->length > ETH_MIN ? (u16)b->length : ETH_MIN, self;
    if (dev->busy) {
        if (transmit_timeout(dev))
            return 1;
        skb_free(b);
        return 0;
    }
    dev->busy = 1;
    copy(card->buffer[here], b->data, b->length);
    card->tbd[here]->size = END | length;
    following = here + 1 == TX ? 0 : here + 1;
    card->transmit[here]->status = 0;
    self = offset(dev, card->nop[following]);
    card->nop[following]->link = self;
    card->transmit[here]->link = card->nop[following]->link;  // the compiler reads back what it has just written
    card->nop[following]->status = 0;
    card->nop[here]->link = offset(dev, card->transmit[here]);
    dev->transmit_start = jiffies;
    card->next = following;
    cli();
    if (card->next != card->oldest)
        dev->busy = 0;
    sti();
    dev->counters.tx_bytes += length;
    skb_free(b);
    return 0;
}

static void transmit_done(struct netdev *dev) {
    struct threec523 *card = dev->private_data;
    struct net_counters *c = &dev->counters;
    u16 status = card->transmit[card->oldest]->status;
    if (!(status & COMPLETE))
        printk("3c523: transmit interrupt, but status %x\n", status);
    if (status & OK) {
        c->tx_packets++;
        c->collisions += status & TX_COLLISIONS;
    } else {
        c->tx_errors++;
        if (status & TX_LATE) {
            c->tx_window_errors++;
            c->collisions++;
        } else if (status & TX_NO_CARRIER) {
            c->tx_carrier_errors++;
        } else if (status & TX_UNDERRUN) {
            c->tx_fifo_errors++;
        } else if (status & TX_MAX_COLLISIONS) {
            c->tx_aborted_errors++;
            c->collisions += 16;
        }
    }
    if (++card->oldest == TX)
        card->oldest = 0;
    dev->busy = 0;
    mark_bh(NET_BH);
}

// ---- receive ------------------------------------------------------------------------------------
static void receive(struct netdev *dev) {
    struct threec523 *card = dev->private_data;
    u16 status;
    while (receive_more(dev) && (status = card->rfd_top->status) & COMPLETE) {
        volatile struct rbd *rbd = pointer(dev, card->rfd_top->rbd);
        if (!(status & OK)) {
            printk("3c523: bad frame, status %x\n", status);
            dev->counters.rx_errors++;
        } else {
            u16 length = rbd->status;
            if (length & END) {
                length &= COUNT;
                rbd->status = 0;
                struct skb *b = skb_alloc(length + 2u + 16u);
                if (b) {
                    b->dev = dev;
                    skb_reserve(b, 16 + 2);
                    copy(skb_put(b, length), buffer_at(dev, rbd->buffer), length);
                    b->protocol = eth_type(b, dev);
                    netif_rx(b);
                    dev->counters.rx_packets++;
                    dev->counters.rx_bytes += length;
                } else {
                    dev->counters.rx_dropped++;
                }
            } else {
                dev->counters.rx_dropped++;
            }
        }
        card->rfd_top->status = 0;
        card->rfd_top->last = SUSPEND;
        card->rfd_last->last = 0;
        card->rfd_last = card->rfd_top;
        card->rfd_top = pointer(dev, card->rfd_top->next);
    }
}

static void receiver_stopped(struct netdev *dev) {
    struct threec523 *card = dev->private_data;
    dev->counters.rx_errors++;
    wait_command(dev);
    card->scb->command = RUC_ABORT;
    attention(dev, INTE);
    wait_command(dev);
    receive_area(dev, (void *)card->rfd_first);
    start_receiver(dev);
    printk("3c523: receiver restarted, status %x\n", card->scb->status);
}

// ---- interrupt ----------------------------------------------------------------------------------
static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    struct threec523 *card = dev->private_data;
    u16 events;
    (void)irq, (void)r;
    if (!dev->started) {                // spurious interrupts occur while the chip is reset
        attention(dev, 0);
        return;
    }
    int left = receive_left(dev);
    if (left)
        receive(dev);
    // A visit that ended at its limit has cleared INT and left the events pending: the bit is set only by a new
    // interrupt of the chip, which does not come before they are acknowledged.
    if (!(inb((u16)(dev->io + PORT_CONTROL)) & INT) && !left)
        return;
    dev->in_interrupt = 1;
    while (receive_more(dev) && (events = card->scb->status & EVENTS) != 0) {
        card->scb->command = events;
        attention(dev, INTE);
        if (events & CX)
            transmit_done(dev);
        if (events & FR)
            receive(dev);
        if (events & CNA && dev->started)
            printk("3c523: the command unit has stopped, status %x\n", card->scb->status);
        if (events & RNR) {
            if (card->scb->status & RU_SUSPENDED) {
                wait_command(dev);
                card->scb->command = RUC_RESUME;
                attention(dev, INTE);
            } else {
                receiver_stopped(dev);
            }
        }
        wait_command(dev);
        if (card->scb->command)
            break;
    }
    dev->in_interrupt = 0;
}

// Read and subtract; counts that arrive in between are lost, as in the period's driver.
static u32 take(volatile u16 *counter) {
    u16 n = *counter;
    *counter = (u16)(*counter - n);
    return n;
}

static void update_counters(struct netdev *dev) {
    struct threec523 *card = dev->private_data;
    dev->counters.rx_crc_errors += take(&card->scb->crc_errors);
    dev->counters.rx_frame_errors += take(&card->scb->alignment_errors);
    dev->counters.rx_dropped += take(&card->scb->resource_errors);
    dev->counters.rx_fifo_errors += take(&card->scb->overruns);
}

static int locate(struct device *d) {
    d->io = bases[mca_field(d, 2, 1, 2)];
    d->mem = windows[mca_field(d, 2, 3, 2)];
    d->irq = interrupts[mca_field(d, 2, 6, 2)];
    return 0;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct threec523 *card = dev->private_data;
    inb(PORT_REVISION);                 // the period's driver reads the revision before it knows the I/O base
    mca_write_pos(d, 3, select[mca_field(d, 2, 6, 2)]);
    card->base = virt(d->mem);
    reset(dev);
    if (!check(dev)) {
        printk("3c523: no memory at %x\n", d->mem);
        return -1;
    }
    place(dev);
    reset(dev);
    for (int i = 0; i < 6; i++)
        dev->mac[i] = inb((u16)(dev->io + i));
    if (request_irq(dev->irq, interrupt, IRQF_SHARED, dev)) {
        printk("3c523: interrupt %d is taken\n", dev->irq);
        return -1;
    }
    dev->open = open;
    dev->start_transmit = start_transmit;
    dev->update_counters = update_counters;
    return 0;
}

const struct driver threec523_driver = {
    .name = "3c523", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe, .state_bytes = sizeof(struct threec523)};
