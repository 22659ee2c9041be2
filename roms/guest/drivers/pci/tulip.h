// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registers and state of the PNIC-II, shared by its driver's two files.
#pragma once
#include "driver.h"

enum { CSR0 = 0x00, CSR1 = 0x08, CSR2 = 0x10, CSR3 = 0x18, CSR4 = 0x20, CSR5 = 0x28, CSR6 = 0x30, CSR7 = 0x38, CSR8 = 0x40,
       CSR9 = 0x48, CSR11 = 0x58, CSR12 = 0x60, CSR13 = 0x68, CSR14 = 0x70, CSR15 = 0x78 };
enum { TX_DONE = 0x1, TX_DIED = 0x2, TX_NO_BUFFER = 0x4, TX_JABBER = 0x8, LINK_PASS = 0x10, TX_UNDERFLOW = 0x20, RX_DONE = 0x40,
       RX_NO_BUFFER = 0x80, RX_DIED = 0x100, TIMER = 0x800, LINK_FAIL = 0x1000, SYSTEM_ERROR = 0x2000, ABNORMAL = 0x8000,
       NORMAL = 0x10000, LINK_CHANGED = 0x08000000 };
enum { RECEIVE = 0x0002, TRANSMIT = 0x2000, FULL_DUPLEX = 0x0200, STORE_FORWARD = 0x00200000 };
#define PORT_10 0x82420000u             // CSR6: 10BASE-T, or negotiation in progress
#define PORT_100 0x83860000u
#define OWNED 0x80000000u
enum { RING_END = 0x02000000, SETUP = 0x08000000, WHOLE = 0x60000000 };
#define WHOLE_INTERRUPTS 0xE0000000u
enum { SETUP_BYTES = 192, FILTER_BITS = 0x00D5 };
enum { TX_RING = 16, RX_RING = 32, BUFFER = 1536, COPYBREAK = 100, TX_TIMEOUT = 4 * HZ };
enum { BUS_MODE = 0x01A08000, INTERRUPTS = 0x0801FBFF, ALL_ERRORS = 0x0800F7BA, ADVERTISED = 0x05E1 };
enum { PORT_10T = 0, PORT_100TX = 3, PORT_10T_FD = 4, PORT_100TX_FD = 5 };

struct descriptor {
    volatile u32 status, control, buffer1, buffer2;
};

struct tulip {
    struct descriptor rx_ring[RX_RING], tx_ring[TX_RING];
    struct skb *tx_skb[TX_RING], *rx_skb[RX_RING];
    u16 setup_frame[SETUP_BYTES / 2];
    struct timer timer;
    struct netdev *dev;
    u32 cur_rx, cur_tx, dirty_rx, dirty_tx;
    u32 csr6;
    int tx_full, full_duplex, port, nway, nway_set, memory_timer;
};

#define CSR(r) ((u16)(dev->io + (r)))

// tulip_link.c
void tulip_start_nway(struct netdev *dev);
void tulip_link_changed(struct netdev *dev, u32 csr5);
void tulip_check_link(u32 data);
void tulip_timeout(struct netdev *dev);
void tulip_read_address(struct netdev *dev);
void tulip_look_for_transceivers(struct netdev *dev);
