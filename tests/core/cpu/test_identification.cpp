// SPDX-License-Identifier: GPL-2.0-or-later
// How systems of the period tell processors without CPUID apart.
#include "machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

// A Cyrix leaves the flags alone when it divides, an Intel 486 does not: clear the flags with SAHF, divide 5 by 2,
// look.
TEST_CASE("Dividing 5 by 2 does not make an Intel 486 look like a Cyrix", "[cpu]") {
  const auto model = GENERATE(Model::i486sx, Model::pentium);
  Board b(model);
  // XOR AX,AX; SAHF; MOV AL,5; MOV BL,2; DIV BL; LAHF
  b.real({0x31, 0xC0, 0x9E, 0xB0, 0x05, 0xB3, 0x02, 0xF6, 0xF3, 0x9F}).step(6);
  CHECK((b.reg(EAX) & 0xFF) == 2);
  CHECK((b.reg(EAX) >> 8 & 0xFF) != 2);
}
