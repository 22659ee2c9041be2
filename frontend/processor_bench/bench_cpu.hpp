// SPDX-License-Identifier: GPL-2.0-or-later
// `planar bench cpu`: options and entry point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planar {

struct BenchCpuOptions {
  std::vector<std::string> machines;  ///< empty: every built-in one
  std::vector<std::string> workloads{"mix", "netio"};
  unsigned repeat = 5;
  std::optional<std::uint32_t> passes;  ///< of the mix; default: the image's own number
  std::string seconds = "0.5";          ///< of netio, for each size and direction
  std::optional<std::string> json;
  std::optional<std::string> compare;
  bool verify_memo = false;  ///< the P6 computes what it knows, and compares
  bool quiet = false;
};

/// The requested machines, or all built-in ones.
std::vector<std::string> bench_machines(const std::vector<std::string>& asked);

/// Runs, prints and compares; returns the exit code.
int bench_cpu(const BenchCpuOptions& options);

}  // namespace planar
