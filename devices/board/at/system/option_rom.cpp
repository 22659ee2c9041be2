// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/system/option_rom.hpp"

#include <numeric>

#include "bus/common/board_cycle.hpp"
#include "core/common/little_endian.hpp"

namespace planar {

void OptionRom::install(std::uint32_t base, std::vector<std::uint8_t> image) {
  base_ = base;
  image_ = std::move(image);
  if (!image_.empty()) {
    const auto sum = std::accumulate(image_.begin(), image_.end() - 1, 0u);
    image_.back() = static_cast<std::uint8_t>(-sum);
  }
  decode();
}

void OptionRom::decode() {
  claim_.release();
  if (image_.empty()) return;
  claim_ = space_.claim(base_, static_cast<std::uint32_t>(image_.size()), *this, bus::board_cycle, nullptr, &subject_);
}

std::uint32_t OptionRom::peek(std::uint32_t offset, unsigned bytes, Time) const {
  return join_little(bytes,
                     [&](unsigned n) { return offset + n < image_.size() ? image_[offset + n] : std::uint8_t{0xFF}; });
}

void OptionRom::archive(Archive& a) {
  a.section("option_rom", 1);
  a(base_, image_);
  if (a.loading()) decode();
}

}  // namespace planar
