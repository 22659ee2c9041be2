// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/common/toml_text.hpp"

#include "core/common/error.hpp"
#include "core/common/toml.hpp"
#include "tests/catch.hpp"

using namespace planar;

namespace {

toml::table parsed(std::string_view text) { return toml::parse(AsciiToml(text, "m.toml").text()); }

std::string refused(std::string_view text) {
  try {
    AsciiToml(text, "m.toml");
  } catch (const Error& e) { return std::string(e.what()).substr(0, std::string_view(e.what()).find(';')); }
  return {};
}

std::string foreign(std::string_view place) {
  return "m.toml:" + std::string(place) + ": letters beyond ASCII stand in quotes only";
}

}  // namespace

TEST_CASE("non-ASCII letters outside strings and comments are refused with their position") {
  CHECK(refused("a = 1\n").empty());
  CHECK(refused("\xC3\xA4 = 1") == foreign("1:1"));
  CHECK(refused("a = 1\nb\xC3\xA4 = 1") == foreign("2:2"));
  CHECK(refused("a = '\xC3\xA4\xC3\xA4' \xC3\xA4") == foreign("1:10"));
  CHECK(refused("# \xC3\xA4\n[\xC3\xA4]") == foreign("2:2"));
  CHECK(refused("a = 'open\n\xC3\xA4") == foreign("2:1"));
  CHECK(refused("a = '\\'\xC3\xA4") == foreign("1:8"));  // no escapes between single quotes
  CHECK(refused("a = '''\xC3\xA4'''''\xC3\xA4") == foreign("1:14"));
}

TEST_CASE("invalid UTF-8 is refused, in comments too") {
  for (const std::string bad :
       {"\xFF", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"}) {
    CHECK(refused("# 1\n# " + bad) == "m.toml:2:3: is not UTF-8");
    CHECK(refused("a = \"" + bad + "\"") == "m.toml:1:6: is not UTF-8");
  }
}

TEST_CASE("strings of every kind keep their non-ASCII letters") {
  CHECK(AsciiToml("\xEF\xBB\xBF"
                  "a = 1 # \xC3\xA4!",
                  "m")
            .text() == "a = 1 # ?!");
  const auto table = parsed(
      "'\xC3\xA4' = \"\xE2\x82\xAC \\\" \xF0\x9F\x98\x80\"\n"
      "b = 'C:\\\xC3\x9Cn\\\"\xC3\xAF\"'\n"
      "c = '''\n\\\xC3\xA4\"\"\"\n''\xC3\xA4'''''\n"
      "d = \"\"\"\n\xC3\xA4 \" \xC3\xA4\"\"\"\"\"\n"
      "e = \"\"\"\\\n   \xD1\x85\"\"\"\n"
      "f = '\\n'\n");
  CHECK(table["\xC3\xA4"].value<std::string>() == "\xE2\x82\xAC \" \xF0\x9F\x98\x80");
  CHECK(table["b"].value<std::string>() == "C:\\\xC3\x9Cn\\\"\xC3\xAF\"");
  CHECK(table["c"].value<std::string>() == "\\\xC3\xA4\"\"\"\n''\xC3\xA4''");
  CHECK(table["d"].value<std::string>() == "\xC3\xA4 \" \xC3\xA4\"\"");
  CHECK(table["e"].value<std::string>() == "\xD1\x85");
  CHECK(table["f"].value<std::string>() == "\\n");
}

TEST_CASE("invalid TOML is still refused") {
  CHECK(refused("a = \"\"\"\\\xD1\x85\"\"\"") == "m.toml:1:9: is not an escape sequence");
  for (const std::string_view bad :
       {"a = 3\x06'\xD1\x85'", "a = 3.'\xD1\x85'", "a = \"\"\"\\ \xD1\x85\"\"\"", "a = 'x' '\xD1\x85'",
        "a = \"\xD1\x85", "a = '\xD1\x85", "a = '''\xD1\x85\n", "a = '\xD1\x85\nb = 1"}) {
    INFO(bad);
    CHECK_THROWS_AS(parsed(bad), toml::parse_error);
  }
}

TEST_CASE("positions refer to the original document") {
  const AsciiToml ascii("a = { b = '\xC3\xA4\\\xC3\xA4', c = 1 }\nd = 2", "m.toml");
  const auto table = toml::parse(ascii.text());
  const auto place = [&](const toml::node* node) {
    return ascii.place(node->source().begin.line, node->source().begin.column);
  };
  CHECK(place(table["a"]["b"].node()) == TextPlace{1, 11});
  CHECK(place(table["a"]["c"].node()) == TextPlace{1, 22});
  CHECK(place(table["d"].node()) == TextPlace{2, 5});
}
