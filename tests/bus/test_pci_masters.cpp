// SPDX-License-Identifier: GPL-2.0-or-later
// Masters on PCI: how long a burst takes, which master is next, and the effects of the latency timer, the processor and
// addresses that nothing answers.
#include "bus/pci/master.hpp"
#include "tests/bus/pci_rig.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct Mover final : MasterPlace, pci::Master {
  explicit Mover(PciRig& rig, unsigned device = 20, std::string name = "mover", unsigned width = 32)
      : MasterPlace(rig.wiring(), device), Master(function, std::move(name), width) {}
  void move(BurstCommand command, std::uint32_t address, std::uint32_t bytes, Time now) {
    buffer.resize(bytes);
    start(command, address, bytes, now);
  }
  std::span<std::uint8_t> burst_data() override { return buffer; }
  void burst_ended(pci::BurstEnd how, Time now) override {
    end = how;
    when = now;
    ++ended;
    if (again) start(BurstCommand::write, 0x2000, static_cast<std::uint32_t>(buffer.size()), now);
  }
  std::vector<std::uint8_t> buffer;
  pci::BurstEnd end{};
  Time when{};
  int ended = 0;
  bool again = false;
};

/// Registers of the master's own card: the first access cancels the burst under way and starts another one.
struct OwnRegisters final : Slave {
  explicit OwnRegisters(Mover& m) : mover(m) {}
  std::uint32_t read(std::uint32_t, unsigned, Time now) override { return touch(now); }
  void write(std::uint32_t, unsigned, std::uint32_t, Time now) override { touch(now); }
  std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return 0; }
  std::uint32_t touch(Time now) {
    if (touched++ == 0) {
      mover.cancel(now);
      mover.buffer = std::vector<std::uint8_t>(4, 0x5A);
      mover.start(BurstCommand::write, 0x3000, 4, now);
    }
    return 0;
  }
  Mover& mover;
  int touched = 0;
};

/// Records the bus's transfers in order.
struct MasterWatcher final : bus::BusObserver {
  void transferred(const std::string& owner, const bus::Transfer& t, Time, Time) override {
    log.push_back(owner + " " + std::to_string(t.bytes));
  }
  std::vector<std::string> log;
};

}  // namespace

TEST_CASE("a burst takes arbitration, the target's initial latency and a clock for each further datum") {
  PciRig rig;
  Mover mover(rig);
  const auto& t = rig.segment.timing();
  SECTION("a write") {
    mover.move(BurstCommand::write, 0x1000, 64, rig.now);
    rig.step(10_us);
    CHECK(mover.when == t.clocks(t.grant + t.memory.write_first + 15));
  }
  SECTION("a read of several lines with read-ahead") {
    mover.move(BurstCommand::read_multiple, 0x1000, 256, rig.now);
    rig.step(20_us);
    CHECK(mover.when == t.clocks(t.grant + t.memory.read_first + 63));
  }
  SECTION("a read of several lines, each fetched separately") {
    mover.move(BurstCommand::read, 0x1010, 64, rig.now);  // 1010h to 104Fh: crosses two line boundaries
    rig.step(20_us);
    CHECK(mover.when == t.clocks(t.grant + t.memory.read_first + 15 + 2 * t.memory.read_line_gap));
  }
  SECTION("byte enables allow any address but take whole doublewords of time") {
    mover.move(BurstCommand::write, 0x1002, 4, rig.now);
    rig.step(20_us);
    CHECK(mover.when == t.clocks(t.grant + t.memory.write_first + 1));
  }
  CHECK(mover.ended == 1);
  CHECK(mover.end == pci::BurstEnd::done);
}

TEST_CASE("a burst transfers the contents of memory at its end") {
  PciRig rig;
  Mover mover(rig);
  rig.put(0x1003, {1, 2, 3, 4, 5, 6, 7});
  mover.move(BurstCommand::read, 0x1003, 7, rig.now);
  rig.step(10_us);
  CHECK(mover.buffer == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7});
  mover.move(BurstCommand::write, 0x2FFE, 7, rig.now);  // crosses a page boundary
  rig.step(10_us);
  CHECK(rig.get(0x2FFE, 7) == mover.buffer);
  CHECK(mover.ended == 2);
}

TEST_CASE("a burst to an address that no target claims ends in a master abort") {
  PciRig rig;
  Mover mover(rig);
  mover.move(BurstCommand::write, 0xF0000000, 64, rig.now);
  rig.step(10_us);
  CHECK(mover.ended == 1);
  CHECK(mover.end == pci::BurstEnd::master_abort);
  SECTION("also if a burst runs beyond the end of memory") {
    mover.move(BurstCommand::read, 0xFFFC0, 256, rig.now);
    rig.step(10_us);
    CHECK(mover.end == pci::BurstEnd::master_abort);
  }
  SECTION("also at the top of the address space") {
    mover.move(BurstCommand::read, 0xFFFFFFF0, 256, rig.now);
    rig.step(10_us);
    CHECK(mover.ended == 2);
  }
}

TEST_CASE("two masters alternate, each for its latency timer") {
  PciRig rig;
  Mover first(rig, 20, "first"), second(rig, 21, "second");
  MasterWatcher watcher;
  rig.segment.add_observer(watcher);
  first.set_latency_timer(32);
  second.set_latency_timer(32);
  first.move(BurstCommand::write, 0x1000, 256, rig.now);
  second.move(BurstCommand::write, 0x2000, 256, rig.now);
  rig.step(20_us);
  rig.segment.remove_observer(watcher);
  CHECK(first.ended == 1);
  CHECK(second.ended == 1);
  // The timer's 32 clocks less three to the first datum, and the datum under way.
  REQUIRE(watcher.log.size() >= 4);
  CHECK(watcher.log[0] == "first 120");
  CHECK(watcher.log[1] == "second 120");
  CHECK(watcher.log[2] == "first 120");
}

TEST_CASE("the processor gets the bus when the owner's latency timer has expired") {
  PciRig rig;
  Mover mover(rig);
  struct Registers final : Slave {
    std::uint32_t read(std::uint32_t, unsigned, Time) override { return 0; }
    void write(std::uint32_t, unsigned, std::uint32_t, Time) override {}
    std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return 0; }
  } registers;
  pci::Slot slot(3, 1, rig.wiring());
  const auto claim = slot.claim_io(0x6000, 0x60FF, registers, {32, pci::CycleKind::io, {}});
  const auto& t = rig.segment.timing();
  rig.in(0x6000, 4);
  const Time alone = rig.took;
  mover.buffer.resize(1024);
  mover.again = true;
  const auto wait = [&] {
    rig.in(0x6000, 4);
    return (rig.took - alone).ps;
  };
  SECTION("immediately if the timer is 0") {
    mover.start(BurstCommand::write, 0x2000, 1024, rig.now);
    rig.step(t.clocks(10) + 7_ns);
    for (int n = 0; n < 20; ++n) {
      const auto waited = wait();
      CHECK(waited > 0);
      CHECK(waited < t.clocks(8).ps);
    }
  }
  SECTION("after at most 64 clocks if the timer is 64") {
    mover.set_latency_timer(64);
    int long_waits = 0;
    mover.start(BurstCommand::write, 0x2000, 1024, rig.now);
    rig.step(t.clocks(10) + 7_ns);
    for (int n = 0; n < 20; ++n) {
      const auto waited = wait();
      CHECK(waited < t.clocks(75).ps);
      if (waited > t.clocks(40).ps) ++long_waits;
    }
    CHECK(long_waits > 10);  // the others coincide with the end of a burst
    CHECK(mover.ended > 3);
  }
}

TEST_CASE("a burst continues after a snapshot") {
  const auto run = [](bool interrupted) {
    auto rig = std::make_unique<PciRig>();
    auto mover = std::make_unique<Mover>(*rig);
    mover->move(BurstCommand::write, 0x1000, 512, rig->now);
    rig->step(1_us);
    if (interrupted) {
      Archive save = Archive::saver();
      rig->archive(save);
      save(mover->buffer);
      mover.reset();
      rig = std::make_unique<PciRig>();
      mover = std::make_unique<Mover>(*rig);
      mover->buffer.resize(512);
      Archive load = Archive::loader(save.stream());
      rig->archive(load);
      load(mover->buffer);
    }
    rig->step(20_us);
    return mover->when;
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("a restored burst whose master lacks its buffer ends in a master abort") {
  PciRig first;
  Mover mover(first);
  mover.move(BurstCommand::read_multiple, 0x1000, 512, first.now);
  first.step(1_us);
  Archive save = Archive::saver();
  first.archive(save);
  PciRig second;
  Mover other(second);
  Archive load = Archive::loader(save.stream());
  second.archive(load);  // its buffer is empty
  second.step(20_us);
  CHECK(other.ended == 1);
  CHECK(other.end == pci::BurstEnd::master_abort);
}

TEST_CASE("a 64-bit master on a 64-bit segment moves a quadword per clock") {
  pci::SegmentTiming timing;
  timing.width = 64;
  PciRig rig(timing);
  Mover wide(rig, 20, "wide", 64), narrow(rig, 21, "narrow");
  const auto& t = rig.segment.timing();
  const auto took = [&](Mover& mover, BurstCommand command, std::uint32_t address, std::uint32_t bytes) {
    const Time begun = rig.now;
    mover.move(command, address, bytes, rig.now);
    rig.step(20_us);
    return mover.when - begun;
  };
  CHECK(took(wide, BurstCommand::write, 0x1000, 64) == t.clocks(t.grant + t.memory.write_first + 7));
  CHECK(took(narrow, BurstCommand::write, 0x1000, 64) == t.clocks(t.grant + t.memory.write_first + 15));
  SECTION("byte enables allow any address but take whole quadwords of time") {
    CHECK(took(wide, BurstCommand::write, 0x1006, 4) == t.clocks(t.grant + t.memory.write_first + 1));
    CHECK(took(wide, BurstCommand::write, 0x1004, 60) == t.clocks(t.grant + t.memory.write_first + 7));
  }
  SECTION("cache lines keep their length") {
    CHECK(took(wide, BurstCommand::read, 0x1010, 64) ==
          t.clocks(t.grant + t.memory.read_first + 7 + 2 * t.memory.read_line_gap));
  }
  SECTION("on a 32-bit segment it moves doublewords") {
    PciRig other;
    Mover mover(other, 20, "wide", 64);
    mover.move(BurstCommand::write, 0x1000, 64, other.now);
    other.step(10_us);
    CHECK(mover.when == t.clocks(t.grant + t.memory.write_first + 15));
  }
  SECTION("the datum in progress when the latency timer expires is the last one") {
    MasterWatcher watcher;
    rig.segment.add_observer(watcher);
    wide.set_latency_timer(32);
    narrow.set_latency_timer(32);
    wide.move(BurstCommand::write, 0x1000, 1024, rig.now);
    narrow.move(BurstCommand::write, 0x2000, 256, rig.now);
    rig.step(20_us);
    rig.segment.remove_observer(watcher);
    REQUIRE(watcher.log.size() >= 2);
    CHECK(watcher.log[0] == "wide 240");
    CHECK(watcher.log[1] == "narrow 120");
    CHECK(rig.get(0x1000, 1024) == wide.buffer);
  }
}

TEST_CASE("the memory's share of a read does not depend on the bus clock") {
  pci::SegmentTiming timing;
  timing.memory.read_first = 4;
  timing.memory.read_access = 234_ns;
  const auto first = [&](Time clock) {
    timing.clock = clock;
    PciRig rig(timing);
    Mover mover(rig);
    mover.move(BurstCommand::read_multiple, 0x1000, 4, rig.now);
    rig.step(10_us);
    return mover.when;
  };
  CHECK(first(30_ns) == 30_ns * 6 + 240_ns);
  CHECK(first(15_ns) == 15_ns * 6 + 240_ns);
}

TEST_CASE("a card that does not support 66 MHz slows down its segment") {
  pci::SegmentTiming timing;
  timing.clock = 15_ns;
  PciRig rig(timing);
  struct Card : pci::Function {
    using Function::Function;
  };
  pci::Slot board(1, 0, rig.wiring()), first(2, 1, rig.wiring()), second(3, 2, rig.wiring());
  const Card bridge(board, {.vendor = 0x8086, .device = 1});
  const Card fast(first, {.vendor = 0x8086, .device = 2, .mhz_66 = true});
  CHECK(rig.segment.m66en());
  CHECK(rig.config(2, pci::STATUS, 2) & pci::CAPABLE_66MHZ);
  const Card slow(second, {.vendor = 0x8086, .device = 3});
  CHECK_FALSE(rig.segment.m66en());
  CHECK(rig.segment.timing().clock == 30_ns);
  CHECK_FALSE(rig.config(3, pci::STATUS, 2) & pci::CAPABLE_66MHZ);
  Mover mover(rig);
  const Time begun = rig.now;
  mover.move(BurstCommand::write, 0x1000, 64, rig.now);
  rig.step(10_us);
  CHECK(mover.when - begun == 30_ns * (timing.grant + timing.memory.write_first + 15));
}

TEST_CASE("a master waits for COMMAND.BUS_MASTER, and deasserts REQ# when it is cleared") {
  PciRig rig;
  Mover mover(rig);
  mover.write(pci::COMMAND, 2, 0);
  mover.move(BurstCommand::write, 0x1000, 512, rig.now);
  rig.step(10_us);
  CHECK(mover.ended == 0);
  CHECK_FALSE(mover.requesting());
  SECTION("the wait survives a snapshot") {
    Archive save = Archive::saver();
    rig.archive(save);
    mover.cancel(rig.now);
    Archive load = Archive::loader(save.stream());
    rig.archive(load);
  }
  SECTION("a reset of the chip cancels the burst") {
    mover.cancel(rig.now);
    mover.write(pci::COMMAND, 2, pci::BUS_MASTER, rig.now);
    rig.step(20_us);
    CHECK(mover.ended == 0);
    mover.move(BurstCommand::write, 0x1000, 512, rig.now);
  }
  mover.write(pci::COMMAND, 2, pci::BUS_MASTER, rig.now);
  CHECK((mover.requesting() || rig.segment.owner_name() == "mover"));
  SECTION("BUS_MASTER cleared before GNT# prevents the grant") {
    mover.write(pci::COMMAND, 2, 0, rig.now);
    rig.step(20_us);
    CHECK(mover.ended == 0);
    mover.write(pci::COMMAND, 2, pci::BUS_MASTER, rig.now);
  }
  SECTION("BUS_MASTER cleared within a transaction lets that end and holds back the rest") {
    Mover other(rig, 21, "other");
    rig.step(1_us);
    other.move(BurstCommand::write, 0x8000, 64, rig.now);  // its turn comes when the timer of 0 has expired
    mover.write(pci::COMMAND, 2, 0, rig.now);
    rig.step(20_us);
    CHECK(other.ended == 1);
    CHECK(mover.ended == 0);
    mover.write(pci::COMMAND, 2, pci::BUS_MASTER, rig.now);
  }
  rig.step(20_us);
  CHECK(mover.ended == 1);
  CHECK(mover.end == pci::BurstEnd::done);
}

namespace {
/// A processor whose cache contents are given by the test.
struct SnoopedHost {
  explicit SnoopedHost(pci::Segment& segment) {
    segment.set_host({[this](BurstCommand c, std::uint32_t address, std::uint32_t bytes) {
                        snoops.push_back({c, address, bytes});
                        return dirty;
                      },
                      [this](Time from, Time to, Time period, Time, Time bus) {
                        shares.push_back({from, to, period, bus});
                      }});
  }
  struct Snooped {
    BurstCommand command;
    std::uint32_t address, bytes;
  };
  struct Shared {
    Time from, to, period, bus;
  };
  pci::Segment::Host::Dirty dirty;
  std::vector<Snooped> snoops;
  std::vector<Shared> shares;
};
}  // namespace

TEST_CASE("memory write and invalidate needs both configuration registers and whole lines") {
  PciRig rig;
  SnoopedHost host(rig.segment);
  Mover mover(rig);
  const auto command = [&](std::uint32_t address, std::uint32_t bytes) {
    mover.move(BurstCommand::write_invalidate, address, bytes, rig.now);
    rig.step(20_us);
    return host.snoops.back().command;
  };
  constexpr auto both = pci::BUS_MASTER | pci::MEMORY_WRITE_INVALIDATE;
  CHECK(command(0x1000, 64) == BurstCommand::write);  // nothing set
  mover.write(pci::CACHE_LINE_SIZE, 1, 8);
  CHECK(command(0x1000, 64) == BurstCommand::write);  // no COMMAND bit
  mover.write(pci::COMMAND, 2, both);
  CHECK(command(0x1000, 64) == BurstCommand::write_invalidate);
  CHECK(command(0x1010, 64) == BurstCommand::write);
  CHECK(command(0x1000, 48) == BurstCommand::write);
  for (const unsigned other : {0u, 4u, 16u}) {
    mover.write(pci::CACHE_LINE_SIZE, 1, other);
    CHECK(command(0x1000, 64) == BurstCommand::write);
  }
  SECTION("it releases the bus only between lines") {
    mover.write(pci::CACHE_LINE_SIZE, 1, 8);
    Mover other(rig, 21, "other");
    other.set_latency_timer(64);
    MasterWatcher watcher;
    rig.segment.add_observer(watcher);
    mover.move(BurstCommand::write_invalidate, 0x1000, 256, rig.now);
    rig.step(200_ns);  // its timer is 0: otherwise the next datum would be the last one
    other.move(BurstCommand::write, 0x8000, 64, rig.now);
    rig.step(20_us);
    rig.segment.remove_observer(watcher);
    REQUIRE(watcher.log.size() == 3);
    CHECK(watcher.log[0] == "mover 32");
    CHECK(watcher.log[1] == "other 64");
    CHECK(watcher.log[2] == "mover 224");
  }
}

TEST_CASE("a dirty line is written back before a master reads it, which occupies the processor's bus") {
  PciRig rig;
  SnoopedHost host(rig.segment);
  Mover mover(rig);
  const auto& t = rig.segment.timing();
  const auto took = [&](BurstCommand command) {
    const Time from = rig.now;
    mover.move(command, 0x1000, 128, rig.now);
    rig.step(20_us);
    return mover.when - from;
  };
  const Time read = took(BurstCommand::read_multiple), write = took(BurstCommand::write);
  CHECK(host.shares.back().bus == t.memory.snoop);
  host.dirty = {2, 0, 0};  // two of the four lines are dirty, the first is clean: hidden by the early snoop
  CHECK(took(BurstCommand::read_multiple) == read);
  CHECK(host.shares.back().bus == t.memory.snoop + Time{t.memory.l1_write_back.ps / 2});
  host.dirty = {1, 2, 1};
  CHECK(took(BurstCommand::read_multiple) == read + t.memory.l1_write_back);
  host.dirty = {0, 4, 2};
  CHECK(took(BurstCommand::read_multiple) == read + t.memory.l2_write_back);
  CHECK(host.shares.back().bus == t.memory.snoop + t.memory.l2_write_back);
  CHECK(took(BurstCommand::write) == write);
  CHECK(host.shares.back().to - host.shares.back().from >= host.shares.back().period * 4);
}

TEST_CASE("a preempted transaction shares the memory only until its end") {
  PciRig rig;
  SnoopedHost host(rig.segment);
  Mover mover(rig), other(rig, 21, "other");
  mover.move(BurstCommand::read_multiple, 0x1000, 1024, rig.now);
  rig.step(1_us);
  other.move(BurstCommand::write, 0x8000, 64, rig.now);
  REQUIRE(host.shares.size() == 2);
  CHECK(host.shares[1].from == host.shares[0].from);
  CHECK(host.shares[1].to < rig.now + 100_ns);
}

TEST_CASE("a master abort sets its bit in the function's STATUS") {
  PciRig rig;
  Mover mover(rig);
  mover.move(BurstCommand::write, 0xF0000000, 64, rig.now);
  rig.step(10_us);
  CHECK((mover.function.config().read(pci::STATUS, 2) & pci::RECEIVED_MASTER_ABORT) != 0);
}

TEST_CASE("a burst that its own data cancels ends, and the new burst of its master is transferred") {
  PciRig rig;
  Mover mover(rig);
  OwnRegisters registers(mover);
  const MemoryClaim claim = rig.memory.claim(0xFEB00000, 0x1000, registers, {});
  mover.move(GENERATE(BurstCommand::write, BurstCommand::read), 0xFEB00000, 64, rig.now);
  rig.step(10_us);
  CHECK(registers.touched == 64);
  CHECK(mover.ended == 1);
  CHECK(mover.end == pci::BurstEnd::done);
  CHECK(rig.get(0x3000, 4) == std::vector<std::uint8_t>(4, 0x5A));
  CHECK_FALSE(mover.active());
}
