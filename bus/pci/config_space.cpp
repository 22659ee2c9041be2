// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/pci/config_space.hpp"

#include "core/common/little_endian.hpp"

namespace planar::pci {

std::uint32_t ConfigSpace::get(const Bytes& from, unsigned reg, unsigned bytes) {
  return join_little(bytes, [&](unsigned n) { return reg + n < size ? from[reg + n] : std::uint8_t{0}; });
}

void ConfigSpace::put(Bytes& to, unsigned reg, unsigned bytes, std::uint32_t value) {
  for (unsigned n = 0; n < bytes && reg + n < size; ++n) to[reg + n] = static_cast<std::uint8_t>(value >> (8 * n));
}

std::uint32_t ConfigSpace::read(unsigned reg, unsigned bytes) const { return get(value_, reg, bytes); }

bool ConfigSpace::write(unsigned reg, unsigned bytes, std::uint32_t value) {
  bool changed = false;
  for (unsigned n = 0; n < bytes && reg + n < size; ++n) {
    const auto byte = static_cast<std::uint8_t>(value >> (8 * n));
    std::uint8_t& now = value_[reg + n];
    const auto next = static_cast<std::uint8_t>(((now & ~writable_[reg + n]) | (byte & writable_[reg + n])) &
                                                ~(byte & clearable_[reg + n]));
    changed |= next != now;
    now = next;
  }
  return changed;
}

void ConfigSpace::set(unsigned reg, unsigned bytes, std::uint32_t value) { put(value_, reg, bytes, value); }

void ConfigSpace::set_default(unsigned reg, unsigned bytes, std::uint32_t value) {
  put(default_, reg, bytes, value);
  put(value_, reg, bytes, value);
}

void ConfigSpace::set_writable(unsigned reg, unsigned bytes, std::uint32_t mask) { put(writable_, reg, bytes, mask); }

void ConfigSpace::set_clearable(unsigned reg, unsigned bytes, std::uint32_t mask) { put(clearable_, reg, bytes, mask); }

std::uint32_t ConfigSpace::writable(unsigned reg, unsigned bytes) const { return get(writable_, reg, bytes); }

}  // namespace planar::pci
