// SPDX-License-Identifier: GPL-2.0-or-later
// Intel 82439HX (430HX, "Triton II"): the host bridge as a function on PCI, bus 0 device 0. What it does to accesses is
// bus/host and bus/pci; here are its registers, which firmware sets and which operating systems read.
//
//   04 COMMAND  06 STATUS  50 PCON  52 CC  56 DRAMEC  57 DRAMC  58 DRAMT  59-5F PAM0-6  60-67 DRB0-7
//   68 DRT  72 SMRAM  90 ERRCMD  91 ERRSTS  92 ERRSYN
//
// Sources: Intel 82439HX data sheet (public), chapter 3; names are its own.
// Not modelled: the registers decide nothing. Memory from E0000h to FFFFFh is ROM and C0000h to DFFFFh belongs to the
// buses whatever PAM says (a BIOS would copy itself to RAM there), there is no SMRAM, and DRAM timing is the machine
// file's.
#pragma once

#include <cstdint>

#include "devices/board/north_bridge/north_bridge.hpp"

namespace planar {

class I430hx final : public NorthBridge {
 public:
  enum Register : std::uint8_t {
    PCON = 0x50,
    CC = 0x52,
    DRAMEC = 0x56,
    DRAMC = 0x57,
    DRAMT = 0x58,
    DRT = 0x68,
    SMRAM = 0x72,
    ERRCMD = 0x90,
    ERRSTS = 0x91,
    ERRSYN = 0x92,
  };

  /// `memory_bytes` in rows of equal size; `l2_bytes` 0, 256 KB or 512 KB as CC shows it.
  I430hx(pci::Slot& slot, std::uint32_t memory_bytes, std::uint32_t l2_bytes);

  const char* name() const override { return "430hx"; }
  void describe(Description& d) const override;
  void archive(Archive& a) override;
};

}  // namespace planar
