// SPDX-License-Identifier: GPL-2.0-or-later
// The P6's timing as used by the processor. Its clocks for loops that others have measured are compared by `planar
// bench timing` (tests/frontend/processor_bench/).
#include <tuple>

#include "tests/core/cpu/machine.hpp"
#include "tests/core/cpu/timing/p6_support.hpp"

using namespace planar;
using namespace planar::cpu_test;

TEST_CASE("P6: the state and clock at the end do not depend on how a run is split") {
  const auto run = [](int way) {
    Board b(coppermine());
    // mov ecx,300; top: mov eax,[esi]; add [edi],eax; imul ebx,eax; adc edx,[esi+4]; push eax; call f; pop eax;
    // rep movsb of 40; dec ecx; jnz top; hlt; f: inc ebx; ret
    b.flat({0xB9, 0x2C, 1,    0,    0,    0xBE, 0,    0,    2,    0,    0xBF, 0,    0x80, 2,
            0,    0x8B, 0x06, 0x01, 0x07, 0x0F, 0xAF, 0xD8, 0x13, 0x56, 0x04, 0x50, 0xE8, 0x17,
            0,    0,    0,    0x58, 0x51, 0xB9, 0x28, 0,    0,    0,    0xF3, 0xA4, 0x59, 0x83,
            0xEF, 0x28, 0x83, 0xEE, 0x28, 0x49, 0x75, 0xDD, 0xF4, 0x90, 0x90, 0x90, 0x43, 0xC3});
    b.change([](Registers& r) { r.cr0 &= ~0x60000000u; });
    if (way == 0) {
      while (!b.cpu.halted()) b.cpu.run(b.cpu.time() + 1_ms);
    } else if (way == 1) {
      b.run(1000_ms);
    } else {
      for (int n = 1; !b.cpu.halted(); n = n % 97 + 1) {
        b.cpu.run(b.cpu.time() + Time{n * 1700});
        if (way == 3 && n % 10 == 0) {
          Archive saved = Archive::saver();
          b.cpu.archive(saved);
          Archive loaded = Archive::loader(saved.stream());
          b.cpu.archive(loaded);
        }
      }
    }
    return std::tuple{b.cpu.instructions(), b.reg(EBX), b.cpu.clocks() - b.cpu.halted_clocks()};
  };
  const auto whole = run(0);
  for (int way = 1; way < 4; ++way) {
    INFO("way " << way);
    const auto other = run(way);
    CHECK(std::get<0>(other) == std::get<0>(whole));
    CHECK(std::get<1>(other) == std::get<1>(whole));
    CHECK(std::get<2>(other) == std::get<2>(whole));
  }
}

TEST_CASE("P6: PREFETCHh of a Pentium III fetches a line without stalling") {
  // MOV ECX, 256; MOV ESI, 40000h; top: the hint; MOV EAX, [ESI]; AND EAX, EDI, which is 0; IMUL EAX, EAX, 1 16 times;
  // ADD ESI, EAX; ADD ESI, 40h; DEC ECX; JNZ top: each pass waits for the line of the previous one.
  const auto clocks = [](const std::vector<unsigned>& hint, std::uint32_t signature) {
    std::vector<unsigned> code{0xB9, 0, 1, 0, 0, 0xBE, 0, 0, 4, 0};
    const std::size_t top = code.size();
    append(code, hint);
    append(code, {0x8B, 0x06, 0x21, 0xF8});
    for (int n = 0; n < 16; ++n) append(code, {0x6B, 0xC0, 1});
    append(code, {0x01, 0xC6, 0x83, 0xC6, 0x40, 0x49, 0x0F, 0x85});
    append(code, little(static_cast<std::uint32_t>(top - (code.size() + 4))));
    append(code, {0x0F, 0xA2, 0xF4});  // cpuid; hlt
    CpuConfig config = coppermine();
    config.signature = signature;
    Board b(config);
    load_code(b, code);
    b.run(1000_ms);
    REQUIRE(b.cpu.halted());
    return b.cpu.clocks();
  };
  constexpr std::uint32_t deschutes = 0x652, katmai = 0x672;
  const std::vector<unsigned> none{0x0F, 0x1F, 0x46, 0x40}, next_line{0x0F, 0x18, 0x4E, 0x40},
      same_line{0x0F, 0x18, 0x4E, 0x04};
  const std::uint64_t without = clocks(none, katmai);
  CHECK(clocks(next_line, katmai) < without * 2 / 3);
  CHECK(clocks(same_line, katmai) == without);
  CHECK(clocks(next_line, deschutes) == without);
}

TEST_CASE("P6: PREFETCHh never faults and does not walk page tables") {
  for (const std::uint32_t entry : {0u, 0x123007u}) {
    Board b(coppermine());
    b.paged({0x0F, 0x18, 0x0D, 0, 0x30, 0x12, 0, 0xF4});  // PREFETCHT0 [123000h]; HLT
    b.pte(0x123000, entry);
    b.run(1_ms);
    CHECK(b.cpu.halted());
    CHECK(b.pte(0x123000) == entry);
  }
}

TEST_CASE("P6: REP MOVSD is fast upwards, from 64 doublewords, aligned to eight bytes, and not into its own lines") {
  // Clocks per element, with its data in L1.
  const auto element = [](std::uint32_t from, std::uint32_t to, std::uint32_t count, bool down = false) {
    const auto run = [&](std::uint32_t passes) {
      std::vector<unsigned> code{down ? 0xFDu : 0xFCu, 0xBD};  // std or cld; mov ebp, passes
      append(code, little(passes));
      const std::size_t top = code.size();
      for (const auto& [mov, value] : {std::pair{0xBEu, from}, {0xBFu, to}, {0xB9u, count}}) {
        code.push_back(mov);
        append(code, little(value));
      }
      append(code, {0xF3, 0xA5, 0x4D, 0x0F, 0x85});  // rep movsd; dec ebp; jnz top
      append(code, little(static_cast<std::uint32_t>(top - (code.size() + 4))));
      append(code, {0x0F, 0xA2, 0xF4});  // cpuid; hlt
      return clocks_of(code);
    };
    return static_cast<double>(run(40) - run(20)) / 20 / count;
  };
  constexpr std::uint32_t from = 0x40000, to = 0x42000;
  CHECK(element(from, to, 512) < 0.9);
  CHECK(element(from, to, 64) < 1.2);
  CHECK(element(from, to, 63) > 2);
  CHECK(element(from + 4, to, 512) > 2);
  CHECK(element(from, to + 4, 512) > 2);
  CHECK(element(from + 2048, to + 2048, 512, true) > 2);
  CHECK(element(from + 8, from, 512) > 2);
  CHECK(element(from, from + 24, 512) > 2);
  CHECK(element(from + 32, from, 512) < 0.9);
}
