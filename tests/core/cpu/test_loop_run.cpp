// SPDX-License-Identifier: GPL-2.0-or-later
// Loops of the P6 whose passes are skipped: the state is the same as if all were executed, wherever a run is cut, and
// passes that differ are executed.
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
  bool left_out;  ///< whether passes are identical
};

/// MOV EBX, data; the loop; MOV [EBX+16], EAX; HLT.
Loop loop(const char* name, std::vector<unsigned> body, bool left_out) {
  std::vector<unsigned> code{0xBB};
  append(code, little(data_at));
  append(code, body);
  append(code, {0x89, 0x43, 0x10, 0xF4});
  return {name, std::move(code), left_out};
}

void store(std::vector<unsigned>& code, unsigned at, std::uint32_t value) {  // MOV DWORD [EBX+at], value
  append(code, {0xC7, 0x83});
  append(code, little(at));
  append(code, little(value));
}

/// A pass like that of a boot loader waiting for a key: an interrupt, loads of segments, tables and CR0, and a copy of
/// a few words. `across`: one of its instructions crosses a page boundary.
Loop visits_to_the_bios(const char* name, bool across) {
  std::vector<unsigned> body;
  const auto here = [&] { return code_at + 5 + static_cast<std::uint32_t>(body.size()); };
  append(body, {0xEB, 3});
  const std::uint32_t handler = here();
  append(body, {0x60, 0x61, 0xCF});  // PUSHAD; POPAD; IRETD
  store(body, 0x108, 0x0000FFFF);    // GDT: code, data
  store(body, 0x10C, 0x00CF9A00);
  store(body, 0x110, 0x0000FFFF);
  store(body, 0x114, 0x00CF9200);
  store(body, 0x200, (data_at + 0x100) << 16 | 0x17);
  store(body, 0x204, (data_at + 0x100) >> 16);
  store(body, 0x208, (data_at + 0x300) << 16 | 0x107);
  store(body, 0x20C, (data_at + 0x300) >> 16);
  store(body, 0x400, 8u << 16 | (handler & 0xFFFF));  // IDT: INT 20h
  store(body, 0x404, (handler & 0xFFFF0000u) | 0x8E00);
  append(body, {0x0F, 0x20, 0xC0, 0x0C, 1, 0x0F, 0x22, 0xC0});  // MOV EAX, CR0; OR AL, 1; MOV CR0, EAX
  append(body, {0x0F, 0x01, 0x93, 0, 2, 0, 0, 0x0F, 0x01, 0x9B, 8, 2, 0, 0, 0xEA});  // LGDT, LIDT, JMP 8:
  append(body, little(here() + 6));
  append(body, {8, 0, 0xB8, 0x10, 0, 0, 0, 0x8E, 0xD8, 0x8E, 0xC0, 0x8E, 0xD0});  // MOV EAX, 10h; MOV DS, ES, SS
  if (across)
    while ((here() + 12 + 3) % 0x1000 != 0) body.push_back(0x90);
  const std::uint32_t again = here();
  append(body, {0xCD, 0x20, 0x8C, 0xD8, 0x8E, 0xC0, 0x06, 0x07, 0x0F, 0x20, 0xC0, 0x90,  // INT; ES; MOV EAX, CR0
                0x0F, 0x01, 0x93, 0,    2,    0,    0,    0x0F, 0x22, 0xC0,              // LGDT; MOV CR0, EAX
                0x8D, 0xB3, 0,    5,    0,    0,    0x8D, 0xBB, 0x40, 5,    0,    0,     // LEA ESI and EDI
                0xB9, 5,    0,    0,    0,    0xFC, 0xF3, 0xA5, 0xEA});                  // REP MOVSD; JMP 8:
  append(body, little(here() + 6));
  append(body, {8, 0, 0x8B, 0x03, 0x85, 0xC0, 0x0F, 0x84});  // MOV EAX, [EBX]; TEST EAX, EAX; JZ again
  append(body, little(again - (here() + 4)));
  return loop(name, std::move(body), true);
}

std::vector<Loop> loops() {
  return {
      visits_to_the_bios("visits to the BIOS", false),
      visits_to_the_bios("visits to the BIOS, across two pages", true),
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

/// The state of the processor and its memory after `whole_run`.
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

/// Number of passes skipped in `whole_run`.
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

TEST_CASE("P6: skipped loop passes leave the same state as executed ones") {
  for (const Loop& loop : loops()) {
    INFO(loop.name);
    const auto all = state_after(loop, Way::one_by_one);
    for (const Way way : {Way::whole, Way::cuts, Way::snapshots}) {
      INFO("way " << static_cast<int>(way));
      CHECK(state_after(loop, way) == all);
    }
  }
}

TEST_CASE("P6: identical passes are skipped, others are executed") {
  for (const Loop& loop : loops()) {
    INFO(loop.name);
    if (loop.left_out)
      CHECK(left_out(loop) > 1000);
    else
      CHECK(left_out(loop) == 0);
  }
}
