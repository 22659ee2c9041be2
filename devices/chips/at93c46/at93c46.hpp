// SPDX-License-Identifier: GPL-2.0-or-later
// 93C46 serial EEPROM, 64 words of 16 bits, in which many cards keep their address and configuration.
//
// Pins: CS starts and ends a command, SK clocks it, DI takes a start bit, two opcode bits and six address bits, most
// significant first. READ (10): DO gives a zero and then the word. WRITE (01, 16 data bits) and ERASE (11) change a
// word once EWEN (00, address 11xxxx) has come; EWDS (00, 00xxxx) ends that. Source of behaviour: the part's data sheet
// as its users drive it (Linux 2.4 ne2.c, Crynwr exp16mca.asm, which writes its POS settings there;
// docs/hardware/dp8390.md#93c46). Not modelled: the time that programming takes (DO is high at once), WRAL and ERAL.
#pragma once

#include <array>
#include <cstdint>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"

namespace planar::ethernet {

class At93c46 {
 public:
  static constexpr unsigned words = 64;
  explicit At93c46(const std::array<std::uint16_t, words>& contents) : contents_(contents) {}

  /// The levels of CS, SK and DI as the host sets them; a rising SK clocks one bit.
  void pins(bool chip_select, bool clock, bool data_in);
  /// DO; high where the part does not drive it (pull-up).
  bool data_out() const { return data_out_; }

  void describe(Description& d) const {
    d.flag("SK", clock_).flag("DO", data_out_).flag("command begun", started_).number("command bits", bits_);
    d.flag("write enabled", writable_).reg("command", command_, 8).reg("shift register", shift_, 16);
  }
  void archive(Archive& a) { a(contents_, clock_, started_, bits_, command_, shift_, data_out_, writable_); }

 private:
  void finish();

  std::array<std::uint16_t, words> contents_;
  bool clock_ = false;
  bool started_ = false;      // the start bit has come
  std::uint8_t bits_ = 0;     // of opcode, address and a word to write so far
  std::uint8_t command_ = 0;  // these eight bits
  std::uint16_t shift_ = 0;   // bits that DO still has to output, or of the word to write
  bool data_out_ = true;
  bool writable_ = false;
};

}  // namespace planar::ethernet
