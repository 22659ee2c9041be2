// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/reader/lexer.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"

namespace planar::adf {
namespace {

constexpr char end_of_text = 0x1A;              // ^Z, the DOS end of a text file
constexpr std::size_t largest_file = 1u << 20;  // real files are a few KB in size

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

bool is_atom(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '.' ||
         c == '$' || c == '?';
}

bool is_punctuation(char c) { return c == '[' || c == ']' || c == '=' || c == '-' || c == ','; }

constexpr const char* not_a_description =
    "an adapter description is plain text in a file named @XXXX.ADF; programs that come with one "
    "(CXXXX.ADF, "
    "IXXXX.ADF) and diskette images are not read";

}  // namespace

std::string at(std::string_view file, Location where) {
  if (where.line == 0) return std::string(file);
  return fmt::format("{}:{}:{}", file, where.line, where.column);
}

Lexer::Lexer(std::string_view text, std::string_view file) : text_(text), file_(file) {
  if (text_.size() > largest_file)
    throw Error(fmt::format("{}: {} bytes are too many for an adapter description; {}", file_, text_.size(),
                            not_a_description));
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);  // UTF-8 byte order mark
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
    throw Error(fmt::format("{}: the text is UTF-16; save it as plain ASCII", file_));
  if (const auto z = text_.find(end_of_text); z != std::string_view::npos) text_ = text_.substr(0, z);
  Location place{1, 1};
  for (std::size_t n = 0; n < text_.size(); ++n) {
    const char c = text_[n];
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (control && !is_blank(c))
      throw Error(fmt::format("{}: this is not a text file (byte {:02X}h at offset {}); {}", at(file_, place),
                              static_cast<unsigned char>(c), n, not_a_description));
    place = c == '\n' ? Location{place.line + 1, 1} : Location{place.line, place.column + 1};
  }
}

void Lexer::advance() {
  if (text_[position_++] == '\n')
    here_ = {here_.line + 1, 1};
  else
    ++here_.column;
}

void Lexer::skip_blanks() {
  while (!done()) {
    if (text_[position_] == ';') {
      while (!done() && text_[position_] != '\n') advance();
    } else if (is_blank(text_[position_])) {
      advance();
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_blanks();
  Token token;
  token.where = here_;
  if (done()) return token;

  if (text_[position_] == '"') {
    token.kind = Token::Kind::string;
    advance();
    while (!done() && text_[position_] != '"') {
      if (text_[position_] != '\r') token.text += text_[position_];
      advance();
    }
    if (done())
      throw Error(
          fmt::format("{}: the string that begins here is not closed; "
                      "add the closing quotation mark, or get a complete copy of the file",
                      at(file_, token.where)));
    advance();
    token.lines = here_.line - token.where.line + 1;
    return token;
  }
  if (is_punctuation(text_[position_])) {
    token.kind = Token::Kind::punctuation;
    token.text = text_[position_];
    advance();
    return token;
  }
  if (!is_atom(text_[position_]))
    throw Error(
        fmt::format("{}: a character that is not allowed outside a string ({:02X}h); remove it, or put "
                    "the text between quotation marks",
                    at(file_, here_), static_cast<unsigned char>(text_[position_])));
  token.kind = Token::Kind::atom;
  while (!done() && is_atom(text_[position_])) {
    token.text += text_[position_];
    advance();
  }
  return token;
}

}  // namespace planar::adf
