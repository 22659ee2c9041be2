// SPDX-License-Identifier: GPL-2.0-or-later
#include <string>
#include <vector>

#include "core/time/scheduler.hpp"
#include "tests/catch.hpp"

using namespace planar;

namespace {

struct Recorder {
  explicit Recorder(Scheduler& s) : scheduler(s) {}
  void a(Time now) { log.push_back("a@" + std::to_string(now.ps)); }
  void b(Time now) { log.push_back("b@" + std::to_string(now.ps)); }
  void again(Time now) {
    log.push_back("again@" + std::to_string(now.ps));
    if (now < Time{300}) repeat.at(now + Time{100});
  }
  Scheduler& scheduler;
  std::vector<std::string> log;
  Event late{scheduler, "late", Priority::timer, Callback::to<&Recorder::a>(this)};
  Event early{scheduler, "early", Priority::wire, Callback::to<&Recorder::b>(this)};
  Event repeat{scheduler, "repeat", Priority::device, Callback::to<&Recorder::again>(this)};
};

/// Executes one "instruction" every 70 ps and makes an external access at the end of every fifth.
struct StepProcessor final : Processor {
  explicit StepProcessor(Scheduler& s) : scheduler(s) { scheduler.attach(*this); }
  ~StepProcessor() override { scheduler.detach(*this); }
  Time time() const override { return now; }
  void run(Time until) override {
    horizon = until;
    while (now < horizon) {
      now += Time{70};
      if (++steps % 5 == 0) {
        scheduler.advance(now);
        seen.push_back(scheduler.now().ps);
      }
    }
  }
  void step() override { run(now + Time{1}); }
  void lower_horizon(Time t) override {
    if (t < horizon) horizon = t;
  }
  Scheduler& scheduler;
  Time now{};
  Time horizon{};
  int steps = 0;
  std::vector<std::int64_t> seen;
};

}  // namespace

TEST_CASE("simultaneous events fire by priority, in whatever order they were armed") {
  Scheduler s;
  Recorder r(s);
  r.late.at(Time{50});
  r.early.at(Time{50});
  s.run_until(Time{100});
  REQUIRE(r.log == std::vector<std::string>{"b@50", "a@50"});
}

TEST_CASE("an event can re-arm itself, be moved and be cancelled") {
  Scheduler s;
  Recorder r(s);
  r.repeat.at(Time{100});
  r.late.at(Time{150});
  r.late.at(Time{250});
  r.early.at(Time{200});
  r.early.cancel();
  s.run_until(Time{1000});
  REQUIRE(r.log == std::vector<std::string>{"again@100", "again@200", "a@250", "again@300"});
  REQUIRE(s.now() == Time{1000});
}

TEST_CASE("a processor's access follows all events due before its end, and no later one") {
  Scheduler s;
  Recorder r(s);
  StepProcessor p(s);
  r.early.at(Time{345});  // inside the fifth step (280..350), whose access ends at 350
  r.late.at(Time{355});
  s.run_until(Time{352});
  REQUIRE(r.log == std::vector<std::string>{"b@345"});
  s.run_until(Time{700});
  REQUIRE(r.log == std::vector<std::string>{"b@345", "a@355"});
}

TEST_CASE("two processors stay within the horizon of each other's events, even if horizons are cut at random") {
  auto run = [](bool cut) {
    Scheduler s;
    Recorder r(s);
    StepProcessor p(s), q(s);
    if (cut) s.cut_horizons_at_random(7);
    r.repeat.at(Time{100});
    r.late.at(Time{355});
    s.run_until(Time{5'000'000});
    return std::pair(r.log, p.steps + q.steps);
  };
  REQUIRE(run(false) == run(true));
}

TEST_CASE("a stopped run continues where it was") {
  Scheduler s;
  StepProcessor p(s);
  struct Stopper {
    Scheduler& s;
    void stop(Time) { s.stop(); }
  } stopper{s};
  Event e(s, "stop", Priority::observer, Callback::to<&Stopper::stop>(&stopper));
  e.at(Time{100});
  REQUIRE_FALSE(s.run_until(Time{1000}));
  REQUIRE(p.now == Time{140});
  REQUIRE(s.run_until(Time{1000}));
}

TEST_CASE("pending events are listed in firing order") {
  Scheduler s;
  Recorder r(s);
  r.late.at(Time{50});
  r.early.at(Time{50});
  r.repeat.at(Time{10});
  std::vector<std::string> names;
  for (const Event* e : s.pending()) names.push_back(e->name());
  REQUIRE(names == std::vector<std::string>{"repeat", "early", "late"});
}

namespace {

/// Executes instructions of changing length; every few ends in an access of changing length, which may reach far beyond
/// the horizon, sends a value to the other processor's mailbox `delay` later, and reads its own mailbox. Sleeps
/// occasionally.
struct TalkingProcessor final : Processor {
  static constexpr Time delay{500};
  TalkingProcessor(Scheduler& s, std::uint64_t seed) : scheduler(s), random(seed) { scheduler.attach(*this); }
  ~TalkingProcessor() override { scheduler.detach(*this); }
  Time time() const override { return now; }
  bool asleep() const override { return sleeping; }
  void run(Time until) override {
    horizon = until;
    while (now < horizon) {
      if (steps == stop_before) {
        scheduler.stop();
        if (now >= horizon) return;
      }
      if (sleeping) {
        now = horizon;
        return;
      }
      now += Time{static_cast<std::int64_t>(20 + random.below(100))};
      ++steps;
      if (random.below(3) == 0) access();
      if (random.below(50) == 0) {
        sleeping = true;
        alarm.at(now + Time{3000});
      }
    }
  }
  void access() {
    now += Time{static_cast<std::int64_t>(random.below(random.below(10) == 0 ? 8000 : 300))};
    if (random.below(8) == 0) {
      const Time end = scheduler.advance_to_event(now);
      now = end + Time{10};
    }
    scheduler.advance(now);
    log.push_back({now.ps, scheduler.now().ps, box});
    if (random.below(4) == 0 && !other->letter.pending()) other->letter.at(now + delay);
    if (random.below(4) == 0) own.at(now + Time{static_cast<std::int64_t>(random.below(900))});
  }
  void step() override { run(now + Time{1}); }
  void lower_horizon(Time t) override {
    if (t < horizon) horizon = t;
  }
  void delivered(Time at) { box = box * 31 + static_cast<std::uint64_t>(at.ps); }
  void woken(Time at) {
    box = box * 37 + static_cast<std::uint64_t>(at.ps);
    sleeping = false;
  }

  Scheduler& scheduler;
  Random random;
  TalkingProcessor* other = nullptr;
  Time now{}, horizon{};
  bool sleeping = false;
  std::uint64_t box = 1;
  int steps = 0;
  int stop_before = -1;  // the step at whose boundary it stops the run, each time that it is there
  struct Seen {
    std::int64_t at, world;
    std::uint64_t box;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> log;
  Event letter{scheduler, "letter", Priority::wire, Callback::to<&TalkingProcessor::delivered>(this)};
  Event own{scheduler, "own", Priority::device, Callback::to<&TalkingProcessor::delivered>(this)};
  Event alarm{scheduler, "alarm", Priority::timer, Callback::to<&TalkingProcessor::woken>(this)};
};

struct Talk {
  explicit Talk(std::uint64_t cuts) {
    s.set_lookahead(TalkingProcessor::delay);
    p.other = &q;
    q.other = &p;
    if (cuts) s.cut_horizons_at_random(cuts);
    ticker.at(Time{5000});
  }
  Scheduler s;
  TalkingProcessor p{s, 1}, q{s, 2};
  void tick(Time at) { ticker.at(at + Time{5000}); }
  Event ticker{s, "ticker", Priority::timer, Callback::to<&Talk::tick>(this)};
};

}  // namespace

TEST_CASE("two processors' accesses form one sequence in virtual time, whatever their horizons") {
  Talk whole(0);
  whole.s.run_until(Time{3'000'000});
  REQUIRE(whole.p.log.size() > 2000);
  REQUIRE(whole.q.log.size() > 2000);
  for (const auto& seen : whole.p.log) REQUIRE(seen.at == seen.world);
  for (const auto& seen : whole.q.log) REQUIRE(seen.at == seen.world);
  // Sliced at odd lengths and at random, the same accesses at the same times return the same values.
  Talk pieces(0);
  for (std::int64_t t = 0; t < 3'000'000; t += 777) pieces.s.run_until(Time{t});
  pieces.s.run_until(Time{3'000'000});
  CHECK(pieces.p.log == whole.p.log);
  CHECK(pieces.q.log == whole.q.log);
  CHECK(pieces.p.now == whole.p.now);
  CHECK(pieces.s.now() == whole.s.now());
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    Talk cut(seed);
    cut.s.run_until(Time{3'000'000});
    CHECK(cut.p.log == whole.p.log);
    CHECK(cut.q.log == whole.q.log);
    CHECK(cut.q.steps == whole.q.steps);
  }
}

TEST_CASE("stepping single instructions of one processor gives the same accesses") {
  Talk whole(0);
  whole.s.run_until(Time{3'000'000});
  Talk stepped(0);
  Random choice(5);
  unsigned steps = 0, inside = 0;
  while (stepped.s.now() < Time{3'000'000}) {
    TalkingProcessor& p = choice.below(2) ? stepped.p : stepped.q;
    const int before = p.steps;
    const bool inside_before = !stepped.s.between_instructions();
    if (!stepped.s.step(p, Time{3'000'000})) continue;
    ++steps;
    inside += stepped.s.between_instructions() ? 0 : 1;
    // A processor in the middle of an instruction has completed it; any other has executed one.
    CHECK(p.steps - before <= 1);
    if (!inside_before) CHECK(p.steps - before == 1);
    if (choice.below(20) == 0) {
      stepped.s.run_until(stepped.s.now());
      REQUIRE(stepped.s.between_instructions());
    }
  }
  stepped.s.run_until(Time{3'000'000});
  CHECK(steps > 1000);
  CHECK(inside > 50);  // how often the other one was in the middle of an access
  CHECK(stepped.p.log == whole.p.log);
  CHECK(stepped.q.log == whole.q.log);
  CHECK(stepped.p.steps == whole.p.steps);
  CHECK(stepped.q.steps == whole.q.steps);
}

TEST_CASE("a stop at an instruction boundary is at that boundary, also while another processor is inside an access") {
  Talk whole(0);
  whole.s.run_until(Time{3'000'000});
  Talk stopped(0);
  unsigned stops = 0, inside = 0;
  for (;;) {
    stopped.p.stop_before = stopped.p.steps + 7;
    const bool complete = stopped.s.run_until(Time{3'000'000});
    if (complete) break;
    ++stops;
    REQUIRE(stopped.p.steps == stopped.p.stop_before);
    REQUIRE(stopped.s.between_instructions(stopped.p));
    inside += stopped.s.between_instructions(stopped.q) ? 0 : 1;
    CHECK_FALSE(stopped.s.run_until(Time{3'000'000}));  // it is still there
    CHECK(stopped.p.steps == stopped.p.stop_before);
    CHECK_FALSE(stopped.s.step(stopped.p));
    CHECK(stopped.p.steps == stopped.p.stop_before);
    if (stops % 5 == 0) {  // not even a processor that always wants to stop keeps the other inside its instruction
      stopped.s.settle();
      REQUIRE(stopped.s.between_instructions());
    }
  }
  CHECK(stops > 500);
  CHECK(inside > 50);
  CHECK(stopped.p.log == whole.p.log);
  CHECK(stopped.q.log == whole.q.log);
  CHECK(stopped.p.steps == whole.p.steps);
  CHECK(stopped.q.steps == whole.q.steps);
}

TEST_CASE("a step of a sleeping processor ends after its first instruction on wake-up, or at the limit") {
  Scheduler s;
  TalkingProcessor p(s, 1);
  p.other = &p;
  p.sleeping = true;
  p.alarm.at(Time{4000});
  CHECK_FALSE(s.step(p, Time{1000}));
  CHECK(s.now() == Time{1000});
  CHECK(p.steps == 0);
  CHECK(s.step(p, Time{1'000'000}));
  CHECK(p.steps == 1);
  CHECK(p.now > Time{4000});
  CHECK_FALSE(p.alarm.pending());
}

TEST_CASE("an exception thrown by a processor during its slice reaches the caller that runs the lab") {
  struct Thrower final : Processor {
    explicit Thrower(Scheduler& s) : scheduler(s) { scheduler.attach(*this); }
    ~Thrower() override { scheduler.detach(*this); }
    Time time() const override { return now; }
    void run(Time) override {
      now += Time{1000};
      scheduler.advance(now);
      throw std::string("enough");
    }
    void step() override { run(now + Time{1}); }
    void lower_horizon(Time) override {}
    Scheduler& scheduler;
    Time now{};
  };
  Scheduler s;
  TalkingProcessor p(s, 1);
  p.other = &p;
  Thrower thrower(s);
  CHECK_THROWS_AS(s.run_until(Time{1'000'000}), std::string);
}
