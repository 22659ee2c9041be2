// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/piix3/piix3_ide.hpp"

#include <algorithm>

namespace planar {

namespace {
enum TimingRegister : std::uint8_t { IDETIM = 0x40, SIDETIM = 0x44 };
// IDETIM
constexpr std::uint16_t decode_enable = 0x8000, second_timing = 0x4000;
constexpr std::uint8_t fast = 0x01, dma_only = 0x08;
constexpr Time least_word = 120_ns;  // multiword DMA mode 2 and PIO mode 4
}  // namespace

Piix3Ide::Piix3Ide(pci::Slot& slot, const TimingProfile& p)
    : PciIde(slot, {.vendor = 0x8086, .device = 0x7010, .revision = 0x00, .class_code = 0x010180, .interrupt_pin = 0},
             p) {
  config_.set_writable(IDETIM, 4, 0xF3FFF3FF);
  config_.set_writable(SIDETIM, 1, 0xFF);
}

bool Piix3Ide::decodes_channel(unsigned n) const { return config_.read(IDETIM + 2 * n, 2) & decode_enable; }

Time Piix3Ide::word_time(unsigned channel, unsigned drive, bool dma) const {
  const std::uint32_t timing = config_.read(IDETIM + 2 * channel, 2);
  const std::uint32_t second = config_.read(SIDETIM, 1) >> (4 * channel);
  const std::uint32_t bits = timing >> (4 * drive);
  if (!(bits & fast) || (!dma && (bits & dma_only))) return compatible();
  const bool own = drive == 1 && (timing & second_timing);
  const std::uint32_t sample = own ? second >> 2 & 3 : timing >> 12 & 3, recovery = own ? second & 3 : timing >> 8 & 3;
  const unsigned clocks = (5 - sample) + (4 - recovery);
  return std::max(slot().segment().timing().clocks(clocks), least_word);
}

void Piix3Ide::describe_timing(Description& d) const {
  d.reg("IDETIM primary", config_.read(IDETIM, 2), 16).reg("IDETIM secondary", config_.read(IDETIM + 2, 2), 16);
  d.reg("SIDETIM", config_.read(SIDETIM, 1), 8);
}

}  // namespace planar
