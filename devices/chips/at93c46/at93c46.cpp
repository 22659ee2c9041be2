// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/at93c46/at93c46.hpp"

namespace planar::ethernet {
namespace {
constexpr std::uint8_t command_bits = 8;  // opcode and address after the start bit
constexpr unsigned opcode_read = 2;
}  // namespace

void At93c46::pins(bool chip_select, bool clock, bool data_in) {
  const bool rising = clock && !clock_;
  clock_ = clock;
  if (!chip_select) {
    started_ = false;
    bits_ = command_ = 0;
    data_out_ = true;
    return;
  }
  if (!rising) return;
  if (!started_) {
    started_ = data_in;
    return;
  }
  if (bits_ < command_bits) {
    command_ = static_cast<std::uint8_t>(command_ << 1 | data_in);
    if (++bits_ == command_bits && command_ >> 6 == opcode_read) {
      shift_ = contents_[command_ & (words - 1)];
      data_out_ = false;  // the dummy zero before the word
    }
    return;
  }
  if (command_ >> 6 != opcode_read) return;
  data_out_ = shift_ >> 15;
  // After the end of the word the part outputs zeros.
  shift_ = static_cast<std::uint16_t>(shift_ << 1);
}

}  // namespace planar::ethernet
