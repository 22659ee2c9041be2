// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/scenario/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/edit_distance.hpp"
#include "core/common/error.hpp"
#include "core/common/small_letters.hpp"
#include "machines/config/units.hpp"

namespace planar {

namespace {

// The four rows of character keys, with and without shift; key codes count upwards from the first key of a row.
struct Row {
  std::uint16_t first;
  std::string_view plain;
  std::string_view shifted;
};
constexpr Row rows[] = {
    {0x02, "1234567890-=", "!@#$%^&*()_+"},
    {0x10, "qwertyuiop[]", "QWERTYUIOP{}"},
    {0x1E, "asdfghjkl;'`", "ASDFGHJKL:\"~"},
    {0x2B, "\\zxcvbnm,./", "|ZXCVBNM<>?"},
};

struct Name {
  std::string_view name;
  std::uint16_t code;
};
constexpr Name names[] = {
    // clang-format off
    {"esc", 0x01},         {"escape", 0x01},    {"backspace", 0x0E},  {"tab", 0x0F},         {"enter", 0x1C},
    {"return", 0x1C},      {"ctrl", 0x1D},      {"control", 0x1D},    {"leftctrl", 0x1D},    {"rightctrl", 0xE01D},
    {"shift", 0x2A},       {"leftshift", 0x2A}, {"rightshift", 0x36}, {"alt", 0x38},         {"leftalt", 0x38},
    {"rightalt", 0xE038},  {"altgr", 0xE038},   {"space", 0x39},      {"caps", 0x3A},        {"capslock", 0x3A},
    {"num", 0x45},         {"numlock", 0x45},   {"scroll", 0x46},     {"scrolllock", 0x46},  {"minus", 0x0C},
    {"up", 0xE048},        {"down", 0xE050},    {"left", 0xE04B},     {"right", 0xE04D},     {"home", 0xE047},
    {"end", 0xE04F},       {"pageup", 0xE049},  {"pagedown", 0xE051}, {"insert", 0xE052},    {"ins", 0xE052},
    {"delete", 0xE053},    {"del", 0xE053},     {"print", 0xE037},    {"printscreen", 0xE037}, {"pause", 0xE11D},
    {"less", 0x56},        {"kp0", 0x52},       {"kp1", 0x4F},        {"kp2", 0x50},         {"kp3", 0x51},
    {"kp4", 0x4B},         {"kp5", 0x4C},       {"kp6", 0x4D},        {"kp7", 0x47},         {"kp8", 0x48},
    {"kp9", 0x49},         {"kpdot", 0x53},     {"kpstar", 0x37},     {"kpminus", 0x4A},     {"kpplus", 0x4E},
    {"kpslash", 0xE035},   {"kpenter", 0xE01C},
    // clang-format on
};

std::optional<std::uint16_t> function_key(std::string_view name) {
  if (name.size() < 2 || name[0] != 'f') return std::nullopt;
  const auto n = parse_number(name.substr(1));
  if (!n || *n < 1 || *n > 12) return std::nullopt;
  return static_cast<std::uint16_t>(*n <= 10 ? 0x3A + *n : 0x57 + *n - 11);
}

std::uint16_t named_key(const std::string& name) {
  const auto named = std::find_if(std::begin(names), std::end(names), [&](const Name& n) { return n.name == name; });
  if (named != std::end(names)) return named->code;
  if (const auto code = function_key(name)) return *code;
  if (name.size() == 1)
    if (const auto key = key_for(name[0]); key && !key->shift) return key->code;
  std::vector<std::string> known;
  for (const auto& n : names) known.emplace_back(n.name);
  const auto guess = nearest(name, known);
  throw Error(fmt::format("there is no key named '{}'; {}", name,
                          guess.empty()
                              ? "keys are a to z, 0 to 9, f1 to f12, enter, esc, up, del..., joined by '-' if "
                                "held together (ctrl-alt-del)"
                              : fmt::format("did you mean '{}'?", guess)));
}

}  // namespace

std::optional<CharacterKey> key_for(char character) {
  switch (character) {
    case '\n':
    case '\r': return CharacterKey{0x1C, false};
    case '\t': return CharacterKey{0x0F, false};
    case '\b': return CharacterKey{0x0E, false};
    case '\x1B': return CharacterKey{0x01, false};
    case ' ': return CharacterKey{0x39, false};
    default: break;
  }
  for (const Row& row : rows) {
    auto at = row.plain.find(character);
    if (at != std::string_view::npos) return CharacterKey{static_cast<std::uint16_t>(row.first + at), false};
    at = row.shifted.find(character);
    if (at != std::string_view::npos) return CharacterKey{static_cast<std::uint16_t>(row.first + at), true};
  }
  return std::nullopt;
}

std::string key_name(std::uint16_t code) {
  for (const Name& n : names)
    if (n.code == code) return std::string(n.name);
  for (unsigned n = 1; n <= 12; ++n)
    if (const auto name = fmt::format("f{}", n); function_key(name) == code) return name;
  for (const Row& row : rows)
    if (code >= row.first && code < row.first + row.plain.size()) return {row.plain[code - row.first]};
  return {};
}

std::vector<std::uint16_t> parse_chord(std::string_view text) {
  std::vector<std::uint16_t> keys;
  std::string name;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] != '-') {
      name += text[at];
      continue;
    }
    if (name.empty())
      throw Error(fmt::format("'{}' lacks a key on one side of a '-'; the key itself is named 'minus'", text));
    keys.push_back(named_key(small_letters(name)));
    name.clear();
  }
  return keys;
}

}  // namespace planar
