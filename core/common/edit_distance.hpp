// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string_view>

namespace planar {

/// The Levenshtein distance, for "did you mean".
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace planar
