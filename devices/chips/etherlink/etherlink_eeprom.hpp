// SPDX-License-Identifier: GPL-2.0-or-later
// The serial EEPROM of an EtherLink III or EtherLink XL, as the host sees it: EEPROM Command and EEPROM Data of window
// 0.
//
//   EEPROM Command   bit 15 busy; bits 7:6 operation: 2 read, 1 write, 3 erase, 0 by bits 5:4 (0 write disable, 1 write
//                    all, 2 erase all, 3 write enable); bits 5:0 word
//
// A command is carried out while the busy bit is 1; commands and data written meanwhile are lost.
// Source of behaviour: Linux 2.2 3c509.c and 3c59x.c, which quote 3Com's technical reference.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/state/archive.hpp"
#include "core/time/scheduler.hpp"

namespace planar::ethernet {

class EtherLinkEeprom {
 public:
  static constexpr std::uint16_t BUSY = 0x8000;
  using Contents = std::array<std::uint16_t, 64>;

  /// `read`: how long a read takes; `write`: a write or an erase.
  EtherLinkEeprom(Scheduler& scheduler, const std::string& name, const Contents& contents, Time read, Time write);

  /// EEPROM Command.
  void command(std::uint16_t value, Time now);
  std::uint16_t command() const { return static_cast<std::uint16_t>(command_ | (done_.pending() ? BUSY : 0)); }
  /// EEPROM Data.
  void set_data(std::uint16_t value);
  std::uint16_t data() const { return data_; }
  /// The contents of the EEPROM.
  std::uint16_t word(unsigned n) const { return contents_[n % contents_.size()]; }

  /// Resets the registers only, not the contents of the EEPROM.
  void reset();

  /// All but its event, which the chip archives with its others.
  void archive(Archive& a) { a(contents_, command_, data_, writable_); }
  Event& done() { return done_; }

 private:
  void finish(Time now);

  Contents contents_;
  const Time read_, write_;
  std::uint16_t command_ = 0, data_ = 0;
  bool writable_ = false;
  Event done_;
};

}  // namespace planar::ethernet
