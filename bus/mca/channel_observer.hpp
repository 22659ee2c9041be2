// SPDX-License-Identifier: GPL-2.0-or-later
// A channel observer is told of everything that takes time on a Micro Channel: the processor's accesses and their
// cycles, waiting, refresh, arbitration, what other masters move. Observing changes no virtual result; runs of REP INS
// and OUTS are then made one access at a time, with the same outcome. Without an observer nothing is computed for one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/memory/slave.hpp"
#include "core/time/time.hpp"

namespace planar::bus {

struct Transfer;

/// An access of the processor, or one of the cycles on the channel that it is split into.
struct ChannelCycle {
  enum class Kind : std::uint8_t { io, memory, interrupt_acknowledge };
  Kind kind = Kind::io;
  Direction direction = Direction::read;
  std::uint32_t address = 0;
  unsigned bytes = 0;       ///< 1 to 4
  std::uint32_t value = 0;  ///< read or written; of an interrupt acknowledge, the vector
  Time start{}, end{};
};

/// Every call has an empty default. Times may lie ahead of the scheduler's: a transfer's end is known when it begins.
class ChannelObserver {
 public:
  virtual ~ChannelObserver() = default;
  /// One cycle of the processor, after its data phase.
  virtual void cycle(const ChannelCycle& /*cycle*/) {}
  /// An access is complete: from the clock at which the processor asked for it, over its cycles. Both cycles of an
  /// interrupt acknowledge are one access.
  virtual void accessed(const ChannelCycle& /*access*/) {}
  /// The processor's cycle had to wait: for a refresh, an arbitration phase or another owner.
  virtual void waited(Time /*from*/, Time /*to*/) {}
  /// A refresh that kept somebody off the channel. The others are never computed.
  virtual void refreshed(Time /*from*/, Time /*to*/) {}
  virtual void granted(const std::string& /*owner*/, unsigned /*level*/, Time /*now*/) {}
  virtual void released(const std::string& /*owner*/, Time /*at*/) {}
  /// The owner moves data to or from planar memory, or a slave.
  virtual void transferred(const std::string& /*owner*/, const Transfer& /*transfer*/, Time /*from*/, Time /*to*/) {}
  /// The owner keeps the channel busy with cycles whose time it computed itself.
  virtual void occupied(const std::string& /*owner*/, Time /*from*/, Time /*to*/) {}
};

/// Several observers as one, in the order in which they were added. A call may add and remove observers.
class ChannelObserverList final : public ChannelObserver {
 public:
  bool empty() const {
    return std::all_of(list_.begin(), list_.end(), [](const ChannelObserver* o) { return o == nullptr; });
  }
  void add(ChannelObserver& observer) { list_.push_back(&observer); }
  void remove(ChannelObserver& observer) {
    std::replace(list_.begin(), list_.end(), &observer, static_cast<ChannelObserver*>(nullptr));
    if (calling_ == 0) std::erase(list_, nullptr);
  }

  void cycle(const ChannelCycle& cycle) override {
    each([&](ChannelObserver& o) { o.cycle(cycle); });
  }
  void accessed(const ChannelCycle& access) override {
    each([&](ChannelObserver& o) { o.accessed(access); });
  }
  void waited(Time from, Time to) override {
    each([&](ChannelObserver& o) { o.waited(from, to); });
  }
  void refreshed(Time from, Time to) override {
    each([&](ChannelObserver& o) { o.refreshed(from, to); });
  }
  void granted(const std::string& owner, unsigned level, Time now) override {
    each([&](ChannelObserver& o) { o.granted(owner, level, now); });
  }
  void released(const std::string& owner, Time at) override {
    each([&](ChannelObserver& o) { o.released(owner, at); });
  }
  void transferred(const std::string& owner, const Transfer& transfer, Time from, Time to) override {
    each([&](ChannelObserver& o) { o.transferred(owner, transfer, from, to); });
  }
  void occupied(const std::string& owner, Time from, Time to) override {
    each([&](ChannelObserver& o) { o.occupied(owner, from, to); });
  }

 private:
  template <class F>
  void each(F&& call) {
    ++calling_;
    for (std::size_t n = 0; n < list_.size(); ++n)
      if (list_[n] != nullptr) call(*list_[n]);
    if (--calling_ == 0) std::erase(list_, nullptr);
  }

  std::vector<ChannelObserver*> list_;  // null: removed during a call
  unsigned calling_ = 0;                // calls in progress
};

}  // namespace planar::bus
