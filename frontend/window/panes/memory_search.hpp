// SPDX-License-Identifier: GPL-2.0-or-later
// Where a pattern of bytes stands in a machine's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/address_space.hpp"

namespace planar {

/// "text" in double quotes, or hexadecimal bytes ("DE AD be ef", blanks may be left out). Nothing if it is neither.
std::optional<std::vector<std::uint8_t>> parse_pattern(const std::string& text);

/// The first address from `from` on, below `end`, at which `pattern` stands; nothing if there is none. Only peeks.
std::optional<std::uint32_t> find_pattern(const AddressSpace& memory, const std::vector<std::uint8_t>& pattern,
                                          std::uint32_t from, std::uint32_t end);

}  // namespace planar
