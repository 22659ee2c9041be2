// SPDX-License-Identifier: GPL-2.0-or-later
// 82371SB (PIIX3), function 0: the configuration space of the bridge from PCI to ISA.
//
//   04h PCICMD   0007h; bits 3 and 8 can be written              06h PCISTS   0280h, bits 14:11 cleared by 1
//   4Ch IORT     ISA recovery times                              4Eh XBCS     what the X-bus decodes
//   60-63h PIRQRC[A:D]  routes of PCI interrupts                 69h TOM      top of memory, forwarding to PCI
//   6Ah MSTAT    70h MBIRQ0   76h, 77h MBDMA   78h PCSC          80h APICBASE   82h DLC
//   A0h SMICNTL  A2h SMIEN  A4h SEE  A8h FTMR  AAh SMIREQ  ACh CTLTMR  AEh CTHTMR
//
// Sources: docs/hardware/piix3.md. Only the routes have an effect: the other registers are stored under their masks,
// because firmware and systems write and read them back. SMIREQ reads 0: nothing ever requests.
//
// Not modelled: system management interrupts, the programmable chip select, motherboard interrupts and DMA, an I/O
// APIC, USB (function 2 is absent); whatever XBCS says, the X-bus decodes the clock, the keyboard and coprocessor
// errors.
#pragma once

#include <cstdint>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "devices/board/piix3/pirq_router.hpp"
#include "devices/board/south_bridge/south_bridge.hpp"

namespace planar {

class Piix3Isa final : public SouthBridge {
 public:
  /// Must be the first function built for the slot.
  Piix3Isa(pci::Slot& slot, PirqRouter& router);

  const char* name() const override { return "piix3"; }
  std::uint8_t first_link() const override;
  std::uint32_t compatible_router() const override { return 0x122E'8086; }  // PIIX
  void bus_reset(Time now) override;
  void describe(Description& d) const override;
  void archive(Archive& a) override;

 private:
  void config_changed(unsigned reg, unsigned bytes, Time now) override;
  void set_routes(Time now);

  PirqRouter& router_;
};

}  // namespace planar
