// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/at93c46/at93c46.hpp"

namespace planar::ethernet {
namespace {
constexpr std::uint8_t command_bits = 8;  // opcode and address after the start bit
constexpr std::uint8_t word_bits = 16;
enum Opcode : unsigned { control = 0, opcode_write = 1, opcode_read = 2, opcode_erase = 3 };
enum ControlBits : unsigned { write_disable = 0, write_enable = 3 };  // the upper two address bits
}  // namespace

void At93c46::pins(bool chip_select, bool clock, bool data_in) {
  const bool rising = clock && !clock_;
  clock_ = clock;
  if (!chip_select) {
    finish();
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
  if (command_ >> 6 == opcode_write && bits_ < command_bits + word_bits) {
    shift_ = static_cast<std::uint16_t>(shift_ << 1 | data_in);
    ++bits_;
  }
  if (command_ >> 6 != opcode_read) return;
  data_out_ = shift_ >> 15;
  // After the end of the word the part outputs zeros.
  shift_ = static_cast<std::uint16_t>(shift_ << 1);
}

// Programming starts when CS falls and takes no time here. Without EWEN, or with a word cut short, nothing changes.
void At93c46::finish() {
  if (bits_ < command_bits) return;
  const unsigned opcode = command_ >> 6, address = command_ & (words - 1), upper = address >> 4;
  if (opcode == control && (upper == write_enable || upper == write_disable)) writable_ = upper == write_enable;
  if (!writable_) return;
  if (opcode == opcode_erase) contents_[address] = 0xFFFF;
  if (opcode == opcode_write && bits_ == command_bits + word_bits) contents_[address] = shift_;
}

}  // namespace planar::ethernet
