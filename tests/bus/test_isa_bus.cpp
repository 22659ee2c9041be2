// SPDX-License-Identifier: GPL-2.0-or-later
// The ISA side of a PC: its cycles begin when PCI is free, and leave PCI to masters in the meantime.
#include <optional>

#include "bus/host/host_bridge.hpp"
#include "bus/isa/isa_bus.hpp"
#include "bus/pci/master.hpp"
#include "tests/bus/pci_rig.hpp"
#include "tests/catch.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct IsaPort final : Slave {
  std::uint32_t read(std::uint32_t, unsigned, Time) override { return 0x5A; }
  void write(std::uint32_t, unsigned, std::uint32_t, Time) override {}
  std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return 0x5A; }
};

struct IsaBench {
  IsaBench() {
    host.attach(isa);
    host.attach(pci);
    memory.map_ram(0, ram);
    claim = host.io().claim(0x21, 0x21, port, CycleSpec{8, isa::CycleKind::byte, {}});
  }
  Time in(std::uint16_t at) {
    const auto cycle = host.io_read(at, 1, now);
    const Time took = cycle.end - now;
    now = cycle.end;
    return took;
  }
  Scheduler scheduler;
  AddressSpace memory;
  Trace trace;
  std::vector<std::uint8_t> ram = std::vector<std::uint8_t>(0x10000);
  bus::HostBridge host{scheduler, memory, {}, trace};
  pci::Segment pci{scheduler, {}, memory, trace};
  isa::IsaBus isa{scheduler, {}, pci};
  IsaPort port;
  IoClaim claim;
  Time now{};
};

struct IsaNeighbour final : MasterPlace, pci::Master {
  explicit IsaNeighbour(IsaBench& b)
      : MasterPlace({b.scheduler, b.host.io(), b.memory, b.pci, b.trace, [](unsigned, unsigned, bool, Time) {}}, 20),
        Master(function, "mover") {}
  std::span<std::uint8_t> burst_data() override { return buffer; }
  void burst_ended(pci::BurstEnd, Time now) override {
    ++ended;
    start(BurstCommand::write, 0x1000, 256, now);
  }
  std::vector<std::uint8_t> buffer = std::vector<std::uint8_t>(256);
  int ended = 0;
};

}  // namespace

TEST_CASE("a system board port and an undecoded port take an 8-bit ISA cycle") {
  IsaBench b;
  const isa::IsaTiming t;
  const Time expected = t.synchronisation + t.clock * std::int64_t{t.byte_clocks} + t.completion;
  CHECK(b.in(0x21) == expected);
  CHECK(b.in(0x80) == expected);
}

TEST_CASE("a master and the processor's ISA cycles alternate, and neither starves") {
  IsaBench b;
  IsaNeighbour mover(b);
  mover.set_latency_timer(16);
  mover.start(BurstCommand::write, 0x1000, 256, b.now);
  for (int n = 0; n < 200; ++n) b.in(0x21);
  CHECK(mover.ended > 20);
  // Once the processor is done, the master continues alone.
  const int before = mover.ended;
  b.scheduler.advance(b.now + 100_us);
  CHECK(mover.ended > before + 20);
}
