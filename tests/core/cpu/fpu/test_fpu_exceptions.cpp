// SPDX-License-Identifier: GPL-2.0-or-later
// The x87 from a program's point of view: absence, #NM, #MF and IRQ 13, stack faults, adjusted results, environments.
#include "core/cpu/fpu/fpu.hpp"
#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

constexpr std::uint32_t cr0_mp = 2, cr0_em = 4, cr0_ts = 8, cr0_ne = 0x20;

Board& with_cr0(Board& b, std::uint32_t bits) {
  b.change([&](Registers& r) { r.cr0 |= bits; });
  return b;
}

/// Ten bytes of a real80 in memory.
void put80(Board& b, std::uint32_t at, unsigned exponent, std::uint64_t mantissa) {
  b.put32(at, static_cast<std::uint32_t>(mantissa));
  b.put32(at + 4, static_cast<std::uint32_t>(mantissa >> 32));
  b.put16(at + 8, static_cast<std::uint16_t>(exponent));
}
std::uint64_t get64(const Board& b, std::uint32_t at) { return std::uint64_t{b.get32(at + 4)} << 32 | b.get32(at); }

}  // namespace

TEST_CASE("Without an FPU status and control words read as ones", "[cpu][fpu]") {
  Board b(Model::i486sx);
  b.flat({0xDB, 0xE3,              // FNINIT
          0xDF, 0xE0,              // FNSTSW AX
          0xD9, 0x3D, 0, 0, 2, 0,  // FNSTCW [20000h]
          0xD9, 0xE8,              // FLD1
          0xDD, 0x1D, 8, 0, 2, 0,  // FSTP qword [20008h]
          0x9B, 0xF4});            // WAIT; HLT
  b.put32(data_at, 0x12345678);
  b.put32(data_at + 8, 0x12345678);
  b.run();
  CHECK(b.vector() == -1);
  CHECK((b.reg(EAX) & 0xFFFF) == 0xFFFF);
  CHECK(b.get32(data_at) == 0x1234FFFF);
  CHECK(b.get32(data_at + 8) == 0x12345678);
  CHECK(b.pins.fpu_errors.empty());
}

TEST_CASE("A detected FPU: FNINIT clears the status word and sets 037Fh", "[cpu][fpu]") {
  Board b(Model::pentium);
  b.flat({0xDB, 0xE3, 0xDF, 0xE0, 0xD9, 0x3D, 0, 0, 2, 0, 0xF4});
  b.change([](Registers& r) { r.gpr[EAX] = 0x5A5A; });
  b.run();
  CHECK((b.reg(EAX) & 0xFFFF) == 0);
  CHECK(b.get16(data_at) == 0x037F);
}

TEST_CASE("EM and TS raise #NM on escapes, MP with TS on WAIT", "[cpu][fpu]") {
  const auto vector_of = [](std::uint32_t cr0, std::initializer_list<unsigned> code) {
    Board b(Model::pentium);
    with_cr0(b.flat(code), cr0);
    return b.run().vector();
  };
  CHECK(vector_of(cr0_em, {0xD9, 0xE8, 0xF4}) == 7);
  CHECK(vector_of(cr0_ts, {0xD9, 0xE8, 0xF4}) == 7);
  CHECK(vector_of(cr0_em, {0xDB, 0xE3, 0xF4}) == 7);  // FNINIT too
  CHECK(vector_of(cr0_em, {0x9B, 0xF4}) == -1);
  CHECK(vector_of(cr0_ts, {0x9B, 0xF4}) == -1);
  CHECK(vector_of(cr0_mp, {0x9B, 0xF4}) == -1);
  CHECK(vector_of(cr0_mp | cr0_ts, {0x9B, 0xF4}) == 7);
  CHECK(vector_of(0, {0xD9, 0xE8, 0x9B, 0xF4}) == -1);
}

TEST_CASE("With NE an unmasked zero divide is #MF at the next waiting instruction", "[cpu][fpu]") {
  Board b(Model::pentium);
  b.put16(data_at, 0x037B);                    // ZM clear
  b.flat({0xDB, 0xE3, 0xD9, 0x2D, 0, 0, 2, 0,  // FNINIT; FLDCW [20000h]
          0xD9, 0xEE, 0xD9, 0xE8,              // FLDZ; FLD1
          0xD8, 0xF1,                          // FDIV ST(1): 1/0
          0x90, 0xDF, 0xE0,                    // NOP; FNSTSW AX does not wait
          0xDD, 0x15, 0x10, 0,    2, 0});      // FST qword [20010h] does
  with_cr0(b, cr0_ne);
  b.put32(data_at + 0x10, 0x55555555);
  b.run();
  CHECK(b.vector() == 16);
  CHECK(b.stack(0) == code_at + 17);
  CHECK((b.reg(EAX) & 0xFFFF) == 0xB084);  // B, ES, ZE; two registers in use
  CHECK(b.get32(data_at + 0x10) == 0x55555555);
  CHECK(b.pins.fpu_errors.empty());
}

TEST_CASE("WAIT reports an error, FNCLEX clears it, unmasking it makes it pending", "[cpu][fpu]") {
  SECTION("WAIT") {
    Board b(Model::pentium);
    b.put16(data_at, 0x037E);
    b.flat({0xDB, 0xE3, 0xD9, 0x2D, 0, 0, 2, 0, 0xD9, 0xFA, 0x9B});  // FSQRT of an empty register: stack underflow
    with_cr0(b, cr0_ne).run();
    CHECK(b.vector() == 16);
    CHECK(b.stack(0) == code_at + 10);
  }
  SECTION("FNCLEX") {
    Board b(Model::pentium);
    b.put16(data_at, 0x037E);
    b.flat({0xDB, 0xE3, 0xD9, 0x2D, 0, 0, 2, 0, 0xD9, 0xFA, 0xDB, 0xE2, 0x9B, 0xDF, 0xE0, 0xF4});
    with_cr0(b, cr0_ne).run();
    CHECK(b.vector() == -1);
    CHECK((b.reg(EAX) & 0xFFFF) == 0);
  }
  SECTION("FLDCW") {
    Board b(Model::pentium);
    b.put16(data_at, 0x037E);
    b.flat({0xDB, 0xE3, 0xD9, 0xFA, 0xD9, 0x2D, 0, 0, 2, 0, 0xD9, 0xE8});
    with_cr0(b, cr0_ne).run();
    CHECK(b.vector() == 16);
    CHECK(b.stack(0) == code_at + 10);
  }
}

TEST_CASE("Without NE FERR# is asserted and the next waiting instruction waits for the interrupt", "[cpu][fpu]") {
  Board b(Model::pentium);
  b.put16(data_at, 0x037B);
  b.flat({0xDB, 0xE3, 0xD9, 0x2D, 0, 0, 2, 0, 0xD9, 0xEE, 0xD9, 0xE8, 0xD8, 0xF1,  // .. FDIV ST(1)
          0xD9, 0xE8,                                                              // FLD1
          0xF4});
  b.change([](Registers& r) { r.eflags |= 0x200; });
  b.step(5);
  REQUIRE(b.pins.fpu_errors == std::vector<bool>{true});
  b.step(3);
  CHECK(b.cpu.registers().eip == code_at + 14);  // does not proceed past it

  SECTION("IRQ 13 ends the wait; FNCLEX in the handler deasserts FERR#") {
    b.pins.vector = 0x75;
    b.put(handlers_at + 0x75, {0xDB, 0xE2, 0xCF});  // FNCLEX; IRET
    b.cpu.set_intr(true);
    b.step();
    CHECK(b.cpu.registers().eip == handlers_at + 0x75);
    CHECK(b.stack(0) == code_at + 14);
    b.step();
    CHECK(b.pins.fpu_errors == std::vector<bool>{true, false});
    b.step(2);
    CHECK(b.cpu.registers().eip == code_at + 16);
  }
  SECTION("IGNNE# lets the instruction proceed") {
    b.cpu.ignore_fpu_error(true);
    b.step();
    CHECK(b.cpu.registers().eip == code_at + 16);
    CHECK(b.pins.fpu_errors == std::vector<bool>{true});
  }
}

TEST_CASE("Stack faults distinguish overflow from underflow by C1", "[cpu][fpu]") {
  Board b(Model::pentium);
  b.flat({0xDB, 0xE3, 0xD9, 0xE8, 0xD9, 0xE8, 0xD9, 0xE8, 0xD9, 0xE8,
          0xD9, 0xE8, 0xD9, 0xE8, 0xD9, 0xE8, 0xD9, 0xE8, 0xD9, 0xE8,  // the ninth
          0xDF, 0xE0, 0x89, 0xC3,                                      // FNSTSW AX; MOV EBX,EAX
          0xDB, 0x3D, 0,    0,    2,    0,                             // FSTP tbyte [20000h]
          0xDB, 0xE3, 0xD8, 0xC1, 0xDF, 0xE0,                          // FNINIT; FADD ST(1); FNSTSW AX
          0xDB, 0x1D, 0x10, 0,    2,    0,    0xF4});                  // FISTP dword [20010h]
  b.run();
  CHECK((b.reg(EBX) & 0xFFFF) == 0x3A41);  // top 7, C1, SF, IE
  CHECK(get64(b, data_at) == 0xC000000000000000u);
  CHECK(b.get16(data_at + 8) == 0xFFFF);
  CHECK((b.reg(EAX) & 0xFFFF) == 0x0041);
  CHECK(b.get32(data_at + 0x10) == 0x80000000u);
}

TEST_CASE("Unmasked overflow and underflow deliver the result with its exponent adjusted", "[cpu][fpu]") {
  Board b(Model::pentium);
  b.put16(data_at, 0x0367);  // OM and UM clear
  put80(b, data_at + 0x10, 0x7FFE, 0xC000000000000000u);
  put80(b, data_at + 0x20, 0x0001, 0x8000000000000000u);
  SECTION("overflow") {
    b.flat({0xDB, 0xE3, 0xD9, 0x2D, 0,    0,    2,    0, 0xDB, 0x2D, 0x10, 0, 2, 0, 0xD8, 0xC8,  // FMUL ST(0)
            0xDF, 0xE0, 0xDB, 0xE2, 0xDB, 0x3D, 0x30, 0, 2,    0,    0xF4})
        .run();
    CHECK((b.reg(EAX) & 0xFFFF) == 0xB888);
    CHECK(get64(b, data_at + 0x30) == 0x9000000000000000u);
    CHECK(b.get16(data_at + 0x38) == 2 * 0x7FFE - 0x3FFF + 1 - 24576);
  }
  SECTION("underflow, though exact") {
    b.flat({0xDB, 0xE3, 0xD9, 0x2D, 0,    0,    2,    0,    0xDB, 0x2D, 0x20, 0, 2,   0,
            0xD8, 0xC8, 0xDF, 0xE0, 0xDB, 0xE2, 0xDB, 0x3D, 0x30, 0,    2,    0, 0xF4})
        .run();
    CHECK((b.reg(EAX) & 0xFFFF) == 0xB890);
    CHECK(get64(b, data_at + 0x30) == 0x8000000000000000u);
    CHECK(b.get16(data_at + 0x38) == 2 - 0x3FFF + 24576);
  }
}

TEST_CASE("The remainder of a denormal by an infinity is that denormal, without an underflow exception", "[cpu][fpu]") {
  const unsigned form = GENERATE(0xF5u, 0xF8u);  // FPREM1, FPREM
  Board b(Model::pentium);
  b.put16(data_at, 0x036F);  // underflow unmasked
  put80(b, data_at + 0x10, 0x7FFF, std::uint64_t{1} << 63);
  put80(b, data_at + 0x20, 0, 0x1234);
  b.flat({0xDB, 0xE3, 0xD9, 0x2D, 0,    0,    2,    0,    0xDB, 0x2D, 0x10, 0, 2, 0, 0xDB, 0x2D,
          0x20, 0,    2,    0,    0xD9, form, 0xDF, 0xE0, 0xDB, 0x3D, 0x30, 0, 2, 0, 0xF4});  // FNSTSW AX; FSTP tbyte
  b.run();
  CHECK((b.reg(EAX) & 0x47FF) == 0x0002);  // denormal operand, quotient 0, complete
  CHECK(get64(b, data_at + 0x30) == 0x1234);
  CHECK(b.get16(data_at + 0x38) == 0);
}

TEST_CASE("FRNDINT rounds the number below 2^63 up to 2^63 and keeps its sign", "[cpu][fpu]") {
  const unsigned sign = GENERATE(0u, 0x8000u);
  Board b(Model::pentium);
  put80(b, data_at + 0x10, sign | 0x403D, ~std::uint64_t{0});  // 2^63 - 1/2: to the nearest even number
  b.flat({0xDB, 0xE3, 0xDB, 0x2D, 0x10, 0, 2, 0, 0xD9, 0xFC, 0xDB, 0x3D, 0x30, 0, 2, 0, 0xF4}).run();
  CHECK(get64(b, data_at + 0x30) == std::uint64_t{1} << 63);
  CHECK(b.get16(data_at + 0x38) == (sign | 0x403E));
}

TEST_CASE("A faulting store changes nothing and can be restarted", "[cpu][fpu]") {
  Board b(Model::pentium);
  b.paged({0xDB, 0xE3, 0xD9, 0xEB, 0xDD, 0x1D, 0xFC, 0x0F, 2, 0, 0xDF, 0xE0, 0xF4});  // FSTP qword across a page
                                                                                      // boundary
  b.pte(data_at + 0x1000, 0);
  b.put32(data_at + 0xFFC, 0x77777777);
  b.put(handlers_at + 14, {0xF4});
  b.run();
  CHECK(b.vector() == 14);
  CHECK(b.cpu.registers().cr2 == data_at + 0x1000);
  CHECK(b.get32(data_at + 0xFFC) == 0x77777777);
  b.pte(data_at + 0x1000, (data_at + 0x1000) | 7);
  b.change([](Registers& r) { r.eip = code_at + 4; });
  b.run();
  CHECK(get64(b, data_at + 0xFFC) == 0x400921FB54442D18u);
  CHECK((b.reg(EAX) & 0xFFFF) == 0x0020);  // inexact, stack empty again
}

TEST_CASE("The Pentium's division is exact: 4195835 / 3145727", "[cpu][fpu]") {
  Board b(Model::pentium);
  b.put32(data_at, 4195835);
  b.put32(data_at + 4, 3145727);
  b.flat({0xDB, 0xE3, 0xDB, 0x05, 0, 0, 2,   0,  // FILD [x]
          0xDA, 0x35, 4,    0,    2, 0,          // FIDIV [y]
          0xDA, 0x0D, 4,    0,    2, 0,          // FIMUL [y]
          0xDA, 0x2D, 0,    0,    2, 0,          // FISUBR [x]
          0xDB, 0x1D, 8,    0,    2, 0, 0xF4})
      .run();  // FISTP
  CHECK(b.get32(data_at + 8) == 0);
}

TEST_CASE("FNSTENV stores and FLDENV restores each of the four layouts", "[cpu][fpu]") {
  // FLDPI, then FST dword [20100h]; the environment contains the code and data addresses.
  SECTION("32 bits, protected") {
    Board b(Model::pentium);
    b.flat({0xDB, 0xE3, 0xD9, 0xEB, 0xD9, 0x15, 0,   1, 2, 0, 0xD9, 0x35, 0, 0, 2, 0,  // FNSTENV
            0xDB, 0xE3, 0xD9, 0x25, 0,    0,    2,   0,                                // FNINIT; FLDENV
            0xD9, 0x35, 0x40, 0,    2,    0,    0xF4})
        .run();
    CHECK(b.get32(data_at) == 0xFFFF037F);
    CHECK(b.get32(data_at + 4) == 0xFFFF3A20);  // top 7, C1: rounded up, inexact
    CHECK(b.get32(data_at + 8) == 0xFFFF3FFF);
    CHECK(b.get32(data_at + 12) == code_at + 4);
    CHECK(b.get32(data_at + 16) == (0x115u << 16 | code0));
    CHECK(b.get32(data_at + 20) == data_at + 0x100);
    CHECK(b.get32(data_at + 24) == (0xFFFF0000u | data0));
    for (unsigned i = 0; i < 28; i += 4) CHECK(b.get32(data_at + 0x40 + i) == b.get32(data_at + i));
  }
  SECTION("16 bits, protected") {
    Board b(Model::pentium);
    b.flat({0xDB, 0xE3, 0xD9, 0xEB, 0xD9, 0x15, 0, 1, 2, 0, 0x66, 0xD9, 0x35, 0, 0, 2, 0, 0xF4}).run();
    const std::uint16_t expected[] = {0x037F, 0x3A20, 0x3FFF, (code_at + 4) & 0xFFFF, code0, 0x0100, data0};
    for (unsigned i = 0; i < 7; ++i) CHECK(b.get16(data_at + 2 * i) == expected[i]);
  }
  SECTION("16 bits, real") {
    Board b(Model::pentium);
    b.real({0xDB, 0xE3, 0xD9, 0xEB, 0xD9, 0x16, 0,    1,    0xD9, 0x36, 0,   0,
            0xDB, 0xE3, 0xD9, 0x26, 0,    0,    0xD9, 0x36, 0x40, 0,    0xF4})
        .run();
    const std::uint16_t expected[] = {0x037F, 0x3A20, 0x3FFF, 4, 0x1000 | 0x116, 0x0100, 0x2000};
    for (unsigned i = 0; i < 7; ++i) {
      CHECK(b.get16(data_at + 2 * i) == expected[i]);
      CHECK(b.get16(data_at + 0x40 + 2 * i) == expected[i]);
    }
  }
  SECTION("32 bits, real") {
    Board b(Model::pentium);
    b.real({0xDB, 0xE3, 0xD9, 0xEB, 0xD9, 0x16, 0, 1,    0x66, 0xD9, 0x36, 0, 0,
            0xDB, 0xE3, 0x66, 0xD9, 0x26, 0,    0, 0x66, 0xD9, 0x36, 0x40, 0, 0xF4})
        .run();
    const std::uint32_t expected[] = {0xFFFF037F, 0xFFFF3A20, 0xFFFF3FFF, 0xFFFF0004, 0x1116, 0xFFFF0100, 0x2000};
    for (unsigned i = 0; i < 7; ++i) {
      CHECK(b.get32(data_at + 4 * i) == expected[i]);
      CHECK(b.get32(data_at + 0x40 + 4 * i) == expected[i]);
    }
  }
}

TEST_CASE("FNSAVE stores the stack from its top and initialises the FPU; FRSTOR restores everything", "[cpu][fpu]") {
  Board b(Model::pentium);
  b.flat({0xDB, 0xE3, 0xD9, 0xE8, 0xD9, 0xEE, 0xDD, 0x35, 0,   0, 2, 0,  // FLD1; FLDZ; FNSAVE
          0xDF, 0xE0, 0x89, 0xC3,                                        // FNSTSW AX; MOV EBX,EAX
          0xDD, 0x25, 0,    0,    2,    0,                               // FRSTOR
          0xDE, 0xC1, 0xDB, 0x1D, 0,    1,    2,    0,    0xF4})
      .run();  // FADDP; FISTP dword [20100h]
  CHECK((b.reg(EBX) & 0xFFFF) == 0);
  CHECK(b.get32(data_at + 8) == 0xFFFF1FFF);  // R7 valid, R6 zero
  CHECK(get64(b, data_at + 28) == 0);
  CHECK(get64(b, data_at + 38) == 0x8000000000000000u);
  CHECK(b.get16(data_at + 46) == 0x3FFF);
  CHECK(b.get32(data_at + 0x100) == 1);
}

TEST_CASE("Encodings of later processors are undefined on the Pentium", "[cpu][fpu]") {
  for (const auto code : {0xDAC0u, 0xDBC1u, 0xDBE9u, 0xDBF1u, 0xDFE9u, 0xDFF1u, 0xD9D1u, 0xD9E2u, 0xDDF0u, 0xDED8u}) {
    Board b(Model::pentium);
    b.flat({code >> 8, code & 0xFF, 0xF4}).run();
    INFO(std::hex << code);
    CHECK(b.vector() == 6);
  }
}

TEST_CASE("RESET deasserts FERR#", "[cpu][fpu]") {
  Board b(Model::pentium);
  b.put16(data_at, 0x037B);
  b.flat({0xDB, 0xE3, 0xD9, 0x2D, 0, 0, 2, 0, 0xD9, 0xEE, 0xD9, 0xE8, 0xD8, 0xF1}).step(5);
  b.cpu.reset(b.cpu.time());
  CHECK(b.pins.fpu_errors == std::vector<bool>{true, false});
}

TEST_CASE("A 386SX with a 387SX reports errors through ERROR# and computes the same results", "[cpu][fpu]") {
  cpu::CpuConfig config = Board::config(Model::i386sx);
  config.fpu = true;
  Board b(config);
  b.real({0xDB, 0xE3, 0xD9, 0xEB, 0xDD, 0x1E, 0, 0, 0xDF, 0xE0, 0xF4}).run();
  CHECK(get64(b, data_at) == 0x400921FB54442D18u);
  CHECK((b.reg(EAX) & 0xFFFF) == 0x0020);
}

TEST_CASE("FXSAVE stores the x87 state in 512 bytes, and FXRSTOR restores it", "[cpu][fpu][p6]") {
  Board b(Model::p6);
  b.flat({0xDB, 0xE3, 0xD9, 0xEB, 0xD9, 0xE8,       // FNINIT; FLDPI; FLD1
          0x0F, 0xAE, 0x05, 0,    0,    2,    0,    // FXSAVE [20000h]
          0xDB, 0xE3,                               // FNINIT
          0x0F, 0xAE, 0x0D, 0,    0,    2,    0});  // FXRSTOR [20000h]
  std::fill_n(&b.ram[data_at], 512, std::uint8_t{0xA5});
  b.step(4);
  CHECK(b.get16(data_at) == 0x037F);
  CHECK(b.get16(data_at + 2) == 6 << 11);
  CHECK(b.ram[data_at + 4] == 0xC0);  // R6 and R7
  CHECK(b.ram[data_at + 5] == 0xA5);
  CHECK(b.get16(data_at + 6) == 0x1E8);
  CHECK(b.get32(data_at + 8) == code_at + 4);
  CHECK(b.get16(data_at + 12) == code0);
  CHECK(get64(b, data_at + 32) == 0x8000000000000000u);
  CHECK(b.get16(data_at + 40) == 0x3FFF);
  CHECK(b.get16(data_at + 42) == 0xA5A5);
  CHECK(get64(b, data_at + 48) == 0xC90FDAA22168C235u);
  CHECK(b.get32(data_at + 24) == 0xA5A5A5A5);   // MXCSR
  CHECK(b.get32(data_at + 160) == 0xA5A5A5A5);  // XMM0
  CHECK(b.cpu.fpu().top() == 6);                // nothing is initialised
  const cpu::Fpu saved = b.cpu.fpu();
  b.put16(data_at, 0xFFFF);
  b.step(2);
  const cpu::Fpu f = b.cpu.fpu();
  CHECK(f.registers == saved.registers);
  CHECK(f.tags == saved.tags);
  CHECK(f.status == saved.status);
  CHECK(f.control == 0x1F7F);
  CHECK(f.opcode == saved.opcode);
  CHECK(f.instruction_offset == saved.instruction_offset);
}

TEST_CASE("FXSAVE: alignment is #GP, EM and TS are #NM, and a pending exception is saved and not raised",
          "[cpu][fpu][p6]") {
  Board b(Model::p6);
  for (const unsigned modrm : {0x05u, 0x0Du}) {
    const auto vector = [&](unsigned offset, std::uint32_t cr0) {
      b.flat({0x0F, 0xAE, modrm, offset, 0, 2, 0, 0xF4});
      std::fill_n(&b.ram[data_at], 512, std::uint8_t{0});
      with_cr0(b, cr0);
      return b.run().vector();
    };
    CHECK(vector(0, 0) == -1);
    CHECK(vector(8, 0) == 13);
    CHECK(vector(0, cr0_em) == 7);
    CHECK(vector(0, cr0_ts) == 7);
  }
  b.flat({0xDB, 0xE3, 0xD9, 0x2D, 0, 2, 2, 0, 0xD9, 0xEE, 0xD8, 0xF0, 0x0F, 0xAE, 0x05, 0, 0, 2, 0});  // 0 / 0 unmasked
  b.put16(data_at + 0x200, 0x037E);
  with_cr0(b, cr0_ne);
  b.step(5);
  CHECK(b.vector() == -1);
  CHECK((b.get16(data_at + 2) & 0x80BF) == 0x8081);
  // Across two pages, the second of which is not present: nothing is written.
  b.paged({0x0F, 0xAE, 0x05, 0x00, 0x0F, 6, 0});
  b.pte(0x61000, 0);
  b.step(2);
  CHECK(b.vector() == 14);
  CHECK(b.cpu.registers().cr2 == 0x61000);
  CHECK(b.get16(0x60F00) == 0);
}
