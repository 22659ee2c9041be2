// SPDX-License-Identifier: GPL-2.0-or-later
// Intel 82443BX (440BX) without its AGP port: the host bridge as a function on PCI, bus 0 device 0. Its handling of
// accesses is in bus/host and bus/pci; this file has its registers, which firmware sets and operating systems read.
//
//   04 PCICMD  06 PCISTS  50 NBXCFG  57 DRAMC  58 DRAMT  59-5F PAM0-6  60-67 DRB0-7  68 FDHC  69-6E MBSC  72 SMRAM
//   73 ESMRAMC  74 RPS  76 SDRAMC  78 PGPOL  7A PMCR  7B SCRR  80 EAP  90 ERRCMD  91 ERRSTS
//
// Sources: Intel 82443BX data sheet (290633, public), chapter 3, whose names are used. With AGP disabled by a strap the
// device is 7192h and there is no bridge to a second bus. Not modelled: as on the 430HX, the registers have no effect.
#pragma once

#include <cstdint>

#include "devices/board/north_bridge/north_bridge.hpp"

namespace planar {

class I440bx final : public NorthBridge {
 public:
  enum Register : std::uint8_t {
    NBXCFG = 0x50,
    DRAMC = 0x57,
    DRAMT = 0x58,
    FDHC = 0x68,
    MBSC = 0x69,
    SMRAM = 0x72,
    ESMRAMC = 0x73,
    RPS = 0x74,
    SDRAMC = 0x76,
    PGPOL = 0x78,
    PMCR = 0x7A,
    SCRR = 0x7B,
    EAP = 0x80,
    ERRCMD = 0x90,
    ERRSTS = 0x91,
  };

  /// `memory_bytes` in two rows of equal size.
  I440bx(pci::Slot& slot, std::uint32_t memory_bytes);

  const char* name() const override { return "440bx"; }
  void describe(Description& d) const override;
  void archive(Archive& a) override;
};

}  // namespace planar
