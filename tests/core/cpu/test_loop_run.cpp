// SPDX-License-Identifier: GPL-2.0-or-later
// Loops of the P6 whose passes are left out: the state is that of executing them all, wherever a run is cut, and passes
// that are not alike are executed.
#include <utility>

#include "core/cpu/engine/engine.hpp"
#include "tests/core/cpu/timing/p6_support.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

constexpr Time whole_run = 3_ms, flag_rises = 1700_us;

struct Loop {
  const char* name;
  std::vector<unsigned> code;
  bool left_out;  ///< whether passes are alike
};

/// MOV EBX, data; the loop; MOV [EBX+16], EAX; HLT.
Loop loop(const char* name, std::vector<unsigned> body, bool left_out) {
  std::vector<unsigned> code{0xBB};
  append(code, little(data_at));
  append(code, body);
  append(code, {0x89, 0x43, 0x10, 0xF4});
  return {name, std::move(code), left_out};
}

std::vector<Loop> loops() {
  return {
      // MOV ECX, 300000; again: DEC ECX; JNS again; RDTSC
      loop("delay", {0xB9, 0xE0, 0x93, 0x04, 0x00, 0x49, 0x79, 0xFD, 0x0F, 0x31}, true),
      // The same with FF /1 and JNZ near
      loop("long delay", {0xB9, 0xE0, 0x93, 0x04, 0x00, 0xFF, 0xC9, 0x0F, 0x85, 0xF8, 0xFF, 0xFF, 0xFF}, true),
      // MOV ESI, 40; outer: MOV ECX, 900; again: DEC ECX; JNS again; DEC ESI; JNZ outer
      loop("short delays", {0xBE, 0x28, 0, 0, 0, 0xB9, 0x84, 3, 0, 0, 0x49, 0x79, 0xFD, 0x4E, 0x75, 0xF5}, true),
      // again: MOV EAX, [EBX]; TEST EAX, EAX; JZ again
      loop("flag", {0x8B, 0x03, 0x85, 0xC0, 0x74, 0xFA}, true),
      // again: PREFETCHT0 [EBX+40h]; MOV EAX, [EBX]; TEST EAX, EAX; JZ again
      loop("flag, with a prefetch", {0x0F, 0x18, 0x4B, 0x40, 0x8B, 0x03, 0x85, 0xC0, 0x74, 0xF6}, true),
      // again: CLI; INC DWORD [EBX+4]; CALL f; DEC DWORD [EBX+4]; CLD; TEST EAX, EAX; JZ again; JMP on;
      // f: PUSH ESI; MOV EAX, [EBX]; MOV [EBX+8], AL; CMP EAX, 77; JE g; g: POP ESI; RET; on:
      loop("visits", {0xFA, 0xFF, 0x43, 0x04, 0xE8, 10,   0,    0,    0,    0xFF, 0x4B, 0x04, 0xFC, 0x85, 0xC0, 0x74,
                      0xEF, 0xEB, 13,   0x56, 0x8B, 0x03, 0x88, 0x43, 0x08, 0x83, 0xF8, 77,   0x74, 0,    0x5E, 0xC3},
           true),
      // again: INC DWORD [EBX+4]; CMP DWORD [EBX+4], 50000; JAE on; XOR EAX, EAX; JMP again
      loop("count in memory", {0xFF, 0x43, 0x04, 0x81, 0x7B, 0x04, 0x50, 0xC3, 0, 0, 0x73, 4, 0x31, 0xC0, 0xEB, 0xF0},
           false),
      // again: RDTSC; CMP EAX, 600000; JAE on; XOR EAX, EAX; XOR EDX, EDX; JMP again
      loop("until a time", {0x0F, 0x31, 0x3D, 0xC0, 0x27, 9, 0, 0x73, 6, 0x31, 0xC0, 0x31, 0xD2, 0xEB, 0xF1}, false),
      // MOV EDX, 300; again: IN EAX, DX; TEST EAX, EAX; JZ again
      loop("port", {0xBA, 0x2C, 1, 0, 0, 0xED, 0x85, 0xC0, 0x74, 0xFB}, false),
  };
}

enum class Way { one_by_one, whole, cuts, snapshots };

/// What the processor and its memory are after `whole_run`.
std::pair<std::string, std::uint64_t> state_after(const Loop& loop, Way way) {
  Board b(coppermine());
  load_code(b, loop.code);
  if (way == Way::one_by_one) b.cpu.limit_block_length(1);
  int n = 0;
  const auto run_until = [&](Time end) {
    if (way == Way::whole || way == Way::one_by_one) b.cpu.run(end);
    while (b.cpu.time() < end) {
      n = n % 97 + 1;
      b.cpu.run(std::min(end, b.cpu.time() + Time{n * n * 1700}));
      if (way != Way::snapshots || n % 10 != 0) continue;
      Archive saved = Archive::saver();
      b.cpu.archive(saved);
      Archive loaded = Archive::loader(saved.stream());
      b.cpu.archive(loaded);
    }
  };
  run_until(flag_rises);
  b.put32(data_at, 5);
  b.pins.input = 5;
  run_until(whole_run);
  CHECK(b.cpu.halted());
  return {b.hash(), b.cpu.instructions()};
}

/// Passes that are left out in `whole_run`.
std::uint64_t left_out(const Loop& loop) {
  Scheduler scheduler;
  AddressSpace space;
  BoardPins pins;
  Trace trace;
  std::vector<std::uint8_t> ram(1 << 20);
  for (std::size_t n = 0; n < loop.code.size(); ++n) ram[code_at + n] = static_cast<std::uint8_t>(loop.code[n]);
  space.map_ram(0, ram);
  const auto engine = std::make_unique<cpu::Engine>(scheduler, space, pins, trace, coppermine());
  for (auto& s : engine->seg) {
    s = cpu::Segment{};
    s.big = true;
    s.limit = 0xFFFFFFFF;
    s.derive();
  }
  engine->seg[CS].selector = 0;
  engine->eip = code_at;
  engine->gpr[ESP] = stack_at;
  engine->cr0 &= ~0x60000000u;
  engine->timing.set_cache_enabled(true);
  engine->update_mode();
  engine->run(whole_run);
  return engine->loop_watch.passes_left_out;
}

}  // namespace

TEST_CASE("P6: a loop whose passes are left out gives the state of all passes") {
  for (const Loop& loop : loops()) {
    INFO(loop.name);
    const auto all = state_after(loop, Way::one_by_one);
    for (const Way way : {Way::whole, Way::cuts, Way::snapshots}) {
      INFO("way " << static_cast<int>(way));
      CHECK(state_after(loop, way) == all);
    }
  }
}

TEST_CASE("P6: passes that are alike are left out, others are executed") {
  for (const Loop& loop : loops()) {
    INFO(loop.name);
    if (loop.left_out)
      CHECK(left_out(loop) > 1000);
    else
      CHECK(left_out(loop) == 0);
  }
}
