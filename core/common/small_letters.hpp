// SPDX-License-Identifier: GPL-2.0-or-later
// Case-insensitive handling of names.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace planar {

/// `text` in lower case.
inline std::string small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace planar
