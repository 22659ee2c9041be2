// SPDX-License-Identifier: GPL-2.0-or-later
// Static clocks against the manuals' tables (docs/hardware/processors.md#instruction-clocks).
#include "tests/catch.hpp"
#include "tests/core/cpu/timing/timing_support.hpp"

using namespace planar::cpu;
using namespace planar::cpu::timing_test;

namespace {

struct Sample {
  const char* name;
  Op op;
  unsigned i386, i486, pentium;
};

unsigned clocks(const TimingConfig& config, Op op) {
  Timing(config).set_static_clocks(op);
  return op.clocks;
}

/// The total of a REP instruction over `count` items, as charged by the executor.
unsigned repeated(const TimingConfig& config, Op op, unsigned count) {
  op.rep = true;
  op = with_prefixes(op, 1);
  Timing(config).set_static_clocks(op);
  if (count == 0) return op.clocks;
  return op.clocks + repeat_start(config.model, op) + count * repeat_iteration(config.model, op);
}

Op group(std::uint16_t opcode, std::uint8_t extension) { return rr(opcode, ebx, extension); }
Op group_m(std::uint16_t opcode, std::uint8_t extension) { return rm(opcode, extension, ebx); }

}  // namespace

TEST_CASE("Instructions cost what the manuals state", "[cpu][timing]") {
  const Sample samples[] = {
      {"MOV r,r", rr(0x89, eax, ecx), 2, 1, 1},
      {"MOV r,m", rm(0x8B, eax, ebx), 4, 1, 1},
      {"MOV m,r", rm(0x89, eax, ebx), 2, 1, 1},
      {"MOV m,imm", with_immediate(rm(0xC7, 0, ebx), 4), 2, 1, 1},
      {"MOV sreg,r real", real_mode(rr(0x8E, eax, 3)), 2, 3, 2},
      {"MOV sreg,r protected", rr(0x8E, eax, 3), 18, 9, 3},
      {"MOVZX r,m", rm(0x0FB6, eax, ebx), 6, 3, 3},
      {"LEA", rm(0x8D, eax, ebx, 1), 2, 1, 1},
      {"PUSH r", low(0x50, eax), 2, 1, 1},
      {"POP r", low(0x58, eax), 4, 1, 1},
      {"PUSH m", group_m(0xFF, 6), 5, 4, 2},
      {"PUSHA", plain(0x60, 1), 18, 11, 5},
      {"POPA", plain(0x61, 1), 24, 9, 5},
      {"PUSHF", plain(0x9C, 1), 4, 3, 3},
      {"POPF real", real_mode(plain(0x9D, 1)), 5, 9, 6},
      {"POPF protected", plain(0x9D, 1), 5, 6, 4},
      {"XCHG r,m", rm(0x87, eax, ebx), 5, 5, 3},
      {"ADD r,r", rr(0x01, eax, ecx), 2, 1, 1},
      {"ADD r,m", rm(0x03, eax, ebx), 6, 2, 2},
      {"ADD m,r", rm(0x01, eax, ebx), 7, 3, 3},
      {"XOR m,imm", with_immediate(group_m(0x81, 6), 4), 7, 3, 3},
      {"CMP m,r", rm(0x39, eax, ebx), 5, 2, 2},
      {"CMP r,m", rm(0x3B, eax, ebx), 6, 2, 2},
      {"CMP m,imm", with_immediate(group_m(0x83, 7), 1), 5, 2, 2},
      {"INC r", low(0x40, eax), 2, 1, 1},
      {"DEC m", group_m(0xFF, 1), 6, 3, 3},
      {"NOT r", group(0xF7, 2), 2, 1, 1},
      {"SHL r,1", group(0xD1, 4), 3, 3, 1},
      {"SHL r,imm", with_immediate(group(0xC1, 4), 1), 3, 2, 1},
      {"SAR r,CL", group(0xD3, 7), 3, 3, 4},
      {"SHLD r,imm", with_immediate(rr(0x0FA4, eax, ecx), 1), 3, 2, 4},
      {"DIV r32", group(0xF7, 6), 38, 40, 41},
      {"DIV r16", sixteen_bit(group(0xF7, 6)), 22, 24, 25},
      {"DIV r8", group(0xF6, 6), 14, 16, 17},
      {"IDIV r32", group(0xF7, 7), 43, 43, 46},
      {"CWDE", plain(0x98, 1), 3, 3, 3},
      {"CDQ", plain(0x99, 1), 2, 3, 2},
      {"CLI", plain(0xFA, 1), 3, 5, 7},
      {"CLD", plain(0xFC, 1), 2, 2, 2},
      {"LAHF", plain(0x9F, 1), 2, 3, 2},
      {"SAHF", plain(0x9E, 1), 3, 2, 2},
      {"LODS", plain(0xAD, 1), 5, 5, 2},
      {"STOS", plain(0xAB, 1), 4, 5, 3},
      {"MOVS", plain(0xA5, 1), 7, 7, 4},
      {"SCAS", plain(0xAF, 1), 7, 6, 4},
      {"CMPS", plain(0xA7, 1), 10, 8, 5},
      {"XLAT", plain(0xD7, 1), 5, 4, 4},
      {"BT r,r", rr(0x0FA3, eax, ecx), 3, 3, 4},
      {"BTS r,imm", with_immediate(rr(0x0FBA, eax, 5), 1), 6, 6, 7},
      {"LEAVE", plain(0xC9, 1), 4, 5, 3},
      {"MOV CR0,r", rr(0x0F22, eax, 0), 10, 16, 22},
      {"MOV CR3,r", rr(0x0F22, eax, 3), 5, 4, 21},
      {"CLTS", plain(0x0F06, 2), 5, 7, 10},
      {"LGDT", rm(0x0F01, 2, ebx), 11, 11, 6},
      {"LTR", rr(0x0F00, eax, 3), 23, 20, 10},
      {"HLT", plain(0xF4, 1), 5, 4, 4},
      {"NOP", plain(0x90, 1), 3, 1, 1},
      {"Jcc not taken", jcc(), 3, 1, 1},
      // I/O, minus the two clocks of the bus cycle
      {"IN real", real_mode(plain(0xEC, 1)), 13 - 2, 14 - 2, 7 - 2},
      {"IN CPL<=IOPL", plain(0xEC, 1), 7 - 2, 8 - 2, 4 - 2},
      {"OUT imm real", real_mode(plain(0xE6, 2)), 10 - 2, 16 - 2, 12 - 2},
      {"OUT CPL<=IOPL", plain(0xEE, 1), 5 - 2, 10 - 2, 9 - 2},
      {"INS CPL<=IOPL", plain(0x6D, 1), 9 - 2, 10 - 2, 6 - 2},
  };
  for (const auto& s : samples) {
    INFO(s.name);
    CHECK(clocks(sx_config(), s.op) == s.i386);
    CHECK(clocks(i486_config(), s.op) == s.i486);
    CHECK(clocks(pentium_config(), s.op) == s.pentium);
  }
}

TEST_CASE("Addressing and prefixes add their penalties", "[cpu][timing]") {
  const Op indexed = rm(0x8B, eax, ebx, 0, ecx);
  CHECK(clocks(sx_config(), indexed) == 5);    // base and index: one more
  CHECK(clocks(i486_config(), indexed) == 2);  // index: one more
  CHECK(clocks(pentium_config(), indexed) == 1);
  const Op both = with_immediate(rm(0xC7, 0, ebx, 1), 4);
  CHECK(clocks(i486_config(), both) == 2);  // displacement and immediate
  CHECK(clocks(pentium_config(), both) == 1);
  const Op prefixed = with_prefixes(rr(0x89, eax, ecx), 2);
  CHECK(clocks(sx_config(), prefixed) == 2);  // only fetched
  CHECK(clocks(i486_config(), prefixed) == 3);
  CHECK(clocks(pentium_config(), prefixed) == 3);
}

TEST_CASE("Repeated string instructions follow the manuals' formulas", "[cpu][timing]") {
  for (unsigned n : {1u, 2u, 10u, 757u}) {
    CAPTURE(n);
    CHECK(repeated(sx_config(), plain(0xA5, 1), n) == 5 + 4 * n);
    CHECK(repeated(sx_config(), plain(0xAB, 1), n) == 5 + 5 * n);
    CHECK(repeated(sx_config(), plain(0xA7, 1), n) == 5 + 9 * n);
    CHECK(repeated(sx_config(), plain(0x6F, 1), n) == 6 + (5 - 2) * n);  // OUTS, less bus cycles
    CHECK(repeated(sx_config(), real_mode(plain(0x6D, 1)), n) == 13 + (6 - 2) * n);
    CHECK(repeated(i486_config(), plain(0xA5, 1), n) == 12 + 3 * n);
    CHECK(repeated(i486_config(), plain(0xAF, 1), n) == 7 + 5 * n);
    CHECK(repeated(i486_config(), plain(0x6F, 1), n) == 11 + (5 - 2) * n);
    CHECK(repeated(pentium_config(), plain(0xA5, 1), n) == 13 + n);
    CHECK(repeated(pentium_config(), plain(0xAB, 1), n) == 9 + n);
    CHECK(repeated(pentium_config(), plain(0x6D, 1), n) == 8 + (3 - 2) * n);
  }
  CHECK(repeated(i486_config(), plain(0xA5, 1), 0) == 5);
  CHECK(repeated(pentium_config(), plain(0xAB, 1), 0) == 6);
}

TEST_CASE("Data-dependent microcode stays within the manuals' ranges", "[cpu][timing]") {
  // MUL 32: 9 to 38 on the 386, 13 to 42 on the 486, always 10 on the Pentium.
  CHECK(multiply_extra(Model::i386sx, 32, 0, false) == 0);
  CHECK(multiply_extra(Model::i386sx, 32, 8, false) == 0);
  CHECK(multiply_extra(Model::i386sx, 32, 9, false) == 1);
  CHECK(9 + multiply_extra(Model::i386sx, 32, 0xFFFFFFFF, false) == 38);
  CHECK(9 + multiply_extra(Model::i386sx, 16, 0xFFFF, false) == 22);
  CHECK(9 + multiply_extra(Model::i386sx, 8, 0xFF, false) == 14);
  CHECK(13 + multiply_extra(Model::i486sx, 32, 0x80000001, false) == 42);
  CHECK(multiply_extra(Model::i386sx, 32, 0xFFFFFFFF, true) == 0);  // -1: the magnitude counts
  CHECK(multiply_extra(Model::pentium, 32, 0xFFFFFFFF, false) == 0);
  CHECK(10 + bit_scan_extra(Model::i386sx, false, 5) == 25);
  CHECK(6 + bit_scan_extra(Model::i486sx, false, 31) <= 42);
  CHECK(7 + bit_scan_extra(Model::pentium, true, 31) <= 71);
  CHECK(10 + enter_extra(Model::i386sx, 1) == 12);
  CHECK(10 + enter_extra(Model::i386sx, 3) == 15 + 4 * 2);
  CHECK(14 + enter_extra(Model::i486sx, 2) == 17 + 3 * 2);
  CHECK(8 + rotate_carry_extra(Model::i486sx, 31) == 30);
  CHECK(7 + rotate_carry_extra(Model::pentium, 31) == 27);

  Op in = plain(0xEC, 1);
  CHECK(27 == 7 + io_permission_extra(Model::i386sx, in));
  CHECK(28 == 8 + io_permission_extra(Model::i486sx, in));
  CHECK(21 == 4 + io_permission_extra(Model::pentium, in));
  in.v86 = true;
  CHECK(19 == 4 + io_permission_extra(Model::pentium, in));

  CHECK(transfer_clocks(Model::i386sx, Transfer::interrupt, Reach::real) == 37);
  CHECK(transfer_clocks(Model::i386sx, Transfer::interrupt, Reach::inner) == 99);
  CHECK(transfer_clocks(Model::i486sx, Transfer::interrupt, Reach::inner) == 71);
  CHECK(transfer_clocks(Model::pentium, Transfer::interrupt, Reach::same) == 31);
  CHECK(transfer_clocks(Model::i386sx, Transfer::iret, Reach::outer) == 82);
  CHECK(transfer_clocks(Model::i486sx, Transfer::ret, Reach::outer) == 33);
  CHECK(transfer_clocks(Model::i386sx, Transfer::call, Reach::inner, 2) == 86 + 8);
}

TEST_CASE("P6 interrupts and page walks take the configured clocks, other transfers in proportion") {
  TimingConfig c;
  c.model = Model::p6;
  CHECK(interrupt_clocks(c, Transfer::interrupt, Reach::inner) == 110);
  CHECK(interrupt_clocks(c, Transfer::iret, Reach::outer) == 90);
  CHECK(page_walk(c) == 2);
  for (const Reach reach : {Reach::real, Reach::same, Reach::from_v86})
    CHECK(interrupt_clocks(c, Transfer::interrupt, reach) == transfer_clocks(c.model, Transfer::interrupt, reach));
  c.interrupt_entry = 55;
  c.interrupt_return = 180;
  c.page_walk = 10;
  CHECK(interrupt_clocks(c, Transfer::interrupt, Reach::inner) == 55);
  CHECK(interrupt_clocks(c, Transfer::interrupt, Reach::same) == 35);
  CHECK(interrupt_clocks(c, Transfer::iret, Reach::same) == 100);
  CHECK(interrupt_clocks(c, Transfer::iret, Reach::task) == transfer_clocks(c.model, Transfer::iret, Reach::task));
  CHECK(page_walk(c) == 10);
  c.model = Model::pentium;
  CHECK(interrupt_clocks(c, Transfer::interrupt, Reach::inner) == 48);
  CHECK(page_walk(c) == 13);
}
