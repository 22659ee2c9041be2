// SPDX-License-Identifier: GPL-2.0-or-later
// The clocks of x87 instructions on the Pentium, measured as the cost of one additional instruction in a warm cache.
#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

/// Clocks of `code` after FLD1, FLD1 with the given control word, second pass over the same code.
std::uint64_t clocks(std::initializer_list<unsigned> code, std::uint16_t control = 0x037F) {
  Board b(Model::pentium);
  b.put16(data_at, control);
  b.flat({0xDB, 0xE3, 0xD9, 0x2D, 0, 0, 2, 0, 0xD9, 0xE8, 0xD9, 0xE8});
  b.put(code_at + 12, code);
  std::uint64_t taken = 0;
  for (int pass = 0; pass < 3; ++pass) {
    b.change([](Registers& r) { r.eip = code_at; });
    b.step(4);
    const std::uint64_t before = b.cpu.clocks();
    b.step();
    taken = b.cpu.clocks() - before;
  }
  return taken;
}

}  // namespace

TEST_CASE("x87 clocks on the Pentium", "[cpu][fpu][timing]") {
  CHECK(clocks({0xD8, 0xC1}) == 3);              // FADD
  CHECK(clocks({0xD8, 0xC9}) == 3);              // FMUL
  CHECK(clocks({0xD8, 0xF1}) == 39);             // FDIV, 64 bits
  CHECK(clocks({0xD8, 0xF1}, 0x027F) == 33);     // 53 bits
  CHECK(clocks({0xD8, 0xF1}, 0x007F) == 19);     // 24 bits
  CHECK(clocks({0xD9, 0xFA}) == 70);             // FSQRT
  CHECK(clocks({0xD9, 0xC0}) == 1);              // FLD ST
  CHECK(clocks({0xD9, 0xE0}) == 1);              // FCHS
  CHECK(clocks({0xD9, 0xFE}) == 83);             // FSIN
  CHECK(clocks({0xD9, 0xF7}) == 1);              // FINCSTP
  CHECK(clocks({0xD8, 0xD1}) == 4);              // FCOM
  CHECK(clocks({0xDB, 0x05, 0, 0, 2, 0}) == 3);  // FILD m32
  CHECK(clocks({0xDA, 0x05, 0, 0, 2, 0}) == 7);  // FIADD m32
}
