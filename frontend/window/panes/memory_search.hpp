// SPDX-License-Identifier: GPL-2.0-or-later
// Searches a machine's memory for a pattern of bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/address_space.hpp"

namespace planar {

/// Parses "text" in double quotes, or hexadecimal bytes ("DE AD be ef", blanks optional). Nothing if it is neither.
std::optional<std::vector<std::uint8_t>> parse_pattern(const std::string& text);

/// The first address from `from` on at which all of `pattern` lies below `end` at `now`; nothing if there is none.
/// Has no side effects.
std::optional<std::uint32_t> find_pattern(const AddressSpace& memory, const std::vector<std::uint8_t>& pattern,
                                          std::uint32_t from, std::uint32_t end, Time now);

}  // namespace planar
