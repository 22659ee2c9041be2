// SPDX-License-Identifier: GPL-2.0-or-later
// Quantities as users write them: "33.25 MHz", "200 ns", "16 MB".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace planar {

struct Unit {
  std::string_view name, base;
  std::int64_t factor;  ///< of `base`
};

inline constexpr std::array<Unit, 17> units{{{"ps", "ps", 1},
                                             {"ns", "ps", 1'000},
                                             {"us", "ps", 1'000'000},
                                             {"µs", "ps", 1'000'000},
                                             {"ms", "ps", 1'000'000'000},
                                             {"s", "ps", 1'000'000'000'000},
                                             {"Hz", "Hz", 1},
                                             {"kHz", "Hz", 1'000},
                                             {"MHz", "Hz", 1'000'000},
                                             {"bytes", "bytes", 1},
                                             {"KB", "bytes", 1024},
                                             {"MB", "bytes", 1024 * 1024},
                                             {"clocks", "clocks", 1},
                                             {"frames", "frames", 1},
                                             {"tracks", "tracks", 1},
                                             {"flag", "flag", 1},
                                             {"instructions", "instructions", 1}}};

/// Null if there is no such unit.
const Unit* find_unit(std::string_view name);

/// The factor of the unit `name` if it is one of `base`, else nothing.
std::optional<std::int64_t> factor_of(std::string_view name, std::string_view base);

struct Quantity {
  std::uint64_t num;      ///< UINT64_MAX if a whole number has more than 15 digits
  std::uint64_t den;      ///< a power of ten
  std::string_view unit;  ///< what follows the number, without spaces around it; empty if nothing does
};

/// "33.25 MHz" is 3325 / 100, "MHz". Nothing if the text does not begin with a digit or a point, or has a fraction of
/// more than 15 digits in all.
std::optional<Quantity> parse_quantity(std::string_view text);

}  // namespace planar
