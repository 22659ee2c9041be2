// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/ps2/nvram.hpp"

#include <algorithm>

namespace planar {

std::uint32_t Nvram::read(std::uint32_t offset, unsigned bytes, Time now) { return peek(offset, bytes, now); }

std::uint32_t Nvram::peek(std::uint32_t offset, unsigned, Time) const {
  switch (offset) {
    case 0: return address_ & 0xFFu;
    case 1: return address_ >> 8;
    case 2: return contents_[address_ % size];
    default: return 0xFF;
  }
}

void Nvram::write(std::uint32_t offset, unsigned, std::uint32_t value, Time) {
  switch (offset) {
    case 0: address_ = static_cast<std::uint16_t>((address_ & 0xFF00) | (value & 0xFF)); break;
    case 1: address_ = static_cast<std::uint16_t>((address_ & 0x00FF) | (value & 0xFF) << 8); break;
    case 2: contents_[address_ % size] = static_cast<std::uint8_t>(value); break;
    default: break;
  }
}

void Nvram::describe(Description& d) const {
  d.reg("address", address_, 16).reg("data", contents_[address_ % size], 8);
  d.number("bytes", size)
      .number("bytes not 00h", size - static_cast<std::size_t>(std::count(contents_.begin(), contents_.end(), 0)));
}

}  // namespace planar
