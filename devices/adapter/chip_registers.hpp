// SPDX-License-Identifier: GPL-2.0-or-later
// The registers of a chip that handles byte enables itself: accesses of any width are passed on unchanged.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/memory/slave.hpp"

namespace planar {

/// `Chip` has read(offset, bytes, now), which has the register's side effects, peek(offset, bytes), write(offset,
/// bytes, value, now) and register_name(offset), or register_name(offset, direction).
template <class Chip>
class ChipRegisters final : public Slave {
 public:
  explicit ChipRegisters(Chip& chip) : chip_(chip) {}

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return chip_.read(offset, bytes, now); }
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time) const override { return chip_.peek(offset, bytes); }
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override {
    chip_.write(offset, bytes, value, now);
  }
  std::string_view register_name(std::uint32_t offset, Direction direction) const override {
    if constexpr (requires { chip_.register_name(offset, direction); })
      return chip_.register_name(offset, direction);
    else
      return Chip::register_name(offset);
  }

 private:
  Chip& chip_;
};

}  // namespace planar
