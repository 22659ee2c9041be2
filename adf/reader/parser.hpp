// SPDX-License-Identifier: GPL-2.0-or-later
// Builds the model from the tokens of an ADF in one pass; contradictions between statements are found afterwards by
// check() (check.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adf/model.hpp"
#include "adf/reader/keywords.hpp"
#include "adf/reader/lexer.hpp"

namespace planar::adf {

/// Limits far above any real file, which bound the work that a malicious file can cause.
inline constexpr std::size_t max_items = 48;  // as many as there are POS bits
inline constexpr std::size_t max_choices = 256;
inline constexpr std::size_t max_resources = 64;
inline constexpr std::size_t max_warnings = 100;

class Parser {
 public:
  Parser(std::string_view text, std::string_view file);
  Adapter run();

 private:
  // parser.cpp: statements
  void statement();
  void adapter_id();
  void adapter_name();
  void num_bytes();
  void system_memory();
  void header_option(const Token& keyword);
  void begin_item(Location where);
  void prompt(const Token& keyword);
  void choice(const Token& keyword);
  void help(const Token& keyword);
  void pos_byte(const Token& keyword);
  void ranges(const Token& keyword, ResourceKind kind, std::uint32_t highest);
  void levels(const Token& keyword, ResourceKind kind, std::uint32_t highest);
  void skip_input();
  void skip_operands();
  void require_header();

  // parser_values.cpp: numbers, masks, strings
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  std::uint32_t number(const Token& token, std::string_view what, bool hexadecimal = false);
  std::uint32_t expect_number(std::string_view what);
  Range expect_range(std::string_view what);
  PosBits expect_mask();
  std::string expect_name(std::string_view what);
  void expect(char punctuation, std::string_view after);

  const Token& current() const { return tokens_[position_]; }
  const Token& take();
  bool at_number() const;
  bool at_keyword() const;
  Choice& target(const Token& keyword);
  void add(Choice& owner, const Token& keyword, Resource resource);
  void warn(Location where, std::string text);
  [[noreturn]] void fail(Location where, std::string_view problem) const;
  [[noreturn]] void unexpected(std::string_view wanted) const;

  std::string file_;
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  Adapter adapter_;
  bool has_id_ = false;
  bool has_num_bytes_ = false;
  bool has_fixed_ = false;
  bool in_fixed_ = false;
  bool in_item_ = false;
  int highest_pos_ = -1;
  Location highest_pos_where_;
};

/// Blanks and line ends collapsed to single blanks.
std::string collapsed(std::string_view text);

/// Rejects a description that contradicts itself and adds warnings about irregularities (check.cpp). Throws Error.
void check(Adapter& adapter, std::string_view file);

}  // namespace planar::adf
