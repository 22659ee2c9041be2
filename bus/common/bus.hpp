// SPDX-License-Identifier: GPL-2.0-or-later
// A bus as the host bridge and everybody who looks at a machine see it, whatever bus it is: a resource that one party
// owns at a time, cycles that take time, and an observer.
//
// The host bridge asks for it before each cycle of the processor. What a free bus answers depends on four values alone,
// which every bus keeps here, so that the usual access needs no virtual call.
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

/// What the processor's cycles on a bus take.
struct CycleTable {
  struct Row {
    Time base{};
    bool waits = false;   ///< and CycleSpec::ready_delay on top
    bool posted = false;  ///< the processor does not wait for writes: Bus::post_write()
  };
  /// From the processor's bus to this one, once for each processor cycle.
  Time synchronisation{};
  /// A cycle that its slave makes longer than this is abandoned: Bus::bus_timeout().
  Time ready_limit = Time::never();
  /// One of the two interrupt acknowledge cycles.
  Time interrupt_acknowledge{};
  /// By the bus's own enumeration of kinds. The first is the default cycle, which also ends an access that nobody
  /// answers.
  static constexpr unsigned rows = 4;
  std::array<Row, rows> kinds{};

  /// The time of one cycle to a slave that claims `spec`.
  constexpr Time cycle(const CycleSpec& spec) const {
    const Row& row = kinds[spec.kind % rows];
    return row.waits ? row.base + spec.ready_delay : row.base;
  }
};

/// A range says by its kind of cycle which bus of the machine it is on: bus 0 has the kinds 0 to 3, bus 1 has 4 to 7.
constexpr unsigned bus_number(const CycleSpec& spec) { return spec.kind / CycleTable::rows; }
/// `spec`, of a bus's own enumeration of kinds, as a range on the bus of that number claims it.
constexpr CycleSpec on_bus(CycleSpec spec, unsigned number) {
  spec.kind = static_cast<std::uint8_t>(spec.kind % CycleTable::rows + number * CycleTable::rows);
  return spec;
}

/// Who makes the writes that a bus has posted: the host bridge, which knows what answers at an address by then.
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

  /// In traces, timelines and the list of devices.
  virtual std::string_view name() const = 0;
  /// Who owns it, "processor" if nobody else does.
  virtual std::string_view owner_name() const = 0;
  virtual void describe(Description& d) const = 0;
  virtual void archive(Archive& a) = 0;

  /// Tells `observer` of every access of the processor that this bus answers and of everything else on it until it is
  /// removed; it lives until then. Both may be called from inside an access, which a new observer is not told of.
  void add_observer(BusObserver& observer) {
    observers_.add(observer);
    observer_ = &observers_;
  }
  void remove_observer(BusObserver& observer) {
    observers_.remove(observer);
    if (observers_.empty()) observer_ = nullptr;
  }
  /// All of them as one; null: nobody.
  BusObserver* observer() const { return observer_; }

  // For the host bridge.

  /// bus_number() of the ranges on this bus; 0 is the one of the board's own devices.
  unsigned number() const { return number_; }
  void set_number(unsigned number) { number_ = number; }

  const CycleTable& costs() const { return costs_; }

  /// The processor wants to start a cycle at `t`: brings the world up to that time, waits for
  /// refresh, arbitration and other owners, and returns when the cycle may start.
  Time acquire(Time t) {
    scheduler_.advance(t);
    if (t >= processor_from_ && t < next_refresh_ && !contended_) [[likely]]
      return t;
    return acquire_contended(t);
  }
  /// The same if no event is due up to `t` and nothing keeps the processor off the bus then. Otherwise it returns false
  /// and has done nothing.
  bool acquire_quiet(Time t) {
    if (t < scheduler_.quiet_until() && t >= processor_from_ && t < next_refresh_ && !contended_) [[likely]] {
      scheduler_.advance(t);
      return true;
    }
    return false;
  }
  /// Whether acquire_quiet() depends on time alone as long as no event fires: cycles of the processor that start at or
  /// after `from` and before `before` find the bus free.
  bool quiet(Time& from, Time& before) const {
    from = processor_from_;
    before = next_refresh_;
    return !contended_ && !yielded_;
  }
  /// Whether nothing but a refresh can keep a cycle of the processor waiting that wants to start at `t`, and no event
  /// fires before `quiet_until` whether it waits or not.
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
  /// A write to a range of a kind that CycleTable::Row::posted says is posted: the sink makes it later. `t`: when it
  /// reaches the bus; returns when the processor may go on. No other bus than those with such kinds is asked.
  virtual Time post_write(std::uint32_t /*address*/, unsigned /*bytes*/, std::uint32_t /*value*/,
                          const CycleSpec& /*cycle*/, Time t) {
    return t;
  }
  void connect(PostedSink& sink) { sink_ = &sink; }

 protected:
  Bus(Scheduler& scheduler, const CycleTable& costs) : scheduler_(scheduler), costs_(costs) {}
  /// Before the machine runs: what is plugged in decides.
  void set_costs(const CycleTable& costs) { costs_ = costs; }

  /// Something keeps the processor off the bus at `t`: when it may start.
  virtual Time acquire_contended(Time t) = 0;
  /// The processor had the cycle for which others stood back (`yielded_`).
  virtual void end_yield(Time end) = 0;

  Scheduler& scheduler_;
  PostedSink* sink_ = nullptr;
  BusObserver* observer_ = nullptr;  // null: nobody
  // What keeps the processor waiting.
  Time busy_until_{};                  // end of the latest cycle or refresh
  Time processor_from_{};              // the processor may not start earlier
  Time next_refresh_ = Time::never();  // first one not yet served; a bus without refresh has none
  Time refresh_hold_{};                // for how long it keeps everybody off
  bool contended_ = false;             // another owner, or an arbitration phase
  bool yielded_ = false;               // others stand back until the processor's next cycle has ended

 private:
  CycleTable costs_;
  BusObserverList observers_;
  unsigned number_ = 0;
};

}  // namespace planar::bus
