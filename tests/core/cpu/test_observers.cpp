// SPDX-License-Identifier: GPL-2.0-or-later
// A debugger's use of a processor: several observers at once, a stop at exactly one instruction, memory written without
// its knowledge, its state as named fields. None of it may change what the guest computes, or when.
#include "core/cpu/observer.hpp"

#include "core/state/description.hpp"
#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

struct Counter : cpu::Observer {
  unsigned before = 0, executed = 0;
  std::vector<std::uint32_t> stores;
  void before_step() override { ++before; }
  void after_step(bool ran, const cpu::Op*) override { executed += ran; }
  void stored(std::uint32_t address, std::uint32_t) override { stores.push_back(address); }
};

/// Stops the run before the instruction at `eip`, once.
struct Breakpoint : cpu::Observer {
  Board& board;
  std::uint32_t eip;
  bool armed = true;
  Breakpoint(Board& b, std::uint32_t at) : board(b), eip(at) {}
  void before_step() override {
    if (!armed || board.cpu.registers().eip != eip) return;
    armed = false;
    board.scheduler.stop();
  }
};

/// Stops the run after each instruction.
struct Stepper : cpu::Observer {
  Scheduler& scheduler;
  explicit Stepper(Scheduler& s) : scheduler(s) {}
  void after_step(bool, const cpu::Op*) override { scheduler.stop(); }
};

/// MOV ECX, 20; again: INC DWORD [ESI]; ADD ESI, 4; DEC ECX; JNZ again; HLT
void load(Board& b) {
  b.flat({0xB9, 20, 0, 0, 0, 0xFF, 0x06, 0x83, 0xC6, 0x04, 0x49, 0x75, 0xF8, 0xF4});
  b.change([](Registers& r) { r.gpr[ESI] = data_at; });
}
constexpr unsigned loop_instructions = 1 + 20 * 4 + 1;

std::vector<std::uint8_t> state(Board& b) {
  Archive a = Archive::saver();
  b.cpu.archive(a);
  std::vector<std::uint8_t> all = a.stream();
  all.insert(all.end(), b.ram.begin(), b.ram.end());
  return all;
}
std::vector<std::uint8_t> undisturbed(Model model) {
  Board b(model);
  load(b);
  b.scheduler.run_until(1_ms);
  REQUIRE(b.cpu.halted());
  return state(b);
}

}  // namespace

TEST_CASE("Two observers see every instruction and store, and do not affect the run", "[cpu][observer]") {
  const Model model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  const auto expected = undisturbed(model);
  Board b(model);
  load(b);
  Counter one, two;
  b.cpu.add_observer(one);
  b.cpu.add_observer(two);
  b.scheduler.run_until(1_ms);
  CHECK(state(b) == expected);
  CHECK(one.executed == loop_instructions);
  CHECK(two.executed == loop_instructions);
  CHECK(one.stores.size() == 20);
  CHECK(two.stores == one.stores);
}

TEST_CASE("An observer stops the run before an instruction, and can be removed there", "[cpu][observer]") {
  const Model model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  const auto expected = undisturbed(model);
  Board b(model);
  load(b);
  Counter counter;
  Breakpoint breakpoint(b, code_at + 10);  // DEC ECX
  b.cpu.add_observer(counter);
  b.cpu.add_observer(breakpoint);
  CHECK_FALSE(b.scheduler.run_until(1_ms));
  CHECK(b.cpu.registers().eip == code_at + 10);
  CHECK(counter.executed == 3);
  CHECK(b.cpu.instructions() == 3);
  b.cpu.remove_observer(breakpoint);
  b.cpu.remove_observer(counter);
  CHECK(b.scheduler.run_until(1_ms));
  CHECK(counter.executed == 3);
  CHECK(state(b) == expected);
}

TEST_CASE("An observer steps the lab instruction by instruction", "[cpu][observer]") {
  const Model model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  const auto expected = undisturbed(model);
  Board b(model);
  load(b);
  Stepper stepper(b.scheduler);
  b.cpu.add_observer(stepper);
  for (unsigned n = 1; n <= loop_instructions; ++n) {
    CHECK_FALSE(b.scheduler.run_until(1_ms));
    CHECK(b.cpu.instructions() == n);
  }
  CHECK(b.cpu.halted());
  b.cpu.remove_observer(stepper);
  b.scheduler.run_until(1_ms);
  CHECK(state(b) == expected);
}

TEST_CASE("An observer that removes itself is not called again; the others are", "[cpu][observer]") {
  struct Once : cpu::Observer {
    cpu::Cpu& processor;
    unsigned calls = 0;
    explicit Once(cpu::Cpu& p) : processor(p) {}
    void before_step() override {
      ++calls;
      processor.remove_observer(*this);
    }
  };
  Board b;
  load(b);
  Once once(b.cpu);
  Counter counter;
  b.cpu.add_observer(once);
  b.cpu.add_observer(counter);
  b.scheduler.run_until(1_ms);
  CHECK(once.calls == 1);
  CHECK(counter.executed == loop_instructions);
  b.cpu.remove_observer(counter);
}

TEST_CASE("A poke affects loads and decoded code, and takes no time", "[cpu][observer]") {
  const Model model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  Board b(model);
  load(b);
  Breakpoint breakpoint(b, code_at + 10);
  b.cpu.add_observer(breakpoint);
  b.scheduler.run_until(1_ms);
  const auto clocks = b.cpu.clocks();
  Counter counter;
  b.cpu.add_observer(counter);
  CHECK(b.cpu.poke_linear(code_at + 10, 0xF4));  // HLT in place of DEC ECX
  CHECK(b.cpu.poke(data_at + 4, 0x55));
  CHECK_FALSE(b.cpu.poke(0x00E00000, 1));  // no memory there
  CHECK(b.cpu.peek_linear(code_at + 10) == 0xF4);
  CHECK(b.cpu.clocks() == clocks);
  b.cpu.remove_observer(counter);
  b.cpu.remove_observer(breakpoint);
  b.scheduler.run_until(1_ms);
  CHECK(b.cpu.halted());
  CHECK(b.cpu.registers().eip == code_at + 11);
  CHECK(b.cpu.registers().gpr[ECX] == 20);
}

TEST_CASE("A processor describes its registers and caches", "[cpu][observer]") {
  const Model model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  Board b(model);
  load(b);
  b.scheduler.run_until(1_ms);
  const auto before = state(b);
  Description d("processor");
  b.cpu.describe(d);
  CHECK(state(b) == before);
  REQUIRE(d.find_field("ESI"));
  CHECK(d.find_field("ESI")->value == data_at + 80);
  CHECK(d.find_field("EIP")->value == b.cpu.registers().eip);
  CHECK(d.find_field("halted")->value == 1);
  REQUIRE(d.find_part("CS"));
  CHECK(d.find_part("CS")->find_field("selector")->value == code0);
  CHECK((d.find_part("x87") != nullptr) == (model >= Model::pentium));
  CHECK((d.find_part("code TLB") != nullptr) == (model >= Model::pentium));
  CHECK((d.find_part("MMX") != nullptr) == (model == Model::p6));
  CHECK((d.find_part("MTRR") != nullptr) == (model == Model::p6));
  CHECK((d.find_part("L1 cache") != nullptr) == (model == Model::i486sx));
  CHECK((d.find_part("L1 code cache") != nullptr) == (model >= Model::pentium));
}
