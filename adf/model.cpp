// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/model.hpp"

#include <fmt/format.h>

namespace planar::adf {

std::string hex(std::uint32_t value, int digits) { return fmt::format("{:0{}X}h", value, digits); }

std::string to_string(const Resource& resource) {
  switch (resource.kind) {
    case ResourceKind::interrupt: return fmt::format("IRQ {}", resource.first);
    case ResourceKind::arbitration: return fmt::format("arbitration level {}", resource.first);
    case ResourceKind::io:
      if (resource.first == resource.last) return "I/O " + hex(resource.first, 4);
      return fmt::format("I/O {}-{}", hex(resource.first, 4), hex(resource.last, 4));
    case ResourceKind::memory: break;
  }
  return fmt::format("memory {}-{}", hex(resource.first, 5), hex(resource.last, 5));
}

std::string to_string(const PosBits& bits) {
  std::string text;
  for (int bit = 7; bit >= 0; --bit) {
    if ((bits.mask >> bit & 1) == 0)
      text += 'X';
    else
      text += (bits.value >> bit & 1) != 0 ? '1' : '0';
  }
  return text;
}

bool PosSetting::empty() const {
  for (const PosBits& byte : bytes)
    if (byte.mask != 0) return false;
  return true;
}

bool PosSetting::contradicts(const PosSetting& other) const {
  for (unsigned n = 0; n < max_pos_bytes; ++n) {
    const unsigned both = bytes[n].mask & other.bytes[n].mask;
    if ((both & (bytes[n].value ^ other.bytes[n].value)) != 0) return true;
  }
  return false;
}

}  // namespace planar::adf
