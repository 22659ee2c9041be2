// SPDX-License-Identifier: GPL-2.0-or-later
// Generated instructions, eight million with a fixed seed or, with PLANAR_LONG=SEED, 16 million with that seed: there
// is no mismatch, and every cell of the coverage table is well covered. With PLANAR_SHORT (the sanitizer build) half a
// million, without the coverage check.
#include <fmt/format.h>
#include <cstdlib>

#include "tests/catch.hpp"
#include "tests/lockstep/harness/campaign.hpp"
#include "tests/lockstep/harness/row.hpp"
#include "tests/short_runs.hpp"

using namespace planar::lockstep;

TEST_CASE("The interpreter and Unicorn agree on millions of instructions") {
  const bool brief = planar::test::short_runs();
  const char* const lengthy = std::getenv("PLANAR_LONG");
  Campaign campaign;
  campaign.seed = lengthy ? std::strtoull(lengthy, nullptr, 10) : 1;
  campaign.instructions = brief ? 500'000 : lengthy ? 16'000'000 : 8'000'000;
  campaign.least = brief ? 0 : lengthy ? 500 : 250;
  INFO("seed " << campaign.seed);
  const Outcome outcome = run(campaign);
  for (const Mismatch& m : outcome.mismatches) {
    INFO(m.describe());
    FAIL("reproducer: " << shrink(m));
  }
  CHECK(outcome.instructions >= campaign.instructions);
  if (brief) return;
  std::string unexplained;
  for (const auto& gap : outcome.coverage.gaps(campaign.least))
    if (!gap.reason)
      unexplained += fmt::format("{} {} {} {}: {}\n", form_name(forms()[gap.cell.form]), gap.cell.size32 ? 32 : 16,
                                 gap.cell.memory ? "memory" : "register", mode_names[static_cast<unsigned>(gap.mode)],
                                 gap.executed);
  CHECK(unexplained == "");
}
