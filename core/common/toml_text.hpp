// SPDX-License-Identifier: GPL-2.0-or-later
// Converts a TOML text to a form that is safe for toml++. Some of what toml++ 3.3 and 3.4 do with non-ASCII characters
// is undefined behaviour in C++: their test for blanks assumes that such a character is in their table, which fails in
// an unquoted value and after a backslash at the end of a line. Therefore toml++ never sees one: non-ASCII characters
// in strings become escapes, those in comments become question marks, and TOML allows them nowhere else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace planar {

struct TextPlace {
  std::size_t line = 1, column = 1;  ///< column in characters, both from 1

  bool operator==(const TextPlace&) const = default;
};

/// The same document in ASCII. Text that is invalid TOML for other reasons remains invalid.
class AsciiToml {
 public:
  /// \throws Error `NAME:LINE:COLUMN: ...` for a non-ASCII character outside strings and comments or after a backslash,
  /// and for text that is not valid UTF-8.
  AsciiToml(std::string_view toml, std::string_view name);

  const std::string& text() const { return text_; }

  /// The position in the document of the character at `line` and `column` of text().
  TextPlace place(std::size_t line, std::size_t column) const;

 private:
  struct Longer {
    TextPlace after;    ///< the character of text() that follows the escape
    std::size_t extra;  ///< by how many characters the escape is longer than the character it represents
  };
  class Writer;

  std::string text_;
  std::vector<Longer> longer_;  ///< in text order
};

}  // namespace planar
