// SPDX-License-Identifier: GPL-2.0-or-later
//
// Madge Smart 16/4 MC (002Dh) and MC 32 (0074h), which carry a TMS380. Touches the card as Linux 2.4.0's madgemc.c and
// tms380tr.c do: order, width and number of accesses; the code is our own. The image that is downloaded is our own too:
// a few words at the places where TI's microcode has its program and its start vector. planar's chip asks for no more; a
// real one could not run it.
//
// Habits that set the figures: three transmit lists in a circle, of which one stays unused, so two frames are on their
// way; each is announced by a doorbell, before which the status register is read once. Three receive lists with a buffer
// each, which goes up with the frame (4504 bytes there, here what the MTU needs). Every interrupt turns the card's interrupt enable off and on, and the
// handler stays until the chip reports nothing more.
//
// Not done: the check every two seconds that reopens a stalled adapter, reopening after a wire fault, and the reset after
// an adapter check. Half a second's wait halts the processor here, where the kernel spins.
//
// POS 2: bit 5 I/O base, 7:6 interrupt; POS 3: bit 2 no speed chosen, 6 cable; POS 4: bit 2 I/O base, 5 16 Mbit/s; POS 5:
// bit 5 I/O base.
#include "driver.h"

// Ports: the board's, then the chip's system interface.
enum { CONTROL0 = 0, CONTROL1 = 1, CABLE = 7, SIF = 8 };
enum { C0_SINTR = 0x40, C0_PAGE = 0x08, C0_SIFSEL = 0x04 };
enum { C1_SPEED_16 = 0x80, C1_SRSX = 0x40, C1_NSRESET = 0x04, C1_SINTEN = 0x01 };
enum { SIFINC = 2, SIFADR = 4, SIFCMD = 6, SIFSTS = 6, SIFACL = 8, SIFADD = 10, SIFADX = 12 };
enum { ACL_ARESET = 0x80, ACL_CPHALT = 0x40, ACL_BOOT = 0x20, ACL_SINTEN = 0x08, ACL_PSDMAEN = 0x100, ACL_NSELOUT = 3 };
enum { CMD_INTERRUPT = 0x8000, CMD_SSB_CLEAR = 0x2000, CMD_EXECUTE = 0x1000, CMD_SCB_REQUEST = 0x0800, CMD_RX_VALID = 0x0200,
       CMD_TX_VALID = 0x0100, CMD_SYSTEM_IRQ = 0x0080, SOFT_RESET = 0xFF00 };
enum { STS_SYSTEM_IRQ = 0x80, STS_INITIALIZE = 0x40, STS_TEST = 0x20, STS_ERROR = 0x10, STS_MASK = 0xF0, STS_CODE = 0x0F };
enum { IRQ_ADAPTER_CHECK = 0, IRQ_RING_STATUS = 4, IRQ_SCB_CLEAR = 6, IRQ_COMMAND = 8, IRQ_RECEIVE = 10, IRQ_TRANSMIT = 12 };
enum { POINTERS = 0x0A00 };
enum { HALF_SECOND = HZ / 2, BRING_UP_LOOKS = 6, BRING_UP_TRIES = 3, INITIALIZE_LOOKS = 22, OPEN_WAIT = 30 * HZ };

// Words in memory are big-endian: the constants are what a little-endian processor writes.
#define BE(x) ((u16)(((x) & 0xFF) << 8 | (x) >> 8))
enum { OPEN = BE(3), TRANSMIT = BE(4), RECEIVE = BE(6), SET_FUNCTIONAL = BE(9), READ_ERROR_LOG = BE(10),
       MODIFY_OPEN = BE(13), GOOD = BE(0x8000) };
enum { LIST_VALID = BE(0x8000), LIST_COMPLETE = BE(0x4000), LIST_START = BE(0x2000), LIST_END = BE(0x1000),
       LIST_IRQ = BE(0x0800), TX_ERROR = BE(0x0400), TX_PASS_SOURCE = BE(0x0100), COMMAND_COMPLETE = BE(0x8000) };
enum { WHOLE_FRAME = LIST_COMPLETE | LIST_START | LIST_END, FULL_DUPLEX_SELECTION = BE(0x0020) };
enum { ADAPTER_CLOSED = BE(0x0D00), COUNTER_OVERFLOW = BE(0x0080) };

enum { TX_LISTS = 3, RX_LISTS = 3, TX_QUEUE = 10, FRAGMENTS = 3, BUFFER = 2048, HEADROOM_RX = 16 };
enum { WANT_OPEN = 1, WANT_TRANSMIT = 2, WANT_RECEIVE = 4, WANT_FUNCTIONAL = 8, WANT_LOG = 16, WANT_MODIFY = 32 };

struct fragment {
    u16 count;
    u32 address;
} __attribute__((packed));

struct transmit_list {
    volatile u32 next;
    volatile u16 status, size;
    struct fragment fragment[FRAGMENTS];
    // ours
    struct skb *skb;
    volatile int busy;
} __attribute__((packed, aligned(4)));

struct receive_list {
    volatile u32 next;
    volatile u16 status, size;
    struct fragment fragment;
    struct skb *skb;                    // ours
} __attribute__((packed, aligned(4)));

static struct {
    u16 initialization[11];
    u8 free_word[2];
    struct {
        volatile u16 command, parameter[2];
    } scb;
    struct {
        volatile u16 command, status[3];
    } ssb;
    struct {
        u16 options;
        u8 node[6];
        u32 group, functional;
        u16 receive_list, transmit_list, buffer, full_duplex, reserved;
        u8 transmit_least, transmit_most;
        u32 product;
    } __attribute__((packed)) open;
    u8 log[14], product[18];
    struct transmit_list tx[TX_LISTS];
    struct receive_list rx[RX_LISTS];
    u32 tx_free, tx_busy, rx_head, rx_tail;
    struct skb_queue queue;             // frames that wait for a list
    u32 queue_room;
    u32 wanted;                         // commands that wait for the SCB
    int scb_used, is_open, transmitting, fast;
    volatile int answered;              // OPEN was
} board;

static const u16 image[] = {            // page, address, words; a block of none ends
    0x0000, 0xA000, 4, 0x0300, 0x0000, 0x045B, 0x10FF,
    0x0000, 0xFFFC, 2, 0x0080, 0xA000,
    0x0000, 0x0000, 0,
};

#define PORT(r) ((u16)(dev->io + (r)))

// ---- the board ----------------------------------------------------------------------------------
static void register_page(struct netdev *dev, int upper) {
    u8 control = inb(PORT(CONTROL1));
    if (!upper && (control & C1_SRSX))
        outb(control ^ C1_SRSX, PORT(CONTROL1));
    else if (upper)
        outb(control | C1_SRSX, PORT(CONTROL1));
    (void)inb(PORT(CONTROL1));
}

static u16 sif_read(struct netdev *dev, u32 reg) {
    if (reg < 8)
        return inw(PORT(SIF + reg));
    register_page(dev, 1);
    u16 value = inw(PORT(reg));
    register_page(dev, 0);
    return value;
}

static void sif_write(struct netdev *dev, u16 value, u32 reg) {
    if (reg < 8) {
        outw(value, PORT(SIF + reg));
        return;
    }
    register_page(dev, 1);
    outw(value, PORT(reg));
    register_page(dev, 0);
}

static void enable_interrupts(struct netdev *dev) {
    register_page(dev, 1);
    outb(ACL_SINTEN, PORT(SIFACL));
    register_page(dev, 0);
}

static void map_sif(struct netdev *dev) {
    outb(inb(PORT(CONTROL0)) | C0_SIFSEL, PORT(CONTROL0));
    (void)inb(PORT(CONTROL0));
}

static void board_init(struct netdev *dev) {
    outb(0, PORT(CONTROL1));
    udelay_spin(100);
    outb(C1_NSRESET, PORT(CONTROL1));
    map_sif(dev);
    outb(inb(PORT(CONTROL1)) | C1_SINTEN, PORT(CONTROL1));
}

static void pause(u32 ticks) {
    static const int never;
    wait_for(&never, ticks);
}

// ---- commands -----------------------------------------------------------------------------------
// The driver means to wait until the chip has taken the command before; its loop ends after one look.
static void doorbell(struct netdev *dev, u16 bits) {
    (void)sif_read(dev, SIFSTS);
    sif_write(dev, (u16)((bits ^ CMD_SYSTEM_IRQ) | CMD_INTERRUPT), SIFCMD);
}

static void set_scb(u16 command, u32 parameter) {
    board.scb.parameter[0] = (u16)parameter;
    board.scb.parameter[1] = (u16)(parameter >> 16);
    board.scb.command = command;
}

static void drop_sent(void) {
    while (board.tx[board.tx_busy].busy) {
        struct transmit_list *t = &board.tx[board.tx_busy];
        board.tx_busy = (board.tx_busy + 1) % TX_LISTS;
        t->status = 0;
        t->busy = 0;
        skb_free(t->skb);
    }
}

// The next command that waits, in the driver's order, if the SCB is free.
static void next_command(struct netdev *dev) {
    if (!board.wanted || board.scb_used)
        return;
    if (!board.is_open) {
        if (!(board.wanted & WANT_OPEN))
            return;
        board.wanted ^= WANT_OPEN;
        set_scb(OPEN, htonl(phys(&board.open)));
    } else if (board.wanted & WANT_RECEIVE) {
        board.wanted ^= WANT_RECEIVE;
        set_scb(RECEIVE, htonl(phys(&board.rx[board.rx_head])));
    } else if (board.wanted & WANT_TRANSMIT) {
        board.wanted ^= WANT_TRANSMIT;
        drop_sent();
        set_scb(TRANSMIT, htonl(phys(&board.tx[board.tx_busy])));
        board.transmitting = 1;
    } else if (board.wanted & WANT_MODIFY) {
        board.wanted ^= WANT_MODIFY;
        set_scb(MODIFY_OPEN, board.open.options);
    } else if (board.wanted & WANT_FUNCTIONAL) {
        board.wanted ^= WANT_FUNCTIONAL;
        set_scb(SET_FUNCTIONAL, board.open.functional);
    } else {
        board.wanted ^= WANT_LOG;
        set_scb(READ_ERROR_LOG, htonl(phys(board.log)));
    }
    board.scb_used = 1;
    barrier();
    doorbell(dev, CMD_EXECUTE | CMD_SCB_REQUEST);
}

static void want(struct netdev *dev, u32 command) {
    board.wanted |= command;
    next_command(dev);
}

// ---- transmit -----------------------------------------------------------------------------------
// With interrupts off: the handler does it too. The kernel's driver leaves them on and can lose a frame by it.
static void fill_lists(struct netdev *dev) {
    for (;;) {
        struct transmit_list *t = &board.tx[board.tx_free];
        if (board.tx[(board.tx_free + 1) % TX_LISTS].busy)
            return;
        struct skb *b = queue_first(&board.queue);
        if (!b)
            return;
        queue_unlink(b);
        board.queue_room++;
        t->busy = 1;
        board.tx_free = (board.tx_free + 1) % TX_LISTS;
        t->skb = b;
        t->fragment[0].count = htons((u16)b->length);
        t->fragment[0].address = htonl(phys(b->data));
        t->size = htons((u16)b->length);
        barrier();
        t->status = LIST_VALID | LIST_START | LIST_END | TX_PASS_SOURCE | LIST_IRQ;
        doorbell(dev, CMD_TX_VALID);
    }
}

static int start_transmit(struct skb *b, struct netdev *dev) {
    u32 flags;
    dev->busy = 1;
    if (!board.queue_room)
        return 1;
    board.queue_room--;
    save_flags_cli(flags);
    queue_tail(&board.queue, b);
    fill_lists(dev);
    if (board.queue_room)
        dev->busy = 0;
    restore_flags(flags);
    return 0;
}

static void transmit_done(struct netdev *dev) {
    struct net_counters *c = &dev->counters;
    for (;;) {
        struct transmit_list *t = &board.tx[board.tx_busy];
        if (!t->busy || (t->status & (LIST_VALID | LIST_COMPLETE)) != LIST_COMPLETE)
            break;
        board.tx_busy = (board.tx_busy + 1) % TX_LISTS;
        if (t->status & TX_ERROR)
            c->tx_errors++;
        else
            c->tx_packets++;
        c->tx_bytes += t->skb->length;
        skb_free(t->skb);
        t->busy = 0;
    }
    dev->busy = 0;
    mark_bh(NET_BH);
    if (board.queue_room < TX_QUEUE)
        fill_lists(dev);
}

// ---- receive ------------------------------------------------------------------------------------
static int new_buffer(struct receive_list *l, struct netdev *dev) {
    u32 bytes = TR_HEADER + dev->mtu;
    struct skb *b = skb_alloc(bytes + HEADROOM_RX);
    if (!b)
        return -1;
    skb_reserve(b, HEADROOM_RX);
    l->skb = b;
    l->fragment.address = htonl(phys(b->data));
    l->fragment.count = htons((u16)bytes);
    return 0;
}

static void receive(struct netdev *dev) {
    struct net_counters *c = &dev->counters;
    for (;;) {
        struct receive_list *l = &board.rx[board.rx_head];
        if (l->status & LIST_VALID)
            return;
        u16 length = htons(l->size), again;
        if ((l->status & WHOLE_FRAME) == WHOLE_FRAME) {
            again = htons(l->size);
            if (!length || length != again)
                return;
            struct skb *b = l->skb;
            if (!new_buffer(l, dev)) {
                c->rx_packets++;
                c->rx_bytes += length;
                skb_put(b, length);
                b->dev = dev;
                b->protocol = tr_type(b, dev);
                netif_rx(b);
            } else {
                c->rx_dropped++;
            }
        } else {
            c->rx_errors++;
        }
        board.rx_head = (board.rx_head + 1) % RX_LISTS;
        l->size = 0;
        board.rx[board.rx_tail].size = 0;
        barrier();
        board.rx[board.rx_tail].status = LIST_VALID | LIST_IRQ;
        board.rx_tail = (board.rx_tail + 1) % RX_LISTS;
        doorbell(dev, CMD_RX_VALID);
    }
}

// ---- interrupt ----------------------------------------------------------------------------------
// All ones in the SSB tell later whether the chip has written it.
static void acknowledge(struct netdev *dev) {
    board.ssb.command = board.ssb.status[0] = board.ssb.status[1] = board.ssb.status[2] = 0xFFFF;
    barrier();
    doorbell(dev, CMD_SSB_CLEAR | CMD_SYSTEM_IRQ);
}

static int ssb_written(u32 code) {
    u32 words = code == IRQ_TRANSMIT || code == IRQ_RECEIVE ? 3 : code == IRQ_RING_STATUS ? 1 : 0;
    if (!words && code != IRQ_COMMAND)
        return 1;
    if (board.ssb.command == 0xFFFF)
        return 0;
    for (u32 i = 0; i < words; i++)
        if (board.ssb.status[i] == 0xFFFF)
            return 0;
    return 1;
}

static void command_done(struct netdev *dev) {
    if (board.ssb.command != OPEN)
        return;
    board.answered = 1;
    board.scb_used = 0;
    if ((board.ssb.status[0] & 0xFF) != GOOD) {
        printk("%s: open error %04x\n", dev->name, htons(board.ssb.status[0]));
        return;
    }
    board.is_open = 1;
    board.transmitting = 0;
    want(dev, WANT_TRANSMIT);
    want(dev, WANT_RECEIVE);
}

static void ring_status(struct netdev *dev) {
    u16 status = board.ssb.status[0];
    printk("%s: ring status %04x\n", dev->name, htons(status));
    if (status & COUNTER_OVERFLOW)
        want(dev, WANT_LOG);
    if (status & ADAPTER_CLOSED)
        board.is_open = 0;
}

static void serve(struct netdev *dev) {
    for (u16 status = sif_read(dev, SIFSTS); status & STS_SYSTEM_IRQ; status = sif_read(dev, SIFSTS)) {
        u32 code = status & STS_CODE;
        if (!ssb_written(code)) {
            printk("%s: the adapter's status is late\n", dev->name);
            return;
        }
        switch (code) {
        case IRQ_RECEIVE:
            acknowledge(dev);
            receive(dev);
            continue;
        case IRQ_TRANSMIT:
            if (board.ssb.status[0] & COMMAND_COMPLETE) {
                board.transmitting = 0;
                want(dev, WANT_TRANSMIT);
            }
            acknowledge(dev);
            transmit_done(dev);
            continue;
        case IRQ_COMMAND: command_done(dev); break;
        case IRQ_SCB_CLEAR:
            board.scb_used = 0;
            next_command(dev);
            break;
        case IRQ_RING_STATUS: ring_status(dev); break;
        case IRQ_ADAPTER_CHECK:
            printk("%s: adapter check\n", dev->name);
            board.is_open = 0;
            break;
        }
        acknowledge(dev);
    }
}

static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    (void)irq, (void)r;
    if (!(inb(PORT(CONTROL0)) & C0_SINTR))
        return;
    do {
        u8 control = inb(PORT(CONTROL1));
        outb(control ^ C1_SINTEN, PORT(CONTROL1));
        outb(control, PORT(CONTROL1));
        serve(dev);
    } while (sif_read(dev, SIFSTS) & STS_SYSTEM_IRQ);
}

// ---- start --------------------------------------------------------------------------------------
static void download(struct netdev *dev) {
    const u16 *w = image;
    for (;;) {
        sif_write(dev, *w++, SIFADX);
        sif_write(dev, *w++, SIFADD);
        u32 words = *w++;
        if (!words)
            return;
        while (words--)
            sif_write(dev, *w++, SIFINC);
    }
}

static void reset_adapter(struct netdev *dev) {
    sif_write(dev, ACL_ARESET, SIFACL);
    udelay_spin(40);
    u16 acl = sif_read(dev, SIFACL);
    udelay_spin(20);
    acl &= (u16)~ACL_NSELOUT;
    u8 control = inb(PORT(CONTROL1));
    outb(board.fast ? control | C1_SPEED_16 : control & (u8)~C1_SPEED_16, PORT(CONTROL1));
    acl = (u16)((acl & ~(ACL_ARESET | ACL_PSDMAEN)) | ACL_CPHALT | ACL_BOOT | ACL_SINTEN);
    sif_write(dev, acl, SIFACL);
    udelay_spin(40);
    download(dev);
    acl = sif_read(dev, SIFACL);
    sif_write(dev, acl & (u16)~ACL_CPHALT, SIFACL);
}

static int bring_up(struct netdev *dev) {
    pause(HALF_SECOND);
    doorbell(dev, SOFT_RESET);
    pause(HALF_SECOND);
    for (int tries = BRING_UP_TRIES; tries--;) {
        for (int looks = BRING_UP_LOOKS; looks--;) {
            pause(HALF_SECOND);
            u16 status = sif_read(dev, SIFSTS) & STS_MASK;
            if (status == STS_INITIALIZE)
                return 0;
            if ((status & (STS_ERROR | STS_TEST)) == (STS_ERROR | STS_TEST))
                break;
        }
        if (tries) {
            doorbell(dev, SOFT_RESET);
            pause(HALF_SECOND);
        }
    }
    printk("%s: bring-up error %02x\n", dev->name, sif_read(dev, SIFSTS) & 0x1F);
    return -1;
}

static int initialize(struct netdev *dev) {
    static const u8 scb_test[6] = {0x00, 0x00, 0xC1, 0xE2, 0xD4, 0x8B};
    static const u8 ssb_test[8] = {0xFF, 0xFF, 0xD1, 0xD7, 0xC5, 0xD9, 0xC3, 0xD4};
    u16 *w = board.initialization, status = STS_ERROR;
    u32 scb = phys((void *)&board.scb), ssb = phys((void *)&board.ssb);
    w[0] = 0x9F00;
    w[1] = w[2] = w[3] = 0;
    w[4] = w[5] = 24;
    w[6] = 0x0505;
    w[7] = (u16)(scb >> 16);
    w[8] = (u16)scb;
    w[9] = (u16)(ssb >> 16);
    w[10] = (u16)ssb;
    sif_write(dev, 1, SIFADX);
    sif_write(dev, POINTERS, SIFADD);
    for (int i = 0; i < 11; i++)
        sif_write(dev, w[i], SIFINC);
    doorbell(dev, CMD_EXECUTE);
    for (int looks = INITIALIZE_LOOKS; looks--;) {
        pause(HALF_SECOND);
        status = sif_read(dev, SIFSTS) & STS_MASK;
        if (!(status & (STS_INITIALIZE | STS_TEST)) || status & STS_ERROR)
            break;
    }
    if (status & (STS_INITIALIZE | STS_ERROR | STS_TEST) || memcmp((void *)&board.scb, scb_test, sizeof scb_test) ||
        memcmp((void *)&board.ssb, ssb_test, sizeof ssb_test)) {
        printk("%s: initialization error %02x\n", dev->name, sif_read(dev, SIFSTS) & STS_CODE);
        return -1;
    }
    return 0;
}

static u16 read_ram(struct netdev *dev, u16 address, u32 words) {
    u16 page = sif_read(dev, SIFADX), old = sif_read(dev, SIFADR), value = 0;
    sif_write(dev, 1, SIFADX);
    sif_write(dev, address, SIFADR);
    while (words--)
        value = sif_read(dev, SIFINC);
    sif_write(dev, page, SIFADX);
    sif_write(dev, old, SIFADR);
    return value;
}

static int lay_out(struct netdev *dev) {
    static const u8 product[18] = "Madge MCA 16/4    ";
    memset(&board.open, 0, sizeof board.open);
    board.open.options = FULL_DUPLEX_SELECTION;
    memcpy(board.open.node, dev->mac, 6);
    board.open.receive_list = BE(14);
    board.open.transmit_list = BE(26);
    board.open.buffer = BE(BUFFER);
    board.open.transmit_least = 20;
    board.open.transmit_most = 40;
    memcpy(board.product, product, sizeof product);
    board.open.product = htonl(phys(board.product));
    queue_init(&board.queue);
    board.queue_room = TX_QUEUE;
    for (u32 i = 0; i < TX_LISTS; i++)
        board.tx[i].next = htonl(phys((void *)&board.tx[(i + 1) % TX_LISTS]));
    for (u32 i = 0; i < RX_LISTS; i++) {
        board.rx[i].next = htonl(phys((void *)&board.rx[(i + 1) % RX_LISTS]));
        board.rx[i].status = LIST_START | LIST_END | LIST_IRQ | (i + 1 < RX_LISTS ? LIST_VALID : 0);
        if (new_buffer(&board.rx[i], dev))
            return -1;
    }
    board.rx_tail = RX_LISTS - 1;
    return 0;
}

static int open(struct netdev *dev) {
    board_init(dev);
    if (lay_out(dev))
        return -1;
    reset_adapter(dev);
    if (bring_up(dev) || initialize(dev))
        return -1;
    u16 size_at = read_ram(dev, POINTERS, 8);
    printk("%s: %u KB of adapter RAM\n", dev->name, read_ram(dev, size_at, 1));
    enable_interrupts(dev);
    want(dev, WANT_OPEN);
    wait_for(&board.answered, OPEN_WAIT);
    if (!board.is_open)
        return -1;
    dev->busy = 0;
    dev->started = 1;
    // The kernel sets the list of multicast addresses of an interface that has come up.
    cli();
    want(dev, WANT_FUNCTIONAL);
    want(dev, WANT_MODIFY);
    sti();
    return 0;
}

static int probe(struct netdev *dev, const u8 pos[8]) {
    static const u8 lines[] = {0, 3, 9, 10};
    dev->io = (u16)(0x0A20 + (pos[4] & 0x04 ? 0x0400 : 0) + (pos[2] & 0x20 ? 0x1000 : 0) + (pos[5] & 0x20 ? 0x2000 : 0));
    dev->irq = lines[pos[2] >> 6];
    if (!dev->irq) {
        printk("%s: no interrupt is chosen\n", dev->name);
        return -1;
    }
    board.fast = pos[3] & 0x04 || pos[4] & 0x20;
    u8 control0 = inb(PORT(CONTROL0)), control1 = inb(PORT(CONTROL1)), off = control0 & (u8) ~(C0_PAGE | C0_SIFSEL);
    outb(off, PORT(CONTROL0));
    u8 maker = inb(PORT(SIF)), type = inb(PORT(SIF + 1));
    (void)inb(PORT(SIF + 2));           // revision
    outb(off | C0_PAGE, PORT(CONTROL0));
    for (u32 i = 0; i < 6; i++)
        dev->mac[i] = inb(PORT(SIF + 1 + i));
    outb(control0, PORT(CONTROL0));
    outb(control1, PORT(CONTROL1));
    if (maker != 0x4D || (type != 0x08 && type != 0x0D)) {
        printk("%s: unknown card %02x %02x\n", dev->name, maker, type);
        return -1;
    }
    outb(0, PORT(CONTROL0));
    map_sif(dev);
    if (request_irq(dev->irq, interrupt, 0, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    board_init(dev);
    outb(pos[3] & 0x40 ? 0 : 1, PORT(CABLE));
    dev->link = LINK_TOKEN_RING;
    dev->open = open;
    dev->start_transmit = start_transmit;
    return 0;
}

static const u16 ids[] = {0x002D, 0x0074, 0};

const struct driver tms380_driver = {"madge", ids, probe};
