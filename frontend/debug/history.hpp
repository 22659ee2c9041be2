// SPDX-License-Identifier: GPL-2.0-or-later
// Checkpoints of a run in memory. There are many of the recent past and few of what lies long ago.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/time/time.hpp"
#include "frontend/debug/breakpoint.hpp"

namespace planar {

struct Checkpoint {
  Time at{};
  std::vector<Position> positions;  ///< by machine
  std::vector<bool> asleep;         ///< by machine: its processor is in HLT, and the position may be no boundary
  unsigned on_the_wire = 0;
  std::vector<std::uint8_t> state;
};

class History {
 public:
  /// A new checkpoint is worth its time: the newest lies before `now` and the host has worked for a while since, a
  /// shorter one where the run has `stopped`.
  bool due(Time now, bool stopped) const;
  /// Adds a checkpoint after all others and thins out the old ones.
  void add(Checkpoint checkpoint);
  void clear() { list_.clear(); }
  bool empty() const { return list_.empty(); }
  const std::vector<Checkpoint>& list() const { return list_; }

 private:
  std::vector<Checkpoint> list_;
  std::chrono::steady_clock::time_point kept_{};
};

}  // namespace planar
