// SPDX-License-Identifier: GPL-2.0-or-later
// What every fuzz target shares: the bytes of an input taken apart field by field, and how a finding is reported.
//
// A target is one file that defines LLVMFuzzerTestOneInput (libFuzzer's entry). libFuzzer drives it when the build has
// PLANAR_FUZZ=ON; everywhere else replay.cpp does, over the committed corpus and a burst of seeded mutations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace planar::fuzz {

/// Takes an input apart. Behind its end everything is zero, so that each field keeps its place while inputs shrink.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::size_t left() const { return bytes_.size(); }
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return number(4); }
  /// At most `count` bytes: fewer at the input's end.
  std::span<const std::uint8_t> take(std::size_t count) {
    const auto taken = bytes_.first(count < bytes_.size() ? count : bytes_.size());
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

 private:
  std::uint32_t number(unsigned count) {
    std::uint32_t v = 0;
    const auto taken = take(count);
    for (std::size_t i = 0; i < taken.size(); ++i) v |= std::uint32_t{taken[i]} << (8 * i);
    return v;
  }
  std::span<const std::uint8_t> bytes_;
};

/// A finding: says what is wrong and aborts, so that libFuzzer keeps the input and replay names it.
[[noreturn]] void finding(const char* what);
inline void expect(bool holds, const char* what) {
  if (!holds) finding(what);
}

}  // namespace planar::fuzz
