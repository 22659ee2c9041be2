// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shared by the two files of the Madge driver: tms380.c, normal operation, and tms380_start.c, from the probe to the
// insertion into the ring. tms380.c has the facts.
#pragma once
#include "versions.h"

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

// Words in memory are big-endian: these are the constants as a little-endian processor writes them.
#define BE(x) ((u16)(((x) & 0xFF) << 8 | (x) >> 8))
enum { OPEN = BE(3), TRANSMIT = BE(4), RECEIVE = BE(6), SET_FUNCTIONAL = BE(9), READ_ERROR_LOG = BE(10),
       MODIFY_OPEN = BE(13), GOOD = BE(0x8000) };
enum { LIST_VALID = BE(0x8000), LIST_COMPLETE = BE(0x4000), LIST_START = BE(0x2000), LIST_END = BE(0x1000),
       LIST_IRQ = BE(0x0800), TX_ERROR = BE(0x0400), TX_PASS_SOURCE = BE(0x0100), COMMAND_COMPLETE = BE(0x8000) };
enum { WHOLE_FRAME = LIST_COMPLETE | LIST_START | LIST_END, FULL_DUPLEX_SELECTION = BE(0x0020) };
enum { ADAPTER_CLOSED = BE(0x0D00), COUNTER_OVERFLOW = BE(0x0080) };

enum { TX_MOST = 7, RX_LISTS = 3, TX_QUEUE = 10, FRAGMENTS = 3, BUFFER = 2048, HEADROOM_RX = 16 };

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

struct madge_state {
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
    struct transmit_list tx[TX_MOST + 1];
    struct receive_list rx[RX_LISTS];
    u32 tx_free, tx_busy, rx_head, rx_tail;
    u32 unannounced;                    // frames handed over since the last one that requested an interrupt
    const struct version *version;
    struct skb_queue queue;             // frames waiting for a list
    u32 queue_room;
    u32 wanted;                         // commands waiting for the SCB
    int scb_used, is_open, transmitting, fast;
    volatile int answered;              // OPEN was answered
};

#define PORT(r) ((u16)(dev->io + (r)))

// ---- the board ----------------------------------------------------------------------------------
static inline void register_page(struct netdev *dev, int upper) {
    u8 control = inb(PORT(CONTROL1));
    if (!upper && (control & C1_SRSX))
        outb(control ^ C1_SRSX, PORT(CONTROL1));
    else if (upper)
        outb(control | C1_SRSX, PORT(CONTROL1));
    (void)inb(PORT(CONTROL1));
}

static inline u16 sif_read(struct netdev *dev, u32 reg) {
    if (reg < 8)
        return inw(PORT(SIF + reg));
    register_page(dev, 1);
    u16 value = inw(PORT(reg));
    register_page(dev, 0);
    return value;
}

static inline void sif_write(struct netdev *dev, u16 value, u32 reg) {
    if (reg < 8) {
        outw(value, PORT(SIF + reg));
        return;
    }
    register_page(dev, 1);
    outw(value, PORT(reg));
    register_page(dev, 0);
}

static inline void map_sif(struct netdev *dev) {
    outb(inb(PORT(CONTROL0)) | C0_SIFSEL, PORT(CONTROL0));
    (void)inb(PORT(CONTROL0));
}

// The driver means to wait until the chip has taken the previous command; its loop ends after one read.
static inline void doorbell(struct netdev *dev, u16 bits) {
    (void)sif_read(dev, SIFSTS);
    sif_write(dev, (u16)((bits ^ CMD_SYSTEM_IRQ) | CMD_INTERRUPT), SIFCMD);
}

// tms380.c
enum { WANT_OPEN = 1, WANT_TRANSMIT = 2, WANT_RECEIVE = 4, WANT_FUNCTIONAL = 8, WANT_LOG = 16, WANT_MODIFY = 32 };
void madge_want(struct netdev *dev, u32 command);       // issues the command as soon as the SCB is free
u32 madge_next_list(struct netdev *dev, u32 at);
int madge_new_buffer(struct receive_list *l, struct netdev *dev);       // -1: no memory
int madge_start_transmit(struct skb *b, struct netdev *dev);
void madge_interrupt(int irq, void *arg, struct regs *r);
