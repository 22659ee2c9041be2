// SPDX-License-Identifier: GPL-2.0-or-later
// docs/machine-files.md lists what the readers of machine and lab files ask for.
#include <fstream>
#include <iterator>

#include "machines/config/key_reference.hpp"
#include "machines/config/machine_files.hpp"
#include "tests/catch.hpp"

using namespace planar;

TEST_CASE("docs/machine-files.md equals the reference that the program prints") {
  std::ifstream in(PLANAR_SOURCE_DIR "/docs/machine-files.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  INFO("after a change of the keys: planar config --reference > docs/machine-files.md");
  CHECK(page == key_reference());
}

TEST_CASE("A configuration records each requested key with type, range and default") {
  Config c;
  c.add_text("[a]\nb = 3\nd = \"5 ns\"\n", "test");
  c.integer("a.b", 1, 4);
  c.time("a.d", "7 ns");
  c.choice("a.e", {"x", "y"}, "y");
  c.integer("a.b", 0, 9);  // the first request determines the description
  const auto& asked = c.asked();
  REQUIRE(asked.size() == 3);
  CHECK(asked[0].path == "a.b");
  CHECK(asked[0].type == "whole number");
  CHECK(asked[0].range == "1 to 4");
  CHECK(!asked[0].fallback);
  CHECK(asked[1].type == "time");
  CHECK(asked[1].fallback == "\"7 ns\"");
  CHECK(asked[2].range == "`\"x\"`, `\"y\"`");
  CHECK(asked[2].fallback == "\"y\"");
}
