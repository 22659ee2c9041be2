// SPDX-License-Identifier: GPL-2.0-or-later
// How software of the period identified processors without CPUID.
#include "machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

TEST_CASE("A processor's signature is its model's unless its configuration sets another", "[cpu]") {
  auto config = Board::config(Model::pentium);
  const std::uint32_t expected = GENERATE(0u, 0x1532u);
  config.signature = expected;
  Board b(config);
  const std::uint32_t signature = expected ? expected : 0x0525;
  CHECK(b.reg(EDX) == signature);
  b.real({0x66, 0xB8, 1, 0, 0, 0, 0x0F, 0xA2}).step(2);  // MOV EAX,1; CPUID
  CHECK(b.reg(EAX) == signature);
}

// A division does not change the flags on a Cyrix, but does on an Intel 486: clear the flags with SAHF, divide 5 by 2,
// check.
TEST_CASE("Dividing 5 by 2 does not make an Intel 486 look like a Cyrix", "[cpu]") {
  const auto model = GENERATE(Model::i486sx, Model::pentium, Model::p6);
  Board b(model);
  // XOR AX,AX; SAHF; MOV AL,5; MOV BL,2; DIV BL; LAHF
  b.real({0x31, 0xC0, 0x9E, 0xB0, 0x05, 0xB3, 0x02, 0xF6, 0xF3, 0x9F}).step(6);
  CHECK((b.reg(EAX) & 0xFF) == 2);
  CHECK((b.reg(EAX) >> 8 & 0xFF) != 2);
}
