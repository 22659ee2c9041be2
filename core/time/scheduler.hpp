// SPDX-License-Identifier: GPL-2.0-or-later
// The scheduler of a lab: one virtual time for its machines, media and stations.
//
// Events are members of their device and are saved with it. Events are ordered by (time, priority, order of
// registration), never by address. Processors run on their own up to a horizon. The rule that makes the result exact:
// an event due at T fires only when every processor has reached T or is inside an access that completes at or after T.
//
// With several processors the same applies to their accesses: an access that completes at T is served when every event
// due up to T has fired and every other processor has reached T, is inside an access that completes later (or at the
// same time but was attached later), or sleeps. Events and accesses of a lab are thus one sequence in virtual time,
// independent of the horizons. This requires suspending a processor in the middle of an instruction, so each has its
// own stack (fiber.hpp). Between accesses it may run ahead of the others by the medium's lookahead. A lab with one
// processor has none of this overhead.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
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

/// Order of events due at the same picosecond. Media settle before the devices that sample them, devices before the
/// planar's timers, and observers (scenarios, snapshots) see the completed instant.
enum class Priority : std::uint8_t { wire, device, timer, observer };

/// A future action of a device. Constructed once, scheduled with at(), never copied.
class Event {
 public:
  Event(Scheduler& scheduler, std::string name, Priority priority, Callback callback);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Schedules or reschedules the event. A time in the past fires at the next opportunity, in order.
  void at(Time when);
  void cancel() { at(Time::never()); }
  bool pending() const { return when_ != Time::never(); }
  /// The time at which it is due; Time::never() if not pending.
  Time when() const { return when_; }
  const std::string& name() const { return name_; }
  /// Saves or restores whether it is pending, and its time.
  void archive(Archive& a);

 private:
  friend class Scheduler;
  Scheduler& scheduler_;
  std::string name_;
  Callback callback_;
  Time when_ = Time::never();
  static constexpr std::size_t not_pending = ~std::size_t{};
  std::uint64_t rank_;               // priority, then registration order
  std::size_t index_ = not_pending;  // into the scheduler's lists
};

/// Something that executes in virtual time on its own (a CPU).
class Processor {
 public:
  virtual ~Processor() = default;
  /// The time it has reached.
  virtual Time time() const = 0;
  /// Executes until its time is at or past `horizon`; may overshoot by the current instruction.
  virtual void run(Time horizon) = 0;
  /// Executes one instruction, as run() does (one iteration of a repeated one; one interrupt or exception; one clock of
  /// sleep).
  virtual void step() = 0;
  /// Called during run(): stop at `horizon` if that is earlier than the current one.
  virtual void lower_horizon(Time horizon) = 0;
  /// Between two runs: true if it will neither execute nor access anything until an event wakes it (HLT), so that run()
  /// only advances its time.
  virtual bool asleep() const { return false; }
};

class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// The time of the latest event fired or access completed; never decreases.
  Time now() const { return now_; }
  /// Accesses of the running processor that complete before this time cannot be affected by pending events or other
  /// processors.
  Time quiet_until() const { return quiet_until_; }

  /// Adds a processor; its owner must detach it before destroying it.
  void attach(Processor& processor);
  void detach(Processor& processor);

  /// How far one processor may run ahead of another: the shortest time in which a medium between machines can propagate
  /// a change. Used only by labs with several machines.
  void set_lookahead(Time lookahead) { lookahead_ = lookahead; }

  /// Advances the lab to `t` before a device sees an access that completes then: fires every event due at or before
  /// `t`, after bringing the other processors up to each event's time.
  void advance(Time t) {
    if (t >= quiet_until_) synchronize(t);
    if (t > now_) now_ = t;
  }
  /// The same for an access that waits for an event at or after `t`: advances to the next such event (one must be
  /// pending) and returns its time.
  Time advance_to_event(Time t);

  /// Runs the lab until virtual time `limit` or stop(). Returns true if it reached the limit.
  bool run_until(Time limit);
  /// Ends run_until() and step() when the processor that is running reaches an instruction boundary or has to wait in
  /// an access. Of several, no other executes anything more: a stop at a boundary is at that boundary, whatever the
  /// others do. Each may be left inside an instruction.
  void stop();
  /// Like run_until(limit), but ends when `processor` has made one step() (if it is asleep, the first one after it
  /// wakes; if it is inside an instruction, the end of that). Other processors execute only what comes earlier in
  /// virtual time and may be left inside an instruction. Returns whether the step was made: false at `limit` and after
  /// stop().
  bool step(Processor& processor, Time limit = Time::never());
  /// Whether no processor is inside an access, so that the state can be saved.
  bool between_instructions() const;
  bool between_instructions(const Processor& processor) const;
  /// Lets processors that stop() or step() has left inside an instruction complete it; the others keep up with them.
  /// stop() has no effect meanwhile.
  void settle();
  /// When the next event is due; Time::never() if none is pending.
  Time next_event() const { return next_; }

  /// While it exists, the names of new events begin with `prefix` (unless they do so by themselves): those of one of
  /// several machines.
  class Naming {
   public:
    Naming(Scheduler& scheduler, std::string prefix) : scheduler_(scheduler) { scheduler_.prefix_ = std::move(prefix); }
    ~Naming() { scheduler_.prefix_.clear(); }
    Naming(const Naming&) = delete;

   private:
    Scheduler& scheduler_;
  };

  /// Test hook: shortens horizons at random. Must not change any virtual result.
  void cut_horizons_at_random(std::uint64_t seed);

  /// Pending events in firing order, for debuggers.
  std::vector<const Event*> pending() const;

  void archive(Archive& a);

 private:
  friend class Event;
  struct Slot {
    Processor* processor;
    bool running = false;  // inside run(): running now, or suspended in an access
    // With several processors:
    std::unique_ptr<Fiber> fiber{};
    Time horizon{};          // of the run that is about to start
    bool single = false;     // the run that is about to start is a step()
    bool waits = false;      // suspended in an access
    bool for_event = false;  // the access completes at the next event at or after `until`
    Time until{};            // when the access completes
  };
  void register_event(Event& event, Priority priority);
  void unregister_event(Event& event);
  void add(Event& event);
  void remove(Event& event);
  void changed(Event& event);
  void find_next();
  void set_next(Event* event, Time when) {
    next_event_ = event;
    next_ = when;
    quiet_until_ = std::min(when, others_reached_);
  }
  void fire_next();
  void fire_until(Time t);
  void synchronize(Time t);
  Time cut(const Slot& slot, Time horizon);
  bool run_one(Time limit);
  bool step_one(Slot& slot, Time limit);
  // scheduler_many.cpp
  bool run_many(Time limit);
  bool step_many(Slot& slot, Time limit);
  struct Turn;
  Turn next_turn(Time limit);
  bool take_turn(const Turn& turn);
  void run_ahead(Slot& slot, Time horizon, Time here);
  void reach_limit(Time limit);
  static bool is_active(const Slot& slot) { return slot.waits || !slot.processor->asleep(); }
  Time reached(const Slot& slot) const;
  void suspend(Slot& slot);
  void resume(Slot& slot);
  void advance_sleeping(Time t);

  std::vector<Event*> pending_;  // unordered
  std::vector<Time> due_;        // their times, contiguous for the scan
  Event* next_event_ = nullptr;
  Time next_ = Time::never();
  Time quiet_until_ = Time::never();
  Time now_{};
  Time lookahead_{};
  std::vector<std::unique_ptr<Slot>> processors_;
  Slot* current_ = nullptr;              // with several processors: the one whose stack this is
  Time others_reached_ = Time::never();  // with several processors: the minimum time of the others that take part
  std::uint64_t registered_ = 0;
  std::string prefix_;  // of the names of new events
  bool stop_ = false;
  bool cut_ = false;
  bool settling_ = false;
  Random cut_random_{0};
};

}  // namespace planar
