// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by all fuzz targets: splitting the input into fields, and reporting of findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
/// For a target with its own options, written --NAME=VALUE: libFuzzer ignores those, and passes them to its worker
/// processes, too.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace planar::fuzz {

/// Splits an input into fields. After its end everything is zero, so that each field keeps its position when inputs
/// shrink.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::size_t left() const { return bytes_.size(); }
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return number(4); }
  /// At most `count` bytes, fewer at the end of the input.
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

/// A finding: prints the problem and aborts, so that libFuzzer saves the input and replay prints its name.
[[noreturn]] void finding(const char* what);
inline void expect(bool holds, const char* what) {
  if (!holds) finding(what);
}

}  // namespace planar::fuzz
