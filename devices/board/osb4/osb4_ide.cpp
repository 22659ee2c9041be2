// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/osb4/osb4_ide.hpp"

namespace planar {

namespace {
enum TimingRegister : std::uint8_t { PIO_TIMING = 0x40, DMA_TIMING = 0x44, ULTRA_DMA = 0x54 };
}

Osb4Ide::Osb4Ide(pci::Slot& slot, const TimingProfile& p)
    : PciIde(slot, {.vendor = 0x1166, .device = 0x0211, .revision = 0x00, .class_code = 0x01018A, .interrupt_pin = 0},
             p) {
  for (const unsigned reg : {PIO_TIMING, DMA_TIMING, ULTRA_DMA}) config_.set_writable(reg, 4, 0xFFFFFFFF);
}

Time Osb4Ide::word_time(unsigned channel, unsigned drive, bool dma) const {
  const std::uint32_t timing = config_.read((dma ? DMA_TIMING : PIO_TIMING) + 2 * channel + (drive ^ 1), 1);
  return timing == 0 ? compatible() : slot().segment().timing().clocks((timing >> 4) + (timing & 15) + 2);
}

void Osb4Ide::describe_timing(Description& d) const {
  d.reg("PIO timing", config_.read(PIO_TIMING, 4), 32).reg("DMA timing", config_.read(DMA_TIMING, 4), 32);
  d.reg("Ultra DMA", config_.read(ULTRA_DMA, 4), 32);
}

}  // namespace planar
