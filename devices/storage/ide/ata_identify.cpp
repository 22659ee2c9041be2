// SPDX-License-Identifier: GPL-2.0-or-later
// IDENTIFY DEVICE: the disk's description of itself (ATA-3, 8.12).
#include <algorithm>

#include "devices/storage/ide/ata_disk.hpp"

namespace planar::storage {

void AtaDisk::word(unsigned n, std::uint32_t value) {
  buffer_[2 * n] = static_cast<std::uint8_t>(value);
  buffer_[2 * n + 1] = static_cast<std::uint8_t>(value >> 8);
}

/// Characters in pairs, the first of each in the high byte.
void AtaDisk::text(unsigned n, std::string_view text, unsigned words) {
  const auto at = [&](unsigned place) { return place < text.size() ? static_cast<std::uint8_t>(text[place]) : ' '; };
  for (unsigned pair = 0; pair < words; ++pair)
    word(n + pair, static_cast<std::uint32_t>(at(2 * pair) << 8 | at(2 * pair + 1)));
}

void AtaDisk::identify(Time now) {
  identifies_ = true;
  busy_until(now + timing_.command, own_step);
}

void AtaDisk::identification() {
  buffer_.assign(sector_bytes, 0);
  const Geometry own = geometry(16, 63);
  const std::uint32_t reached = std::uint32_t{translation_.cylinders} * translation_.heads * translation_.sectors;
  word(0, 0x0040);  // fixed
  word(1, own.cylinders);
  word(3, own.heads);
  word(6, own.sectors);
  text(10, "PLANAR00000000000001", 10);
  word(20, 3);  // a read-ahead buffer
  word(21, timing_.disk.buffer_bytes / sector_bytes);
  text(23, "1.0", 4);
  text(27, "PLANAR ATA DISK", 20);
  word(47, 0x8000 | most_multiple);
  word(49, 0x0F00);  // IORDY, can be disabled; LBA; DMA
  word(51, 0x0200);  // PIO mode 2 without IORDY
  word(52, 0x0200);
  word(53, 0x0003);  // words 54 to 58 and 64 to 70 are valid
  word(54, translation_.cylinders);
  word(55, translation_.heads);
  word(56, translation_.sectors);
  word(57, reached);
  word(58, reached >> 16);
  if (multiple_ != 0) word(59, 0x0100u | multiple_);
  word(60, sectors());
  word(61, sectors() >> 16);
  word(63, 0x0007u | 0x0100u << dma_mode_);
  word(64, 0x0003);  // PIO modes 3 and 4
  for (const unsigned cycle : {65u, 66u, 67u, 68u}) word(cycle, 120);
  word(80, 0x000E);  // ATA-1 to ATA-3
  word(82, 0x0040);  // read-ahead
  word(83, 0x4000);
}

}  // namespace planar::storage
