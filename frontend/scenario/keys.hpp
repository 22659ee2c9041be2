// SPDX-License-Identifier: GPL-2.0-or-later
// The US keyboard: keys by name, and the keys that produce a character. Codes are the set 1 make codes that
// Ps2Keyboard::key() takes (E0h in the high byte for extended keys).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planar {

/// A typed character: its key, and whether shift is held.
struct CharacterKey {
  std::uint16_t code = 0;
  bool shift = false;
};

/// The key for an ASCII character, or for \n (enter), \t (tab), \b (backspace) and \e (escape); nothing for others.
std::optional<CharacterKey> key_for(char character);

/// A key's name as parse_chord() takes it; empty for a code of no key.
std::string key_name(std::uint16_t code);

/// The keys of a chord by name, in order: "ctrl-alt-del", "f1", "shift-a", "enter", "kpplus". Throws Error with the
/// problem and a suggestion for an unknown name.
std::vector<std::uint16_t> parse_chord(std::string_view text);

}  // namespace planar
