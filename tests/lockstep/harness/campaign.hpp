// SPDX-License-Identifier: GPL-2.0-or-later
// A campaign: every model in every mode, programs generated from a seed, until a number of instructions is compared.
#pragma once

#include <functional>
#include <vector>

#include "tests/lockstep/harness/runner.hpp"

namespace planar::lockstep {

struct Campaign {
  std::uint64_t seed = 1;
  std::uint64_t instructions = 1'000'000;  ///< in all
  std::optional<Model> only;               ///< one model, with its third
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

Outcome run(const Campaign& campaign);

}  // namespace planar::lockstep
