// SPDX-License-Identifier: GPL-2.0-or-later
// `planar bench cpu`: options and entry point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planar {

struct BenchCpuOptions {
  std::vector<std::string> machines;  ///< empty: all built-in machines
  std::vector<std::string> workloads{"mix", "netio"};
  unsigned repeat = 5;
  std::optional<std::uint32_t> passes;  ///< passes of the mix; default: the number in its image
  std::string seconds = "0.5";          ///< duration of netio for each size and direction
  std::optional<std::string> json;
  std::optional<std::string> compare;
  bool verify_memo = false;  ///< the P6 recomputes cached timing and compares
  bool quiet = false;
};

/// The requested machines, or all built-in ones.
std::vector<std::string> bench_machines(const std::vector<std::string>& asked);

/// Runs, prints and compares; returns the exit code.
int bench_cpu(const BenchCpuOptions& options);

}  // namespace planar
