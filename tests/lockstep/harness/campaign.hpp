// SPDX-License-Identifier: GPL-2.0-or-later
// A campaign: every model in every mode, programs generated from a seed, until a number of instructions is compared.
#pragma once

#include <functional>
#include <vector>

#include "tests/lockstep/harness/runner.hpp"

namespace planar::lockstep {

struct Campaign {
  std::uint64_t seed = 1;
  std::uint64_t instructions = 1'000'000;  ///< in total
  std::uint64_t least = 0;                 ///< executions of each cell: cells with fewer are generated again at the end
  std::optional<Model> only;               ///< this model only, with its third of the instructions
  unsigned most_mismatches = 1;            ///< stops after this many mismatches
  unsigned states = 40;                    ///< number of register states that a program is run from
  std::function<void(const Mismatch&)> report;
  std::function<void(std::uint64_t program, Model, Mode)> begins;  ///< called before each program
  std::function<void(const Instruction&, const Registers&, Registers&)> meddle;
};

struct Outcome {
  Coverage coverage;
  std::uint64_t instructions = 0, exceptions = 0, programs = 0;
  std::vector<Mismatch> mismatches;
};

/// Chance leaves a few cells of a long campaign with fewer executions than `least` (each program runs from the same
/// states, so a cell's number rises by up to `states` at a time). The last model, which has every cell, then runs
/// programs of only those cells, for at most a twentieth of `instructions` more. A cell that no program reaches remains
/// a gap in the coverage.
Outcome run(const Campaign& campaign);

}  // namespace planar::lockstep
