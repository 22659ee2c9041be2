// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/common/toml_text.hpp"

#include "core/common/toml.hpp"
#include "tests/catch.hpp"

using namespace planar;

TEST_CASE("letters beyond ASCII are found outside of strings and comments, and nowhere else") {
  const auto found = [](std::string_view text) {
    const auto place = foreign_letter(text);
    return place ? std::pair(place->line, place->column) : std::pair<std::size_t, std::size_t>{};
  };
  using At = std::pair<std::size_t, std::size_t>;
  constexpr At nowhere{};
  CHECK(found("a = 1\n") == nowhere);
  CHECK(found("\xEF\xBB\xBF"
              "a = 1") == nowhere);
  CHECK(found("a = \"\xC3\xA4\" # \xC3\xA4\n'\xC3\xA4' = '\xC3\xA4'") == nowhere);
  CHECK(found("a = \"\"\"\n\xC3\xA4 \" \xC3\xA4\"\"\"\"\"\nb = '''\n'\xC3\xA4'''''") == nowhere);
  CHECK(found("a = \"\\\"\xC3\xA4\"") == nowhere);
  CHECK(found("\xC3\xA4 = 1") == At{1, 1});
  CHECK(found("a = 1\nb\xC3\xA4 = 1") == At{2, 2});
  CHECK(found("a = '\\'\xC3\xA4") == At{1, 8});  // no escapes between single quotes
  CHECK(found("a = 'open\n\xFF") == At{2, 1});
  CHECK(found("a = \"open \\") == nowhere);
  CHECK(found("# \xC3\xA4\n[\xC3\xA4]") == At{2, 2});
}

// At compile time what C++ leaves undefined is an error.
TEST_CASE("a letter beyond ASCII is no blank for toml++, wherever it asks") {
  STATIC_REQUIRE(toml::impl::is_non_ascii_horizontal_whitespace(U'\u00A0'));
  STATIC_REQUIRE_FALSE(toml::impl::is_non_ascii_horizontal_whitespace(U'\u0445'));
  STATIC_REQUIRE_FALSE(toml::impl::is_non_ascii_horizontal_whitespace(U'\uFEDB'));
  const auto table = toml::parse("a = \"\"\"\\\n   \xD1\x85\"\"\"");
  CHECK(table["a"].value<std::string>() == "\xD1\x85");
  CHECK_THROWS_AS(toml::parse("a = \"\"\"\\\xD1\x85\"\"\""), toml::parse_error);
  CHECK_THROWS_AS(toml::parse("a = 3\x06'\xD1\x85'"), toml::parse_error);
}
