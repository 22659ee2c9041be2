// SPDX-License-Identifier: GPL-2.0-or-later
//
// Parts of eepro100.c's driver: the chip's registers, its state for an adapter, EEPROM and PHY (eepro100_probe.c).
#pragma once
#include "driver.h"

enum { STATUS = 0, COMMAND = 2, POINTER = 4, PORT = 8, EEPROM = 14, MDI = 16 };
enum { CU_START = 0x10, CU_RESUME = 0x20, CU_COUNTERS = 0x40, CU_BASE = 0x60, CU_DUMP_RESET = 0x70, RU_START = 0x01,
       RU_BASE = 0x06, RU_RESUME_NO_RESOURCES = 0x07, MASK_EARLY_RX = 0x0800, MASK_FLOW = 0x0400, TRIGGER = 0x0200,
       MASK_ALL = 0x0100 };
enum { PORT_RESET = 0, PORT_SELF_TEST = 1 };
enum { CMD_SUSPEND = 0x40000000, CMD_INTERRUPT = 0x20000000, CMD_FLEXIBLE = 0x00080000, CMD_ADDRESS = 0x10000,
       CMD_CONFIGURE = 0x20000, CMD_GROUPS = 0x30000, CMD_TRANSMIT = 0x40000 };
enum { COMPLETE = 0x8000, TX_UNDERRUN = 0x1000, RX_OK = 0x2000, RX_TOO_BIG = 0x0200, RX_BAD = 0x0F90 };
#define RX_LAST 0xC0000000u             // end of list, and suspend
enum { TX_RING = 32, RX_RING = 32, TX_LIMIT = TX_RING - 4, TX_UNFULL = TX_LIMIT - 4, BUFFER = 1536, COPYBREAK = 200,
       MAX_WORK = 20, TX_TIMEOUT = 2 * HZ, GROUPS_MOST = 3 };
enum { NO_MEMORY = 1, POSTPONED = 2, NO_RESOURCES = 4, REPORTED = 8 };
enum { DUMPED = 0xA007 };

struct rx_descriptor {
    volatile u32 status;
    u32 link, buffer;
    volatile u32 count;
};
struct command {                        // a transmit block and its two buffers, or any other command that fits
    volatile u32 status;
    u32 link, array, count;
    u32 address0, size0, address1, size1;
};
struct statistics {
    u32 tx_good, tx_aborted, tx_late, tx_underruns, tx_carrier, tx_deferred, tx_one, tx_multiple, tx_collisions, rx_good,
        rx_crc, rx_align, rx_resource, rx_overrun, rx_collisions, rx_runts;
    volatile u32 done;
};

struct speedo {
    struct command tx_ring[TX_RING];
    struct rx_descriptor *rx_ring[RX_RING];
    struct skb *tx_skb[TX_RING], *rx_skb[RX_RING];
    struct command *last_command;
    u32 cur_tx, dirty_tx, threshold;
    struct rx_descriptor *last_rx;
    u32 cur_rx, dirty_rx;
    struct statistics dump;
    struct timer timer;
    volatile u8 *csr;
    u16 phy;
    u16 advertising, partner;
    u8 tx_full, flow_control, rx_state;
    u8 groups;                          // groups in the kernel's list
    u16 stopped;                        // status bit of a stop that is handled once all frames are taken
    int rx_mode;                        // -1: must be set again
};

static inline u8 csr_byte(struct speedo *sp, u32 r) { return *(volatile u8 *)(sp->csr + r); }
static inline u16 csr_word(struct speedo *sp, u32 r) { return *(volatile u16 *)(sp->csr + r); }
static inline u32 csr_long(struct speedo *sp, u32 r) { return *(volatile u32 *)(sp->csr + r); }
static inline void set_byte(struct speedo *sp, u32 r, u8 v) { *(volatile u8 *)(sp->csr + r) = v; }
static inline void set_word(struct speedo *sp, u32 r, u16 v) { *(volatile u16 *)(sp->csr + r) = v; }
static inline void set_long(struct speedo *sp, u32 r, u32 v) { *(volatile u32 *)(sp->csr + r) = v; }
static inline void reset_chip(struct speedo *sp) {
    set_long(sp, PORT, PORT_RESET);
    udelay_spin(10);
}

// eepro100_probe.c
u16 speedo_mdio_read(struct speedo *sp, u32 reg);
// Finds the address, the PHY's record and the registers; leaves the chip reset. eepro100.c sets the rest.
void speedo_found(struct netdev *dev, const struct device *d);
