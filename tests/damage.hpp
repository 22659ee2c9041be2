// SPDX-License-Identifier: GPL-2.0-or-later
// States with one changed byte: each is either refused with planar's own error, or the part runs on with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/common/error.hpp"
#include "tests/catch.hpp"

namespace planar::test {

/// A part of a state as marked by Archive::section(): from its first value to the next part, or to the end.
struct StatePart {
  std::string name;
  std::size_t begin = 0, end = 0;
};

/// A part is recognised by the length and letters of its name and a small version.
inline std::vector<StatePart> parts_of(const std::vector<std::uint8_t>& state) {
  const auto word = [&](std::size_t at) {
    return state[at] | std::uint32_t{state[at + 1]} << 8 | std::uint32_t{state[at + 2]} << 16 |
           std::uint32_t{state[at + 3]} << 24;
  };
  std::vector<StatePart> list;
  for (std::size_t at = 0; at + 8 < state.size(); ++at) {
    const auto length = word(at);
    if (length < 3 || length > 40 || at + 8 + length > state.size()) continue;
    const std::string name(state.begin() + static_cast<std::ptrdiff_t>(at) + 4,
                           state.begin() + static_cast<std::ptrdiff_t>(at + 4 + length));
    const bool letters = std::all_of(name.begin(), name.end(), [](unsigned char c) { return c >= ' ' && c < 127; });
    const auto version = word(at + 4 + length);
    if (!letters || version < 1 || version > 20) continue;
    if (!list.empty()) list.back().end = at;
    list.push_back({name, at + 8 + length, state.size()});
    at += 7 + length;
  }
  return list;
}

/// Changes every byte of each part `name` in turn; in a large part, which has a memory in its middle, only the first
/// and last 240 bytes. `run` restores the state and runs on. Returns the number of refused states; any other exception
/// fails the test.
template <class Run>
unsigned refused_of_damaged(const std::vector<std::uint8_t>& sound, std::string_view name, Run run) {
  constexpr std::size_t edge = 240;
  REQUIRE_NOTHROW(run(sound));
  unsigned refused = 0, found = 0;
  for (const StatePart& part : parts_of(sound)) {
    if (part.name != name) continue;
    ++found;
    for (std::size_t at = part.begin; at < part.end; ++at) {
      if (at - part.begin == edge && part.end - at > edge) at = part.end - edge;
      for (const unsigned value : {sound[at] + 1u, sound[at] < 0x80 ? 0xFFu : 0u}) {
        auto state = sound;
        state[at] = static_cast<std::uint8_t>(value);
        INFO("byte " << at - part.begin << " of " << part.end - part.begin << ": " << value);
        try {
          run(state);
        } catch (const Error&) { ++refused; } catch (const std::exception& e) {
          FAIL(e.what());
        }
      }
    }
  }
  CHECK(found > 0);
  return refused;
}

}  // namespace planar::test
