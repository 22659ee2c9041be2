// SPDX-License-Identifier: GPL-2.0-or-later
// Hand-written vectors for behaviour that Unicorn cannot check: a row gives the start of a program, the number of
// steps, the exception that it ends in and the expected registers and stack. `source` is the section of the manual that
// requires it: PRM is Intel's 386 Programmer's Reference Manual (230985), 486 and P5 are the 486's and the Pentium's
// (volume 3).
#pragma once

#include <functional>

#include "tests/core/cpu/machine.hpp"

namespace planar::cpu_test {

/// The values that a row may check; EAX to EDI are 0 to 7.
enum Field : unsigned {
  eip = 8,
  cpl,
  es,
  cs,
  ss,
  ds,
  fs,
  gs,
  tr,
  ldtr,
  cr0,
  cr2,
  cr3,
  dr6,
  dr7,
  flags,  ///< without the arithmetic flags and bit 1
  s0,
  s1,
  s2,
  s3,
  s4,
  s5,
  s6,
  s7,
  s8,
  s9,  ///< dwords from the top of the stack
  w0,
  w1,
  w2,
  w3,
  w4,
  w5,  ///< words from there
};
struct Is {
  unsigned field;
  std::uint32_t value;
};

inline std::uint32_t look(const Board& b, unsigned field) {
  const Registers r = b.cpu.registers();
  if (field < 8) return r.gpr[field];
  if (field >= es && field <= gs) return r.segment[field - es].selector;
  const std::uint32_t top = r.segment[SS].base + (r.segment[SS].big ? r.gpr[ESP] : r.gpr[ESP] & 0xFFFF);
  if (field >= w0) return b.get16(top + 2 * (field - w0));
  if (field >= s0) return b.get32(top + 4 * (field - s0));
  switch (field) {
    case eip: return r.eip;
    case cpl: return r.cpl;
    case tr: return r.tr.selector;
    case ldtr: return r.ldtr.selector;
    case cr0: return r.cr0;
    case cr2: return r.cr2;
    case cr3: return r.cr3;
    case dr6: return r.dr[6];
    case dr7: return r.dr[7];
    default: return r.eflags & ~0x8D7u;
  }
}

inline constexpr int no_exception = -1;

struct Vector {
  const char* what;
  const char* source;
  std::function<void(Board&)> start;
  unsigned steps;
  int vector;
  std::vector<Is> after;
  Model model = Model::i486sx;
};

inline void check(const std::vector<Vector>& rows) {
  for (const Vector& row : rows) {
    INFO(row.what << " (" << row.source << ")");
    Board b(row.model);
    row.start(b);
    b.step(row.steps);
    CHECK(b.vector() == row.vector);
    for (const Is& is : row.after) {
      INFO("field " << is.field);
      CHECK(look(b, is.field) == is.value);
    }
  }
}

}  // namespace planar::cpu_test
