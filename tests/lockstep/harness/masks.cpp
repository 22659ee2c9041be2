// SPDX-License-Identifier: GPL-2.0-or-later
// Flags that are undefined according to the Pentium manual's appendix on flags (volume 3, appendix A) and the
// instruction pages; code that must not be run.
#include "tests/lockstep/harness/masks.hpp"

#include <algorithm>

namespace planar::lockstep {
namespace {

bool is_prefix(std::uint8_t byte) {
  constexpr std::array<std::uint8_t, 11> prefixes{0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3};
  return std::find(prefixes.begin(), prefixes.end(), byte) != prefixes.end();
}

}  // namespace

bool aborts_unicorn(std::span<const std::uint8_t> code) {
  for (std::size_t lock = 0; lock < code.size(); ++lock) {
    if (code[lock] != 0xF0) continue;
    std::size_t at = lock + 1;
    while (at < code.size() && is_prefix(code[at])) ++at;
    if (at + 2 >= code.size() || code[at] != 0x0F) continue;
    const std::uint8_t opcode = code[at + 1], modrm = code[at + 2];
    const bool by_register = opcode == 0xA3 || opcode == 0xAB || opcode == 0xB3 || opcode == 0xBB;
    if (modrm >= 0xC0 && (by_register || (opcode == 0xBA && (modrm & 0x20)))) return true;
  }
  return false;
}

std::uint32_t undefined_flags(const Instruction& instruction, const Registers& before, bool& result_undefined) {
  constexpr std::uint32_t c = 1, p = 4, a = 16, z = 64, s = 128, o = 0x800;
  const Form& form = forms()[instruction.cell.form];
  const bool by_cl = form.opcode == 0xD2 || form.opcode == 0xD3 || form.opcode == 0x0FA5 || form.opcode == 0x0FAD;
  const bool by_one = form.opcode == 0xD0 || form.opcode == 0xD1;
  const unsigned count = (by_one ? 1u : by_cl ? before.gpr[ECX] : instruction.immediate) & 31;
  const unsigned bits = !(form.opcode & 1) && form.opcode < 0x100 ? 8 : instruction.cell.size32 ? 32 : 16;
  result_undefined = false;
  switch (form.undefined) {
    case Undefined::none: return 0;
    case Undefined::adjust: return a;
    case Undefined::rotate: return count <= 1 ? 0 : o;
    case Undefined::shift: return count == 0 ? 0 : a | (count != 1 ? o : 0) | (count >= bits ? c : 0);
    case Undefined::double_shift: {
      const unsigned width = instruction.cell.size32 ? 32 : 16;
      if (count == 0) return 0;
      if (count > width) {
        result_undefined = true;
        return arithmetic_mask;
      }
      return a | (count != 1 ? o : 0);
    }
    case Undefined::multiply: return s | z | a | p;
    case Undefined::divide: return arithmetic_mask;
    case Undefined::decimal: return o;
    case Undefined::ascii: return o | s | z | p;
    case Undefined::ascii_multiply: return o | a | c;
    case Undefined::bit_test: return o | s | a | p | z;
    case Undefined::bit_scan: return c | o | s | a | p;
    case Undefined::fpu_compare: return o | s | a;
  }
  return 0;
}

}  // namespace planar::lockstep
