// SPDX-License-Identifier: GPL-2.0-or-later
// The breakdown of clocks: halted, waiting for the pins, copying, and the rest; no clock is counted twice.
#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

using Code = std::initializer_list<unsigned>;

/// Runs flat code at `at`, with ESI and EDI pointing to memory, ECX = 100 and EDX = a port, to its HLT; returns the
/// account.
cpu::Cpu::Account spent(Model model, Code code, std::uint32_t destination = data_at + 0x4000,
                        std::uint32_t at = code_at) {
  Board b(model);
  b.flat({});
  b.put(at, code);
  b.change([&](Registers& r) {
    r.eip = at;
    r.gpr[ESI] = data_at;
    r.gpr[EDI] = destination;
    r.gpr[ECX] = 100;
    r.gpr[EDX] = 0x300;
    r.gpr[EBX] = 1;
  });
  const auto before = b.cpu.account();
  b.scheduler.run_until(b.cpu.time() + 1_ms);
  const auto after = b.cpu.account();
  REQUIRE(b.cpu.halted());
  return {after.clocks - before.clocks, after.halted - before.halted, after.pins - before.pins,
          after.copying - before.copying};
}

std::uint64_t running(const cpu::Cpu::Account& a) { return a.clocks - a.halted; }
constexpr std::uint64_t pin_cycle(Model m) { return m == Model::i386sx ? 8 : m == Model::i486sx ? 14 : 36; }  // 400 ns

}  // namespace

TEST_CASE("a REP OUTSW is accounted as port cycles and copying", "[cpu][account]") {
  for (const Model m : models) {
    const auto a = spent(m, {0xF3, 0x66, 0x6F, 0xF4});  // REP OUTSW; HLT
    INFO(int(m) << ": " << running(a) << " clocks, " << a.pins << " on the pins, " << a.copying << " copying");
    CHECK(a.pins >= 100 * pin_cycle(m));
    CHECK(a.pins <= 100 * (pin_cycle(m) + 6));  // to an edge of the bus clock, after the memory cycles
    CHECK(a.copying > 100);
    CHECK(a.pins + a.copying <= running(a));
    CHECK(running(a) - a.pins - a.copying < 60);  // its issue, and HLT
  }
}

TEST_CASE("IN and OUT are accounted as pins, a REP MOVS in memory as copying, one to a device as both",
          "[cpu][account]") {
  for (const Model m : models) {
    INFO(int(m));
    const auto io = spent(m, {0xEC, 0xEE, 0xEC, 0xEE, 0xF4});
    CHECK(io.pins >= 4 * pin_cycle(m));
    CHECK(io.copying == 0);
    const auto memory = spent(m, {0xF3, 0xA5, 0xF4});  // REP MOVSD
    CHECK(memory.pins == 0);
    CHECK(memory.copying > 100);
    const auto device = spent(m, {0xF3, 0xA5, 0xF4}, 0x00E00000);  // unmapped memory: the access goes to the pins
    CHECK(device.pins >= 100 * pin_cycle(m));
    CHECK(device.copying > 0);
    CHECK(device.pins + device.copying <= running(device));
    const auto fill = spent(m, {0xF3, 0xAB, 0xF4});  // REP STOSD copies nothing
    CHECK(fill.copying == 0);
  }
}

TEST_CASE("a loop that stores what it loads is copying, even if it also sums it", "[cpu][account]") {
  for (const Model m : models) {
    INFO(int(m));
    const auto a = spent(m, {0x8B, 0x1E, 0x11, 0xD8, 0x89, 0x1F,  // MOV EBX,[ESI]; ADC EAX,EBX; MOV [EDI],EBX
                             0x8D, 0x76, 0x04, 0x8D, 0x7F, 0x04,  // LEA ESI,[ESI+4]; LEA EDI,[EDI+4]
                             0x49, 0x75, 0xF1, 0xF4});            // DEC ECX; JNZ; HLT
    CHECK(a.pins == 0);
    CHECK(a.copying > running(a) * 9 / 10);  // all but the first pass
    CHECK(a.copying < running(a));
    const auto bytes =
        spent(m, {0x8A, 0x26, 0x88, 0x27, 0x46, 0x47, 0xE2, 0xF8, 0xF4});  // MOV AH,[ESI]; MOV [EDI],AH...
    CHECK(bytes.copying > running(bytes) * 9 / 10);
    const auto port = spent(m, {0x66, 0xAD, 0x66, 0xEF, 0xE2, 0xFA, 0xF4});  // LODSW; OUT DX,AX; LOOP
    CHECK(port.copying > 0);
    CHECK(port.pins >= 100 * pin_cycle(m));
    CHECK(port.pins + port.copying <= running(port));
  }
}

TEST_CASE("a copy loop is recognised wherever a page boundary lies in it", "[cpu][account]") {
  const Code copy{0x8B, 0x1E, 0x11, 0xD8, 0x89, 0x1F, 0x8D, 0x76, 0x04,  // MOV; ADC; MOV; LEA
                  0x8D, 0x7F, 0x04, 0x49, 0x0F, 0x85, 0xED, 0xFF, 0xFF,
                  0xFF, 0xF4};  // LEA; DEC ECX; JNZ of six bytes; HLT
  for (const Model m : models)
    for (std::uint32_t first = 1; first <= copy.size(); ++first) {
      INFO(int(m) << ": " << first << " bytes in the first page");
      const auto a = spent(m, copy, data_at + 0x4000, code_at + 0x1000 - first);
      CHECK(a.copying > running(a) * 8 / 10);
      CHECK(a.copying < running(a));
    }
}

TEST_CASE("loops that fill, sum or search are not copying, nor are loops with a store long after the load",
          "[cpu][account]") {
  const Code fill{0x89, 0x07, 0x83, 0xC7, 0x04, 0x49, 0x75, 0xF8, 0xF4};          // MOV [EDI],EAX; ADD EDI,4; DEC; JNZ
  const Code sum{0x03, 0x06, 0x83, 0xC6, 0x04, 0x49, 0x75, 0xF8, 0xF4};           // ADD EAX,[ESI]; ...
  const Code search{0x8B, 0x06, 0x83, 0xC6, 0x04, 0x39, 0xD8, 0xE0, 0xF7, 0xF4};  // stores another register
  const Code other{0x8B, 0x06, 0x89, 0x1F, 0x46, 0x49, 0x75, 0xF9, 0xF4};         // stores a register that was not
                                                                                  // loaded
  const Code busy{0x8B, 0x06, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x89, 0x07, 0x49, 0x75, 0xF3, 0xF4};
  for (const Code* code : {&fill, &sum, &search, &other, &busy}) CHECK(spent(Model::i486sx, *code).copying == 0);
}

TEST_CASE("a loop pass that an interrupt divides is not counted, nor is the handler", "[cpu][account]") {
  Board b;
  b.put(handlers_at + 0x20, {0x90, 0xCF});
  b.flat({0xFB, 0x8B, 0x1E, 0x89, 0x1F, 0x46, 0x47, 0x49, 0x75, 0xF7, 0xF4});  // STI; copy; HLT
  b.change([](Registers& r) {
    r.gpr[ESI] = data_at;
    r.gpr[EDI] = data_at + 0x4000;
    r.gpr[ECX] = 1000;
  });
  b.step(1 + 6 * 20 + 2);
  const auto before = b.cpu.account();
  b.cpu.set_intr(true);
  b.step(3);  // the interrupt, NOP, IRET
  CHECK(b.cpu.account().copying == before.copying);
  b.step(4);  // the rest of the divided pass
  CHECK(b.cpu.account().copying == before.copying);
  b.step(6);
  CHECK(b.cpu.account().copying > before.copying);
}
