// SPDX-License-Identifier: GPL-2.0-or-later
//
// IBM LAN Adapter/A for Ethernet (FFE0h; FEE6h is the same board for the 5494): SONIC-T on its own
// shared RAM. Touches the card as Linux 2.4's ibmlana.c does (as a module it also ran on 2.2): order,
// width and number of accesses, copies with the kernel's memcpy_toio and memcpy_fromio; the code is our
// own.
//
// Habits that set the figures: four transmit buffers, but only one descriptor at a time is given to the chip,
// and the next one is started by the interrupt of the previous one; a whole descriptor is read and written
// back for each frame sent or received; received frames keep their check sequence, and their IP header is
// not aligned. The word written to port 28h of the machine, for lack of the base address, is imitated too.
//
// POS 2: bits 2:1 interrupt, 7:5 I/O base; POS 3: bits 7:4 window, 0 its size (docs/hardware/sonic.md#lan-adaptera).
#include "driver.h"

enum {                                  // registers, by I/O offset
    CR = 0x00, DCR = 0x02, RCR = 0x04, IMR = 0x08, ISR = 0x0A, UTDA = 0x0C, CTDA = 0x0E, URDA = 0x1A, CRDA = 0x1C,
    EOBC = 0x26, URRA = 0x28, RSA = 0x2A, REA = 0x2C, RRP = 0x2E, RWP = 0x30, CDP = 0x4C, CDC = 0x4E, DCR2 = 0x7E,
    BOARD_CONTROL = 0x80, ADDRESS_PROM = 0x92, ADDRESS_BYTES = 7
};
enum { CR_TXP = 0x002, CR_RXEN = 0x008, CR_RST = 0x080, CR_RRRA = 0x100, CR_LCAM = 0x200 };
enum { DCR_USER_PINS = 0x300, DCR_ONE_WAIT = 0x040, DCR_32BIT = 0x020, RCR_BROADCAST = 0x2000 };
enum { ISR_LCD = 0x1000, ISR_PKTRX = 0x400, ISR_TXDN = 0x200, ISR_TXER = 0x100, ISR_RBE = 0x20 };
enum { RX_OK = 0x01, RX_ALIGNMENT = 0x04, RX_CRC = 0x08 };
enum { TX_UNDERRUN = 0x04, TX_LATE = 0x20, TX_EXCESSIVE = 0x40, TX_CARRIER = 0x180 };
enum { CONTROL_RAM = 0x80, CONTROL_PENDING = 0x40, CONTROL_RESET = 0x08, CONTROL_WINDOW = 0x02,
       CONTROL_INTERRUPT = 0x01 };
enum { PACKET_SIZE = 1524, TX_BUFFERS = 4, POLL_TICKS = 2, EOL = 1 };

struct cam_entry {
    u32 index, address[3];
};
struct resource {
    u32 start_low, start_high, words_low, words_high;
};
struct rx_descriptor {
    u32 status, length, start_low, start_high, sequence, link, in_use;
};
struct tx_descriptor {
    u32 status, config, length, fragments, start_low, start_high, fragment_length, link;
};

struct ibmlana {
    u8 *ram;                            // the window
    u32 ram_size;
    u32 tda, tx_data, rra, rda;         // offsets in the RAM
    u32 rx_count, tx_used;
    u32 next_rx, last_rx, next_tx, current_tx;
};

#define REG(r) ((u16)(dev->io + (r)))

// ---- start --------------------------------------------------------------------------------------
// 1 = the bit was cleared within two ticks, 0 = it was not
static int wait_for_clear(struct netdev *dev, u16 bit) {
    u32 end = jiffies + POLL_TICKS;
    while (jiffies != end)
        if (!(inw(REG(CR)) & bit))
            return 1;
    return 0;
}

static void reset_board(struct netdev *dev) {
    u8 control = inb(REG(BOARD_CONTROL));
    control |= CONTROL_RESET;
    outb(control, REG(BOARD_CONTROL));
    udelay_spin(10);
    control &= (u8)~CONTROL_RESET;
    outb(control, REG(BOARD_CONTROL));
    control |= CONTROL_RAM | CONTROL_WINDOW;
    outb(control, REG(BOARD_CONTROL));
}

static void build_descriptors(struct netdev *dev) {
    struct ibmlana *board = dev->private_data;
    struct tx_descriptor tda;
    struct rx_descriptor rda;
    struct resource rra;
    u32 at = 0, data = sizeof tda * TX_BUFFERS, resource;

    board->tda = at;
    board->tx_data = data;
    for (int n = 0; n < TX_BUFFERS; n++) {
        tda.status = tda.config = tda.length = tda.fragment_length = tda.start_high = 0;
        tda.fragments = 1;
        tda.start_low = data;
        tda.link = (n == TX_BUFFERS - 1 ? board->tda : at + sizeof tda) | EOL;
        memcpy_toio(board->ram + at, &tda, sizeof tda);
        at += sizeof tda;
        data += PACKET_SIZE;
    }
    board->rx_count = (board->ram_size - data) / (sizeof rra + sizeof rda + PACKET_SIZE);
    board->rra = resource = data;
    board->rda = at = board->rra + board->rx_count * sizeof rra;
    data = board->rda + board->rx_count * sizeof rda;
    for (u32 n = 0; n < board->rx_count; n++) {
        rra.start_low = data;
        rra.start_high = rra.words_high = 0;
        rra.words_low = PACKET_SIZE / 2;
        memcpy_toio(board->ram + resource, &rra, sizeof rra);
        rda.status = rda.length = rda.start_low = rda.start_high = rda.sequence = 0;
        rda.link = n < board->rx_count - 1 ? at + sizeof rda : EOL;
        rda.in_use = 1;
        memcpy_toio(board->ram + at, &rda, sizeof rda);
        data += PACKET_SIZE;
        resource += sizeof rra;
        at += sizeof rda;
    }
    board->next_rx = 0;
    board->last_rx = board->rx_count - 1;
    board->next_tx = board->current_tx = board->tx_used = 0;
}

static int start_lists(struct netdev *dev) {
    struct ibmlana *board = dev->private_data;
    outw(0, URRA);                      // sic: port 28h of the machine, without the base address
    outw((u16)board->rra, REG(RSA));
    outw((u16)(board->rra + board->rx_count * sizeof(struct resource)), REG(REA));
    outw((u16)board->rra, REG(RRP));
    outw((u16)board->rra, REG(RWP));
    outw((PACKET_SIZE - 4) / 2, REG(EOBC));     // one frame per buffer
    outw(CR_RRRA, REG(CR));
    if (!wait_for_clear(dev, CR_RRRA)) {
        printk("%s: the SONIC does not read its resources\n", dev->name);
        return 0;
    }
    outw(0, REG(URDA));
    outw((u16)board->rda, REG(CRDA));
    outw(0, REG(UTDA));
    return 1;
}

static void init_board(struct netdev *dev) {
    struct ibmlana *board = dev->private_data;
    struct cam_entry cam;
    u32 mask = 1;
    const u8 *mac = dev->mac;

    outw(CR_RST, REG(CR));
    udelay_spin(10);
    outw(inw(REG(ISR)), REG(ISR));
    outw(DCR_USER_PINS | DCR_ONE_WAIT | DCR_32BIT, REG(DCR));
    outw(0, REG(DCR2));
    outw(0, REG(CR));
    udelay_spin(10);
    outw(0, REG(URRA));
    cam.index = 0;
    for (int i = 0; i < 3; i++)
        cam.address[i] = mac[2 * i] | (u32)mac[2 * i + 1] << 8;
    memcpy_toio(board->ram, &cam, sizeof cam);
    memcpy_toio(board->ram + sizeof cam, &mask, sizeof mask);
    outw(0, REG(CDP));
    outw(1, REG(CDC));
    outw(CR_LCAM, REG(CR));
    if (!wait_for_clear(dev, CR_LCAM)) {
        printk("%s: the SONIC does not load its CAM\n", dev->name);
        return;
    }
    outw(ISR_LCD, REG(ISR));
    outw(RCR_BROADCAST, REG(RCR));
    build_descriptors(dev);
    if (!start_lists(dev))
        return;
    outw(0xFFFF, REG(ISR));
    outw(CR_RXEN, REG(CR));
    outw(ISR_PKTRX | ISR_RBE | ISR_TXDN | ISR_TXER, REG(IMR));
    outb(inb(REG(BOARD_CONTROL)) | CONTROL_INTERRUPT, REG(BOARD_CONTROL));
}

static void stop_chip(struct netdev *dev) {
    outb(inb(REG(BOARD_CONTROL)) & (u8)~CONTROL_INTERRUPT, REG(BOARD_CONTROL));
    outb(0, REG(IMR));                  // sic: only a byte
    outw(CR_RST, REG(CR));
    udelay_spin(10);
    outw(CR_RST, REG(CR));
}

// ---- transmit -----------------------------------------------------------------------------------
static void start_descriptor(struct netdev *dev, u32 n) {
    struct ibmlana *board = dev->private_data;
    outw((u16)(board->tda + n * sizeof(struct tx_descriptor)), REG(CTDA));
    board->current_tx = n;
    outw(CR_TXP, REG(CR));
}

static int start_transmit(struct skb *b, struct netdev *dev) {
    struct ibmlana *board = dev->private_data;
    static const char filler[] = "NetBSD is a nice OS too! ";
    struct tx_descriptor tda;
    u32 flags, length = b->length > ETH_MIN ? b->length : ETH_MIN;

    if (board->tx_used >= TX_BUFFERS) {
        dev->counters.tx_errors++;
        return 1;
    }
    u8 *data = board->ram + board->tx_data + board->next_tx * PACKET_SIZE;
    memcpy_toio(data, b->data, b->length);
    for (u32 at = b->length; at < length; at += sizeof filler - 1)
        memcpy_toio(data + at, filler, sizeof filler - 1);
    u8 *descriptor = board->ram + board->tda + board->next_tx * sizeof tda;
    memcpy_fromio(&tda, descriptor, sizeof tda);
    tda.length = tda.fragment_length = length;
    memcpy_toio(descriptor, &tda, sizeof tda);

    save_flags_cli(flags);
    board->tx_used++;
    if (board->tx_used >= TX_BUFFERS)
        dev->busy = 1;
    if (board->tx_used == 1)
        start_descriptor(dev, board->next_tx);
    board->next_tx = (board->next_tx + 1) % TX_BUFFERS;
    restore_flags(flags);
    skb_free(b);
    return 0;
}

// Both transmit interrupts: check the descriptor, start the next one.
static void transmit_done(struct netdev *dev, int failed) {
    struct ibmlana *board = dev->private_data;
    struct tx_descriptor tda;
    struct net_counters *c = &dev->counters;
    memcpy_fromio(&tda, board->ram + board->tda + board->current_tx * sizeof tda, sizeof tda);
    if (!failed) {
        c->tx_packets++;
        c->tx_bytes += tda.length;
    } else {
        c->tx_errors++;
        c->tx_carrier_errors += (tda.status & TX_CARRIER) != 0;
        c->tx_aborted_errors += (tda.status & TX_EXCESSIVE) != 0;
        c->tx_window_errors += (tda.status & TX_LATE) != 0;
        c->tx_fifo_errors += (tda.status & TX_UNDERRUN) != 0;
    }
    board->tx_used--;
    if (board->tx_used > 0)
        start_descriptor(dev, (board->current_tx + 1) % TX_BUFFERS);
    dev->busy = 0;
    mark_bh(NET_BH);
}

// ---- receive ------------------------------------------------------------------------------------
static void take_frame(struct netdev *dev, const struct rx_descriptor *rda) {
    struct ibmlana *board = dev->private_data;
    struct skb *b = skb_alloc(rda->length + 2 + 16);
    if (!b) {
        dev->counters.rx_dropped++;
        return;
    }
    skb_reserve(b, 16);
    memcpy_fromio(skb_put(b, rda->length), board->ram + rda->start_low, rda->length);
    b->dev = dev;
    b->protocol = eth_type(b, dev);
    dev->counters.rx_packets++;
    dev->counters.rx_bytes += rda->length;
    netif_rx(b);
}

static void receive(struct netdev *dev) {
    struct ibmlana *board = dev->private_data;
    struct rx_descriptor rda;
    while (receive_more(dev)) {
        u32 here = board->rda + board->next_rx * sizeof rda;
        u32 last = board->rda + board->last_rx * sizeof rda;
        memcpy_fromio(&rda, board->ram + here, sizeof rda);
        rda.status &= 0xFFFF;           // the chip repeats the lower half in the upper one
        rda.length &= 0xFFFF;
        rda.start_low &= 0xFFFF;
        if (rda.in_use)
            break;
        if (rda.status & RX_OK) {
            take_frame(dev, &rda);
        } else {
            dev->counters.rx_errors++;
            dev->counters.rx_frame_errors += (rda.status & RX_ALIGNMENT) != 0;
            dev->counters.rx_crc_errors += (rda.status & RX_CRC) != 0;
        }
        rda.link = EOL;                 // it becomes the last descriptor
        rda.in_use = 1;
        memcpy_toio(board->ram + here, &rda, sizeof rda);
        memcpy_toio(board->ram + last + offsetof(struct rx_descriptor, link), &here, sizeof here);
        board->last_rx = board->next_rx;
        if (++board->next_rx >= board->rx_count)
            board->next_rx = 0;
    }
}

// ---- interrupt ----------------------------------------------------------------------------------
// Handles each cause once: the line is level-triggered, so remaining causes call the handler again.
static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    struct ibmlana *board = dev->private_data;
    (void)irq, (void)r;
    if (receive_left(dev))
        receive(dev);
    if (!(inb(REG(BOARD_CONTROL)) & CONTROL_PENDING))
        return;
    dev->in_interrupt = 1;
    u16 causes = inw(REG(ISR));
    if (causes & ISR_RBE) {             // restart the list of buffers
        outw((u16)board->rra, REG(RRP));
        outw((u16)board->rra, REG(RWP));
        outw(ISR_RBE, REG(ISR));
    }
    if (causes & ISR_PKTRX) {
        receive(dev);
        outw(ISR_PKTRX, REG(ISR));
    }
    if (causes & ISR_TXDN) {
        transmit_done(dev, 0);
        outw(ISR_TXDN, REG(ISR));
    }
    if (causes & ISR_TXER) {
        transmit_done(dev, 1);
        outw(ISR_TXER, REG(ISR));
    }
    dev->in_interrupt = 0;
}

// ---- taking over --------------------------------------------------------------------------------
static int open_card(struct netdev *dev) {
    if (request_irq(dev->irq, interrupt, IRQF_SHARED, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    init_board(dev);
    dev->busy = 0;
    dev->started = 1;
    stop_chip(dev);                     // the kernel sets the multicast list of a device after opening it
    init_board(dev);
    return 0;
}

static int locate(struct device *d) {
    static const u8 interrupts[4] = {5, 15, 10, 11};
    d->io = (u16)(mca_field(d, 2, 5, 3) << 12);
    d->mem = 0xC0000 + (mca_field(d, 3, 4, 4) << 13);
    d->irq = interrupts[mca_field(d, 2, 1, 2)];
    if (!d->io)
        printk("ibmlana: POS 2 = %x selects no I/O base\n", mca_stored_pos(d, 2));
    return d->io ? 0 : -1;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct ibmlana *board = dev->private_data;
    board->ram = virt(d->mem);
    board->ram_size = mca_field(d, 3, 0, 1) ? 0x8000 : 0x4000;
    for (int i = 0; i < ADDRESS_BYTES; i++) {   // one more byte than an address has
        u8 byte = inb(REG(ADDRESS_PROM + i));
        if (i < 6)
            dev->mac[i] = byte;
    }
    reset_board(dev);
    dev->open = open_card;
    dev->start_transmit = start_transmit;
    return 0;
}

static const u32 ids[] = {0xFFE0, 0xFEE6, 0};

const struct driver ibmlana_driver = {
    .name = "lan-a", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe, .state_bytes = sizeof(struct ibmlana)};
