// SPDX-License-Identifier: GPL-2.0-or-later
// The registers of an 8254x: their offsets, the bits that a write changes, and the values after a reset. Offsets are
// those of the 82543 and later chips; the 82542 has some of them elsewhere, and the 82543 answers there as well.
// Source: Intel 8254x Software Developer's Manual, 13.4; Intel's Linux driver 2.5.11 for both maps; the register test
// of Linux 6.1's e1000_ethtool.c for bits that read 0.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace planar::ethernet::i8254x {

enum Register : std::uint32_t {
  // clang-format off
  CTRL = 0x0000, STATUS = 0x0008, EECD = 0x0010, CTRL_EXT = 0x0018, MDIC = 0x0020, FCAL = 0x0028, FCAH = 0x002C,
  FCT = 0x0030, VET = 0x0038, ICR = 0x00C0, ICS = 0x00C8, IMS = 0x00D0, IMC = 0x00D8, RCTL = 0x0100,
  RDTR1 = 0x0130, RDBAL1 = 0x0138, RDBAH1 = 0x013C, RDLEN1 = 0x0140, RDH1 = 0x0148, RDT1 = 0x0150,
  FCTTV = 0x0170, TXCW = 0x0178, RXCW = 0x0180, TCTL = 0x0400, TQSAL = 0x0408, TQSAH = 0x040C, TIPG = 0x0410,
  TBT = 0x0448, AIT = 0x0458, PBA = 0x1000, ERT = 0x2008, FCRTL = 0x2160, FCRTH = 0x2168,
  RDBAL = 0x2800, RDBAH = 0x2804, RDLEN = 0x2808, RDH = 0x2810, RDT = 0x2818, RDTR = 0x2820, RXDCTL = 0x2828,
  TXDMAC = 0x3000, ETT = 0x3008,
  TDBAL = 0x3800, TDBAH = 0x3804, TDLEN = 0x3808, TDH = 0x3810, TDT = 0x3818, TIDV = 0x3820, TXDCTL = 0x3828,
  RXCSUM = 0x5000, MTA = 0x5200, RA = 0x5400, VFTA = 0x5600,
  // clang-format on
};
constexpr std::uint32_t tables = MTA, tables_end = 0x5800;  ///< MTA, RA and VFTA
constexpr std::uint32_t statistics = 0x4000, statistics_end = 0x4100;

enum ControlBit : std::uint32_t {
  // clang-format off
  CTRL_FD = 1u << 0, CTRL_PRIOR = 1u << 2, CTRL_LRST = 1u << 3, CTRL_SLU = 1u << 6, CTRL_SWDPIN1 = 1u << 19,
  CTRL_SWDPIO1 = 1u << 23, CTRL_RST = 1u << 26, CTRL_RFCE = 1u << 27, CTRL_TFCE = 1u << 28, CTRL_VME = 1u << 30,
  STATUS_FD = 1u << 0, STATUS_LU = 1u << 1, STATUS_TCKOK = 1u << 2, STATUS_RBCOK = 1u << 3, STATUS_TXOFF = 1u << 4,
  STATUS_TBIMODE = 1u << 5, STATUS_SPEED_1000 = 1u << 7, STATUS_PCI66 = 1u << 11, STATUS_BUS64 = 1u << 12,
  EESK = 1u << 0, EECS = 1u << 1, EEDI = 1u << 2, EEDO = 1u << 3,
  MDI_READ = 1u << 27, MDI_READY = 1u << 28, MDI_INT = 1u << 29,
  RCTL_RST = 1u << 0, RCTL_EN = 1u << 1, RCTL_SBP = 1u << 2, RCTL_UPE = 1u << 3, RCTL_MPE = 1u << 4,
  RCTL_LPE = 1u << 5, RCTL_LBM = 3u << 6, RCTL_BAM = 1u << 15, RCTL_VFE = 1u << 18, RCTL_CFIEN = 1u << 19,
  RCTL_CFI = 1u << 20, RCTL_DPF = 1u << 22, RCTL_PMCF = 1u << 23, RCTL_BSEX = 1u << 25, RCTL_SECRC = 1u << 26,
  RDTR_FPD = 1u << 31, FCRTL_XONE = 1u << 31,
  TXCW_ANE = 1u << 31, RXCW_NC = 1u << 26, RXCW_C = 1u << 29, RXCW_SYNCH = 1u << 30, RXCW_ANC = 1u << 31,
  TCTL_RST = 1u << 0, TCTL_EN = 1u << 1, TCTL_PSP = 1u << 3, TCTL_SWXOFF = 1u << 22,
  XDCTL_GRAN = 1u << 24, RAH_AV = 1u << 31,
  RAH_WRITABLE = 0x8003FFFF,  ///< 15:0 address, 17:16 source or destination
  RXCSUM_IPOFL = 1u << 8, RXCSUM_TUOFL = 1u << 9,
  // clang-format on
};

/// Causes, in ICR, ICS, IMS and IMC.
enum Cause : std::uint32_t {
  // clang-format off
  TXDW = 1u << 0, TXQE = 1u << 1, LSC = 1u << 2, RXSEQ = 1u << 3, RXDMT0 = 1u << 4, RXO = 1u << 6, RXT0 = 1u << 7,
  MDAC = 1u << 9,
  PCIE = 1u << 9, ///< of the 82542, which has no MDIO: a PCI error
  RXCFG = 1u << 10, causes = 0x7FFF,
  // clang-format on
};

/// Offsets of the statistics, which reading clears. Those of 64 bits are two, low half first.
enum Statistic : std::uint32_t {
  // clang-format off
  CRCERRS = 0x4000, MPC = 0x4010, SEC = 0x4038, RLEC = 0x4040, XONRXC = 0x4048, XONTXC = 0x404C, XOFFRXC = 0x4050,
  XOFFTXC = 0x4054, FCRUC = 0x4058, PRC64 = 0x405C, GPRC = 0x4074, BPRC = 0x4078, MPRC = 0x407C, GPTC = 0x4080,
  GORC = 0x4088, GOTC = 0x4090, RNBC = 0x40A0, RUC = 0x40A4, RFC = 0x40A8, ROC = 0x40AC, RJC = 0x40B0, TOR = 0x40C0,
  TOT = 0x40C8, TPR = 0x40D0, TPT = 0x40D4, PTC64 = 0x40D8, MPTC = 0x40F0, BPTC = 0x40F4,
  // clang-format on
};
constexpr bool wide(std::uint32_t s) { return s == GORC || s == GOTC || s == TOR || s == TOT; }

struct Row {
  std::uint32_t offset;
  std::string_view name;
  std::uint32_t writable;
  std::uint32_t reset = 0;
  bool only_82543 = false;
};

/// All but the tables and the statistics, in ascending order.
inline constexpr Row rows[] = {
    {CTRL, "CTRL", 0xFBFC1FFF},
    {STATUS, "STATUS", 0},
    {EECD, "EECD", 0x37},
    {CTRL_EXT, "CTRL_EXT", 0xDFFF, 0, true},
    {MDIC, "MDIC", 0x2FFFFFFF, MDI_READY, true},
    {FCAL, "FCAL", ~0u},
    {FCAH, "FCAH", 0xFFFF},
    {FCT, "FCT", 0xFFFF},
    {VET, "VET", 0xFFFF, 0x8100},
    {ICR, "ICR", 0},
    {ICS, "ICS", 0},
    {IMS, "IMS", 0},
    {IMC, "IMC", 0},
    {RCTL, "RCTL", 0x07FFFFFF},
    {RDTR1, "RDTR1", 0xFFFF},
    {RDBAL1, "RDBAL1", 0xFFFFFFF0},
    {RDBAH1, "RDBAH1", ~0u},
    {RDLEN1, "RDLEN1", 0xFFF80},
    {RDH1, "RDH1", 0xFFFF},
    {RDT1, "RDT1", 0xFFFF},
    {FCTTV, "FCTTV", 0xFFFF},
    {TXCW, "TXCW", 0xC000FFFF},
    {RXCW, "RXCW", 0},
    {TCTL, "TCTL", 0x03FFFFFF},
    {TQSAL, "TQSAL", 0xFFFFFFC0},
    {TQSAH, "TQSAH", ~0u},
    {TIPG, "TIPG", 0x3FFFFFFF},
    {TBT, "TBT", ~0u},
    {AIT, "AIT", 0xFFFF},
    {PBA, "PBA", 0x7F, 48},  // KB for the receiver
    {ERT, "ERT", 0x1FFF},
    {FCRTL, "FCRTL", 0x8000FFF8},
    {FCRTH, "FCRTH", 0x8000FFF8},
    {RDBAL, "RDBAL", 0xFFFFFFF0},
    {RDBAH, "RDBAH", ~0u},
    {RDLEN, "RDLEN", 0xFFF80},
    {RDH, "RDH", 0xFFFF},
    {RDT, "RDT", 0xFFFF},
    {RDTR, "RDTR", 0xFFFF},
    {RXDCTL, "RXDCTL", 0x013F3F3F, 0x01010000, true},
    {TXDMAC, "TXDMAC", 1},
    {ETT, "ETT", 0x3FF},
    {TDBAL, "TDBAL", 0xFFFFFFF0},
    {TDBAH, "TDBAH", ~0u},
    {TDLEN, "TDLEN", 0xFFF80},
    {TDH, "TDH", 0xFFFF},
    {TDT, "TDT", 0xFFFF},
    {TIDV, "TIDV", 0xFFFF},
    {TXDCTL, "TXDCTL", 0x013F3F3F, 0, true},
    {RXCSUM, "RXCSUM", 0x3FF, 0, true},
};
constexpr unsigned row_count = sizeof rows / sizeof rows[0];

/// The row at a register's offset; row_count if there is none.
constexpr unsigned row_of(std::uint32_t offset) {
  unsigned low = 0, high = row_count;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (rows[middle].offset < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < row_count && rows[low].offset == offset ? low : row_count;
}

/// Offsets of the 82542: its register at `old` is at `now` on the 82543.
struct Alias {
  std::uint32_t old, now, bytes;
};
inline constexpr Alias aliases[] = {
    {0x0040, RA, 0x80}, {0x0108, RDTR, 4},  {0x0110, RDBAL, 12},   {0x0120, RDH, 4},    {0x0128, RDT, 4},
    {0x0160, FCRTH, 4}, {0x0168, FCRTL, 4}, {0x0200, MTA, 0x200},  {0x0420, TDBAL, 12}, {0x0430, TDH, 4},
    {0x0438, TDT, 4},   {0x0440, TIDV, 4},  {0x0600, VFTA, 0x200},
};

/// The 82543's offset of the register at `offset` of either chip; -1 if the 82542 (`old_map`) has none there.
constexpr std::uint32_t place(std::uint32_t offset, bool old_map) {
  for (const Alias& a : aliases) {
    if (offset >= a.old && offset < a.old + a.bytes) return a.now + (offset - a.old);
    if (old_map && offset >= a.now && offset < a.now + a.bytes) return ~0u;
  }
  return offset;
}

}  // namespace planar::ethernet::i8254x
