// SPDX-License-Identifier: GPL-2.0-or-later
// The host's cost of self-modifying code: little more is decoded than is executed, however the code is written.
#include "core/cpu/engine/accounting.hpp"
#include "core/cpu/engine/engine.hpp"
#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

struct Counting final : cpu::Accounting {
  explicit Counting(std::uint64_t& count) : decoded_(count) {}
  void decoded(cpu::Op&, const cpu::DecodeMode&) override { ++decoded_; }
  void block_ends(std::span<const std::uint8_t>, cpu::Op&, const cpu::DecodeMode&) override {}
  void interrupted() override {}
  std::uint64_t& decoded_;
};

struct Work {
  std::uint64_t executed = 0, decoded = 0;
};

/// Runs `code` in real mode at 0000:1000 for `span` of virtual time.
Work run(Model model, const std::vector<std::uint8_t>& code, Time span) {
  Scheduler scheduler;
  AddressSpace space;
  BoardPins pins;
  Trace trace;
  std::vector<std::uint8_t> ram(1 << 20);
  std::copy(code.begin(), code.end(), ram.begin() + 0x1000);
  space.map_ram(0, ram);
  const auto engine = std::make_unique<cpu::Engine>(scheduler, space, pins, trace, Board::config(model));
  Work work;
  engine->accounting = std::make_unique<Counting>(work.decoded);
  engine->seg[CS].selector = 0;
  engine->seg[CS].base = 0;
  engine->seg[CS].derive();
  engine->eip = 0x1000;
  engine->update_mode();
  engine->run(span);
  work.executed = engine->instructions;
  return work;
}

void word(std::vector<std::uint8_t>& code, unsigned value) {
  code.push_back(static_cast<std::uint8_t>(value));
  code.push_back(static_cast<std::uint8_t>(value >> 8));
}

void jump_to_start(std::vector<std::uint8_t>& code) {
  code.push_back(0xE9);
  word(code, static_cast<unsigned>(-static_cast<int>(code.size()) - 2));
}

/// Each instruction writes the immediate of the next one.
std::vector<std::uint8_t> each_writes_the_next(unsigned count) {
  std::vector<std::uint8_t> code;
  for (unsigned n = 0; n < count; ++n) {
    code.insert(code.end(), {0xC6, 0x06});  // MOV byte [next + 4], imm
    word(code, static_cast<unsigned>(0x1000 + code.size() + 3 + 4));
    code.push_back(static_cast<std::uint8_t>(n));
  }
  code.insert(code.end(), 8, 0x90);
  jump_to_start(code);
  return code;
}

/// Each instruction writes the first byte of the loop, after all others have run.
std::vector<std::uint8_t> all_write_the_first(unsigned count) {
  std::vector<std::uint8_t> code{0x90, 0x90};
  for (unsigned n = 0; n < count; ++n) {
    code.insert(code.end(), {0xC6, 0x06});
    word(code, 0x1000);
    code.push_back(0x90);
  }
  jump_to_start(code);
  return code;
}

/// Code that is written once and then runs: a copy of 64 instructions, which are then executed a thousand times.
std::vector<std::uint8_t> written_once() {
  std::vector<std::uint8_t> code{0xBF, 0x00, 0x20, 0xB9, 0x40, 0x00, 0xB0, 0x40, 0xF3, 0xAA,  // 64 INC AX at 2000h
                                 0xB0, 0xC3, 0xAA, 0xBC, 0x00, 0x80, 0xB9, 0xE8, 0x03};       // RET; SP; CX = 1000
  code.insert(code.end(), {0xBB, 0x00, 0x20, 0xFF, 0xD3, 0xE2, 0xFC});                        // CALL BX; LOOP
  jump_to_start(code);
  return code;
}

}  // namespace

TEST_CASE("code that modifies itself on every instruction is not decoded much more often than it executes", "[cpu]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  for (const unsigned count : {1u, 3u, 60u, 256u, 700u}) {
    INFO(count << " instructions");
    const Work next = run(model, each_writes_the_next(count), 10_ms);
    CHECK(next.executed > 2000);
    CHECK(next.decoded < 3 * next.executed + 2000);
    const Work first = run(model, all_write_the_first(count), 10_ms);
    CHECK(first.executed > 2000);
    CHECK(first.decoded < 3 * first.executed + 2000);
  }
}

TEST_CASE("code that is written once and then executed is decoded in long blocks", "[cpu]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  const Work work = run(model, written_once(), 20_ms);
  CHECK(work.executed > 10'000);
  CHECK(work.decoded < work.executed / 20);
}
