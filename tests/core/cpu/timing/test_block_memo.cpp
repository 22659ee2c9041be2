// SPDX-License-Identifier: GPL-2.0-or-later
// The P6 skips computing the pipeline for code whose effect is known: the state is the same as if everything were
// computed, however much is known, wherever a run is cut, and whatever happens to the known code.
#include <string>
#include <string_view>
#include <vector>

#include "core/common/error.hpp"
#include "tests/archived.hpp"
#include "tests/core/cpu/timing/p6_support.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

constexpr Time whole_run = 4_ms;

struct Program {
  const char* name;
  std::vector<unsigned> code;
};

/// MOV EBX, data; MOV ECX, passes; the loop's body; DEC ECX; JNZ body; HLT. What follows the HLT may be called.
Program program(const char* name, unsigned passes, const std::vector<unsigned>& body,
                const std::vector<unsigned>& called = {}) {
  std::vector<unsigned> code{0xBB};
  append(code, little(data_at));
  append(code, {0xB9});
  append(code, little(passes));
  append(code, body);
  append(code, {0x49, 0x0F, 0x85});
  append(code, little(0u - static_cast<unsigned>(body.size()) - 7));
  append(code, {0xF4});
  append(code, called);
  return {name, std::move(code)};
}

std::vector<Program> programs() {
  return {
      // MOV EAX, [EBX]; ADD EAX, ECX; MOV [EBX], EAX; MOV EDX, [EBX+4]; IMUL EDX, EAX; MOV [EBX+4], EDX
      program("loads and stores", 3000,
              {0x8B, 0x03, 0x01, 0xC8, 0x89, 0x03, 0x8B, 0x53, 4, 0x0F, 0xAF, 0xD0, 0x89, 0x53, 4}),
      // MOV EAX, ECX; SHL EAX, 7; AND EAX, 3FFFFh; ADD [EBX+EAX], ECX: more lines than the caches hold
      program("misses", 3000, {0x89, 0xC8, 0xC1, 0xE0, 7, 0x25, 0xFF, 0xFF, 3, 0, 0x01, 0x0C, 0x03}),
      // MOV EAX, ECX; SHL EAX, 6; AND EAX, 3FFFFh; PREFETCHT0 [EBX+EAX+80h]; MOV EDX, [EBX+EAX]; XOR ESI, EDX
      program("prefetches", 3000, {0x89, 0xC8, 0xC1, 0xE0, 6, 0x25, 0xFF, 0xFF, 3,    0,    0x0F, 0x18,
                                   0x8C, 0x03, 0x80, 0,    0, 0,    0x8B, 0x14, 0x03, 0x31, 0xD6}),
      // MOV EAX, ECX; IMUL EAX, EAX, 41C64E6Dh; TEST EAX, 10000h; JZ +3; ADD [EBX], AL; XOR EDX, EAX
      program("branches that nobody predicts", 3000,
              {0x89, 0xC8, 0x69, 0xC0, 0x6D, 0x4E, 0xC6, 0x41, 0xA9, 0, 0, 1, 0, 0x74, 2, 0x00, 0x03, 0x31, 0xC2}),
      // PUSHF; CLI; CALL f; POPF; STI; f: PUSH ESI; MOV AL, [EBX]; MOV ESI, EAX; LOCK INC DWORD [EBX]; POP ESI; RET
      program("calls, flags and LOCK", 1000, {0x9C, 0xFA, 0xE8, 10, 0, 0, 0, 0x9D, 0xFB},
              {0x56, 0x8A, 0x03, 0x89, 0xC6, 0xF0, 0xFF, 0x03, 0x5E, 0xC3}),
      // MOV EDX, ECX; LEA EDI, [EBX+800h]; MOV ESI, EBX; MOV ECX, 20; CLD; REP MOVSD; MOV ECX, EDX; MOV AL, [EBX+7]
      program("repeated moves", 800, {0x89, 0xCA, 0x8D, 0xBB, 0,    8,    0,    0,    0x89, 0xDE, 0xB9, 20,
                                      0,    0,    0,    0xFC, 0xF3, 0xA5, 0x89, 0xD1, 0x8A, 0x43, 7}),
      // The same of 3, and 8 x JMP +0
      program("repeated moves, and jumps", 500,
              {0x89, 0xCA, 0x8D, 0xBB, 0,    8, 0,    0, 0x89, 0xDE, 0xB9, 3, 0,    0, 0,    0xFC, 0xF3, 0xA5,
               0x89, 0xD1, 0xEB, 0,    0xEB, 0, 0xEB, 0, 0xEB, 0,    0xEB, 0, 0xEB, 0, 0xEB, 0,    0xEB, 0}),
      // MOV [EBX+1Eh], ECX; MOV EAX, [EBX+1Eh]; MOV DX, [EBX+1Fh]: across two lines, forwarded, blocked
      program("across lines", 2000, {0x89, 0x4B, 0x1E, 0x8B, 0x43, 0x1E, 0x66, 0x8B, 0x53, 0x1F}),
      // MOV EDX, 300; IN EAX, DX; ADD [EBX], EAX; OUT DX, EAX; RDTSC; XOR [EBX+4], EAX
      program("ports and the clock", 400, {0xBA, 0x2C, 1, 0, 0, 0xED, 0x01, 0x03, 0xEF, 0x0F, 0x31, 0x31, 0x43, 4}),
      // FILD DWORD [EBX]; FADD ST, ST(0); FISTP QWORD [EBX+8]; INC BYTE [next+2]: writes its own code, INC EAX
      program("floating point, code that changes", 500,
              {0xDB, 0x03, 0xD8, 0xC0, 0xDF, 0x7B, 8, 0x80, 0x35, 0x1A, 0, 1, 0, 8, 0x40, 0x01, 0x03}),
  };
}

enum class Way { computed, followed, compared, little_room, flushed, cut, chopped, snapshots };

struct End {
  std::string hash;
  std::uint64_t instructions = 0;
  cpu::Cpu::Learnt learnt;
};

void prepare(Board& b, const Program& p, Way way) {
  load_code(b, p.code);
  if (way == Way::computed) b.cpu.limit_learning(0);
  if (way == Way::compared) b.cpu.verify_learning();
  if (way == Way::little_room) b.cpu.limit_learning(5);
  if (way == Way::flushed) b.cpu.flush_blocks_at_random(7);
}

End end_of(const Program& p, Way way) {
  Board b(coppermine());
  prepare(b, p, way);
  for (int n = 1; b.cpu.time() < whole_run; n = n % 89 + 1) {
    const bool cuts = way == Way::cut || way == Way::snapshots;
    const Time slice = cuts ? Time{n * n * 1900} : way == Way::chopped ? 97_ns : whole_run;
    b.cpu.run(std::min(whole_run, b.cpu.time() + slice));
    if (way != Way::snapshots || n % 8 != 0) continue;
    test::restore_state(b.cpu, test::saved_state(b.cpu));
  }
  CHECK(b.cpu.halted());
  return {b.hash(), b.cpu.instructions(), b.cpu.learnt()};
}

/// A device that acts soon after every fourth write to its register, and now and then in the middle of an access: the
/// values read there and in memory change, and the next access takes longer or shorter.
struct Device {
  explicit Device(Board& board, Time shortest_cycle)
      : b(board),
        shortest(shortest_cycle),
        acts(b.scheduler, "device", Priority::device, Callback::to<&Device::act>(this)) {
    acts.at(700_ns);
    b.pins.after_memory_write = [this](Time end) {
      if (++writes % 4 == 0) acts.at(end + 6_ns);
    };
  }
  void act(Time now) {
    ++count;
    b.pins.input = count % 5 == 0;
    b.pins.cycle = shortest + 10_ns * (count % 3 == 0 ? 1 : 0);
    b.put32(data_at + 8, count * count);
    acts.at(now + 2700_ns);
  }
  Board& b;
  Time shortest;
  unsigned count = 0, writes = 0;
  Event acts;
};

End end_beside_device(const Program& p, Way way, Time cycle = 200_ns) {
  Board b(coppermine());
  prepare(b, p, way);
  b.pins.scheduler = &b.scheduler;
  if (way == Way::cut) b.scheduler.cut_horizons_at_random(3);
  Device device(b, cycle);
  b.scheduler.run_until(whole_run);
  CHECK(b.cpu.halted());
  return {b.hash(), b.cpu.instructions(), b.cpu.learnt()};
}

}  // namespace

TEST_CASE("P6: code replayed from learnt pipeline states ends in the same state as computed code") {
  for (const Program& p : programs()) {
    INFO(p.name);
    const End computed = end_of(p, Way::computed);
    CHECK(computed.learnt.known == 0);
    for (const Way way :
         {Way::followed, Way::compared, Way::little_room, Way::flushed, Way::cut, Way::chopped, Way::snapshots}) {
      INFO("way " << static_cast<int>(way));
      const End end = end_of(p, way);
      CHECK(end.hash == computed.hash);
      CHECK(end.instructions == computed.instructions);
    }
  }
}

TEST_CASE("P6: replayed code stopped at any time is in the same state as computed code") {
  for (const Program& p : programs()) {
    INFO(p.name);
    Board computed(coppermine()), followed(coppermine());
    prepare(computed, p, Way::computed);
    prepare(followed, p, Way::followed);
    for (Time end = 40_us; end < 60_us; end += 157_ns) {
      INFO(end.ps << " ps");
      computed.cpu.run(end);
      followed.cpu.run(end);
      REQUIRE((test::saved_state(computed.cpu) == test::saved_state(followed.cpu)));
    }
  }
}

TEST_CASE("P6: code that is executed again is recognised, and evicted code is learnt again") {
  const Program p = programs().front();
  const End followed = end_of(p, Way::followed);
  CHECK(followed.learnt.known > followed.learnt.blocks * 9 / 10);
  CHECK(followed.learnt.cleared == 0);
  CHECK(followed.learnt.pipelines > 2);
  CHECK(followed.learnt.bytes > followed.learnt.pipelines * 100);
  const End little = end_of(p, Way::little_room);
  CHECK(little.learnt.cleared > 0);
  CHECK(little.learnt.pipelines <= 5);
  CHECK(end_of(p, Way::compared).learnt.known == 0);
}

TEST_CASE("P6: code is recognised if a run is cut where it has been cut before") {
  for (const Program& p : programs()) {
    if (std::string_view(p.name).starts_with("repeated")) break;  // from here on, code that is always computed in full
    INFO(p.name);
    const End chopped = end_of(p, Way::chopped), whole = end_of(p, Way::followed);
    CHECK(chopped.learnt.blocks > whole.learnt.blocks);
    CHECK(chopped.learnt.known > chopped.learnt.blocks * 19 / 20);
  }
}

TEST_CASE("P6: bus cycles too long to be stored are computed each time") {
  // 10 x (MOV EDX, 300h; IN AL, DX; ADD [EBX], EAX)
  std::vector<unsigned> body;
  for (int n = 0; n < 10; ++n) append(body, {0xBA, 0, 3, 0, 0, 0xEC, 0x01, 0x03});
  const Program p = program("a slow port", 3, body);
  const Time cycle = 109'220_ns;  // 65532 clocks, or 65538
  const End computed = end_beside_device(p, Way::computed, cycle);
  for (const Way way : {Way::followed, Way::compared, Way::little_room, Way::cut}) {
    INFO("way " << static_cast<int>(way));
    CHECK(end_beside_device(p, way, cycle).hash == computed.hash);
  }
}

TEST_CASE("P6: code around device accesses is recognised, and replay stops after an action of the device") {
  // MOV EDX, 300000h; MOV [EDX], AL; 10 x (IMUL EDI, EDI; ADD ESI, [EBX+8]); IN AL, DX; TEST AL, 1; JZ to the second;
  // ADD [EBX], ESI
  std::vector<unsigned> body{0xBA, 0, 0, 0x30, 0, 0x88, 0x02};
  for (int n = 0; n < 10; ++n) append(body, {0x0F, 0xAF, 0xFF, 0x03, 0x73, 8});
  append(body, {0xEC, 0xA8, 1, 0x74, 0xBD, 0x01, 0x33});
  const Program p = program("a register and a polled port", 400, body);
  const End computed = end_beside_device(p, Way::computed);
  for (const Way way : {Way::followed, Way::compared, Way::little_room, Way::flushed, Way::cut}) {
    INFO("way " << static_cast<int>(way));
    const End end = end_beside_device(p, way);
    CHECK(end.hash == computed.hash);
    CHECK(end.instructions == computed.instructions);
    if (way == Way::followed) CHECK(end.learnt.known > end.learnt.blocks / 3);
  }
}
