// SPDX-License-Identifier: GPL-2.0-or-later
#include <string>
#include <vector>

#include "core/scheduler.hpp"
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

/// Executes one "instruction" every 70 ps and touches the outside world at the end of each fifth.
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
  void lower_horizon(Time t) override { if (t < horizon) horizon = t; }
  Scheduler& scheduler;
  Time now{};
  Time horizon{};
  int steps = 0;
  std::vector<std::int64_t> seen;
};

}  // namespace

TEST_CASE("events at the same time fire by priority, whatever the order in which they were armed") {
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

TEST_CASE("a processor's access sees every event due before its end, and no later one") {
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

TEST_CASE("two processors stay within the horizon of each other's events, also when horizons are cut at random") {
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

TEST_CASE("a stopped run goes on where it was") {
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
