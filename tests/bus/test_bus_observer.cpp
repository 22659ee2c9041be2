// SPDX-License-Identifier: GPL-2.0-or-later
// The calls that a bus observer receives, and that they do not change any times.
#include <fmt/format.h>

#include "tests/bus/rig.hpp"

using namespace planar;
using namespace planar::test;

namespace {

/// Records a line for each call.
struct ObserverLog final : BusObserver {
  void cycle(const BusCycle& c) override { line("cycle", c); }
  void accessed(const BusCycle& c) override { line("access", c); }
  void waited(Time from, Time to) override { lines.push_back(fmt::format("wait {} {}", ns(from), ns(to))); }
  void refreshed(Time from, Time to) override { lines.push_back(fmt::format("refresh {} {}", ns(from), ns(to))); }
  void granted(const std::string& owner, unsigned level, Time now) override {
    lines.push_back(fmt::format("grant {} {} {}", owner, level, ns(now)));
  }
  void released(const std::string& owner, Time at) override {
    lines.push_back(fmt::format("release {} {}", owner, ns(at)));
  }
  void transferred(const std::string& owner, const Transfer& t, Time from, Time to) override {
    lines.push_back(fmt::format("{} {} {} bytes at {:X} {} {}", owner,
                                t.direction == Direction::read ? "reads" : "writes", t.bytes, t.address, ns(from),
                                ns(to)));
  }
  static std::int64_t ns(Time t) { return t.ps / 1000; }
  void line(const char* what, const BusCycle& c) {
    constexpr const char* kinds[] = {"io", "memory", "acknowledge"};
    lines.push_back(fmt::format("{} {} {} {:X} {} {:X} {} {}", what, kinds[static_cast<unsigned>(c.kind)],
                                c.direction == Direction::read ? "read" : "write", c.address, c.bytes, c.value,
                                ns(c.start), ns(c.end)));
  }
  std::vector<std::string> lines;
};

struct OneBurst final : BusMaster {
  using BusMaster::BusMaster;
  using BusMaster::channel;
  void granted(Time now) override {
    release_channel(channel().transfer({0x1000, 64, 32, false, 100_ns, Direction::write}, now));
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("an observer sees an access and the cycles that it is split into", "[bus-observer]") {
  Rig rig;
  RecordingSlave slave;
  auto io = rig.bus.io().claim(0x300, 0x33F, slave, {16, CycleKind::standard, {}});
  auto memory = rig.memory.claim(0xD0000, 0x1000, slave, {8, CycleKind::standard, {}});
  ObserverLog log;
  rig.channel.add_observer(log);
  rig.out(0x310, 0x1234, 2);
  CHECK(log.lines == Lines{"cycle io write 310 2 1234 0 200", "access io write 310 2 1234 0 200"});
  log.lines.clear();
  rig.load(0xD0002, 2);
  CHECK(log.lines == Lines{"cycle memory read D0002 1 42 200 400", "cycle memory read D0003 1 43 400 600",
                           "access memory read D0002 2 4342 200 600"});
  rig.channel.remove_observer(log);
  log.lines.clear();
  rig.in(0x310, 2);
  CHECK(log.lines.empty());
}

TEST_CASE("an observer sees a master's tenure and the processor's wait for it", "[bus-observer]") {
  Rig rig;
  RecordingSlave slave;
  auto io = rig.bus.io().claim(0x300, 0x33F, slave, {16, CycleKind::standard, {}});
  OneBurst master(rig.channel, "card");
  ObserverLog log;
  rig.channel.add_observer(log);
  master.request_channel(8, rig.now);
  rig.step(500_ns);
  rig.in(0x300, 2);
  CHECK(log.lines == Lines{"grant card 8 300", "card writes 64 bytes at 1000 300 3500", "release card 3500",
                           "wait 500 3800", "cycle io read 300 2 4140 3800 4000",
                           "access io read 300 2 4140 500 4000"});
}

TEST_CASE("several observers see the same; removing one does not affect the others", "[bus-observer]") {
  Rig rig;
  RecordingSlave slave;
  auto io = rig.bus.io().claim(0x300, 0x33F, slave, {16, CycleKind::standard, {}});
  ObserverLog first, second;
  rig.channel.add_observer(first);
  rig.channel.add_observer(second);
  rig.out(0x310, 0x1234, 2);
  CHECK(first.lines.size() == 2);
  CHECK(second.lines == first.lines);
  rig.channel.remove_observer(first);
  rig.out(0x310, 0x1234, 2);
  CHECK(first.lines.size() == 2);
  CHECK(second.lines.size() == 4);
}

TEST_CASE("observers do not change the time of an access", "[bus-observer]") {
  const auto run = [](bool observed) {
    BusTiming timing = quiet_timing();
    timing.refresh.period = 15'120_ns;
    Rig rig(timing);
    RecordingSlave slave;
    auto io = rig.bus.io().claim(0x300, 0x33F, slave, {16, CycleKind::synchronous_extended, {}});
    ObserverLog log;
    if (observed) rig.channel.add_observer(log);
    for (unsigned n = 0; n < 200; ++n) rig.out(static_cast<std::uint16_t>(0x300 + n % 8), n, 1 + n % 2);
    bool refreshed = false;
    for (const auto& line : log.lines) refreshed |= line.starts_with("refresh 15");
    CHECK(refreshed == observed);
    return rig.now;
  };
  CHECK(run(false) == run(true));
}
