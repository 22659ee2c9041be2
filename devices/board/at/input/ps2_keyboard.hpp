// SPDX-License-Identifier: GPL-2.0-or-later
// PS/2 enhanced keyboard (ID 83ABh): scan code sets 1, 2 and 3, LEDs, typematic, the full command
// set.
//
// Facts: IBM PS/2 keyboard specification as summarised in docs/hardware/planar-devices.md#keyboard-and-mouse and in the
// drivers' own tables; power-on: set 2, 10.9 characters/s after 500 ms, 16-byte buffer with an overrun code.
// Timing (inferred): 500 ms for the self test.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/board/at/input/ps2_device.hpp"

namespace planar {

class Ps2Keyboard final : public Ps2Device {
 public:
  /// `name` prefixes its events.
  Ps2Keyboard(Scheduler& scheduler, const std::string& name);

  /// The user presses or releases a key, given by its set 1 make code (1Eh = A; E0h in the high byte for the grey keys:
  /// E048h = cursor up; E037h = print screen, E11Dh = pause). Unknown codes are ignored, as is a key that is already
  /// down: the keyboard repeats by itself.
  void key(std::uint16_t code, bool down, Time now);
  /// Bits 0 scroll lock, 1 num lock, 2 caps lock.
  std::uint8_t leds() const { return leds_; }
  /// There are key codes that the controller has not fetched yet.
  bool unsent() const { return !strokes_.empty(); }

  Time ready() const override;
  std::uint8_t fetch(Time now) override;
  void receive(std::uint8_t byte, Time now) override;

  /// Power-on: self test, AAh after 500 ms.
  void reset(Time now);
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  void defaults();
  void command(std::uint8_t byte, Time now);
  void argument(std::uint8_t byte, Time now);
  void repeat(Time now);
  void stroke(unsigned row, bool down, Time now);
  void append_code(std::vector<std::uint8_t>& out, std::uint16_t set1, std::uint16_t set2, bool down) const;
  void append_fake_shifts(std::vector<std::uint8_t>& out, bool before, bool with_num_lock) const;
  void append_key(std::vector<std::uint8_t>& out, unsigned row, bool down) const;
  void append_set3(std::vector<std::uint8_t>& out, unsigned row, bool down) const;
  bool held(std::uint16_t code) const;

  // Command answers precede key codes.
  std::deque<std::uint8_t> strokes_;  // at most 16
  bool scanning_ = true;
  std::uint8_t leds_ = 0;
  std::uint8_t set_ = 2;
  std::uint8_t rate_ = 0x2B;    // bits 6-5 delay, 4-0 rate
  std::uint8_t expecting_ = 0;  // command whose argument comes next
  std::uint8_t last_sent_ = 0;
  std::vector<std::uint8_t> types_;  // set 3: per row of the key table, bit 0 break codes, bit 1 typematic
  std::vector<std::uint8_t> down_;   // per row
  std::int32_t repeating_ = -1;      // row
  Event repeat_;
};

}  // namespace planar
