// SPDX-License-Identifier: GPL-2.0-or-later
//
// Am7990 LANCE: bits of its registers and descriptors (datasheet names), for the boards that use it.
#pragma once
#include "driver.h"

enum { CSR0_MISS = 0x1000, CSR0_MERR = 0x0800, CSR0_BABL = 0x4000, CSR0_RINT = 0x0400, CSR0_TINT = 0x0200,
       CSR0_IDON = 0x0100, CSR0_INTR = 0x0080, CSR0_INEA = 0x0040, CSR0_TDMD = 0x0008, CSR0_STOP = 0x0004,
       CSR0_STRT = 0x0002, CSR0_INIT = 0x0001, CSR3_ACON = 0x0002 };
enum { MD1_OWN = 0x8000, MD1_ERR = 0x4000, MD1_STP = 0x0200, MD1_ENP = 0x0100 };
enum { RMD1_FRAM = 0x2000, RMD1_OFLO = 0x1000, RMD1_CRC = 0x0800, RMD1_BUFF = 0x0400 };
enum { TMD1_MORE = 0x1000, TMD1_ONE = 0x0800 };
enum { TMD3_BUFF = 0x8000, TMD3_UFLO = 0x4000, TMD3_LCOL = 0x1000, TMD3_LCAR = 0x0800, TMD3_RTRY = 0x0400 };

struct lance_block {                    // read by the chip at INIT
    u16 mode;
    u8 address[6], filter[8];
    u32 rx_ring, tx_ring;               // 24-bit address, log2 of the length in bits 31:29
};
