// SPDX-License-Identifier: GPL-2.0-or-later
// Unicorn through core/lockstep: the complete state can be set and read, and one step executes one instruction.
#include "core/lockstep/unicorn_cpu.hpp"
#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;
using lockstep::StepResult;
using lockstep::UnicornCpu;

namespace {

/// A board and a Unicorn with a copy of its memory and state.
struct Pair : lockstep::ExternalBus {
  Board board;
  std::vector<std::uint8_t> memory;
  UnicornCpu unicorn;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> written;

  explicit Pair(Model model) : board(model), unicorn(model, this) {}
  Pair& start() {
    memory = board.ram;
    unicorn.map(0, memory);
    unicorn.set_registers(board.cpu.registers());
    return *this;
  }
  std::uint32_t port_read(std::uint16_t port, unsigned bytes) override { return port * 0x100u + bytes; }
  void port_write(std::uint16_t port, unsigned, std::uint32_t value) override { written.emplace_back(port, value); }
  std::uint32_t memory_read(std::uint32_t address, unsigned) override { return address ^ 0x55u; }
  void memory_write(std::uint32_t address, unsigned, std::uint32_t value) override {
    written.emplace_back(address, value);
  }
};

void same(const Registers& a, const Registers& b) {
  CHECK(a.gpr == b.gpr);
  CHECK(a.eip == b.eip);
  CHECK(a.eflags == b.eflags);
  for (unsigned s = 0; s < 6; ++s) {
    INFO("segment register " << s);
    CHECK(a.segment[s].selector == b.segment[s].selector);
    CHECK(a.segment[s].base == b.segment[s].base);
    CHECK(a.segment[s].limit == b.segment[s].limit);
    CHECK(a.segment[s].access == b.segment[s].access);
    CHECK(a.segment[s].big == b.segment[s].big);
  }
  CHECK(a.tr.base == b.tr.base);
  CHECK(a.ldtr.limit == b.ldtr.limit);
  CHECK(a.gdtr.base == b.gdtr.base);
  CHECK(a.idtr.limit == b.idtr.limit);
  CHECK(a.cr0 == b.cr0);
  CHECK(a.cr2 == b.cr2);
  CHECK(a.cr3 == b.cr3);
  CHECK(a.cr4 == b.cr4);
  CHECK(a.cpl == b.cpl);
}

}  // namespace

TEST_CASE("Unicorn accepts and returns the state of each mode") {
  const Model model = GENERATE(Model::i486sx, Model::pentium, Model::p6);
  SECTION("real mode") {
    Pair p(model);
    p.board.real({0x90});
    p.start();
    same(p.unicorn.registers(), p.board.cpu.registers());
  }
  SECTION("protected mode, ring 3, paging") {
    Pair p(model);
    p.board.paged({0x90}, 3);
    p.board.change([](Registers& r) {
      r.eflags = 0x3CD7;
      r.gpr[EDI] = 0xDEADBEEF;
    });
    p.start();
    same(p.unicorn.registers(), p.board.cpu.registers());
  }
}

TEST_CASE("Unicorn runs real mode with segment bases") {
  Pair p(Model::i486sx);
  p.board.real({0xB8, 0x34, 0x12,        // mov ax, 1234h
                0x26, 0xA3, 0x10, 0x00,  // mov es:[10h], ax
                0x05, 0x00, 0x70});      // add ax, 7000h
  p.start();
  for (int i = 0; i < 3; ++i) {
    p.board.step();
    REQUIRE(p.unicorn.step().kind == StepResult::Kind::done);
    same(p.unicorn.registers(), p.board.cpu.registers());
    if (i == 1) {
      REQUIRE(p.unicorn.stores().size() == 1);
      CHECK(p.unicorn.stores()[0].address == 0x20010);
      CHECK(p.unicorn.stores()[0].bytes == 2);
    }
  }
  CHECK(p.memory == p.board.ram);
}

TEST_CASE("Unicorn reports vector, error code and CR2 and does not deliver the exception") {
  SECTION("a page fault of ring 3") {
    Pair p(Model::i486sx);
    p.board.paged({0xA3, 0x10, 0x00, 0x10, 0x00}, 3);  // mov [100010h], eax
    p.board.pte(0x100000, 0x100005);                   // read-only
    p.start();
    const StepResult r = p.unicorn.step();
    REQUIRE(r.kind == StepResult::Kind::exception);
    CHECK(r.vector == 14);
    CHECK(r.error == 7);
    CHECK(p.unicorn.registers().cr2 == 0x100010);
    CHECK(p.unicorn.registers().eip == code_at);
  }
  SECTION("a selector beyond the descriptor table") {
    Pair p(Model::i486sx);
    p.board.flat({0x8E, 0xD8});  // mov ds, ax
    p.board.change([](Registers& r) { r.gpr[EAX] = 0x1230; });
    p.start();
    const StepResult r = p.unicorn.step();
    REQUIRE(r.kind == StepResult::Kind::exception);
    CHECK(r.vector == 13);
    CHECK(r.error == 0x1230);
    CHECK(p.unicorn.registers().eip == code_at);
  }
  SECTION("an undefined opcode") {
    Pair p(Model::i486sx);
    p.board.flat({0x0F, 0x0B});
    p.start();
    const StepResult r = p.unicorn.step();
    REQUIRE(r.kind == StepResult::Kind::exception);
    CHECK(r.vector == 6);
    CHECK(p.unicorn.registers().eip == code_at);
  }
  SECTION("INT n") {
    Pair p(Model::i486sx);
    p.board.flat({0xCD, 0x42});
    p.start();
    const StepResult r = p.unicorn.step();
    REQUIRE(r.kind == StepResult::Kind::exception);
    CHECK(r.vector == 0x42);
    CHECK(r.software);
    CHECK(p.unicorn.registers().eip == code_at + 2);
  }
}

TEST_CASE("Unicorn steps a REP instruction by iterations") {
  Pair p(Model::i486sx);
  p.board.flat({0xF3, 0xAA});  // rep stosb
  p.board.change([](Registers& r) {
    r.gpr[ECX] = 3;
    r.gpr[EDI] = data_at;
    r.gpr[EAX] = 0x5A;
  });
  p.start();
  for (int i = 0; i < 3; ++i) {
    p.board.step();
    p.unicorn.step();
    CHECK(p.unicorn.stores().size() == 1);
    same(p.unicorn.registers(), p.board.cpu.registers());
  }
  CHECK(p.memory == p.board.ram);
}

TEST_CASE("Unicorn forwards port and device accesses") {
  Pair p(Model::i486sx);
  p.board.flat({0xE5, 0x42,                      // in eax, 42h
                0xE6, 0x43,                      // out 43h, al
                0xA1, 0x04, 0x00, 0x30, 0x00,    // mov eax, [300004h]
                0xA2, 0x08, 0x00, 0x30, 0x00});  // mov [300008h], al
  p.unicorn.map_device(0x300000, 0x1000);
  p.start();
  p.unicorn.step();
  CHECK(p.unicorn.registers().gpr[EAX] == 0x4204);
  p.unicorn.step();
  p.unicorn.step();
  CHECK(p.unicorn.registers().gpr[EAX] == 0x300051);
  p.unicorn.step();
  CHECK(p.written == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0x43, 0x04}, {0x300008, 0x51}});
}

TEST_CASE("Externally modified code takes effect after invalidate_code") {
  Pair p(Model::i486sx);
  p.board.flat({0x40});  // inc eax
  p.start();
  p.unicorn.step();
  CHECK(p.unicorn.registers().gpr[EAX] == 1);
  p.memory[code_at] = 0x48;  // dec eax
  p.unicorn.invalidate_code(code_at, 1);
  p.unicorn.set_registers(p.board.cpu.registers());
  p.unicorn.step();
  CHECK(p.unicorn.registers().gpr[EAX] == 0xFFFFFFFFu);
}

TEST_CASE("The x87 state can be set and read") {
  Pair p(Model::pentium);
  p.board.flat({0xD9, 0xE8,    // fld1
                0xD9, 0xEB,    // fldpi
                0xDE, 0xC1});  // faddp
  p.start();
  cpu::Fpu f;
  f.initialise();
  f.control = 0x027F;
  p.board.cpu.set_fpu(f);
  p.unicorn.set_fpu(f);
  for (int i = 0; i < 3; ++i) {
    p.board.step();
    p.unicorn.step();
    const cpu::Fpu a = p.board.cpu.fpu(), b = p.unicorn.fpu();
    CHECK(a.registers[6] == b.registers[6]);
    CHECK(a.registers[7] == b.registers[7]);
    CHECK(a.control == b.control);
    CHECK((a.status & ~0x0220) == (b.status & ~0x0220));  // Unicorn keeps neither C1 nor the exceptions of FADD
    CHECK(a.tags == b.tags);
  }
}
