// SPDX-License-Identifier: GPL-2.0-or-later
// One run of a benchmark diskette in a separate machine: the guest's output on COM1, with virtual time, counters and
// host time for each line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/output/progress.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

struct BenchLine {
  std::string text;
  Time at{};  ///< when the stop bit of its last character was sent
  std::uint64_t instructions = 0;
  std::uint64_t clocks = 0;
  double processor_seconds = 0;  ///< host: processor time of this program
  double elapsed_seconds = 0;    ///< host: time since the run began
};

class BenchRun {
 public:
  /// Builds the lab of `config` with `image` in drive A.
  BenchRun(Config config, std::vector<std::uint8_t> image, const std::string& name);

  /// Runs in steps of 100 ms of virtual time until the guest has printed `@done 0`. Throws Error if it prints `@fail`
  /// or another status, halts without a status, or reaches `limit` (exit 5).
  void run(Time limit, Progress& progress, const std::string& what);

  Lab& lab() { return lab_; }
  const std::vector<BenchLine>& lines() const { return lines_; }
  /// The first line that begins with `text`; throws Error if there is none.
  const BenchLine& line(const std::string& text) const;

 private:
  void serial_byte(std::uint8_t value, Time now);

  Lab lab_;
  std::string name_;
  std::string partial_;
  std::vector<BenchLine> lines_;
  Progress elapsed_{false};
};

}  // namespace planar
