// SPDX-License-Identifier: GPL-2.0-or-later
// ServerWorks OSB4, function 1: IDE.
//
//   40h-43h PIO timing of drives 1, 0, 3, 2   44h-47h multiword DMA timing, in the same order   54h-57h Ultra DMA
//   (kept)
//
// A timing is two nibbles, active and recovery time, each in PCI clocks less one [inferred: the values of Linux's
// driver give the cycle times of ATA's modes, 5Dh 600 ns, 20h 120 ns]; 00h, the value after reset, selects the
// compatible timing. A channel decodes while COMMAND.IO_SPACE is set [inferred].
//
// The data book is not public. Sources: Linux 2.4 drivers/ide/osb4.c; lspci of such machines on the Linux kernel list.
#pragma once

#include "devices/board/south_bridge/pci_ide.hpp"

namespace planar {

class Osb4Ide final : public PciIde {
 public:
  Osb4Ide(pci::Slot& slot, const TimingProfile& profile);
  const char* name() const override { return "osb4"; }

 private:
  bool decodes_channel(unsigned) const override { return true; }
  Time word_time(unsigned channel, unsigned drive, bool dma) const override;
  void describe_timing(Description& d) const override;
};

}  // namespace planar
