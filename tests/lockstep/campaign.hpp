// SPDX-License-Identifier: GPL-2.0-or-later
// A campaign: every model in every mode, programs drawn from a seed, until so many instructions are compared.
#pragma once

#include <functional>
#include <vector>

#include "tests/lockstep/runner.hpp"

namespace planar::lockstep {

struct Campaign {
  std::uint64_t seed = 1;
  std::uint64_t instructions = 1'000'000;  ///< in all
  std::optional<Model> only;               ///< one model, with its third
  unsigned most_mismatches = 1;            ///< stops after so many
  unsigned states = 40;                    ///< register states a program is run from
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
