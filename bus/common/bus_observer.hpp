// SPDX-License-Identifier: GPL-2.0-or-later
// A bus observer is told of everything that takes time on a bus: the processor's accesses and their cycles, waits,
// refresh, arbitration and transfers by other masters. Observing changes no virtual result; runs of REP INS and OUTS
// are then executed one access at a time, with the same outcome. Without an observer, nothing is computed for one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/memory/slave.hpp"
#include "core/time/time.hpp"

namespace planar::bus {

/// A transfer between the bus owner and a slave, for its whole duration.
struct Transfer {
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
  /// The narrower of master and slave, in bits: 8, 16, 32; 64 for multiplexed streaming only.
  unsigned width = 32;
  bool streaming = false;                 ///< streaming data: first beat a full cycle, then `beat` each
  Time beat = 100_ns;                     ///< 10 MHz streaming
  Direction direction = Direction::read;  ///< from the slave's side: read means from memory; for observers
};

/// A processor access, or one of the bus cycles into which it is split.
struct BusCycle {
  enum class Kind : std::uint8_t { io, memory, interrupt_acknowledge };
  Kind kind = Kind::io;
  Direction direction = Direction::read;
  std::uint32_t address = 0;
  unsigned bytes = 0;       ///< 1 to 4
  std::uint32_t value = 0;  ///< read or written; for an interrupt acknowledge, the vector
  Time start{}, end{};
};

/// Every function does nothing by default. Times may lie ahead of the scheduler's: a transfer's end is known when it
/// begins.
class BusObserver {
 public:
  virtual ~BusObserver() = default;
  /// One processor cycle, after its data phase.
  virtual void cycle(const BusCycle& /*cycle*/) {}
  /// An access is complete. It spans all its cycles, beginning at the clock at which the processor requested it. Both
  /// cycles of an interrupt acknowledge form one access.
  virtual void accessed(const BusCycle& /*access*/) {}
  /// The processor's cycle had to wait for a refresh, an arbitration phase or another owner.
  virtual void waited(Time /*from*/, Time /*to*/) {}
  /// A refresh that delayed somebody on the channel. Other refreshes are never computed.
  virtual void refreshed(Time /*from*/, Time /*to*/) {}
  virtual void granted(const std::string& /*owner*/, unsigned /*level*/, Time /*now*/) {}
  virtual void released(const std::string& /*owner*/, Time /*at*/) {}
  /// The owner moves data to or from planar memory or a slave.
  virtual void transferred(const std::string& /*owner*/, const Transfer& /*transfer*/, Time /*from*/, Time /*to*/) {}
  /// The owner keeps the bus busy with cycles whose duration it computed itself.
  virtual void occupied(const std::string& /*owner*/, Time /*from*/, Time /*to*/) {}
};

/// Combines several observers, called in the order in which they were added. A call may add and remove observers.
class BusObserverList final : public BusObserver {
 public:
  bool empty() const {
    return std::all_of(list_.begin(), list_.end(), [](const BusObserver* o) { return o == nullptr; });
  }
  void add(BusObserver& observer) { list_.push_back(&observer); }
  void remove(BusObserver& observer) {
    std::replace(list_.begin(), list_.end(), &observer, static_cast<BusObserver*>(nullptr));
    if (calling_ == 0) std::erase(list_, nullptr);
  }

  void cycle(const BusCycle& cycle) override {
    each([&](BusObserver& o) { o.cycle(cycle); });
  }
  void accessed(const BusCycle& access) override {
    each([&](BusObserver& o) { o.accessed(access); });
  }
  void waited(Time from, Time to) override {
    each([&](BusObserver& o) { o.waited(from, to); });
  }
  void refreshed(Time from, Time to) override {
    each([&](BusObserver& o) { o.refreshed(from, to); });
  }
  void granted(const std::string& owner, unsigned level, Time now) override {
    each([&](BusObserver& o) { o.granted(owner, level, now); });
  }
  void released(const std::string& owner, Time at) override {
    each([&](BusObserver& o) { o.released(owner, at); });
  }
  void transferred(const std::string& owner, const Transfer& transfer, Time from, Time to) override {
    each([&](BusObserver& o) { o.transferred(owner, transfer, from, to); });
  }
  void occupied(const std::string& owner, Time from, Time to) override {
    each([&](BusObserver& o) { o.occupied(owner, from, to); });
  }

 private:
  template <class F>
  void each(F&& call) {
    ++calling_;
    for (std::size_t n = 0; n < list_.size(); ++n)
      if (list_[n] != nullptr) call(*list_[n]);
    if (--calling_ == 0) std::erase(list_, nullptr);
  }

  std::vector<BusObserver*> list_;  // null: removed during a call
  unsigned calling_ = 0;            // calls in progress
};

}  // namespace planar::bus
