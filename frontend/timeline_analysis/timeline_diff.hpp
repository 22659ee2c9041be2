// SPDX-License-Identifier: GPL-2.0-or-later
// Where two runs diverge: the first bus cycle in which their timelines differ.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/time/time.hpp"

namespace planar {

/// A processor cycle, or a transfer of a bus master.
struct TimelineCycle {
  std::string machine;
  std::string what;   ///< "I/O write 0310", "ne2 reads 64 bytes at 012340"
  std::string value;  ///< of a cycle; empty for a transfer
  Time start{}, end{};

  bool same_access(const TimelineCycle& o) const { return machine == o.machine && what == o.what && value == o.value; }
  bool operator==(const TimelineCycle& o) const { return same_access(o) && start == o.start && end == o.end; }
  /// "12.345678 us I/O write 0310 <- 1234, 200 ns"
  std::string line() const;
};

struct TimelineDiff {
  struct Parting {
    std::uint64_t number = 0;                    ///< counted from 1
    std::optional<TimelineCycle> before;         ///< the last one that both share
    std::optional<TimelineCycle> first, second;  ///< nothing: that timeline ends here
  };
  std::uint64_t cycles[2]{};           ///< number in each
  std::optional<Parting> in_time;      ///< the first difference of any kind
  std::optional<Parting> in_accesses;  ///< the first difference other than in time

  bool same() const { return !in_time; }
  std::string text(const std::string& first, const std::string& second) const;
  nlohmann::ordered_json json(const std::string& first, const std::string& second) const;
};

/// Throws Error for a file that is not a timeline.
TimelineDiff diff_timelines(const std::string& first, const std::string& second);

}  // namespace planar
