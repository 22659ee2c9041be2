// SPDX-License-Identifier: GPL-2.0-or-later
// The scheduler of a lab: one virtual time for its machines, media and stations.
//
// Events are members of their device and are saved with it. The order of two events is (time, priority, order of
// registration), never an address. Processors run by themselves up to a horizon; the rule that keeps everything
// exact is: an event due at T fires only when every processor has reached T, or stands inside an access that
// completes at or after T.
//
// With several processors the same holds for their accesses: one that completes at T is served when every event due up
// to T has fired and every other processor has reached T, stands inside an access that completes later (at the same
// time: was attached later), or sleeps. Events and accesses of a lab are thus one sequence in virtual time, whatever
// the horizons were. For that a processor must be left in the middle of an instruction: each has a stack of its own
// (fiber.hpp). Between accesses it may run ahead of the others by the medium's lookahead. A lab with one processor
// knows nothing of all this and pays nothing for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/common/random.hpp"
#include "core/state/archive.hpp"
#include "core/time/fiber.hpp"
#include "core/time/time.hpp"

namespace planar {

class Scheduler;

/// A member function bound to its object: `Callback::to<&Ne2::transmit_done>(this)`.
class Callback {
 public:
  template <auto Method, class T>
  static Callback to(T* object) {
    return {object, [](void* o, Time now) { (static_cast<T*>(o)->*Method)(now); }};
  }
  void operator()(Time now) const { invoke_(object_, now); }

 private:
  Callback(void* object, void (*invoke)(void*, Time)) : object_(object), invoke_(invoke) {}
  void* object_;
  void (*invoke_)(void*, Time);
};

/// Which of two events at the same picosecond goes first. Wires settle before the devices that look at them,
/// devices before the planar's timers, and observers (scenarios, snapshots) see the finished instant.
enum class Priority : std::uint8_t { wire, device, timer, observer };

/// A future action of a device. Constructed once, armed with at(), never copied.
class Event {
 public:
  Event(Scheduler& scheduler, std::string name, Priority priority, Callback callback);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Arms (or re-arms) the event. A time in the past fires at the next opportunity, in order.
  void at(Time when);
  void cancel() { at(Time::never()); }
  bool pending() const { return when_ != Time::never(); }
  /// When it is due; Time::never() when not pending.
  Time when() const { return when_; }
  const std::string& name() const { return name_; }
  /// Saves or restores whether and when it is due.
  void archive(Archive& a);

 private:
  friend class Scheduler;
  Scheduler& scheduler_;
  std::string name_;
  Callback callback_;
  Time when_ = Time::never();
  std::uint64_t rank_;     // priority, then registration order
  std::size_t index_ = 0;  // into the scheduler's lists
};

/// Something that executes by itself in virtual time (a CPU).
class Processor {
 public:
  virtual ~Processor() = default;
  /// The time up to which it has executed.
  virtual Time time() const = 0;
  /// Executes until its time is at or past `horizon`; may overshoot by the instruction in progress.
  virtual void run(Time horizon) = 0;
  /// Called while it runs: stop at `horizon` if that is earlier than the present one.
  virtual void lower_horizon(Time horizon) = 0;
  /// Between two runs: it will neither execute nor access anything until an event wakes it (HLT), so that run() only
  /// lets time pass.
  virtual bool asleep() const { return false; }
};

class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// The time of the latest event fired or access completed; never decreases.
  Time now() const { return now_; }
  /// Accesses of the running processor that complete before this depend on nothing that is still to come.
  Time quiet_until() const { return quiet_until_; }

  /// A processor takes part from now on (removed by its owner before it dies).
  void attach(Processor& processor);
  void detach(Processor& processor);

  /// How far one processor may run ahead of another: the shortest time in which a medium between machines can
  /// carry a change. Only labs with several machines use it.
  void set_lookahead(Time lookahead) { lookahead_ = lookahead; }

  /// Brings the world up to `t` before a device sees an access that completes then: fires every event due at or
  /// before `t`, after bringing other processors up to each event's time.
  void advance(Time t) {
    if (t >= quiet_until_) reach(t);
    if (t > now_) now_ = t;
  }
  /// The same for an access that waits for something to happen from `t` on: up to the next event due then (one must be
  /// pending). Returns its time.
  Time advance_to_event(Time t);

  /// Runs the lab until virtual time `limit` or until stop(). Returns true if it reached the limit.
  bool run_until(Time limit);
  /// Ends run_until() at the next instruction boundary (of every processor).
  void stop();

  /// Test hook: cuts horizons at random points. Must not change any virtual result.
  void cut_horizons_at_random(std::uint64_t seed);

  /// Pending events in the order in which they fire, for debuggers.
  std::vector<const Event*> pending() const;

  void archive(Archive& a);

 private:
  friend class Event;
  struct Slot {
    Processor* processor;
    bool running = false;  // inside run(): now, or left in an access
    // With several processors:
    std::unique_ptr<Fiber> fiber{};
    Time horizon{};          // of the run that begins
    bool waits = false;      // left in an access
    bool for_event = false;  // which completes at the next event from `until` on
    Time until{};            // when it completes
  };
  void register_event(Event& event, Priority priority);
  void unregister_event(Event& event);
  void changed(Event& event);
  void find_next();
  void set_next(Event* event, Time when) {
    next_event_ = event;
    next_ = when;
    quiet_until_ = std::min(when, others_reached_);
  }
  void fire_next();
  void fire_until(Time t);
  void reach(Time t);
  Time cut(const Slot& slot, Time horizon);
  bool run_one(Time limit);
  // scheduler_many.cpp
  bool run_many(Time limit);
  static bool takes_part(const Slot& slot) { return slot.waits || !slot.processor->asleep(); }
  Time reached(const Slot& slot) const;
  void leave(Slot& slot);
  void go_on(Slot& slot);
  void let_sleep(Time t);

  std::vector<Event*> events_;
  std::vector<Time> due_;  // of each, side by side for the scan
  Event* next_event_ = nullptr;
  Time next_ = Time::never();
  Time quiet_until_ = Time::never();
  Time now_{};
  Time lookahead_{};
  std::vector<std::unique_ptr<Slot>> processors_;
  Slot* current_ = nullptr;              // with several: whose stack this is
  Time others_reached_ = Time::never();  // with several: how far those are that take part
  std::uint64_t registered_ = 0;
  bool stop_ = false;
  bool cut_ = false;
  Random cut_random_{0};
};

}  // namespace planar
