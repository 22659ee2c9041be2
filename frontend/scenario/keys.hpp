// SPDX-License-Identifier: GPL-2.0-or-later
// The US keyboard as people name it: keys by name, and the keys that make a character. Codes are the set 1 make codes
// that Ps2Keyboard::key() takes (E0h in the high byte for the grey keys).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planar {

/// A character as typed: its key, and whether shift is held.
struct CharacterKey {
  std::uint16_t code = 0;
  bool shift = false;
};

/// The key for an ASCII character, or for \n (enter), \t (tab), \b (backspace) and \e (escape); nothing for others.
std::optional<CharacterKey> key_for(char character);

/// Keys by name, in the order of a chord: "ctrl-alt-del", "f1", "shift-a", "enter", "kp-plus" is "kpplus". Throws Error
/// with the problem and the remedy (a near name) for a name that no key has.
std::vector<std::uint16_t> parse_chord(std::string_view text);

}  // namespace planar
