// SPDX-License-Identifier: GPL-2.0-or-later
// The port window of a chip with 16-bit registers and no byte enables: a doubleword access is two word accesses, the
// lower first; a byte read returns its half of the word, with the word's side effects; a byte write has no effect.
#pragma once

#include <cstdint>

#include "core/memory/slave.hpp"

namespace planar {

/// `Chip` has peek(offset), which returns the register, read(offset, now), which also has its side effects, and
/// write(offset, value, now), all at even offsets.
template <class Chip>
class WordRegisters final : public Slave {
 public:
  /// The registers repeat every `window` bytes.
  explicit WordRegisters(Chip& chip, std::uint32_t window = UINT32_MAX) : chip_(chip), window_(window) {}

  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time) const override {
    offset %= window_;
    const std::uint16_t word = chip_.peek(offset & ~1u);
    if (bytes == 1) return word >> (offset & 1 ? 8 : 0) & 0xFF;
    return bytes == 2 ? word : word | std::uint32_t{chip_.peek(offset + 2)} << 16;
  }
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override {
    offset %= window_;
    const std::uint32_t value = peek(offset, bytes, now);
    chip_.read(offset & ~1u, now);
    if (bytes == 4) chip_.read(offset + 2, now);
    return value;
  }
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override {
    if (bytes == 1) return;
    offset %= window_;
    chip_.write(offset, static_cast<std::uint16_t>(value), now);
    if (bytes == 4) chip_.write(offset + 2, static_cast<std::uint16_t>(value >> 16), now);
  }

 private:
  Chip& chip_;
  std::uint32_t window_;
};

}  // namespace planar
