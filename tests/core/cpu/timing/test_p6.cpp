// SPDX-License-Identifier: GPL-2.0-or-later
// The P6's timing as the processor runs it. Its clocks of loops that others have measured are compared by `planar bench
// timing` (tests/frontend/processor_bench/).
#include <tuple>

#include "tests/core/cpu/machine.hpp"
#include "tests/core/cpu/timing/p6_support.hpp"

using namespace planar;
using namespace planar::cpu_test;

TEST_CASE("P6: any way to run gives the same state at the same clock") {
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
