// SPDX-License-Identifier: GPL-2.0-or-later
// Where values come from: what a profile must state, and rules next to numbers.
#include "devices/adapter/timing_profile.hpp"
#include "machines/registry/adapter_registry.hpp"
#include "tests/catch.hpp"

using namespace planar;
using Catch::Contains;

namespace {

constexpr const char* number = "[a.b]\nvalue = 1\nunit = \"ns\"\nsource = \"s\"\n";

TimingProfile parse(const std::string& text) { return TimingProfile::parse(text, "x.toml"); }

}  // namespace

TEST_CASE("a value chosen by published figures names them", "[provenance]") {
  const auto profile =
      parse(std::string(number) +
            "confidence = \"informed-by-published\"\n"
            "published = [{ machine = \"model95\", card = \"ne2\" }, { figure = \"BogoMIPS\" },\n"
            "             { machine = \"model56sx\", card = \"ne2\", sizes = [8192, 32767], load = true }]\n");
  REQUIRE(profile.values().size() == 1);
  CHECK(profile.values()[0].confidence == "informed-by-published");
  CHECK(published_text(profile.values()[0].published) == "model95 ne2, BogoMIPS, model56sx ne2 8K 32K load");
  for (const char* confidence : {"calibrated", "informed-by-published"})
    CHECK_THROWS_WITH(parse(std::string(number) + "confidence = \"" + confidence + "\"\n"),
                      Contains("x.toml:1") && Contains("'a.b'") && Contains("on which published figures"));
  CHECK_THROWS_WITH(parse(std::string(number) + "confidence = \"inferred\"\npublished = [{ figure = \"BogoMIPS\" }]\n"),
                    Contains("neither calibrated nor informed-by-published"));
  CHECK_THROWS_WITH(parse(std::string(number) + "confidence = \"guessed\"\n"),
                    Contains("'guessed'") && Contains("informed-by-published"));
  CHECK_THROWS_WITH(
      parse(std::string(number) + "confidence = \"calibrated\"\npublished = [{ machine = \"model95\" }]\n"),
      Contains("names no published figure"));
  CHECK_THROWS_WITH(parse(std::string(number) + "confidence = \"calibrated\"\npublished = [\"ne2\"]\n"),
                    Contains("not a list of tables"));
}

TEST_CASE("a rule is listed and cannot be set", "[provenance]") {
  auto profile = parse("[chip.look]\nrule = \"none after a reception\"\nsource = \"s\"\nconfidence = \"inferred\"\n");
  REQUIRE(profile.rows().size() == 1);
  CHECK(profile.rows()[0].rule);
  CHECK(profile.rows()[0].value == "none after a reception");
  CHECK_THROWS_WITH(profile.set("chip.look", "1"), Contains("is a rule"));
  CHECK_THROWS_WITH(profile.integer("chip.look", 0, 1), Contains("no timing value"));
  CHECK_THROWS_WITH(parse("[a]\nrule = \"r\"\nvalue = 1\nsource = \"s\"\nconfidence = \"inferred\"\n"),
                    Contains("one of them"));
}

TEST_CASE("an overridden value is no longer marked as chosen by published figures", "[provenance]") {
  auto profile = parse(std::string(number) + "confidence = \"calibrated\"\npublished = [{ figure = \"f\" }]\n");
  profile.set("a.b", "2ns");
  CHECK(profile.values()[0].confidence == "user");
  CHECK(profile.values()[0].published.empty());
}

TEST_CASE("provenance is in separate tables beside other settings", "[provenance]") {
  const auto list = read_provenance(
      "size = 3\n[[provenance]]\nvalue = \"size\"\nsource = \"s\"\nconfidence = \"calibrated\"\n"
      "published = [{ machine = \"m\", card = \"c\", sizes = [1024] }]\n",
      "y.toml");
  REQUIRE(list.size() == 1);
  CHECK(list[0].value == "size");
  CHECK(published_text(list[0].published) == "m c 1K");
  CHECK(read_provenance("size = 3\n", "y.toml").empty());
  CHECK_THROWS_WITH(read_provenance("[[provenance]]\nsource = \"s\"\n", "y.toml"), Contains("y.toml:1"));
  CHECK_THROWS_WITH(read_provenance("[[provenance\n", "y.toml"), Contains("y.toml"));
}
