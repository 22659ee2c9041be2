// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/common/toml_text.hpp"
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
