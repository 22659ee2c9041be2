// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lockstep/harness/campaign.hpp"

namespace planar::lockstep {

namespace {
constexpr std::uint32_t last_offset = 0xE000;  ///< programs move through the code segment, then it is cleared
constexpr unsigned slices = 4;                 ///< each mode's share is divided into this many parts, each with fresh
                                               ///< memory

class Run {
 public:
  explicit Run(const Campaign& campaign) : campaign_(campaign) {}

  Outcome all() {
    Random seeds(campaign_.seed);
    for (const Model model : models) {
      const std::uint64_t seed = seeds.next();
      if (campaign_.only && *campaign_.only != model) continue;
      one_model(model, Random(seed));
      if (outcome_.mismatches.size() >= campaign_.most_mismatches) break;
    }
    return std::move(outcome_);
  }

 private:
  void one_model(Model model, Random random) {
    Runner runner(model, outcome_.coverage);
    runner.meddle = campaign_.meddle;
    std::vector<Generator> generators;
    for (unsigned m = 0; m < mode_count; ++m) generators.emplace_back(model, static_cast<Mode>(m), random.next());
    const std::uint64_t share = campaign_.instructions / (models.size() * mode_count * slices);
    bool going = true;
    for (unsigned piece = 0; going && piece < slices * mode_count; ++piece)
      going = generate(runner, generators[piece % mode_count], random, runner.instructions + share);
    if (model == models.back())
      for (unsigned m = 0; going && m < mode_count; ++m) going = top_up(runner, generators[m], random);
    outcome_.instructions += runner.instructions;
    outcome_.exceptions += runner.exceptions;
  }

  /// Runs programs of the cells with fewer executions than required. False: enough mismatches.
  bool top_up(Runner& runner, Generator& generator, Random& random) {
    const std::uint64_t end = runner.instructions + campaign_.instructions / (20 * mode_count);
    while (runner.instructions < end) {
      std::vector<Cell> rare = cells(generator.model());
      std::erase_if(rare,
                    [&](const Cell& cell) { return outcome_.coverage.of(generator.mode(), cell) >= campaign_.least; });
      if (rare.empty()) break;
      generator.restrict_to(std::move(rare));
      if (!generate(runner, generator, random, runner.instructions + 5'000)) return false;
    }
    return true;
  }

  /// False: enough mismatches.
  bool generate(Runner& runner, Generator& generator, Random& random, std::uint64_t until) {
    runner.arena.fill(random);
    std::uint32_t at = 0;
    while (runner.instructions < until) {
      if (at > last_offset) {
        at = 0;
        runner.arena.fill(random);
      }
      const Program program = generator.make((is_wide(generator.mode()) ? code_at : 0) + at);
      at += static_cast<std::uint32_t>(program.bytes.size()) + 64;
      if (campaign_.begins) campaign_.begins(outcome_.programs, generator.model(), generator.mode());
      ++outcome_.programs;
      auto mismatch = runner.run(program, random, campaign_.states);
      if (!mismatch) continue;
      if (campaign_.report) campaign_.report(*mismatch);
      outcome_.mismatches.push_back(std::move(*mismatch));
      if (outcome_.mismatches.size() >= campaign_.most_mismatches) return false;
      runner.arena.fill(random);
      at = 0;
    }
    return true;
  }

  const Campaign& campaign_;
  Outcome outcome_;
};

}  // namespace

Outcome run(const Campaign& campaign) { return Run(campaign).all(); }

}  // namespace planar::lockstep
