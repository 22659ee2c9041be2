// SPDX-License-Identifier: GPL-2.0-or-later
// The expected cost of the timing bench's kernels, evaluated for a machine: frontend/processor_bench/timing.toml;
// bus.toml for a PC with PCI; p6.toml for a P6.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machines/config/machine_config.hpp"

namespace planar {

struct ExpectedTerm {
  double times = 1;
  double clocks = 0;  ///< processor clocks: as given, converted from ns, or the machine parameter named in `of`
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
  double refresh_share = 0;  ///< share of the time, if `refresh` is set
  double bound_percent = 0;  ///< accepted residual
  std::string reason;        ///< why the bound is not zero
  std::string set;           ///< for a P6: "development", consulted while the model was developed, or "check"
  std::string less;          ///< the kernel whose clocks are subtracted from the measured ones; empty: none
  /// Clocks per round.
  double clocks() const;
};

/// Every expectation for the machine's processor, in the file's order. Throws Error naming file and line if the file is
/// malformed.
std::vector<Expectation> expectations(const MachineConfig& machine);
/// The expectations for its bus and memory; none unless it is a PC with PCI.
std::vector<Expectation> bus_expectations(const MachineConfig& machine);
/// The expectations taken from measurements by others; none unless its processor is a P6.
std::vector<Expectation> p6_expectations(const MachineConfig& machine);

/// The BogoMIPS of the processor class at the machine's clock.
double expected_bogomips(const MachineConfig& machine);

}  // namespace planar
