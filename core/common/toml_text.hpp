// SPDX-License-Identifier: GPL-2.0-or-later
// A TOML text as toml++ may read it. Some of what toml++ 3.3 and 3.4 do with letters beyond ASCII is undefined in C++:
// its test for blanks assumes that such a letter is in its table, which fails in a value without quotes and after a
// backslash at the end of a line. Hence it never sees one: those in strings become escapes, those in comments question
// marks, and anywhere else TOML has none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace planar {

struct TextPlace {
  std::size_t line = 1, column = 1;  ///< column in letters, both from 1

  bool operator==(const TextPlace&) const = default;
};

/// The same document in ASCII. A text that is not TOML for other reasons is still none.
class AsciiToml {
 public:
  /// \throws Error `NAME:LINE:COLUMN: ...` for a letter beyond ASCII outside strings and comments or after a backslash,
  /// and for what is not UTF-8.
  AsciiToml(std::string_view toml, std::string_view name);

  const std::string& text() const { return text_; }

  /// Where the letter at `line` and `column` of text() stands in the document.
  TextPlace place(std::size_t line, std::size_t column) const;

 private:
  struct Longer {
    TextPlace after;    ///< the letter of text() that follows the escape
    std::size_t extra;  ///< letters that the escape has more than what it stands for
  };
  class Writer;

  std::string text_;
  std::vector<Longer> longer_;  ///< in the order of the text
};

}  // namespace planar
