// SPDX-License-Identifier: GPL-2.0-or-later
// Intel 82439HX (430HX, "Triton II"): the host bridge as a function on PCI, bus 0 device 0. Its handling of accesses is
// in bus/host and bus/pci; this file has its registers, which firmware sets and operating systems read.
//
//   04 COMMAND  06 STATUS  50 PCON  52 CC  56 DRAMEC  57 DRAMC  58 DRAMT  59-5F PAM0-6  60-67 DRB0-7
//   68 DRT  72 SMRAM  90 ERRCMD  91 ERRSTS  92 ERRSYN
//
// Sources: Intel 82439HX data sheet (public), chapter 3, whose names are used. Not modelled: the registers have no
// effect. E0000h to FFFFFh is ROM and C0000h to DFFFFh belongs to the buses regardless of PAM (a BIOS would copy itself
// to RAM there), there is no SMRAM, and DRAM timing is set by the machine file.
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

  /// `memory_bytes` in rows of equal size; `l2_bytes` 0, 256 KB or 512 KB, shown in CC.
  I430hx(pci::Slot& slot, std::uint32_t memory_bytes, std::uint32_t l2_bytes);

  const char* name() const override { return "430hx"; }
  void describe(Description& d) const override;
  void archive(Archive& a) override;
};

}  // namespace planar
