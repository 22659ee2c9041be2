// SPDX-License-Identifier: GPL-2.0-or-later
// 82371SB (PIIX3), function 1: IDE.
//
//   20h       BMIBA    base of the bus masters' 16 ports
//   40h, 42h  IDETIM   per channel: 15 decode, 14 SIDETIM for drive 1, 13:12 sample point, 9:8 recovery;
//                      3:0 of drive 0 and 7:4 of drive 1: DMA timing only, prefetch, IORDY, fast timing
//   44h       SIDETIM  timing of drive 1
//
// A channel decodes 1F0-1F7h and 3F6h (170-177h and 376h) while its IDETIM bit 15 and PCICMD bit 0 are set: firmware
// sets both.
//
// Timing: a cycle of the data port has the compatible timing or, with fast timing, the sample point plus the recovery
// time in PCI clocks; DMA likewise, at least 120 ns per word. If two drives on a channel have different settings, the
// slower one applies. Sources: docs/hardware/piix3.md#ide; ide.toml.
#pragma once

#include "devices/board/south_bridge/pci_ide.hpp"

namespace planar {

class Piix3Ide final : public PciIde {
 public:
  Piix3Ide(pci::Slot& slot, const TimingProfile& profile);
  const char* name() const override { return "piix3"; }

 private:
  bool decodes_channel(unsigned n) const override;
  Time word_time(unsigned channel, unsigned drive, bool dma) const override;
  void describe_timing(Description& d) const override;
};

}  // namespace planar
