// SPDX-License-Identifier: GPL-2.0-or-later
// Output of a run that may go back in time: what has been output once is not output again when that part of the run is
// repeated.
#pragma once

#include <cstdint>
#include <utility>

#include "core/state/archive.hpp"
#include "devices/medium/medium.hpp"

namespace planar {

/// Counts the pieces of a stream (bytes, lines, frames) as the run produces them.
class OutputGate {
 public:
  /// Counts one piece; returns whether it is new.
  bool pass() { return ++produced_ > given_ && (given_ = produced_, true); }
  /// Everything from here on is new, whatever was output before.
  void renew() { given_ = produced_; }
  /// Archives how far the run has come, but not how much has been output.
  void archive(Archive& a) { a(produced_); }

 private:
  std::uint64_t produced_ = 0;
  std::uint64_t given_ = 0;
};

/// Passes each frame to an observer once.
class GatedObserver final : public net::WireObserver {
 public:
  explicit GatedObserver(net::WireObserver& observer) : observer_(observer) {}
  void observe(const net::WireRecord& record) override {
    if (gate_.pass()) observer_.observe(record);
  }
  OutputGate& gate() { return gate_; }

 private:
  net::WireObserver& observer_;
  OutputGate gate_;
};

}  // namespace planar
