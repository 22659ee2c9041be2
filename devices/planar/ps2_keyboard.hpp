// SPDX-License-Identifier: GPL-2.0-or-later
// PS/2 enhanced keyboard (ID 83ABh): scan code sets 1, 2 and 3, LEDs, typematic, the full command set.
//
// Facts: IBM PS/2 keyboard specification as summarised in planar-devices.md section 5 and in the drivers' own tables;
// power-on: set 2, 10.9 characters/s after 500 ms, 16-byte buffer with an overrun code.
// Timing (inferred): 0.5 ms from a received byte to its answer, 500 ms for the self test.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.hpp"
#include "core/scheduler.hpp"
#include "devices/planar/ps2_device.hpp"

namespace planar {

class Ps2Keyboard final : public Ps2Device {
 public:
  /// `name` prefixes its events.
  Ps2Keyboard(Scheduler& scheduler, const std::string& name);

  /// Connects the cable; the self test of power-on starts.
  void attach(Ps2Host& host) { host_ = &host; }

  /// A person presses or releases a key, named by its set 1 make code (1Eh = A; E0h in the high byte for the grey keys:
  /// E048h = cursor up; E037h = print screen, E11Dh = pause). Unknown codes do nothing.
  void key(std::uint16_t code, bool down, Time now);
  /// Bits 0 scroll lock, 1 num lock, 2 caps lock.
  std::uint8_t leds() const { return leds_; }

  Time ready() const override;
  std::uint8_t fetch(Time now) override;
  void receive(std::uint8_t byte, Time now) override;

  /// Power-on: self test, AAh after 500 ms.
  void reset(Time now);
  void archive(Archive& a);

 private:
  void defaults();
  void answer(std::uint8_t byte, Time now);
  void command(std::uint8_t byte, Time now);
  void argument(std::uint8_t byte, Time now);
  void repeat(Time now);
  void send_key(unsigned row, bool down, Time now);
  void send_bytes(const std::uint8_t* bytes, std::size_t count, Time now);
  void send_code(unsigned row, bool down, Time now, std::vector<std::uint8_t>& out) const;
  void set_types(std::uint8_t type);
  Time repeat_delay() const;
  Time repeat_period() const;
  bool down(unsigned row) const { return row < down_.size() && down_[row]; }

  Scheduler& scheduler_;
  Ps2Host* host_ = nullptr;
  Ps2Queue answers_;                 // command answers go ahead of key strokes
  std::deque<std::uint8_t> strokes_; // at most 16
  Time strokes_ready_{};
  bool overrun_ = false;
  bool scanning_ = true;
  std::uint8_t leds_ = 0;
  std::uint8_t set_ = 2;
  std::uint8_t rate_ = 0x2B;         // bits 6-5 delay, 4-0 rate
  std::uint8_t expecting_ = 0;       // command whose argument comes next
  std::uint8_t last_sent_ = 0;
  std::vector<std::uint8_t> types_;  // set 3: per row, bit 0 break codes, bit 1 typematic
  std::vector<std::uint8_t> down_;
  std::int32_t repeating_ = -1;
  std::uint8_t pending_leds_ = 0;
  Event repeat_;
};

}  // namespace planar
