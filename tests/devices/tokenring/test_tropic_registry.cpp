// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of the shared-RAM Token Ring adapters in the registry.
#include "machines/registry/adapter_registry.hpp"
#include "tests/devices/tokenring/tropic_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("the registry rows have timing with sources, limits and pages", "[tropic][registry]") {
  for (const char* name : {"tr4-a", "tr16-4a-1989", "tr16-4a-1990", "tr16-4a-1994"}) {
    INFO(name);
    const McaEntry& row = *find_mca(name);
    CHECK(row.medium == MediumKind::token_ring);
    CHECK(row.bus_width == 16);
    CHECK(row.adapter_id == (std::string(name) == "tr4-a" ? 0xE000 : 0xE001));
    CHECK_FALSE(row.limits.empty());
    CHECK_FALSE(adapter_page(name).empty());
    for (const auto& v : row.timing()) {
      CHECK_FALSE(v.source.empty());
      CHECK_FALSE(v.confidence.empty());
    }
  }
  CHECK_THROWS_WITH(TropicBench({.settings = {{"microprocessor.stride", "1us"}}}),
                    Catch::Contains("microprocessor.step"));
}
