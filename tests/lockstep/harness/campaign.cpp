// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lockstep/harness/campaign.hpp"

namespace planar::lockstep {

namespace {
constexpr std::uint32_t last_offset = 0xE000;  ///< programs move through the code segment, then it is cleared
constexpr unsigned slices = 4;                 ///< each mode's share is divided into this many parts, each with fresh
                                               ///< memory
}  // namespace

Outcome run(const Campaign& campaign) {
  Outcome outcome;
  Random seeds(campaign.seed);
  for (const Model model : models) {
    Random random(seeds.next());
    if (campaign.only && *campaign.only != model) continue;
    Runner runner(model, outcome.coverage);
    runner.meddle = campaign.meddle;
    std::vector<Generator> generators;
    for (unsigned m = 0; m < mode_count; ++m) generators.emplace_back(model, static_cast<Mode>(m), random.next());
    const std::uint64_t share = campaign.instructions / (models.size() * mode_count * slices);
    for (unsigned piece = 0; piece < slices * mode_count; ++piece) {
      const auto mode = static_cast<Mode>(piece % mode_count);
      runner.arena.fill(random);
      std::uint32_t at = 0;
      for (const std::uint64_t until = runner.instructions + share; runner.instructions < until;) {
        if (at > last_offset) {
          at = 0;
          runner.arena.fill(random);
        }
        const Program program = generators[static_cast<unsigned>(mode)].make((is_wide(mode) ? code_at : 0) + at);
        at += static_cast<std::uint32_t>(program.bytes.size()) + 64;
        if (campaign.begins) campaign.begins(outcome.programs, model, mode);
        ++outcome.programs;
        auto mismatch = runner.run(program, random, campaign.states);
        if (!mismatch) continue;
        if (campaign.report) campaign.report(*mismatch);
        outcome.mismatches.push_back(std::move(*mismatch));
        if (outcome.mismatches.size() >= campaign.most_mismatches) {
          outcome.instructions += runner.instructions;
          outcome.exceptions += runner.exceptions;
          return outcome;
        }
        runner.arena.fill(random);
        at = 0;
      }
    }
    outcome.instructions += runner.instructions;
    outcome.exceptions += runner.exceptions;
  }
  return outcome;
}

}  // namespace planar::lockstep
