// SPDX-License-Identifier: GPL-2.0-or-later
// The cost of an access, how it is split, and what the slave sees (docs/hardware/micro-channel.md#cycle-types and
// docs/hardware/micro-channel.md#width-and-splitting).
#include "tests/bus/rig.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct Row {
  unsigned cpu;    // bus width of the processor
  unsigned slave;  // data-size reply
  unsigned bytes;
  std::uint16_t offset;  // from an address that is a multiple of four
  int cycles;
};

// Derived by hand from the rules: a processor cycle never crosses its bus width, a channel cycle never crosses the
// slave's.
const Row rows[] = {
    {32, 32, 1, 0, 1}, {32, 32, 1, 3, 1}, {32, 32, 2, 0, 1}, {32, 32, 2, 1, 1}, {32, 32, 2, 2, 1}, {32, 32, 2, 3, 2},
    {32, 32, 4, 0, 1}, {32, 32, 4, 1, 2}, {32, 32, 4, 2, 2}, {32, 32, 4, 3, 2}, {32, 16, 1, 1, 1}, {32, 16, 2, 0, 1},
    {32, 16, 2, 1, 2}, {32, 16, 2, 3, 2}, {32, 16, 4, 0, 2}, {32, 16, 4, 1, 3}, {32, 16, 4, 2, 2}, {32, 16, 4, 3, 3},
    {32, 8, 1, 0, 1},  {32, 8, 2, 0, 2},  {32, 8, 2, 1, 2},  {32, 8, 4, 0, 4},  {32, 8, 4, 3, 4},  {16, 32, 1, 0, 1},
    {16, 32, 2, 0, 1}, {16, 32, 2, 1, 2}, {16, 32, 4, 0, 2}, {16, 32, 4, 1, 3}, {16, 32, 4, 2, 2}, {16, 16, 2, 0, 1},
    {16, 16, 2, 1, 2}, {16, 16, 4, 0, 2}, {16, 16, 4, 3, 3}, {16, 8, 2, 0, 2},  {16, 8, 4, 0, 4},
};

}  // namespace

TEST_CASE("every width and alignment takes its number of cycles of each kind, for ports and for memory") {
  const std::pair<CycleSpec, Time> kinds[] = {
      {{8, CycleKind::standard, {}}, 200_ns},
      {{8, CycleKind::synchronous_extended, {}}, 300_ns},
      {{8, CycleKind::asynchronous, 450_ns}, 750_ns},
  };
  for (const Row& row : rows) {
    for (const auto& [kind, cost] : kinds) {
      Rig rig(quiet_timing(), {row.cpu, 32});
      RecordingSlave slave;
      CycleSpec spec = kind;
      spec.width = static_cast<std::uint8_t>(row.slave);
      auto io = rig.bus.io().claim(0x300, 0x33F, slave, spec);
      auto memory = rig.memory.claim(0xD0000, 0x1000, slave, spec);
      INFO("cpu " << row.cpu << " slave " << row.slave << " bytes " << row.bytes << " offset " << row.offset);

      std::uint32_t expected = slave.peek(row.offset, row.bytes, {});
      REQUIRE(rig.in(static_cast<std::uint16_t>(0x300 + row.offset), row.bytes) == expected);
      REQUIRE(rig.took == row.cycles * cost);
      REQUIRE(rig.load(0xD0000u + row.offset, row.bytes) == expected);
      REQUIRE(rig.took == row.cycles * cost);

      slave.log.clear();
      rig.out(static_cast<std::uint16_t>(0x300 + row.offset), 0x44332211, row.bytes);
      REQUIRE(rig.took == row.cycles * cost);
      std::uint32_t seen = 0;
      for (const auto& access : slave.log) {
        REQUIRE(access.bytes * 8 <= row.slave);
        REQUIRE(access.offset % access.bytes == 0);
        seen |= access.value << (8 * (access.offset - row.offset));
      }
      REQUIRE(seen == (0x44332211u & (row.bytes == 4 ? ~0u : (1u << 8 * row.bytes) - 1)));
      rig.store(0xD0000u + row.offset, 0, row.bytes);
      REQUIRE(rig.took == row.cycles * cost);
    }
  }
}

TEST_CASE("synchronisation is charged once per processor cycle") {
  BusTiming timing = quiet_timing();
  timing.synchronisation = 75_ns;
  SECTION("a 386DX or later reads a doubleword from an 8-bit slave in one processor cycle") {
    Rig rig(timing);
    RecordingSlave slave;
    auto claim = rig.bus.io().claim(0x300, 0x303, slave, {8, CycleKind::standard, {}});
    rig.in(0x300, 4);
    REQUIRE(rig.took == 75_ns + 4 * 200_ns);
  }
  SECTION("a 386SX needs two") {
    Rig rig(timing, {16, 32});
    RecordingSlave slave;
    auto claim = rig.bus.io().claim(0x300, 0x303, slave, {8, CycleKind::standard, {}});
    rig.in(0x300, 4);
    REQUIRE(rig.took == 2 * 75_ns + 4 * 200_ns);
  }
}

TEST_CASE("the slave sees an access at the end of its data phase, after all events due by then") {
  Rig rig;
  RecordingSlave slave;
  auto claim = rig.bus.io().claim(0x300, 0x303, slave, {16, CycleKind::synchronous_extended, {}});
  rig.in(0x300, 4);
  REQUIRE(slave.log.size() == 2);
  REQUIRE(slave.log[0].when == 300_ns);
  REQUIRE(slave.log[1].when == 600_ns);
  REQUIRE(slave.log[1].offset == 2);
  REQUIRE(rig.scheduler.now() == 600_ns);
}

TEST_CASE("a slave that holds CD CHRDY depending on its state extends the cycle") {
  Rig rig;
  RecordingSlave slave;
  auto claim = rig.bus.io().claim(0x300, 0x301, slave, {16, CycleKind::asynchronous, {}});
  slave.ready_at = 1_us;
  rig.in(0x300, 2);
  REQUIRE(rig.now == 1_us);
  rig.in(0x300, 2);
  REQUIRE(rig.took == 300_ns);
}

TEST_CASE("a slave that never releases CD CHRDY runs into the bus time-out if the planar has one") {
  BusTiming timing = quiet_timing();
  timing.ready_limit = 3'500_ns;
  Rig rig(timing);
  RecordingSlave slave;
  auto claim = rig.bus.io().claim(0x300, 0x301, slave, {16, CycleKind::asynchronous, {}});
  slave.ready_at = 1_s;
  REQUIRE(rig.in(0x300, 2) == 0xFFFF);
  REQUIRE(rig.took == 3'500_ns);
  REQUIRE(slave.log.empty());
  REQUIRE(rig.nmi.level[NmiSource::bus_timeout]);
  rig.out(0x300, 0x1234, 2);
  REQUIRE(slave.log.empty());
}

TEST_CASE("a word access to an 8-bit slave is two cycles, which may go to two cards") {
  Rig rig;
  RecordingSlave low, high;
  auto a = rig.bus.io().claim(0x300, 0x300, low, {8, CycleKind::standard, {}});
  auto b = rig.bus.io().claim(0x301, 0x301, high, {8, CycleKind::synchronous_extended, {}});
  REQUIRE(rig.in(0x300, 2) == 0x4040);
  REQUIRE(rig.took == 500_ns);
  REQUIRE(low.log.size() == 1);
  REQUIRE(high.log.size() == 1);
}

TEST_CASE("an undecoded access reads ones after an 8-bit default cycle, and writes are ignored") {
  Rig rig;
  REQUIRE(rig.in(0x0300, 1) == 0xFF);
  REQUIRE(rig.took == 200_ns);
  REQUIRE(rig.in(0x0300, 2) == 0xFFFF);
  REQUIRE(rig.took == 400_ns);
  rig.out(0x0300, 0x55, 1);
  REQUIRE(rig.took == 200_ns);
  REQUIRE(rig.load(0xC8000, 4) == 0xFFFFFFFF);
  REQUIRE(rig.took == 800_ns);
  rig.store(0xC8000, 0, 1);
  REQUIRE(rig.load(0xC8000, 1) == 0xFF);
  REQUIRE(rig.load(0xFFFFFFFE, 4) == 0x0000FFFF);  // the address wraps to the RAM at zero
}

TEST_CASE("a claim that ends while the processor waits for its cycle does not answer") {
  struct Leaver {
    explicit Leaver(Rig& r) : rig(r) { claim = rig.bus.io().claim(0x300, 0x300, slave, {}); }
    void leave(Time) { claim.release(); }
    Rig& rig;
    RecordingSlave slave;
    IoClaim claim;
    Event event{rig.scheduler, "leave", Priority::device, Callback::to<&Leaver::leave>(this)};
  };
  Rig rig;
  Leaver leaver(rig);
  leaver.event.at(1_us);
  rig.step(900_ns);
  REQUIRE(rig.in(0x300) == 0x40);  // the address was decoded before the event
  REQUIRE(rig.in(0x300) == 0xFF);
}

TEST_CASE("interrupt acknowledge takes two cycles and gives the controller's vector") {
  struct Pic final : InterruptAcknowledger {
    std::uint8_t acknowledge(Time t) override {
      when = t;
      return 0x0D;
    }
    Time when{};
  };
  Rig rig;
  Pic pic;
  REQUIRE(rig.bus.acknowledge_interrupt(0_ns).value == 0xFF);
  rig.bus.connect(pic);
  const auto cycle = rig.bus.acknowledge_interrupt(1_us);
  REQUIRE(cycle.value == 0x0D);
  REQUIRE(cycle.end == 1'600_ns);
  REQUIRE(pic.when == cycle.end);
}

TEST_CASE("shutdown and FERR# reach the planar") {
  Rig rig;
  std::vector<std::string> log;
  rig.bus.shutdown(0_ns);  // not connected: nothing happens
  rig.bus.on_shutdown([&](Time t) { log.push_back("shutdown " + std::to_string(t.ps)); });
  rig.bus.on_fpu_error([&](bool on, Time) { log.push_back(on ? "ferr" : "no ferr"); });
  rig.bus.shutdown(Time{5});
  rig.bus.fpu_error(true, Time{6});
  rig.bus.fpu_error(false, Time{7});
  REQUIRE(log == std::vector<std::string>{"shutdown 5", "ferr", "no ferr"});
}

TEST_CASE("refresh occupies the channel for its hold time only") {
  BusTiming timing = quiet_timing();
  timing.refresh = {15'120_ns, 400_ns};
  Rig rig(timing);
  RecordingSlave slave;
  auto claim = rig.bus.io().claim(0x300, 0x300, slave, {8, CycleKind::standard, {}});
  SECTION("an access during a refresh waits for its end") {
    rig.step(15'200_ns);
    rig.in(0x300);
    REQUIRE(rig.now == 15'120_ns + 400_ns + 200_ns);
    rig.in(0x300);
    REQUIRE(rig.took == 200_ns);
  }
  SECTION("a refresh that fell due within a cycle starts after it") {
    rig.step(15'000_ns);
    rig.in(0x300);
    REQUIRE(rig.took == 200_ns);
    rig.in(0x300);
    REQUIRE(rig.took == 600_ns);
  }
  SECTION("a refresh that ended while the channel was idle costs nothing") {
    rig.step(16_us);
    rig.in(0x300);
    REQUIRE(rig.took == 200_ns);
  }
  SECTION("back-to-back cycles lose the refresh share of the channel") {
    int cycles = 0;
    while (rig.now < 10_ms) {
      rig.in(0x300);
      ++cycles;
    }
    // 10 ms contain 661 refreshes of 400 ns: (10 ms - 264.4 us) / 200 ns.
    REQUIRE(cycles == 48678);
  }
}
