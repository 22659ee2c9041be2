// SPDX-License-Identifier: GPL-2.0-or-later
// Parsing of numbers, ranges, bit masks and names, and messages about what is missing.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "adf/reader/parser.hpp"
#include "core/common/error.hpp"

namespace planar::adf {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f'); }
bool is_mask_digit(char c) { return c == '0' || c == '1' || c == 'x' || c == 'X'; }

bool ends_in(std::string_view text, char lower_case) { return !text.empty() && (text.back() | 0x20) == lower_case; }

/// A hexadecimal number with its h suffix, even if it starts with a letter.
bool is_marked_hex(std::string_view text) {
  return text.size() > 1 && ends_in(text, 'h') &&
         std::all_of(text.begin(), text.end() - 1, [](char c) { return is_hex_digit(c); });
}

bool is_decimal(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c); });
}

bool is_bare_hex(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_hex_digit(c); });
}

std::string found(const Token& token) {
  constexpr std::size_t enough = 24;
  std::string text = collapsed(token.text.substr(0, 4 * enough)).substr(0, enough);
  if (token.text.size() > text.size()) text += "...";
  if (token.kind == Token::Kind::string) return fmt::format("the string \"{}\"", text);
  return text;
}

}  // namespace

std::string collapsed(std::string_view text) {
  std::string result;
  bool gap = false;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      gap = !result.empty();
      continue;
    }
    if (gap) result += ' ';
    gap = false;
    result += c;
  }
  return result;
}

const Token& Parser::take() {
  const Token& token = tokens_[position_];
  if (token.kind != Token::Kind::end) ++position_;
  return token;
}

bool Parser::at_number() const {
  return current().kind == Token::Kind::atom && (is_digit(current().text[0]) || is_marked_hex(current().text));
}

bool Parser::at_keyword() const {
  return current().kind == Token::Kind::atom && find_keyword(current().text) != Keyword::none;
}

void Parser::warn(Location where, std::string text) {
  if (adapter_.warnings.size() < max_warnings) adapter_.warnings.push_back({where, std::move(text)});
}

void Parser::fail(Location where, std::string_view problem) const {
  throw Error(fmt::format("{}: {}", at(file_, where), problem));
}

void Parser::unexpected(std::string_view wanted) const {
  if (current().kind == Token::Kind::end)
    fail(current().where, fmt::format("the file ends where {} is expected; get a complete copy of it", wanted));
  fail(current().where, fmt::format("found {} where {} is expected; correct the line, or make it a comment with ;",
                                    found(current()), wanted));
}

void Parser::expect(char punctuation, std::string_view after) {
  if (!current().is(punctuation)) unexpected(fmt::format("{} after {}", punctuation, after));
  take();
}

std::uint32_t Parser::number(const Token& token, std::string_view what, bool hexadecimal) {
  std::string_view digits = token.text;
  unsigned base = 10;
  if (is_marked_hex(digits)) {
    if (!is_digit(digits[0]))
      fail(token.where, fmt::format("{} is a word, not a number; a hexadecimal number begins with a digit, "
                                    "write 0{}",
                                    token.text, token.text));
    digits.remove_suffix(1);
    base = 16;
  } else if (hexadecimal && is_bare_hex(digits)) {
    base = 16;
  } else if (!is_decimal(digits)) {
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) == 'x')
      fail(token.where,
           fmt::format("{} is not a valid number in an ADF; write {}h", found(token), found(token).substr(2)));
    fail(token.where, fmt::format("found {} where {} is expected; numbers are decimal, or hexadecimal with an h "
                                  "at the end",
                                  found(token), what));
  }
  std::uint64_t value = 0;
  for (const char c : digits) {
    const unsigned digit = is_digit(c) ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 0x20) - 'a' + 10);
    value = value * base + digit;
    if (value > 0xFFFF'FFFF)
      fail(token.where, fmt::format("{} is too large for {}; numbers have at most 32 bits", found(token), what));
  }
  return static_cast<std::uint32_t>(value);
}

std::uint32_t Parser::expect_number(std::string_view what) {
  if (current().kind != Token::Kind::atom || at_keyword()) unexpected(what);
  return number(take(), what);
}

Parser::Range Parser::expect_range(std::string_view what) {
  const std::string one = fmt::format("a range such as 1000h-102Fh after {}", what);
  if (!at_number()) unexpected(one);
  const Token first = take();
  if (!current().is('-')) {
    warn(first.where, fmt::format("{} {} is a single address, not a range", what, first.text));
    const std::uint32_t value = number(first, one);
    return {value, value};
  }
  take();
  if (current().kind != Token::Kind::atom || at_keyword())
    unexpected(fmt::format("the end of the range after {}-", first.text));
  const Token last = take();

  // Real files omit the h at the start of a range ("io 0220-022fh"); an h on the end, or a digit above 9, identifies it
  // as hexadecimal.
  const bool marked = is_marked_hex(first.text) || is_marked_hex(last.text);
  const bool letters = !is_decimal(first.text) || !is_decimal(last.text);
  if (!marked && letters)
    warn(first.where, fmt::format("{}-{} is read as hexadecimal; write it with an h", first.text, last.text));
  if (!marked && !letters)
    warn(first.where, fmt::format("{}-{} is read as decimal; add h if hexadecimal is meant", first.text, last.text));
  const bool hexadecimal = marked || letters;
  const Range range{number(first, one, hexadecimal), number(last, one, hexadecimal)};
  if (range.last < range.first)
    fail(first.where,
         fmt::format("the range {}-{} ends before it begins; swap or correct its ends", first.text, last.text));
  return range;
}

PosBits Parser::expect_mask() {
  constexpr const char* wanted = "a mask of eight bits such as XXXX000Xb";
  if (current().kind != Token::Kind::atom || at_keyword()) unexpected(wanted);
  const Token token = take();
  std::string_view digits = token.text;
  const bool marked = ends_in(digits, 'b');
  if (marked) digits.remove_suffix(1);
  if (!std::all_of(digits.begin(), digits.end(), is_mask_digit))
    fail(token.where, fmt::format("found {} where {} is expected; bits are 0, 1 or X", found(token), wanted));
  if (digits.size() != 8)
    fail(token.where, fmt::format("the mask {} has {} bits; a POS byte has exactly 8, write all of them and then b",
                                  found(token), digits.size()));
  if (!marked) warn(token.where, fmt::format("the mask {} lacks the b at its end", token.text));
  PosBits bits;
  for (const char c : digits) {
    bits.mask = static_cast<std::uint8_t>(bits.mask << 1 | (c == '0' || c == '1' ? 1 : 0));
    bits.value = static_cast<std::uint8_t>(bits.value << 1 | (c == '1' ? 1 : 0));
  }
  return bits;
}

std::string Parser::expect_name(std::string_view what) {
  if (current().kind != Token::Kind::string) unexpected(fmt::format("{} in quotation marks", what));
  const Token token = take();
  if (token.lines > 1)
    warn(token.where, fmt::format("{} spans {} lines; is a quotation mark missing?", what, token.lines));
  return collapsed(token.text);
}

Choice& Parser::target(const Token& keyword) {
  if (in_fixed_) return adapter_.fixed;
  if (!in_item_)
    fail(keyword.where,
         fmt::format("{} belongs to nothing here; it must follow FixedResources or a Choice", keyword.text));
  Item& item = adapter_.items.back();
  if (item.choices.empty()) {
    warn(keyword.where,
         fmt::format("{} precedes the first Choice; it is read as a choice without a name", keyword.text));
    item.choices.push_back(Choice{"(unnamed)", {}, {}, keyword.where});
  }
  return item.choices.back();
}

void Parser::add(Choice& owner, const Token& keyword, Resource resource) {
  for (const Resource& known : owner.resources)
    if (known == resource) return warn(keyword.where, fmt::format("{} is claimed twice", to_string(resource)));
  if (owner.resources.size() >= max_resources)
    fail(keyword.where, fmt::format("more than {} claims in one choice", max_resources));
  owner.resources.push_back(resource);
}

}  // namespace planar::adf
