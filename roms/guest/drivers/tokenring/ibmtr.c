// SPDX-License-Identifier: GPL-2.0-or-later
//
// IBM's shared-RAM Token Ring adapters: 16/4 Adapter/A (E001h) and the 4 Mbit/s Adapter/A (E000h). Touches the card as
// Linux 2.2.26's ibmtr.c does: order, width and number of accesses, copies with the kernel's memcpy_toio, memcpy_fromio
// and its checksumming copy; the code is our own. POS is not read: the ports give the addresses of the windows.
//
// Habits that set the figures: the page register is written before each mailbox access, whatever the window size; a
// frame is requested in the SRB, and copied in the interrupt that the adapter then raises; two buffers for frames to
// send, so the next one is requested while one is on the ring; the result of each frame is a separate interrupt; one
// byte goes to port 0 of the machine at every interrupt.
//
// The driver setting `4.0` (Microsoft's of the published figures) differs in two ways: one buffer for frames to send,
// and no new request before the result of the previous frame has arrived (P: tr16-4a-1989 driver.versions).
//
// Registers and mailboxes: docs/hardware/tropic.md.
#include "driver.h"
#include "ibmtr.h"

// A mailbox: its address in the window when its page is selected.
struct mailbox {
    u8 *at;
    u8 page;
};

struct ibmtr {
    u8 *mmio, *ram;
    u32 ram_address;
    u8 page_mask, saved_page, ring_speed;
    u32 mapped, available;              // RAM mapped and available, in units of 512 bytes
    u16 dhb_4, dhb_16, count_4, count_16, receive_length;
    struct mailbox first_srb, srb, ssb, arb, asb;
    u16 station;                        // of the SAP, in the adapter's byte order
    u8 one_at_a_time;                   // wait for the result of each frame
    struct skb *in_hand;                // the frame that the adapter was asked to take
    int up, settled, opened;            // first interrupt came; OPEN has ended; it succeeded
};

static inline u8 read8(const u8 *at) { return *(const volatile u8 *)at; }
static inline u16 read16(const u8 *at) { return *(const volatile u16 *)at; }
static inline void write8(u8 value, u8 *at) { *(volatile u8 *)at = value; }
static inline void write16(u16 value, u8 *at) { *(volatile u16 *)at = value; }
#define FIELD(mailbox, type, field) ((mailbox).at + offsetof(struct type, field))

static inline u8 *mmio(struct netdev *dev) { return ((struct ibmtr *)dev->private_data)->mmio; }
static inline u8 aca(struct netdev *dev, u32 reg) { return read8(mmio(dev) + ACA + reg); }
static inline void aca_clear(struct netdev *dev, u8 bits, u32 reg) { write8((u8)~bits, mmio(dev) + ACA_AND + reg); }
static inline void aca_set(struct netdev *dev, u8 bits, u32 reg) { write8(bits, mmio(dev) + ACA_OR + reg); }
static inline void select(struct netdev *dev, u8 page) { write8(page, mmio(dev) + ACA + SRPR); }

static struct mailbox place(struct netdev *dev, u16 offset) {
    struct ibmtr *board = dev->private_data;
    struct mailbox m;
    m.page = (u8)(offset >> 8 & board->page_mask);
    m.at = board->ram + (offset & ~((u32)board->page_mask << 8));
    return m;
}
static void ring_bell(struct netdev *dev, u8 bit) { aca_set(dev, bit, ISRA_ODD); }

// ---- start --------------------------------------------------------------------------------------
// 1 = a Micro Channel Token Ring adapter responds at this port.
static int identify(struct netdev *dev, u16 port, u8 *segment) {
    struct ibmtr *board = dev->private_data;
    static const char id[] = "MARS63X4518 ";
    *segment = inb(port);
    if (*segment < 0x40 || *segment > 0xE0)
        return 0;
    board->mmio = virt(((u32)(*segment & 0xFC) << 11) + 0x80000);
    for (u32 i = 0; i < 24; i++) {
        u8 nibble = (u8)(i & 1 ? id[i / 2] & 0xF : id[i / 2] >> 4);
        if ((read8(board->mmio + AIP_CHANNEL + 2 * i) & 0xF) != nibble)
            return 0;
    }
    return 1;
}

static u16 dhb_size(u8 code, int sixteen) {
    static const u16 sizes[2][5] = {{2048, 4096, 4464, 2048, 2048}, {2048, 4096, 8192, 16384, 17960}};
    u32 n = 0xFu - code;
    return n < 5 ? sizes[sixteen][n] : 2048;
}

static u16 least(u32 a, u32 b) { return (u16)(a < b ? a : b); }

// Reads the identification data and how the RAM is divided.
static void read_identification(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    static const u8 ram_codes[] = {0, 16, 32, 64, 127, 128};
    static const struct {
        u8 blocks, count_4, count_16;
        u16 dhb_4, dhb_16;
    } plans[] = {{16, 2, 2, 2048, 2048}, {32, 4, 4, 4464, 4096}, {64, 6, 6, 4464, 10240},
                 {127, 6, 16, 4464, 16384}, {128, 6, 16, 4464, 17960}};
    u8 high = 0;
    for (u32 i = 0; i < 12; i++) {
        u8 nibble = read8(board->mmio + AIP_ADDRESS + 2 * i) & 0xF;
        if (i & 1)
            dev->mac[i / 2] = (u8)(high << 4 | nibble);
        high = nibble;
    }
    read8(board->mmio + AIP_TYPE);
    read8(board->mmio + AIP_RATES);
    read8(board->mmio + AIP_EARLY);
    u8 code = (u8)(0xF - read8(board->mmio + AIP_RAM));
    board->available = code ? (code < sizeof ram_codes ? ram_codes[code] : 0) : 1u << ((aca(dev, RRR_ODD) >> 2 & 3) + 4);
    u8 paging = read8(board->mmio + AIP_PAGING);
    board->dhb_4 = dhb_size(read8(board->mmio + AIP_DHB_4), 0);
    board->dhb_16 = dhb_size(read8(board->mmio + AIP_DHB_16), 1);
    board->mapped = 1u << ((aca(dev, RRR_ODD) >> 2 & 3) + 4);
    board->page_mask = 0;
    if (board->mapped == 32 && (paging == 0xE || paging == 0xC))
        board->page_mask = 0xC0;
    if (board->mapped == 64 && (paging == 0xD || paging == 0xC))
        board->page_mask = 0x80;
    if (!board->page_mask && board->mapped < board->available)
        board->available = board->mapped;
    board->receive_length = 1032;
    board->count_4 = board->count_16 = 2;
    for (u32 i = 0; i < sizeof plans / sizeof *plans; i++)
        if (plans[i].blocks == board->available) {
            board->count_4 = plans[i].count_4;
            board->count_16 = plans[i].count_16;
            board->dhb_4 = least(board->dhb_4, plans[i].dhb_4);
            board->dhb_16 = least(board->dhb_16, plans[i].dhb_16);
        }
}

static void reset_card(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    int never = 0;
    aca_clear(dev, INTERRUPT_ENABLE, ISRP_EVEN);
    outb(0, (u16)(dev->io + PORT_RESET));
    wait_for(&never, RESET_TICKS + 1);
    outb(0, (u16)(dev->io + PORT_RELEASE));
    if (board->page_mask)
        write8(0xC0, board->mmio + ACA + SRPR);
    aca_set(dev, INTERRUPT_ENABLE, ISRP_EVEN);
}

// The first interrupt: reads the address of the first SRB and the ring speed.
static void came_up(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    write8((u8)(board->ram_address >> 12), board->mmio + ACA + RRR_EVEN);
    board->first_srb = place(dev, ntohs(read16(board->mmio + ACA + WRBR)));
    if (board->page_mask && board->available == 127) {
        struct mailbox top = place(dev, 0xFE00);
        select(dev, top.page);
        for (int i = 0; i < 512; i++)
            write8(0, top.at + i);
    }
    select(dev, board->first_srb.page);
    read16(board->first_srb.at + 8);
    board->ring_speed = read8(board->first_srb.at + 1) & 1 ? 16 : 4;
    read8(board->first_srb.at + 2);
    board->up = 1;
}

static void ask_to_open(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    u8 *at = board->first_srb.at;
    int fast = board->ring_speed == 16;
    select(dev, board->first_srb.page);       // reset_card() has left the last page in the window
    aca_clear(dev, SRB_RESPONSE, ISRP_ODD);
    aca_clear(dev, COMMAND_IN_SRB, ISRA_ODD);
    for (u32 i = 0; i < sizeof(struct open_block); i++)
        write8(0, at + i);
    write8(OPEN, at);
    write16(htons(PASS_BEACON), at + offsetof(struct open_block, options));
    write16(htons(fast ? board->dhb_16 : board->dhb_4), at + offsetof(struct open_block, dhb_length));
    write16(htons(fast ? board->count_16 : board->count_4), at + offsetof(struct open_block, receive_buffers));
    write16(htons(board->receive_length), at + offsetof(struct open_block, receive_length));
    write8(board->one_at_a_time ? 1 : 2, at + offsetof(struct open_block, dhbs));
    write8(2, at + offsetof(struct open_block, saps));
    write8(1, at + offsetof(struct open_block, stations));
    board->srb = board->first_srb;
    // the kernel's message reads them back, last one first
    read16(at + offsetof(struct open_block, receive_length));
    read16(at + offsetof(struct open_block, receive_buffers));
    read16(at + offsetof(struct open_block, dhb_length));
    read8(at + offsetof(struct open_block, dhbs));
    aca_set(dev, INTERRUPT_ENABLE, ISRP_EVEN);
    ring_bell(dev, COMMAND_IN_SRB);
}

static void ask_for_sap(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    select(dev, board->srb.page);
    for (u32 i = 0; i < sizeof(struct sap_block); i++)
        write8(0, board->srb.at + i);
    write8(OPEN_SAP, board->srb.at);
    write16(htons(0x88), FIELD(board->srb, sap_block, max_i_field));
    write8(0x24, FIELD(board->srb, sap_block, options));
    write8(1, FIELD(board->srb, sap_block, stations));
    write8(SNAP_SAP, FIELD(board->srb, sap_block, sap));
    ring_bell(dev, COMMAND_IN_SRB);
}

// The kernel joins the all-hosts group when the interface comes up.
static void set_functional(struct netdev *dev, u32 mask) {
    struct ibmtr *board = dev->private_data;
    select(dev, board->srb.page);
    for (u32 i = 0; i < sizeof(struct functional_block); i++)
        write8(0, board->srb.at + i);
    write8(SET_FUNCTIONAL, board->srb.at);
    for (u32 i = 0; i < 4; i++)
        write8((u8)(mask >> (24 - 8 * i)), FIELD(board->srb, functional_block, address) + i);
    ring_bell(dev, COMMAND_IN_SRB);
}

// ---- transmit -----------------------------------------------------------------------------------
static int start_transmit(struct skb *b, struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    u32 flags;
    if (dev->busy)
        return 1;
    dev->busy = 1;
    save_flags_cli(flags);
    board->in_hand = b;
    select(dev, board->srb.page);
    write8(TRANSMIT_UI, board->srb.at);
    write16(board->station, FIELD(board->srb, transmit_block, station));
    ring_bell(dev, COMMAND_IN_SRB);
    restore_flags(flags);
    dev->transmit_start = jiffies;
    return 0;
}

static void take_next(struct netdev *dev) {
    dev->busy = 0;
    mark_bh(NET_BH);
}

// Copies the frame into the DHB, which may span several pages.
static void copy_frame(struct netdev *dev, u16 dhb, const u8 *data, u32 bytes) {
    struct ibmtr *board = dev->private_data;
    for (;;) {
        struct mailbox m = place(dev, dhb);
        u32 room = board->page_mask ? 0x4000 - (u32)(m.at - board->ram) : 0x4000;
        select(dev, m.page);
        if (bytes <= room) {
            memcpy_toio(m.at, data, bytes);
            return;
        }
        memcpy_toio(m.at, data, room);
        data += room;
        bytes -= room;
        dhb = (u16)(dhb + room);
    }
}

static void give_frame(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    struct transmit_block request;
    struct skb *b = board->in_hand;
    select(dev, board->asb.page);
    if (read8(FIELD(board->asb, transmit_answer, code)) != ACCEPTED)
        printk("%s: ASB not free\n", dev->name);
    select(dev, board->arb.page);
    u16 dhb = ntohs(read16(FIELD(board->arb, transmit_request, dhb)));
    if (!b)
        return;
    u32 header = HEADER_SHORT;
    if (b->data[8] & 0x80)              // a routing field follows
        header += b->data[HEADER_SHORT] & 0x1F;
    select(dev, board->srb.page);
    memcpy_fromio(&request, board->srb.at, sizeof request);
    select(dev, board->asb.page);
    write8(request.command, board->asb.at);
    write16(request.station, FIELD(board->asb, transmit_answer, station));
    write8(b->data[header + offsetof(struct llc, ssap)], FIELD(board->asb, transmit_answer, remote_sap));
    write8(request.correlator, FIELD(board->asb, transmit_answer, correlator));
    write8(0, FIELD(board->asb, transmit_answer, code));
    write8((u8)header, FIELD(board->asb, transmit_answer, header));
    write16(htons((u16)b->length), FIELD(board->asb, transmit_answer, length));
    copy_frame(dev, dhb, b->data, b->length);
    ring_bell(dev, RESPONSE_IN_ASB);
    dev->counters.tx_bytes += b->length;
    board->in_hand = NULL;
    skb_free(b);
    if (!board->one_at_a_time)
        take_next(dev);
}

static void frame_sent(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    select(dev, board->ssb.page);
    u8 command = read8(board->ssb.at);
    if (command == TRANSMIT_UI || command == TRANSMIT_DIRECT) {
        u8 code = read8(board->ssb.at + 2);
        if (code && code != NOT_COPIED) {
            printk("%s: transmit code %x, status %x\n", dev->name, code, read8(board->ssb.at + 6));
            dev->counters.tx_errors++;
        } else {
            dev->counters.tx_packets++;
        }
    }
    aca_clear(dev, SSB_RESPONSE, ISRP_ODD);
    ring_bell(dev, SSB_IS_FREE);
    if (board->one_at_a_time)
        take_next(dev);
}

// ---- receive ------------------------------------------------------------------------------------
static void answer_receive(struct netdev *dev, u8 code) {
    struct ibmtr *board = dev->private_data;
    select(dev, board->asb.page);
    write8(code, FIELD(board->asb, receive_answer, code));
    ring_bell(dev, RESPONSE_IN_ASB);
}

// IP headers first, then the rest with its checksum; other frames are copied as they are.
static void copy_buffers(struct skb *b, struct mailbox m, u32 header, int with_sum) {
    struct netdev *dev = b->dev;
    const struct receive_buffer *buffer = (const struct receive_buffer *)m.at;
    u8 *to = b->data;
    u32 left = b->length, sum = 0;
    u32 bytes = ntohs(read16((const u8 *)&buffer->length));
    const u8 *from = buffer->data;
    if (with_sum) {
        memcpy_fromio(to, from, header);
        u32 ip = (u32)ntohs(*(u16 *)(to + header - IP_BYTES + 2)) - IP_BYTES;
        left -= header;
        if (ip <= left && ip > 7)
            left = ip;
        to += header;
        bytes -= header;
        from += header;
    }
    for (;;) {
        if (with_sum)
            sum = csum_copy(from, to, left < bytes ? left : bytes, sum);
        else
            memcpy_fromio(to, from, bytes);
        u16 next = ntohs(read16((const u8 *)&buffer->next));
        if (!next)
            break;
        left -= bytes;
        to += bytes;
        m = place(dev, next);
        select(dev, m.page);
        buffer = (const struct receive_buffer *)m.at;
        bytes = ntohs(read16((const u8 *)&buffer->length));
        from = buffer->data;
    }
    b->csum = sum;
    b->summed = (u8)with_sum;
}

static void receive(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    struct receive_request request;
    select(dev, board->arb.page);
    memcpy_fromio(&request, board->arb.at, sizeof request);
    struct mailbox m = place(dev, (u16)(ntohs(request.buffer) + 2));
    select(dev, board->asb.page);
    if (read8(FIELD(board->asb, receive_answer, code)) != ACCEPTED)
        printk("%s: ASB not free\n", dev->name);
    write8(RECEIVED_DATA, board->asb.at);
    write16(request.station, FIELD(board->asb, receive_answer, station));
    write16(request.buffer, FIELD(board->asb, receive_answer, buffer));
    u32 lan_header = request.lan_header, length = ntohs(request.length);
    if (lan_header > HEADER_LONG)
        return;                         // sic: its buffers are lost
    read8(FIELD(board->arb, receive_request, llc_header));
    u32 header = lan_header + LLC_BYTES + IP_BYTES;
    select(dev, m.page);
    const u8 *llc = m.at + offsetof(struct receive_buffer, data) + lan_header;
    if (read8(llc + offsetof(struct llc, control)) != UI) {
        dev->counters.rx_dropped++;
        answer_receive(dev, DATA_LOST);
        return;
    }
    int with_sum = read8(llc + offsetof(struct llc, dsap)) == SNAP_SAP &&
                   read8(llc + offsetof(struct llc, ssap)) == SNAP_SAP && length >= header;
    struct skb *b = skb_alloc(length - lan_header + HEADER_LONG + LLC_BYTES + 16);
    if (!b) {
        dev->counters.rx_dropped++;
        answer_receive(dev, DATA_LOST);
        return;
    }
    skb_reserve(b, 16 + HEADER_LONG - lan_header);
    skb_put(b, length);
    b->dev = dev;
    copy_buffers(b, m, header, with_sum);
    answer_receive(dev, 0);
    dev->counters.rx_bytes += b->length;
    dev->counters.rx_packets++;
    b->protocol = tr_type(b, dev);
    netif_rx(b);
}

// ---- interrupt ----------------------------------------------------------------------------------
static void read_log(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    select(dev, board->srb.page);
    write8(READ_LOG, board->srb.at);
    aca_set(dev, INTERRUPT_ENABLE, ISRP_EVEN);
    ring_bell(dev, COMMAND_IN_SRB);
}

// 1 = another command is already in the SRB: its doorbell and the cause must not be cleared again.
static int opened(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    u8 *at = board->first_srb.at;
    board->srb = place(dev, ntohs(read16(at + offsetof(struct open_response, srb))));
    board->ssb = place(dev, ntohs(read16(at + offsetof(struct open_response, ssb))));
    board->arb = place(dev, ntohs(read16(at + offsetof(struct open_response, arb))));
    board->asb = place(dev, ntohs(read16(at + offsetof(struct open_response, asb))));
    u8 code = read8(at + offsetof(struct open_response, code));
    u16 error = ntohs(read16(at + offsetof(struct open_response, error)));
    if (code) {
        printk("%s: the adapter does not open: code %x, error %x\n", dev->name, code, error);
        board->settled = 1;
        return 0;
    }
    aca_clear(dev, SRB_RESPONSE, ISRP_ODD);
    aca_clear(dev, COMMAND_IN_SRB, ISRA_ODD);
    ask_for_sap(dev);
    return 1;
}

static int srb_answered(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    select(dev, board->srb.page);
    u8 command = read8(board->srb.at), code;
    switch (command) {
    case TRANSMIT_DIRECT:
    case TRANSMIT_UI:
        code = read8(FIELD(board->srb, transmit_block, code));
        if (code != ACCEPTED) {
            printk("%s: transmit request refused: %x\n", dev->name, code);
            if (board->in_hand) {
                skb_free(board->in_hand);
                board->in_hand = NULL;
            }
            dev->counters.tx_errors++;
            dev->busy = 0;
        }
        break;
    case OPEN:
        return opened(dev);
    case OPEN_SAP:
        if (read8(FIELD(board->srb, sap_block, code))) {
            board->settled = 1;
            break;
        }
        board->station = read16(FIELD(board->srb, sap_block, station));
        board->opened = board->settled = 1;
        break;
    case READ_LOG:
        code = read8(board->srb.at + 2);
        dev->busy = 0;
        break;
    case SET_FUNCTIONAL:
        code = read8(board->srb.at + 2);
        if (code)
            printk("%s: functional address refused: %x\n", dev->name, code);
        break;
    default:
        break;
    }
    return 0;
}

static void ring_status(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    u16 status = ntohs(read16(FIELD(board->arb, ring_status_request, status)));
    if (status & GONE)
        printk("%s: off the ring, status %x\n", dev->name, status);
    else if (status & LOG_FULL)
        read_log(dev);
}

static void arb_command(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    select(dev, board->arb.page);
    switch (read8(board->arb.at)) {
    case RECEIVED_DATA: receive(dev); break;
    case TRANSMIT_DATA: give_frame(dev); break;
    case RING_STATUS: ring_status(dev); break;
    default: break;
    }
    aca_clear(dev, ARB_COMMAND, ISRP_ODD);
    ring_bell(dev, ARB_IS_FREE);
}

static void serve(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    u8 causes = aca(dev, ISRP_ODD);
    if (causes & CHECK) {               // sic: the driver looks for the reason in the RAM
        printk("%s: adapter check, reason at %x\n", dev->name, ntohs(read16(board->ram + ACA + WWCR)));
        aca_clear(dev, CHECK, ISRP_ODD);
    } else if (aca(dev, ISRP_EVEN) & ERRORS) {
        printk("%s: adapter error %x\n", dev->name, aca(dev, ISRP_EVEN));
        aca_clear(dev, ERRORS, ISRP_EVEN);
    } else {
        if (causes & SRB_RESPONSE && !srb_answered(dev)) {
            aca_clear(dev, COMMAND_IN_SRB, ISRA_ODD);
            aca_clear(dev, SRB_RESPONSE, ISRP_ODD);
        }
        if (causes & ASB_FREE) {
            select(dev, board->asb.page);
            read8(board->asb.at);
            u8 code = read8(board->asb.at + 2);
            if (code != ACCEPTED)
                printk("%s: ASB refused: %x\n", dev->name, code);
            aca_clear(dev, ASB_FREE, ISRP_ODD);
        }
        if (causes & ARB_COMMAND)
            arb_command(dev);
        if (causes & SSB_RESPONSE)
            frame_sent(dev);
    }
    dev->in_interrupt = 0;
    aca_set(dev, INTERRUPT_ENABLE, ISRP_EVEN);
}

static void interrupt(int irq, void *arg, struct regs *r) {
    struct netdev *dev = arg;
    struct ibmtr *board = dev->private_data;
    (void)irq, (void)r;
    u8 page = aca(dev, SRPR);
    dev->in_interrupt = 1;
    aca_clear(dev, INTERRUPT_ENABLE, ISRP_EVEN);
    outb(0, 0);                         // sic: the port where ISA boards release the interrupt
    if (board->up)
        serve(dev);
    else
        came_up(dev);
    select(dev, page);
}

// ---- taking over --------------------------------------------------------------------------------
static int open_card(struct netdev *dev) {
    struct ibmtr *board = dev->private_data;
    if (request_irq(dev->irq, interrupt, 0, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    dev->busy = 1;
    select(dev, 0);
    reset_card(dev);
    if (!wait_for(&board->up, BRING_UP_TICKS)) {
        printk("%s: no answer after reset\n", dev->name);
        return -1;
    }
    u32 longest = (board->ring_speed == 16 ? board->dhb_16 : board->dhb_4) - DHB_RESERVE;
    if ((u32)dev->mtu + TR_HEADER > longest) {
        printk("%s: an MTU of %d needs frames longer than %u bytes\n", dev->name, dev->mtu, longest);
        return -1;
    }
    ask_to_open(dev);
    if (!wait_for(&board->settled, OPEN_TICKS) || !board->opened)
        return -1;
    dev->busy = 0;
    dev->started = 1;
    set_functional(dev, ALL_HOSTS);
    return 0;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct ibmtr *board = dev->private_data;
    static const u8 interrupts[4] = {9, 3, 10, 11};
    u8 segment;
    (void)d;
    dev->io = PORTS_PRIMARY;
    if (!identify(dev, PORTS_PRIMARY, &segment)) {
        dev->io = PORTS_ALTERNATE;
        if (!identify(dev, PORTS_ALTERNATE, &segment)) {
            printk("ibmtr: no channel ID of a Micro Channel adapter\n");
            return -1;
        }
    }
    dev->irq = interrupts[segment & 3];
    board->ram_address = (u32)(inb((u16)(dev->io + PORT_RELEASE)) & 0xFE) << 12;
    board->ram = virt(board->ram_address);
    board->one_at_a_time = driver_version && settings_is(driver_version, "4.0");
    read_identification(dev);
    dev->link = LINK_TOKEN_RING;
    dev->open = open_card;
    dev->start_transmit = start_transmit;
    return 0;
}

static const u32 ids[] = {0xE001, 0xE000, 0};

const struct driver ibmtr_driver = {
    .name = "ibmtr", .bus = &mca_bus, .ids = ids, .probe = probe, .state_bytes = sizeof(struct ibmtr)};
