// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/streamer/registers.hpp"

#include "core/common/little_endian.hpp"

namespace planar::streamer {

using Map = RegisterMap;

std::uint16_t SystemRegisters::sisr() const {
  return static_cast<std::uint16_t>(sisr_ | (misr_ & misr_mask_ ? Map::MI : 0));
}

bool SystemRegisters::interrupt() const { return sisr_mask_ & Map::MI && sisr() & sisr_mask_; }

void SystemRegisters::reset() { lisr = sisr_ = sisr_mask_ = misr_ = misr_mask_ = 0; }

std::optional<std::uint16_t> SystemRegisters::peek(std::uint32_t offset) const {
  switch (offset) {
    // clang-format off
    case Map::LISR: case Map::LISR_SUM: case Map::LISR_RUM: return lisr;
    case Map::SISR: case Map::SISR_SUM: case Map::SISR_RUM: return sisr();
    case Map::SISR_MASK: case Map::SISR_MASK_SUM: case Map::SISR_MASK_RUM: return sisr_mask_;
    case Map::MISR_RUM: return misr_;
    case Map::MISR_MASK: case Map::MISR_MASK_RUM: return misr_mask_;
    // clang-format on
    default: return std::nullopt;
  }
}

bool SystemRegisters::write(std::uint32_t offset, std::uint16_t value) {
  switch (offset) {
    case Map::LISR: lisr = value; break;
    case Map::LISR_SUM: lisr |= value; break;
    case Map::LISR_RUM: lisr &= value; break;
    case Map::SISR: sisr_ = value & adapter_; break;
    case Map::SISR_SUM: sisr_ |= value & adapter_; break;
    case Map::SISR_RUM: sisr_ &= value; break;
    case Map::SISR_MASK: sisr_mask_ = value; break;
    case Map::SISR_MASK_SUM: sisr_mask_ |= value; break;
    case Map::SISR_MASK_RUM: sisr_mask_ &= value; break;
    case Map::MISR_RUM: misr_ &= value; break;
    case Map::MISR_MASK: misr_mask_ = value; break;
    case Map::MISR_MASK_RUM: misr_mask_ &= value; break;
    default: return false;
  }
  return true;
}

std::uint32_t get32(std::span<const std::uint8_t> descriptor, std::size_t at) {
  return load_little<std::uint32_t>(&descriptor[at]);
}

void put32(std::span<std::uint8_t> descriptor, std::size_t at, std::uint32_t value) {
  store_little(&descriptor[at], value);
}

}  // namespace planar::streamer
