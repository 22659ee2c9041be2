// SPDX-License-Identifier: GPL-2.0-or-later
// What was on a machine's buses in the last milliseconds.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "bus/common/bus_observer.hpp"
#include "machines/machine/machine.hpp"

namespace planar {

/// A stretch of time on a bus.
struct BusSpan {
  enum class Kind : std::uint8_t {
    io,           ///< an access of the processor
    memory,       ///< the same, to memory through its pins
    acknowledge,  ///< the same, for an interrupt's vector
    wait,         ///< the processor waited for the bus
    refresh,      ///< that kept somebody waiting
    owned,        ///< another master has the bus
    transfer,     ///< and moves data
  };
  Kind kind = Kind::io;
  Time from{}, to{};
  std::string owner{};  ///< of owned and transfer
  Direction direction = Direction::read;
  std::uint32_t address = 0, bytes = 0, value = 0;
};

class BusRecorder final : private bus::BusObserver {
 public:
  static constexpr Time kept = 20_ms;

  BusRecorder() = default;
  ~BusRecorder() override { watch(nullptr); }
  BusRecorder(const BusRecorder&) = delete;

  /// Watches `machine`, or nobody (null). What another machine did is discarded.
  void watch(Machine* machine);
  /// Roughly in the order of their ends; of the last 20 ms.
  const std::deque<BusSpan>& spans() const { return spans_; }

 private:
  void accessed(const bus::BusCycle& access) override;
  void waited(Time from, Time to) override { add({BusSpan::Kind::wait, from, to}); }
  void refreshed(Time from, Time to) override { add({BusSpan::Kind::refresh, from, to}); }
  void granted(const std::string& owner, unsigned level, Time now) override;
  void released(const std::string& owner, Time at) override;
  void transferred(const std::string& owner, const bus::Transfer& transfer, Time from, Time to) override;
  void occupied(const std::string& owner, Time from, Time to) override;
  void add(BusSpan span);

  Machine* machine_ = nullptr;
  std::deque<BusSpan> spans_;
  std::map<std::string, Time> granted_at_;  // by owner
};

}  // namespace planar
