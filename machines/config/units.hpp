// SPDX-License-Identifier: GPL-2.0-or-later
// Parsing of quantities with units: "16 MB", "33.333 MHz" or "100/3 MHz", "200 ns", "15.12 us".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/time/time.hpp"

namespace planar {

/// An exact frequency in Hz as a fraction.
struct Frequency {
  std::uint64_t num;
  std::uint64_t den;
  ClockDomain clock() const { return ClockDomain(num, den); }
  double hz() const { return static_cast<double>(num) / static_cast<double>(den); }
};

/// For error messages.
inline constexpr std::string_view longest_time = "9223372 s";

/// All return nothing if the text is not a quantity of that kind with a unit.
/// Time: ps, ns, us, ms, s; up to six decimals are exact. At most longest_time.
std::optional<Time> parse_time(std::string_view text);
/// Hz, kHz, MHz; "100/3 MHz" is exact.
std::optional<Frequency> parse_frequency(std::string_view text);
/// KB, MB (1024-based) and bytes ("512 KB", "4096 bytes"). A larger one than 64 bits hold is the largest that they
/// hold.
std::optional<std::uint64_t> parse_size(std::string_view text);
/// Decimal, 0x-prefixed or h-suffixed hexadecimal number.
std::optional<std::uint64_t> parse_number(std::string_view text);

}  // namespace planar
