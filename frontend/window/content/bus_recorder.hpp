// SPDX-License-Identifier: GPL-2.0-or-later
// Activity on a machine's buses in the last milliseconds.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "bus/common/bus_observer.hpp"
#include "machines/machine/machine.hpp"

namespace planar {

/// A span of time on a bus.
struct BusSpan {
  enum class Kind : std::uint8_t {
    io,           ///< an I/O access of the processor
    memory,       ///< a memory access on the processor's bus
    acknowledge,  ///< an interrupt acknowledge cycle
    wait,         ///< the processor waited for the bus
    refresh,      ///< a refresh that delayed an access
    owned,        ///< another master has the bus
    transfer,     ///< the master transfers data
  };
  Kind kind = Kind::io;
  Time from{}, to{};
  std::string owner{};  ///< for owned and transfer
  Direction direction = Direction::read;
  std::uint32_t address = 0, bytes = 0, value = 0;
};

class BusRecorder final : private bus::BusObserver {
 public:
  static constexpr Time kept = 20_ms;

  BusRecorder() = default;
  ~BusRecorder() override { watch(nullptr); }
  BusRecorder(const BusRecorder&) = delete;

  /// Watches `machine`, or none (null). Spans of another machine are discarded.
  void watch(Machine* machine);
  /// Spans of the last 20 ms, roughly in the order of their ends.
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
