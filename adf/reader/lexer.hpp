// SPDX-License-Identifier: GPL-2.0-or-later
// Splits an ADF into tokens. Blanks, tabs and line ends separate tokens, `;` starts a comment, ^Z (1Ah) ends the text,
// strings are in double quotes and may span lines. A run of letters and digits is one *atom*: whether it is a keyword,
// a number or a bit mask depends on the context and is decided by the parser.
#pragma once

#include <string>
#include <string_view>

#include "adf/model.hpp"

namespace planar::adf {

struct Token {
  enum class Kind : std::uint8_t { atom, string, punctuation, end };
  Kind kind = Kind::end;
  std::string text;  // an atom as written, a string's content with LF line ends, or one punctuation
                     // character
  Location where;
  int lines = 1;  // lines that a string spans

  bool is(char punctuation_mark) const { return kind == Kind::punctuation && text[0] == punctuation_mark; }
};

/// "file:line:column", the prefix of every message; the file is named as the user gave it.
std::string at(std::string_view file, Location where);

class Lexer {
 public:
  /// Throws Error if `text` is clearly not an ADF: binary, UTF-16, or larger than 1 MB.
  Lexer(std::string_view text, std::string_view file);

  /// The next token; always `end` after the last one. Throws Error on an unterminated string.
  Token next();

 private:
  void skip_blanks();
  void advance();
  bool done() const { return position_ >= text_.size(); }

  std::string_view text_;
  std::string file_;
  std::size_t position_ = 0;
  Location here_{1, 1};
};

}  // namespace planar::adf
