// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/common/toml_text.hpp"

namespace planar {

namespace {

/// The end of the string that begins at `at`, behind its last quote; an open one ends with its line or the text.
std::size_t skip_string(std::string_view toml, std::size_t at) {
  const char quote = toml[at];
  const std::string_view three = quote == '"' ? "\"\"\"" : "'''";
  const bool multiline = toml.substr(at, 3) == three;
  for (at += multiline ? 3 : 1; at < toml.size(); ++at) {
    if (quote == '"' && toml[at] == '\\') {
      ++at;
    } else if (multiline && toml.substr(at, 3) == three) {
      at += 3;
      while (at < toml.size() && toml[at] == quote) ++at;  // up to two of the string's own stand before its end
      return at;
    } else if (!multiline && (toml[at] == quote || toml[at] == '\n')) {
      return at + 1;
    }
  }
  return toml.size();
}

}  // namespace

std::optional<TextPlace> foreign_letter(std::string_view toml) {
  std::size_t at = toml.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // a byte order mark
  while (at < toml.size()) {
    const char c = toml[at];
    if (c == '#') {
      while (at < toml.size() && toml[at] != '\n') ++at;
    } else if (c == '"' || c == '\'') {
      at = skip_string(toml, at);
    } else if (static_cast<unsigned char>(c) > 0x7F) {
      TextPlace place;
      for (const char before : toml.substr(0, at)) {
        ++place.column;
        if (before == '\n') place = {place.line + 1, 1};
      }
      return place;
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace planar
