// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/debug/history.hpp"

#include <utility>

namespace planar {

namespace {
constexpr auto running_interval = std::chrono::milliseconds(500);  // of host time
constexpr auto stopped_interval = std::chrono::milliseconds(50);
constexpr std::size_t most = 16;   // a checkpoint has the size of the lab's memory
constexpr std::size_t recent = 4;  // never thinned out
}  // namespace

bool History::due(Time now, bool stopped) const {
  if (list_.empty()) return true;
  return list_.back().at < now &&
         std::chrono::steady_clock::now() - kept_ >= (stopped ? stopped_interval : running_interval);
}

void History::add(Checkpoint checkpoint) {
  kept_ = std::chrono::steady_clock::now();
  list_.push_back(std::move(checkpoint));
  if (list_.size() <= most) return;
  // The first one stays; of the others, the one whose neighbours are closest in virtual time is removed.
  std::size_t least = 1;
  for (std::size_t n = 2; n + recent < list_.size(); ++n)
    if (list_[n + 1].at - list_[n - 1].at < list_[least + 1].at - list_[least - 1].at) least = n;
  list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(least));
}

}  // namespace planar
