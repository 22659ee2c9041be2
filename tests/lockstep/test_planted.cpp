// SPDX-License-Identifier: GPL-2.0-or-later
// The harness detects faults: twenty planted faults, one by one.
#include <cstdlib>

#include "tests/catch.hpp"
#include "tests/lockstep/harness/campaign.hpp"
#include "tests/lockstep/harness/planted.hpp"
#include "tests/short_runs.hpp"

using namespace planar::lockstep;

TEST_CASE("Each of twenty planted faults is detected") {
  Campaign control;  // the same programs without a fault: any mismatch below is due to the fault
  control.seed = 3;
  control.instructions = planar::test::short_runs() ? 133'333 : 1'333'333;
  control.meddle = [](const Instruction&, const Registers&, Registers&) {};
  REQUIRE(run(control).mismatches.empty());
  for (const PlantedFault& fault : planted_faults) {
    INFO(fault.name);
    Campaign campaign;
    campaign.seed = 3;
    campaign.instructions = 1'333'333;  // most are found within a few thousand
    campaign.meddle = fault.act;
    CHECK(run(campaign).mismatches.size() == 1);
  }
}
