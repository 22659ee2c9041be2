// SPDX-License-Identifier: GPL-2.0-or-later
// A user at the modelled keyboard, in virtual time: presses and releases keys one after another, and waits if the
// machine does not keep up.
//
// Timing (chosen): a key is down for 40 ms and up for 40 ms before the next, 12 characters per second, which is well
// below the typematic delay (at least 250 ms). Before a key is pressed the keyboard must have sent all earlier codes,
// and, in real and virtual-86 mode, the firmware's keyboard buffer (40:1Ah to 40:3Dh, 15 keys) must have room for five
// more, so that it never overflows. Protected-mode systems read the keyboard in their own interrupt handlers.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"

namespace planar {

class Machine;

class Typist {
 public:
  /// Queues the keys of `text`; characters without a key (keys.hpp) are omitted.
  void type(std::string_view text, Time now);
  /// Queues a chord: pressed in order, held for `hold`, released in reverse order.
  void press(const std::vector<std::uint16_t>& keys, Time hold, Time now);
  /// Discards the queue; pressed keys are released.
  void stop(Time now);

  bool busy() const { return !actions_.empty(); }
  /// The time of the next action; Time::never() if nothing is queued.
  Time next() const { return busy() ? next_ : Time::never(); }
  /// Performs the actions due by `now`.
  void advance(Machine& machine, Time now);

  void archive(Archive& a);

 private:
  struct Action {
    std::uint16_t code = 0;
    bool down = false;
    bool letter = false;  ///< affected by caps lock: shift is chosen when the key is pressed
    bool shift = false;   ///< hold shift for this key
    Time after{};         ///< delay after it
    void archive(Archive& a) { a(code, down, letter, shift, after); }
  };
  void queue(Action action, Time now);
  bool sound() const;

  std::deque<Action> actions_;
  std::vector<std::uint16_t> down_;
  Time next_{};
};

}  // namespace planar
