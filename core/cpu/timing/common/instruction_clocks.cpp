// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/common/instruction_clocks.hpp"

#include <algorithm>
#include <bit>

#include "core/cpu/timing/common/instruction_table.hpp"

namespace planar::cpu {
namespace {

constexpr unsigned pick(Model model, unsigned i386, unsigned i486, unsigned pentium, unsigned p6) {
  return model == Model::i386sx ? i386 : model == Model::i486sx ? i486 : model == Model::pentium ? pentium : p6;
}
constexpr unsigned pick(Model model, unsigned i386, unsigned i486, unsigned pentium) {
  return pick(model, i386, i486, pentium, pentium);
}

struct Repeat {
  std::uint8_t zero, start, each;
};  // clocks if the count is zero; further clocks if it is not; one iteration

/// docs/hardware/processors.md#repeated-strings; I/O iterations less the two clocks of the bus cycle. Protected and V86
/// mode share a column; the permission check is separate. The P6 does its own accounting (TimingP6).
constexpr Repeat repeats[4][9] = {
    // clang-format off
    // MOVS     CMPS       STOS       LODS       SCAS       INS          OUTS         protected: INS, OUTS
    {{5, 0, 4}, {5, 0, 9}, {5, 0, 5}, {5, 0, 6}, {5, 0, 8}, {13, 0, 4}, {5, 0, 10}, {7, 0, 4}, {6, 0, 3}},    // 386SX
    {{5, 7, 3}, {5, 2, 7}, {5, 2, 4}, {5, 2, 4}, {5, 2, 5}, {16, 0, 6}, {17, 0, 3}, {10, 0, 6}, {11, 0, 3}},  // 486
    {{6, 7, 1}, {7, 2, 4}, {6, 3, 1}, {7, 0, 3}, {7, 1, 4}, {11, 0, 1}, {13, 0, 2}, {8, 0, 1}, {10, 0, 2}},   // Pentium
    {},
    // clang-format on
};
unsigned column_of(const Op& op) {
  const unsigned checked = op.protected_mode || op.v86 ? 2 : 0;
  switch (op.opcode & 0xFE) {
    case 0xA4: return 0;
    case 0xA6: return 1;
    case 0xAA: return 2;
    case 0xAC: return 3;
    case 0xAE: return 4;
    case 0x6C: return 5 + checked;
    default: return 6 + checked;
  }
}
const Repeat& repeat(Model model, const Op& op) { return repeats[static_cast<unsigned>(model)][column_of(op)]; }

}  // namespace

unsigned multiply_extra(Model model, unsigned bits, std::uint32_t multiplier, bool is_signed) {
  if (model >= Model::pentium) return 0;
  const std::uint32_t mask = bits >= 32 ? 0xFFFFFFFFu : (1u << bits) - 1;
  std::uint32_t m = multiplier & mask;
  if (is_signed && ((m >> (bits - 1)) & 1)) m = (0u - m) & mask;
  // 386: max(ceil(log2 |m|), 3) + 6 clocks; the 486's range is the same plus four.
  const unsigned log2 = m <= 1 ? 0u : static_cast<unsigned>(std::bit_width(m - 1));
  return std::max(log2, 3u) - 3u;
}

unsigned rotate_carry_extra(Model model, unsigned count) {
  // Manuals: 9 on the 386; 8 to 30 on the 486, 7 to 27 on the Pentium, spread evenly over the count [I].
  return pick(model, 0, count * 22 / 31, count * 20 / 31, 0);
}

unsigned bit_scan_extra(Model model, bool reverse, unsigned zeros) {
  // 386: 10+3n. 486: 6-42 and 6-103; Pentium 6-42 and 7-71: spread evenly over the bits [I].
  if (!reverse) return pick(model, 3 * zeros, zeros * 36 / 32, zeros * 36 / 32, 0);
  return pick(model, 3 * zeros, zeros * 97 / 32, zeros * 64 / 32, 0);
}

unsigned enter_extra(Model model, unsigned level) {
  if (level == 0) return 0;
  if (level == 1) return pick(model, 2, 3, 4);
  // 15+4(L-1), 17+3L, 15+2L against 10, 14, 11
  return pick(model, 5 + 4 * (level - 1), 3 + 3 * level, 4 + 2 * level);
}

unsigned repeat_zero(Model model, const Op& op) { return repeat(model, op).zero; }
unsigned repeat_start(Model model, const Op& op) { return repeat(model, op).start; }
unsigned repeat_iteration(Model model, const Op& op) { return repeat(model, op).each; }

unsigned io_permission_extra(Model model, const Op& op) {
  const bool block = (op.opcode & 0xFC) == 0x6C;
  if (model == Model::i386sx) return 20;
  if (model == Model::i486sx) {
    if (op.v86) return block ? 20 : 18;
    return block && !op.rep && !op.repne ? 22 : 20;
  }
  if (op.v86) return block ? 16 : 15;
  return block ? 18 : 17;
}

unsigned page_walk(const TimingConfig& config) {
  // 386: 9 clocks with its two reads [M*, low end]; 486: 13 with both in the cache [M*]; Pentium: as the 486 [I]; P6:
  // in hardware, in addition to the loads [R].
  return pick(config.model, 9, 13, 13, config.page_walk);
}

unsigned transfer_clocks(Model model, Transfer transfer, Reach reach, unsigned params) {
  if (reach == Reach::task) return pick(model, 300, 200, 130);  // order of magnitude only [I]
  switch (transfer) {
    case Transfer::call:
      switch (reach) {
        case Reach::real: return pick(model, 17, 18, 4);
        case Reach::gate_same: return pick(model, 52, 35, 22);
        case Reach::inner: return pick(model, 86 + 4 * params, 69 + 4 * params, 44 + params);
        default: return pick(model, 34, 20, 13);
      }
    case Transfer::jump:
      switch (reach) {
        case Reach::real: return pick(model, 12, 17, 3);
        case Reach::gate_same: return pick(model, 45, 32, 18);
        default: return pick(model, 27, 19, 3);
      }
    case Transfer::ret:
      switch (reach) {
        case Reach::real: return pick(model, 18, 13, 4);
        case Reach::outer: return pick(model, 68, 33, 23);
        default: return pick(model, 32, 18, 13);
      }
    // P6: such that INT 80h, an empty system call and IRET take some 280 clocks, as on a Pentium III [I].
    case Transfer::interrupt:
      switch (reach) {
        case Reach::real: return pick(model, 37, 30, 16, 40);
        case Reach::inner: return pick(model, 99, 71, 48, 110);
        case Reach::from_v86: return pick(model, 119, 82, 60, 130);
        default: return pick(model, 59, 44, 31, 70);
      }
    case Transfer::iret:
      switch (reach) {
        case Reach::real: return pick(model, 22, 15, 8, 30);
        case Reach::outer: return pick(model, 82, 36, 27, 90);
        case Reach::to_v86: return pick(model, 60, 36, 27, 90);
        default: return pick(model, 38, 20, 10, 50);
      }
  }
  return 0;
}

unsigned interrupt_clocks(const TimingConfig& config, Transfer transfer, Reach reach) {
  const unsigned clocks = transfer_clocks(config.model, transfer, reach);
  if (config.model != Model::p6 || reach == Reach::task) return clocks;
  const bool enters = transfer == Transfer::interrupt;
  const unsigned between_rings = transfer_clocks(config.model, transfer, enters ? Reach::inner : Reach::outer);
  return clocks * (enters ? config.interrupt_entry : config.interrupt_return) / between_rings;
}

}  // namespace planar::cpu
