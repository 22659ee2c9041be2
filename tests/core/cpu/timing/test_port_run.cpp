// SPDX-License-Identifier: GPL-2.0-or-later
// REP INS and REP OUTS over pins that can compute the cost of accesses without making them: the processor uses this,
// and data and time must equal those of single accesses.
#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

/// A port that returns 1, 2, 3...; up to 50 accesses may be made as one run.
struct StreamPins final : BoardPins {
  std::uint32_t next = 1, runs = 0, run_accesses = 0, single = 0;
  unsigned size = 2;
  cpu::Cycle io_read(std::uint16_t, unsigned, Time start) override {
    ++single;
    return {next++, done(start)};
  }
  Time io_write(std::uint16_t port, unsigned bytes, std::uint32_t v, Time start) override {
    ++single;
    return BoardPins::io_write(port, bytes, v, start);
  }
  bool port_run(std::uint16_t, unsigned bytes, Direction, cpu::PinsRun& run) override {
    size = bytes;
    run.port.count = 50;
    run.cycle = cycle;
    run.limit = run.before = run.quiet_until = Time::never();
    return true;
  }
  void run_written(cpu::PinsRun&, std::span<const std::uint8_t> data, std::uint32_t count, Time) override {
    REQUIRE(data.size() == std::size_t{count} * size);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint32_t v = 0;
      for (unsigned b = 0; b < size; ++b) v |= std::uint32_t{data[i * size + b]} << (8 * b);
      written.emplace_back(0x300, v);
    }
    count_run(count);
  }
  void run_read(cpu::PinsRun&, std::span<std::uint8_t> data, std::uint32_t count, Time) override {
    REQUIRE(data.size() == std::size_t{count} * size);
    for (std::uint32_t i = 0; i < count; ++i, ++next)
      for (unsigned b = 0; b < size; ++b) data[i * size + b] = static_cast<std::uint8_t>(next >> (8 * b));
    count_run(count);
  }
  void count_run(std::uint32_t count) {
    ++runs;
    run_accesses += count;
  }
};

struct StreamBoard {
  Scheduler scheduler;
  AddressSpace space;
  StreamPins pins;
  Trace trace;
  std::vector<std::uint8_t> ram = std::vector<std::uint8_t>(1 << 20);
  cpu::Cpu cpu;

  StreamBoard(Model model, std::initializer_list<unsigned> code, std::uint32_t count, std::uint32_t index)
      : cpu(scheduler, space, pins, trace, Board::config(model)) {
    space.map_ram(0, ram);
    for (std::size_t i = 0x20000; i < 0x30000; ++i) ram[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    std::uint32_t at = code_at;
    for (unsigned b : code) ram[at++] = static_cast<std::uint8_t>(b);
    Registers r;
    const std::uint16_t selectors[6] = {0x2000, 0x1000, 0x4000, 0x2000, 0x2000, 0x2000};
    for (unsigned s = 0; s < 6; ++s) r.segment[s] = {selectors[s], selectors[s] * 16u, 0xFFFF, 0x93, false};
    r.idtr = {0, 0x3FF};
    r.gpr[ECX] = count;
    r.gpr[EDX] = 0x300;
    r.gpr[ESI] = r.gpr[EDI] = index;
    r.cr0 = 0x10;
    r.dr[7] = 0x400;
    cpu.set_registers(r);
  }
  void run() {
    for (int i = 0; i < 100'000 && !cpu.halted(); ++i) cpu.run(cpu.time() + 300_us);
    REQUIRE(cpu.halted());
  }
};

void same_both_ways(Model model, std::initializer_list<unsigned> code, std::uint32_t count, std::uint32_t index,
                    bool runs) {
  INFO("model " << static_cast<int>(model) << ", " << count << " from " << index);
  StreamBoard together(model, code, count, index), singly(model, code, count, index);
  singly.cpu.limit_block_length(1);
  together.run();
  singly.run();
  CHECK(together.cpu.clocks() == singly.cpu.clocks());
  CHECK(together.cpu.registers().gpr == singly.cpu.registers().gpr);
  CHECK(together.cpu.instructions() == singly.cpu.instructions());
  CHECK(together.cpu.account().pins == singly.cpu.account().pins);
  CHECK(together.cpu.account().copying == singly.cpu.account().copying);
  CHECK(together.pins.written == singly.pins.written);
  CHECK(together.ram == singly.ram);
  CHECK(singly.pins.runs == 0);
  CHECK(singly.pins.single == count);
  CHECK(together.pins.run_accesses + together.pins.single == count);
  if (runs)
    CHECK(together.pins.single < count / 4);
  else
    CHECK(together.pins.runs == 0);
}

}  // namespace

TEST_CASE("REP OUTS and REP INS are done in runs if memory is contiguous", "[string]") {
  for (Model model : models)
    for (std::uint32_t count : {20u, 700u, 5000u}) {
      same_both_ways(model, {0xFC, 0xF3, 0x6F, 0xF4}, count, 0x1000, true);        // OUTSW
      same_both_ways(model, {0xFC, 0xF3, 0x6E, 0xF4}, count, 0x0FF1, true);        // OUTSB
      same_both_ways(model, {0xFC, 0x66, 0xF3, 0x6F, 0xF4}, count, 0x0F80, true);  // OUTSD
      same_both_ways(model, {0xFC, 0xF3, 0x6D, 0xF4}, count, 0x1FFE, true);        // INSW
      same_both_ways(model, {0xFC, 0xF3, 0x6C, 0xF4}, count, 0x2003, true);        // INSB
      same_both_ways(model, {0xFC, 0x66, 0xF3, 0x6D, 0xF4}, count, 0x3000, true);  // INSD
    }
}

TEST_CASE("REP OUTS and REP INS go access by access if downwards, misaligned or of one item", "[string]") {
  for (Model model : models) {
    same_both_ways(model, {0xFD, 0xF3, 0x6F, 0xF4}, 300, 0x8000, false);
    same_both_ways(model, {0xFD, 0xF3, 0x6D, 0xF4}, 300, 0x8000, false);
    same_both_ways(model, {0xFC, 0xF3, 0x6F, 0xF4}, 300, 0x8001, false);
    same_both_ways(model, {0xFC, 0xF3, 0x6D, 0xF4}, 300, 0x8001, false);
    same_both_ways(model, {0xFC, 0xF3, 0x6F, 0xF4}, 1, 0x8000, false);
  }
}

TEST_CASE("an index that wraps within REP OUTSW or REP INSW continues at the segment's start", "[string]") {
  for (Model model : models) {
    same_both_ways(model, {0xFC, 0xF3, 0x6F, 0xF4}, 1000, 0xFE00, true);
    same_both_ways(model, {0xFC, 0xF3, 0x6D, 0xF4}, 1000, 0xFE00, true);
  }
}
