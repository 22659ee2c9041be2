// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registers of the 82542 and 82543, and their driver's state for an adapter, shared by its two files.
#pragma once
#include "driver.h"

// Some registers have a different offset in the 82543.
#define MOVED(in_82542, in_82543) (ep->is_82543 ? (in_82543) : (in_82542))
#define RDTR MOVED(0x108, 0x2820)
#define RDBAL MOVED(0x110, 0x2800)
#define RDBAH MOVED(0x114, 0x2804)
#define RDLEN MOVED(0x118, 0x2808)
#define RDH MOVED(0x120, 0x2810)
#define RDT MOVED(0x128, 0x2818)
#define FCRTH MOVED(0x160, 0x2168)
#define FCRTL MOVED(0x168, 0x2160)
#define TDBAL MOVED(0x420, 0x3800)
#define TDBAH MOVED(0x424, 0x3804)
#define TDLEN MOVED(0x428, 0x3808)
#define TDH MOVED(0x430, 0x3810)
#define TDT MOVED(0x438, 0x3818)
#define TIDV MOVED(0x440, 0x3820)
#define RAL(n) (MOVED(0x040, 0x5400) + 8 * (n))
#define RAH(n) (MOVED(0x044, 0x5404) + 8 * (n))
#define MTA(n) (MOVED(0x200, 0x5200) + 4 * (n))
#define VFTA(n) (MOVED(0x600, 0x5600) + 4 * (n))
enum {
    CTRL = 0x00, STATUS = 0x08, EECD = 0x10, EXCT = 0x18, FCAL = 0x28, FCAH = 0x2C, FCT = 0x30, VET = 0x38, ICR = 0xC0,
    IMS = 0xD0, IMC = 0xD8, RCTL = 0x100, RDBAL1 = 0x138, RDBAH1 = 0x13C, RDLEN1 = 0x140, RDH1 = 0x148, RDT1 = 0x150,
    FCTTV = 0x170, TXCW = 0x178, RXCW = 0x180, TCTL = 0x400, TQSAL = 0x408, TQSAH = 0x40C, TIPG = 0x410
};
enum { CTRL_FD = 1, CTRL_SLU = 0x40, CTRL_SWDPIN1 = 0x80000, CTRL_RST = 0x04000000, CTRL_RFCE = 0x08000000,
       CTRL_TFCE = 0x10000000 };
enum { STATUS_LU = 2, STATUS_SPEED_1000 = 0x80 };
enum { TXCW_FD = 0x20, TXCW_ASM_DIR = 0x100, TXCW_PAUSE = 0x180, RXCW_C = 0x20000000 };
#define TXCW_ANE 0x80000000u
enum { RCTL_EN = 0x02, RCTL_UPE = 0x08, RCTL_MPE = 0x10, RCTL_BAM = 0x8000 };  // 0: half of the ring, buffers of 2048
#define RDTR_FPD 0x80000000u
enum { TCTL_EN = 0x02, TCTL_PSP = 0x08, TCTL_CT = 16 << 4, TCTL_COLD = 64 << 12 };
enum { TXDW = 0x01, LSC = 0x04, RXSEQ = 0x08, RXDMT0 = 0x10, RXT0 = 0x80, PCIE = 0x200, GPI1 = 0x1000,
       INTERRUPTS = TXDW | LSC | RXSEQ | RXDMT0 | RXT0 | PCIE | GPI1 };
enum { RX_DD = 0x01, RX_EOP = 0x02, TX_DD = 0x01 };
enum { TX_EOP = 0x01000000, TX_IFCS = 0x02000000, TX_RS = 0x08000000, TX_RPS = 0x10000000 };
#define TX_IDE 0x80000000u
enum { PAUSE_NONE = 0, PAUSE_RECEIVE = 1, PAUSE_TRANSMIT = 2, PAUSE_FULL = 3 };
enum { RX_RING = 80, TX_RING = 80, BUFFER = 2048, FCS = 4, ADDRESSES = 16, TABLE = 128 };
enum { TX_DELAY = 128, ROUNDS = 5 };    // in units of 1.024 us; loops of the interrupt handler

struct rx_descriptor {
    u32 address, address_high;
    volatile u16 length, checksum;
    volatile u8 status, errors;
    volatile u16 special;
};
struct tx_descriptor {
    u32 address, address_high;
    volatile u32 lower, upper;          // length and command; status
};

struct e1000 {
    volatile u8 *registers;
    struct rx_descriptor *rx_ring;
    struct tx_descriptor *tx_ring;
    u32 next_rx, fill_rx;               // next to examine; next to get a buffer while polling
    u32 next_tx, oldest_tx, free_tx;
    int is_82543, report_early, tx_out, stopped;
    u32 undelayed_after;                // frames left to send until one whose interrupt is not delayed
    int link_changed, negotiation_failed;
    u32 pause, txcw;
    struct timer timer;                 // runs every two seconds
    struct skb *rx_skb[RX_RING], *tx_skb[TX_RING];
};

static inline u32 read_reg(const struct e1000 *ep, u32 r) { return *(volatile u32 *)(ep->registers + r); }
static inline void write_reg(const struct e1000 *ep, u32 r, u32 value) { *(volatile u32 *)(ep->registers + r) = value; }

// e1000_probe.c
int e1000_reset(struct netdev *dev);    // 0: done
void e1000_check_link(struct netdev *dev);
void e1000_clear_statistics(const struct e1000 *ep);
void e1000_read_statistics(struct netdev *dev);
void e1000_set_groups(struct netdev *dev, u32 groups);
void e1000_not_promiscuous(const struct e1000 *ep);
