// SPDX-License-Identifier: GPL-2.0-or-later
//
// The chip sets of IBM's Streamer family: registers, descriptors, and the POS bits that planar declares for its cards.
#pragma once
#include "driver.h"

enum { LISR = 0x10, LISR_SUM = 0x12, SISR = 0x16, SISR_RUM = 0x1A, GPR = 0x4A, BMCTL_SUM = 0x50, BMCTL_RUM = 0x52,
       SISR_MASK = 0x54, SISR_MASK_SUM = 0x56, SISR_MASK_RUM = 0x58, MISR_RUM = 0x5A, MISR_MASK = 0x5C, BCTL = 0x60,
       LAPA = 0x62, LAPD = 0x66, LAPDINC = 0x68, LAPWWO = 0x6A, RXLBDA = 0x90, RXBDA = 0x94, TX2LFDA = 0xB0 };
enum { LISR_LIE = 0x8000, LISR_SRB_CMD = 0x0020, LISR_ARB_FREE = 0x0002 };
enum { SISR_MI = 0x8000, SISR_ADAPTER_CHECK = 0x0040, SISR_SRB_REPLY = 0x0020, SISR_ASB_FREE = 0x0010,
       SISR_ARB_CMD = 0x0008, SISR_TRB_REPLY = 0x0004 };
enum { GPR_16MBPS = 0x0008, GPR_AUTOSENSE = 0x0004, BCTL_SOFTRESET = 0x8000, BMCTL_TX2_DIS = 0x0400,
       BMCTL_RX_DIS = 0x0040 };
enum { MISR_TX2_IDLE = 0x8000, MISR_TX2_HALT = 0x2000, MISR_TX2_EOF = 0x1000, MISR_RX_NOBUF = 0x0020,
       MISR_RX_EOF = 0x0001 };
enum { SRB_OPEN = 0x03, NO_ANSWER = 0xFE };
#define RX_PROCESSED 0x01000000u
#define RX_LAST 0x80000000u
#define TX_BAD 0x40000000u

struct receive_descriptor {
    volatile u32 forward, status, buffer, lengths;
};
struct transmit_descriptor {
    volatile u32 forward, status, lengths, buffer, buffer_length, unused[3];
};

#define REG(r) ((u16)(dev->io + (r)))
