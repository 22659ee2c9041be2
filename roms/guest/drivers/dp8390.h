// SPDX-License-Identifier: GPL-2.0-or-later
//
// DP8390 core driver, shared by all boards with that chip. The board provides four hooks; its state for an adapter
// begins with a struct dp8390.
#pragma once
#include "driver.h"

struct dp8390_header {                  // before each frame in the receive ring
    u8 status, next;
    u16 count;
};

struct dp8390 {
    void (*reset)(struct netdev *dev);
    void (*get_header)(struct netdev *dev, struct dp8390_header *h, int page);
    void (*block_output)(struct netdev *dev, int count, const u8 *from, int page);
    void (*block_input)(struct netdev *dev, int count, struct skb *b, int offset);
    int word16, dma_busy, irq_lock, transmitting;
    u8 tx_start_page, rx_start_page, stop_page, current_page;
    int tx1, tx2;                       // length of the frame waiting in each transmit buffer; -1 = being sent
};

enum { TX_PAGES_EACH = 6, TX_PAGES = 12 };

// Registers (datasheet names), offset from the chip's base
enum { CR = 0, CLDA0 = 1, PSTART = 1, PSTOP = 2, BNRY = 3, TSR = 4, TPSR = 4, TBCR0 = 5, TBCR1 = 6,
       ISR = 7, RSAR0 = 8, RSAR1 = 9, RBCR0 = 10, RBCR1 = 11, RCR = 12, TCR = 13, CNTR0 = 13,
       DCR = 14, CNTR1 = 14, IMR = 15, CNTR2 = 15, PAR0 = 1, CURR = 7, MAR0 = 8 };
enum { CR_STOP = 0x01, CR_START = 0x02, CR_TRANSMIT = 0x04, CR_REMOTE_READ = 0x08,
       CR_REMOTE_WRITE = 0x10, CR_NO_DMA = 0x20, CR_PAGE1 = 0x40 };
enum { ISR_RX = 0x01, ISR_TX = 0x02, ISR_RX_ERROR = 0x04, ISR_TX_ERROR = 0x08, ISR_OVERRUN = 0x10,
       ISR_COUNTERS = 0x20, ISR_REMOTE_DONE = 0x40, ISR_RESET = 0x80, ISR_ALL = 0x3F };

int dp8390_open(struct netdev *dev);
void dp8390_attach(struct netdev *dev);
void dp8390_interrupt(int irq, void *dev, struct regs *r);
void dp8390_init(struct netdev *dev, int start);
