// SPDX-License-Identifier: GPL-2.0-or-later
// Files that planar reads again: they are checked against their schema and have a digest. (tests/docs/check_schemas.py
// compares what the program writes with the schemas by another implementation of JSON Schema.)
#include "core/common/error.hpp"
#include "frontend/kept/embedded_schemas.hpp"
#include "frontend/kept/kept_json.hpp"
#include "frontend/kept/schema.hpp"
#include "tests/catch.hpp"

using namespace planar;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

ordered_json plan() {
  return {{"schema", "planar.plan/1"},
          {"planar", {{"version", "1"}, {"commit", "unknown"}}},
          {"do", "netio"},
          {"seconds", "1"},
          {"sizes", "1024"},
          {"seed", 1},
          {"runs", 1},
          {"machines", {"model95"}},
          {"cells", ordered_json::array({{{"machine", "model95"},
                                          {"card", "ne2"},
                                          {"seed", 1},
                                          {"placement", 0},
                                          {"settings", ordered_json::array()},
                                          {"file", "model95-ne2.json"}}})}};
}

}  // namespace

TEST_CASE("a document that violates its schema is refused, naming the position", "[kept]") {
  const Schemas schemas;
  const auto problem = [&](const ordered_json& change) {
    ordered_json changed = plan();
    changed.merge_patch(change);
    return schemas.problem("plan", changed);
  };
  CHECK(problem(ordered_json::object()).empty());
  CHECK(problem({{"converge", "1"}}).empty());
  CHECK(problem({{"runs", 1.0}}).empty());  // an integer, however it is written
  CHECK(problem({{"seed", 1e15}}).empty());
  CHECK(problem({{"seed", UINT64_MAX}}).empty());
  CHECK(problem({{"seed", 1e18}}) == "seed: is not an integer");  // a double no longer represents every integer
  CHECK(problem({{"runs", 4294967296}}) == "runs: is above 100000");
  CHECK(problem({{"schema", "planar.plan/2"}}) == "schema: is not \"planar.plan/1\"");
  CHECK(problem({{"cells", nullptr}}) == "cells is missing");
  CHECK(problem({{"seed", -1}}) == "seed: is below 0");
  CHECK(problem({{"seed", 1.5}}) == "seed: is not an integer");
  CHECK(problem({{"seed", "1"}}) == "seed: is not an integer");
  CHECK(problem({{"runs", 0}}) == "runs: is below 1");
  auto placed = plan();
  placed["cells"][0]["placement"] = 8;
  CHECK(schemas.problem("plan", placed) == "cells/0/placement: is above 7");
  CHECK(problem({{"machines", {"a", 1}}}) == "machines/1: is not a string");
  CHECK(problem({{"cells", {1}}}) == "cells/0: is not an object");
  CHECK(problem({{"cells", {ordered_json::object()}}}) == "cells/0: machine is missing");
  CHECK(problem({{"planar", {{"commit", 1}}}}) == "planar/commit: is not a string");
  CHECK(problem({{"more", 1}}) == "more is not a member of it");
  for (const auto& other : {ordered_json(), ordered_json::array(), ordered_json(1), ordered_json("x")})
    CHECK(schemas.problem("plan", other) == "is not an object");
  CHECK_THAT(schemas.problem("cell", {{"result", ordered_json::object()}}), Contains("result: "));
  CHECK_THROWS_AS(schemas.problem("nothing", plan()), std::out_of_range);
}

TEST_CASE("every keyword in the schemas is known", "[kept]") {
  const Schemas schemas;
  CHECK(embedded_schemas().size() > 20);
  for (const EmbeddedFile& file : embedded_schemas()) {
    const std::string path(file.path), name = path.substr(path.rfind('/') + 1);
    INFO(path);
    // All members of all values: whatever they are, the schemas check all that they name.
    for (const auto& document :
         {ordered_json(), ordered_json::object(), ordered_json::array({1, "x", nullptr}), plan()})
      CHECK_NOTHROW(schemas.problem(name.substr(0, name.rfind(".json")), document));
  }
}

TEST_CASE("JSON is read to a limited depth, and its digest is that of its contents", "[kept]") {
  CHECK(parse_json("{\"a\": [1]}")["a"][0] == 1);
  for (const std::string bad : {"", "{", "[1,]", "1e999", "\"\xFF\"", "{} {}"}) CHECK_THROWS_AS(parse_json(bad), Error);
  CHECK_NOTHROW(parse_json(std::string(60, '[') + std::string(60, ']')));
  CHECK_THROWS_WITH(parse_json(std::string(1'000'000, '[')), Contains("nested deeper"));
  CHECK_THROWS_WITH(parse_json(std::string(100, '[') + std::string(100, ']')), Contains("nested deeper"));
  ordered_json object{{"figure", 1.25}, {"text", "\u00e4"}, {"list", {0.1, 1e-7, 18446744073709551615u, -1}}};
  CHECK_FALSE(seal_problem(object).empty());
  seal(object);
  CHECK(seal_problem(object).empty());
  CHECK(seal_problem(parse_json(object.dump(2))).empty());
  object["figure"] = 1.26;
  CHECK_FALSE(seal_problem(object).empty());
  seal(object);
  CHECK(seal_problem(object).empty());
}
