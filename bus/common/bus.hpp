// SPDX-License-Identifier: GPL-2.0-or-later
// A bus as seen by the host bridge and by anything that inspects a machine, whatever its type: a resource with one
// owner at a time, cycles that take time, and observers.
//
// The host bridge requests the bus before each processor cycle. Whether the bus is free depends on only four values,
// which are kept here for every bus so that the common access needs no virtual call.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "bus/common/bus_observer.hpp"
#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"

namespace planar::bus {

/// The duration of the processor's cycles on a bus.
struct CycleTable {
  struct Row {
    Time base{};
    bool waits = false;   ///< CycleSpec::ready_delay is added
    bool posted = false;  ///< the processor does not wait for writes: Bus::post_write()
  };
  /// From the processor's bus to this one, once per processor cycle.
  Time synchronisation{};
  /// A cycle that its slave extends beyond this is abandoned: Bus::bus_timeout().
  Time ready_limit = Time::never();
  /// One of the two interrupt acknowledge cycles.
  Time interrupt_acknowledge{};
  /// Indexed by the bus's own enumeration of cycle kinds. The first is the default cycle, which also ends an access
  /// that no device answers.
  static constexpr unsigned rows = 4;
  std::array<Row, rows> kinds{};

  /// The duration of one cycle to a slave that claims `spec`.
  constexpr Time cycle(const CycleSpec& spec) const {
    const Row& row = kinds[spec.kind % rows];
    return row.waits ? row.base + spec.ready_delay : row.base;
  }
};

/// The cycle kind of a range identifies its bus: bus 0 has kinds 0 to 3, bus 1 has 4 to 7.
constexpr unsigned bus_number(const CycleSpec& spec) { return spec.kind / CycleTable::rows; }
/// Converts `spec`, which uses a bus's own enumeration of kinds, to the form that a range on bus `number` claims.
constexpr CycleSpec on_bus(CycleSpec spec, unsigned number) {
  spec.kind = static_cast<std::uint8_t>(spec.kind % CycleTable::rows + number * CycleTable::rows);
  return spec;
}

/// Performs the writes that a bus has posted. Implemented by the host bridge, which knows what answers at an address by
/// then.
class PostedSink {
 public:
  virtual void write_posted(std::uint32_t address, unsigned bytes, std::uint32_t value, Time now) = 0;

 protected:
  ~PostedSink() = default;
};

class Bus {
 public:
  virtual ~Bus() = default;
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  /// Used in traces, timelines and the list of devices.
  virtual std::string_view name() const = 0;
  /// The current owner; "processor" if there is no other.
  virtual std::string_view owner_name() const = 0;
  virtual void describe(Description& d) const = 0;
  virtual void archive(Archive& a) = 0;

  /// Reports to `observer` every processor access that this bus answers and everything else on the bus, until it is
  /// removed; the observer must live until then. Both functions may be called from inside an access; a new observer is
  /// not told of that access.
  void add_observer(BusObserver& observer) {
    observers_.add(observer);
    observer_ = &observers_;
  }
  void remove_observer(BusObserver& observer) {
    observers_.remove(observer);
    if (observers_.empty()) observer_ = nullptr;
  }
  /// All observers combined; null if there are none.
  BusObserver* observer() const { return observer_; }

  // For the host bridge.

  /// bus_number() of the ranges on this bus; bus 0 holds the board's own devices.
  unsigned number() const { return number_; }
  void set_number(unsigned number) { number_ = number; }

  const CycleTable& costs() const { return costs_; }

  /// The processor wants to start a cycle at `t`. Advances the simulation to that time, waits for refresh, arbitration
  /// and other owners, and returns the time at which the cycle may start.
  Time acquire(Time t) {
    scheduler_.advance(t);
    if (t >= processor_from_ && t < next_refresh_ && !contended_) [[likely]]
      return t;
    return acquire_contended(t);
  }
  /// The same if no event is due up to `t` and nothing keeps the processor off the bus at that time. Otherwise returns
  /// false without any effect.
  bool acquire_quiet(Time t) {
    if (t < scheduler_.quiet_until() && t >= processor_from_ && t < next_refresh_ && !contended_) [[likely]] {
      scheduler_.advance(t);
      return true;
    }
    return false;
  }
  /// Whether acquire_quiet() depends on time alone as long as no event fires. If so, processor cycles that start at or
  /// after `from` and before `before` find the bus free.
  bool quiet(Time& from, Time& before) const {
    from = processor_from_;
    before = next_refresh_;
    return !contended_ && !yielded_;
  }
  /// Whether a processor cycle that wants to start at `t` can be delayed only by a refresh, and no event fires before
  /// `quiet_until` even if it is.
  bool refresh_only(Time t, Time quiet_until) const {
    return !contended_ && !yielded_ && t >= processor_from_ && t + refresh_hold_ < quiet_until;
  }
  /// The processor's cycle ends at `end`; requesters wait until then.
  void processor_cycle(Time end) {
    busy_until_ = end;
    if (yielded_) [[unlikely]]
      end_yield(end);
  }
  /// A slave held a cycle of the processor for longer than CycleTable::ready_limit.
  virtual void bus_timeout(Time now) = 0;
  /// A write to a range whose kind is posted (CycleTable::Row::posted): the sink performs it later. `t` is the time at
  /// which it reaches the bus; returns the time at which the processor may continue. Called only on buses that have
  /// such kinds.
  virtual Time post_write(std::uint32_t /*address*/, unsigned /*bytes*/, std::uint32_t /*value*/,
                          const CycleSpec& /*cycle*/, Time t) {
    return t;
  }
  void connect(PostedSink& sink) { sink_ = &sink; }

 protected:
  Bus(Scheduler& scheduler, const CycleTable& costs) : scheduler_(scheduler), costs_(costs) {}
  /// Called before the machine runs: the cards that are installed determine the costs.
  void set_costs(const CycleTable& costs) { costs_ = costs; }

  /// Something keeps the processor off the bus at `t`. Returns the time at which it may start.
  virtual Time acquire_contended(Time t) = 0;
  /// The processor has completed the cycle for which others deferred (`yielded_`).
  virtual void end_yield(Time end) = 0;

  Scheduler& scheduler_;
  PostedSink* sink_ = nullptr;
  BusObserver* observer_ = nullptr;  // null: no observers
  // What keeps the processor waiting.
  Time busy_until_{};                  // end of the most recent cycle or refresh
  Time processor_from_{};              // the processor may not start before this
  Time next_refresh_ = Time::never();  // the first not yet served; never on a bus without refresh
  Time refresh_hold_{};                // how long a refresh blocks the bus
  bool contended_ = false;             // another owner, or an arbitration phase
  bool yielded_ = false;               // others defer until the processor's next cycle has ended

 private:
  CycleTable costs_;
  BusObserverList observers_;
  unsigned number_ = 0;
};

}  // namespace planar::bus
