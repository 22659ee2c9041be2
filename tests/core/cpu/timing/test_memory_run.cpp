// SPDX-License-Identifier: GPL-2.0-or-later
// REP MOVS and REP STOS executed as runs compared with single iterations, while another master takes the memory: of all
// sizes and alignments, upwards and downwards, overlapping, over cached and uncached lines, over code, and around the
// end of a 16-bit index.
#include "tests/core/cpu/timing/master_rig.hpp"

using namespace planar;
using namespace planar::cpu_test;
using namespace planar::cpu::timing_test;

namespace {

void put_operand(MasterRig::Bytes& code, unsigned opcode, std::uint32_t immediate) {
  code.push_back(static_cast<std::uint8_t>(opcode));
  for (unsigned n = 0; n < 4; ++n) code.push_back(static_cast<std::uint8_t>(immediate >> 8 * n));
}

/// Either within what L1 could hold, or beyond what L2 could hold.
std::uint32_t data_place(Random& choice) {
  const auto n = static_cast<std::uint32_t>(choice.below(0x2000));
  return choice.below(2) != 0 ? data_at + n : 0x100000 + 0x78 * n + n % 5;
}

MasterRig::Bytes string_operations(Random& choice, std::uint32_t at) {
  MasterRig::Bytes code;
  std::uint32_t from = data_place(choice), to = data_place(choice),
                count = static_cast<std::uint32_t>(choice.below(80));
  if (choice.below(4) == 0) to = from + static_cast<std::uint32_t>(choice.below(12)) - 4;
  if (choice.below(4) == 0) to = from ^ 0x1000;  // in the same sets
  const bool narrow = choice.below(8) == 0, down = choice.below(8) == 0, copies = choice.below(4) != 0;
  if (choice.below(8) == 0) count *= 12;
  if (narrow) {
    from = 0xC000 + (from & 0x3FFF);
    to = 0xC000 + (to & 0x3FFF);
    count = std::min<std::uint32_t>(count, 100);
  } else if (copies && !down && choice.below(8) == 0) {
    from = to = at + 16 * static_cast<std::uint32_t>(choice.below(16));  // code that runs soon, onto itself
  }
  put_operand(code, 0xBE, from);   // MOV ESI, from
  put_operand(code, 0xBF, to);     // MOV EDI, to
  put_operand(code, 0xB9, count);  // MOV ECX, count
  code.push_back(down ? 0xFD : 0xFC);
  if (narrow) code.push_back(0x67);
  const auto size = choice.below(4);
  if (size == 1) code.push_back(0x66);
  code.push_back(0xF3);
  code.push_back(static_cast<std::uint8_t>((copies ? 0xA4 : 0xAA) + (size != 0)));
  return code;
}

}  // namespace

TEST_CASE("Copies and fills of memory end in the same state however they are split", "[cpu][determinism]") {
  cpu::TimingConfig other = pc_config();  // a geometry that is not one of the compiled-in ones
  other.l2.ways = 2;
  check_all_ways(GENERATE_COPY(i486_config(), pentium_config(), overdrive_config(), pc_config(), other),
                 string_operations);
}
