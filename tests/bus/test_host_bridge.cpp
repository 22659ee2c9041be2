// SPDX-License-Identifier: GPL-2.0-or-later
// Two buses on one host bridge: each cycle runs on the bus whose range answers, at that bus's cost.
#include "tests/bus/plain_bus.hpp"
#include "tests/bus/rig.hpp"

using namespace planar;
using namespace planar::test;

namespace {

constexpr CycleTable plain_costs() {
  CycleTable c;
  c.synchronisation = 10_ns;
  c.ready_limit = 1_us;
  c.kinds = {{{30_ns, false}, {30_ns, true}}};
  return c;
}

struct Counter final : BusObserver {
  void cycle(const BusCycle&) override { ++cycles; }
  void accessed(const BusCycle&) override { ++accesses; }
  unsigned cycles = 0, accesses = 0;
};

struct TwoBuses : Rig {
  TwoBuses() { bus.attach(second); }
  /// A cycle of `kind` on the second bus.
  CycleSpec on_second(unsigned width, std::uint8_t kind = 0) const {
    CycleSpec spec;
    spec.width = static_cast<std::uint8_t>(width);
    spec.kind = kind;
    return on_bus(spec, second.number());
  }
  PlainBus second{scheduler, plain_costs()};
  RecordingSlave slave, other;
};

}  // namespace

TEST_CASE("an access takes the time of the bus that its range is on, for ports and for memory") {
  TwoBuses rig;
  auto here = rig.bus.io().claim(0x300, 0x303, rig.slave, {32, CycleKind::standard, {}});
  auto there = rig.bus.io().claim(0x400, 0x403, rig.other, rig.on_second(32));
  auto memory = rig.memory.claim(0xD0000, 0x1000, rig.other, rig.on_second(32));
  rig.in(0x300, 4);
  CHECK(rig.took == 200_ns);
  rig.in(0x400, 4);
  CHECK(rig.took == 40_ns);
  rig.load(0xD0000, 4);
  CHECK(rig.took == 40_ns);
  rig.load(0xD0002, 4);  // unaligned: two processor cycles
  CHECK(rig.took == 80_ns);
}

TEST_CASE("taking one bus does not block another") {
  TwoBuses rig;
  auto here = rig.bus.io().claim(0x300, 0x303, rig.slave, {32, CycleKind::standard, {}});
  auto there = rig.bus.io().claim(0x400, 0x403, rig.other, rig.on_second(32));
  rig.second.take_until(5_us);
  rig.in(0x300, 4);
  CHECK(rig.now == 200_ns);
  rig.in(0x400, 4);
  CHECK(rig.now == 5'030_ns);
}

TEST_CASE("an access across a border between buses is split between them") {
  TwoBuses rig;
  auto here = rig.bus.io().claim(0x300, 0x301, rig.slave, {16, CycleKind::standard, {}});
  auto there = rig.bus.io().claim(0x302, 0x303, rig.other, rig.on_second(16));
  rig.in(0x300, 4);
  CHECK(rig.took == 200_ns + 30_ns);  // one processor cycle, synchronised once
  CHECK(rig.slave.log.size() == 1);
  CHECK(rig.other.log.size() == 1);
}

TEST_CASE("a slave that exceeds its time affects only its own bus") {
  TwoBuses rig;
  auto there = rig.bus.io().claim(0x400, 0x403, rig.other, rig.on_second(32));
  rig.other.ready_at = 1_s;
  CHECK(rig.in(0x400, 4) == 0xFFFFFFFF);
  CHECK(rig.now == 1'010_ns);
  CHECK(rig.second.timeouts == 1);
  CHECK_FALSE(rig.channel.arbitration_masked());
}

TEST_CASE("an observer sees only the accesses to its own bus") {
  TwoBuses rig;
  auto here = rig.bus.io().claim(0x300, 0x303, rig.slave, {16, CycleKind::standard, {}});
  auto there = rig.bus.io().claim(0x400, 0x403, rig.other, rig.on_second(16));
  Counter first, second;
  rig.channel.add_observer(first);
  rig.second.add_observer(second);
  rig.in(0x300, 2);
  rig.in(0x400, 4);
  CHECK((first.cycles == 1 && first.accesses == 1));
  CHECK((second.cycles == 2 && second.accesses == 1));
  rig.channel.remove_observer(first);
  rig.second.remove_observer(second);
}

TEST_CASE("undecoded ports and interrupt acknowledges are on the first bus") {
  TwoBuses rig;
  rig.in(0x500, 1);
  CHECK(rig.took == 200_ns);
  const Time before = rig.now;
  CHECK(rig.bus.acknowledge_interrupt(before).end == before + 600_ns);
}

TEST_CASE("undecoded memory is on the first bus within its address range, otherwise on the second") {
  Rig rig;
  PlainBus first{rig.scheduler, {}}, second{rig.scheduler, plain_costs()};
  HostTiming timing;
  timing.first_bus_ends = 0x1000000;
  CycleSpec spec;
  spec.width = 32;
  timing.beyond = on_bus(spec, 1);
  HostBridge bridge(rig.scheduler, rig.memory, timing, rig.trace);
  bridge.attach(first);
  bridge.attach(second);
  struct Cycles final : BusObserver {
    void cycle(const BusCycle&) override { ++count; }
    int count = 0;
  } on_first, on_second;
  first.add_observer(on_first);
  second.add_observer(on_second);
  const auto read = [&](std::uint32_t address) {
    CHECK(bridge.memory_read(address, 4, rig.now).value == 0xFFFFFFFF);
    return std::pair{std::exchange(on_first.count, 0), std::exchange(on_second.count, 0)};
  };
  CHECK(read(0xFFFFFC) == std::pair{4, 0});  // bytes
  CHECK(read(0x1000000) == std::pair{0, 1});
  first.remove_observer(on_first);
  second.remove_observer(on_second);
}

TEST_CASE("a run of port accesses uses the timing of the port's bus") {
  struct Fifo final : RecordingSlave {
    PortRun port_run(std::uint32_t, unsigned, Direction) override {
      PortRun run;
      run.count = 8;
      return run;
    }
  } fifo;
  TwoBuses rig;
  auto there = rig.bus.io().claim(0x400, 0x401, fifo, rig.on_second(16));
  cpu::PinsRun run;
  REQUIRE(rig.bus.port_run(0x400, 2, Direction::read, run));
  CHECK(run.cycle == 30_ns);
  CHECK(run.synchronisation == 10_ns);
  CHECK(run.before == Time::never());  // no refresh
}

TEST_CASE("a bridge refuses a fifth bus") {
  TwoBuses rig;
  PlainBus third(rig.scheduler, {}), fourth(rig.scheduler, {}), fifth(rig.scheduler, {});
  rig.bus.attach(third);
  rig.bus.attach(fourth);
  CHECK_THROWS(rig.bus.attach(fifth));
}
