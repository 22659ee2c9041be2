// SPDX-License-Identifier: GPL-2.0-or-later
// What was meant by a misspelt word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace planar {

/// The number of letters inserted, deleted, replaced or exchanged with the next one that make `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The only element of `known` that begins with `word`, else the nearest one (edit distance at most a third of its
/// length, at most 1 up to three letters), else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace planar
