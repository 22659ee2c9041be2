// SPDX-License-Identifier: GPL-2.0-or-later
// Twenty faults, each simulating an incorrect handler: the result of an instruction is changed to what the faulty
// handler would produce. They are implemented here, not in the processor.
#pragma once

#include <array>

#include "tests/lockstep/harness/program.hpp"

namespace planar::lockstep {

struct PlantedFault {
  const char* name;
  void (*act)(const Instruction&, const Registers& before, Registers& after);
};
extern const std::array<PlantedFault, 20> planted_faults;

}  // namespace planar::lockstep
