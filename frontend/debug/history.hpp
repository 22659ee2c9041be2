// SPDX-License-Identifier: GPL-2.0-or-later
// Checkpoints of a run in memory: many of the recent past, few of the distant past.
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
  std::vector<bool> asleep;         ///< by machine: its processor is in HLT, so the position may not be a boundary
  unsigned on_the_wire = 0;
  std::vector<std::uint8_t> state;
};

class History {
 public:
  /// Whether a new checkpoint is due: the newest lies before `now`, and enough host time has passed since it was taken
  /// (less if the run is `stopped`).
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
