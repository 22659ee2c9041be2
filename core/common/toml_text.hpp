// SPDX-License-Identifier: GPL-2.0-or-later
// What is checked of a TOML text before toml++ reads it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace planar {

struct TextPlace {
  std::size_t line = 1, column = 1;  ///< in bytes, from 1
};

/// The first byte above 7Fh that is neither in a string nor in a comment. TOML 1.0 allows none there, and toml++ does
/// not say what is wrong with it.
std::optional<TextPlace> foreign_letter(std::string_view toml);

}  // namespace planar
