// SPDX-License-Identifier: GPL-2.0-or-later
// Lines from a guest on COM1, made of the words that a benchmark's result reader knows and of arbitrary ones.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "frontend/guest/guest_output.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace planar::fuzz {

/// A number as written by a guest: small, large, or malformed.
inline std::string guest_number(Input& input) {
  switch (const unsigned kind = input.u8(); kind & 7) {
    case 0: return "0";
    case 1: return "18446744073709551615";
    case 2: return std::to_string(std::uint64_t{input.u32()} << (kind >> 3));
    case 3: return "-1";
    default: return std::to_string(input.u16());
  }
}

/// The next line: a tag, and keys with numbers.
inline void guest_line(GuestOutput& guest, Input& input, std::span<const std::string_view> tags,
                       std::span<const std::string_view> keys, Time now) {
  std::string line;
  if (const unsigned tag = input.u8(); tag < 0xF0) {
    line = tags[tag % tags.size()];
    for (unsigned left = input.u8() & 15; left > 0; --left) {
      line += " ";
      line += keys[input.u8() % keys.size()];
      line += "=" + guest_number(input);
    }
  } else {
    const auto bytes = input.take(input.u8());
    line.assign(bytes.begin(), bytes.end());
  }
  line += "\n";
  for (const char c : line) guest.byte(static_cast<std::uint8_t>(c), now, {});
}

}  // namespace planar::fuzz
