// SPDX-License-Identifier: GPL-2.0-or-later
// Results of `planar bench cpu`: the printed table, the JSON object `planar.bench-cpu/1`
// (docs/results.md#planarbench-cpu1), and the comparison of two such objects.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/cpu/cpu.hpp"

namespace planar {

/// One workload on one machine. Host figures are medians over the repetitions; all other figures are the same in every
/// repetition.
struct BenchCpuRow {
  std::string machine;
  std::string workload;
  std::string image_sha256;                 ///< of the diskette image, settings included
  std::uint64_t measured_instructions = 0;  ///< between the workload's start and end
  double virtual_seconds = 0;               ///< duration of that span
  /// The same span on the host, one value per repetition: processor time of this single-threaded program, which is
  /// little affected by other load on the host, and elapsed time.
  std::vector<double> host_seconds;
  std::vector<double> elapsed_seconds;
  std::uint64_t instructions = 0;  ///< from power-on to the end of the run
  std::uint64_t cycles = 0;        ///< processor clocks from power-on to the end of the run
  std::string state_hash;
  cpu::Cpu::Learnt learnt;  ///< at the end of the run

  double median_host_seconds() const;
  double median_elapsed_seconds() const;
  double mips() const;
  double times_real_time() const;
  /// Percentage of executed code blocks whose timing in the P6's pipeline was cached.
  double hit_percent() const;
  /// (slowest - fastest) / median of the repetitions, in percent.
  double spread_percent() const;
};

nlohmann::ordered_json bench_cpu_json(const std::vector<BenchCpuRow>& rows, unsigned repeat);
std::string bench_cpu_table(const std::vector<BenchCpuRow>& rows, unsigned repeat);

/// Processor and name of the host, and the compiler, for reports.
nlohmann::ordered_json bench_host();
std::string bench_compiler();

struct BenchComparison {
  std::string text;        ///< one line per row
  bool acceptable = true;  ///< no virtual result changed with the same image, no row more than 10 % slower
};

/// Compares the objects of two runs, both valid by their schema, row by row; `file` is the name of the earlier one.
BenchComparison compare_bench_cpu(const nlohmann::ordered_json& earlier, const nlohmann::ordered_json& now,
                                  const std::string& file);

}  // namespace planar
