// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernels of the timing bench should cost: frontend/bench/timing.toml, evaluated for a machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machines/machine_config.hpp"

namespace planar {

struct ExpectedTerm {
  double times = 1;
  double clocks = 0;  ///< of the processor; a parameter of the machine where `of` names one
  std::string of;
  std::string what;
  double total() const { return times * clocks; }
};

/// One kernel on one processor.
struct Expectation {
  std::string kernel;
  std::string source;
  std::vector<ExpectedTerm> terms;
  bool refresh = false;      ///< the kernel keeps the memory busy
  double refresh_share = 0;  ///< of the time, where `refresh` says so
  double bound_percent = 0;  ///< of the residual
  std::string reason;        ///< why the bound is not zero
  /// Clocks of a round.
  double clocks() const;
};

/// The name of a processor model in the data file and in machine files ("386sx").
std::string_view processor_key(cpu::Model model);

/// Every expectation for the machine's processor, in the file's order. Throws Error naming file and line if the file
/// does not hold what it should.
std::vector<Expectation> expectations(const MachineConfig& machine);

/// The class's BogoMIPS at the machine's clock.
double expected_bogomips(const MachineConfig& machine);

}  // namespace planar
