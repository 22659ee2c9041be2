// SPDX-License-Identifier: GPL-2.0-or-later
// A person at the modelled keyboard, in virtual time: presses and releases keys one after another, and waits when the
// machine does not keep up.
//
// Pace (chosen): a key is down for 40 ms and up for 40 ms before the next, 12 characters a second, which keeps well
// below the typematic delay (250 ms at its shortest). Before a key goes down the keyboard must have sent all earlier
// codes, and, in real and virtual-86 mode, the firmware's keyboard buffer (40:1Ah to 40:3Dh, 15 keys) must have room
// for five more: a person hears the beep of a full one. Protected-mode systems empty the keyboard in an interrupt of
// their own.
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
  /// Queues the keys of `text`; characters without a key (keys.hpp) are left out.
  void type(std::string_view text, Time now);
  /// Queues a chord: pressed in order, held for `hold`, released in reverse order.
  void press(const std::vector<std::uint16_t>& keys, Time hold, Time now);
  /// Forgets what is queued; keys that are down are released.
  void stop(Time now);

  bool busy() const { return !actions_.empty(); }
  /// When advance() has something to do; Time::never() if nothing is queued.
  Time next() const { return busy() ? next_ : Time::never(); }
  /// Does what is due by `now`.
  void advance(Machine& machine, Time now);

  void archive(Archive& a);

 private:
  struct Action {
    std::uint16_t code = 0;
    bool down = false;
    bool letter = false;  ///< caps lock concerns it: shift is chosen when the key is pressed
    bool shift = false;   ///< hold shift for this key
    Time after{};         ///< rest behind it
    void archive(Archive& a) { a(code, down, letter, shift, after); }
  };
  void queue(Action action, Time now);

  std::deque<Action> actions_;
  std::vector<std::uint16_t> down_;
  Time next_{};
};

}  // namespace planar
