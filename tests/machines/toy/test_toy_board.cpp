// SPDX-License-Identifier: GPL-2.0-or-later
// Another board with another bus: the machine, its processor, observers, descriptions and snapshots work with the parts
// in tests/machines/toy, without knowing them.
#include <array>
#include <memory>

#include "machines/config/machine_files.hpp"
#include "machines/machine/machine.hpp"
#include "tests/catch.hpp"
#include "tests/machines/toy/toy_board.hpp"

using namespace planar;
using namespace planar::test;
using Catch::Matchers::Contains;

namespace {

MachineConfig toy_config(const std::string& model) {
  Config config = load_machine(model);
  MachineConfig m = read_machine(config);
  m.board_kind = &ToyBoard::kind();
  m.board = m.board_kind->read(config, m);
  return m;
}

struct Bench {
  explicit Bench(const std::string& model) : machine(scheduler, trace, toy_config(model), {}) {
    // At the reset vector: MOV DX,400h; IN AL,DX; IN AL,DX; MOV [0500h],AL; HLT.
    machine.load_firmware(std::array<std::uint8_t, 16>{0xBA, 0x00, 0x04, 0xEC, 0xEC, 0xA2, 0x00, 0x05, 0xF4}, "toy");
  }
  void archive(Archive& a) {
    scheduler.archive(a);
    machine.archive(a);
  }
  Scheduler scheduler;
  Trace trace;
  Machine machine;
};

struct Counter final : bus::BusObserver {
  void accessed(const bus::BusCycle& access) override {
    ++accesses;
    took = access.end - access.start;
  }
  unsigned accesses = 0;
  Time took{};
};

}  // namespace

TEST_CASE("a custom board with two buses is a machine like any other", "[toy-board]") {
  for (const char* model : {"model77", "model95"}) {
    INFO(model);
    Bench b(model);
    REQUIRE(b.machine.board().buses().size() == 2);
    Counter local, second;
    b.machine.board().buses()[0]->add_observer(local);
    b.machine.board().buses()[1]->add_observer(second);
    b.scheduler.run_until(1_ms);
    CHECK(b.machine.halted_for_good());
    CHECK(b.machine.peek_memory(0x500) == 2);
    CHECK(second.accesses == 2);
    CHECK(second.took == 60_ns);  // the second bus's synchronisation and cycle
    CHECK(local.accesses == 0);
    b.machine.board().buses()[0]->remove_observer(local);
    b.machine.board().buses()[1]->remove_observer(second);
  }
}

TEST_CASE("a toy board's slots and devices have descriptions like all others", "[toy-board]") {
  Bench b("model95");
  b.scheduler.run_until(1_ms);
  CHECK(b.machine.devices() == std::vector<std::string>{"cpu", "toy", "slot1.counter"});
  CHECK(b.machine.describe("slot1.counter").fields().size() == 1);
  const auto slots = b.machine.board().slots();
  REQUIRE(slots.size() == 1);
  CHECK(slots[0].bus->name() == "toy");
  CHECK(slots[0].card->name() == "counter");
  CHECK(b.machine.peek_port(ToyCard::base) == 2);
}

TEST_CASE("a snapshot of a toy board does not affect the run", "[toy-board]") {
  Bench straight("model95"), saved("model95"), restored("model95");
  saved.scheduler.run_until(1_us);
  auto saver = Archive::saver();
  saved.archive(saver);
  auto loader = Archive::loader(saver.stream());
  restored.archive(loader);
  loader.expect_end();
  straight.scheduler.run_until(1_ms);
  restored.scheduler.run_until(1_ms);
  CHECK(restored.machine.peek_memory(0x500) == 2);
  CHECK(restored.machine.cpu().time() == straight.machine.cpu().time());
}

TEST_CASE("a machine file with an unknown board is refused with the line", "[toy-board]") {
  Config config = load_machine("model95");
  config.add_text("board = \"eisa\"\n", "mine.toml");
  CHECK_THROWS_WITH(read_machine(config), Contains("mine.toml") && Contains("ps2"));
}
