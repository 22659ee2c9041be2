// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/p6/micro_ops.hpp"

#include <cstddef>
#include <iterator>

#include "core/cpu/timing/common/instruction_table.hpp"

namespace planar::cpu {
namespace {

constexpr std::uint8_t p0 = port_0, p1 = port_1, p01 = port_01, C = flag_carry, Z = flag_zso, all = flags_all;
using namespace opcode_mask;

struct Row {
  std::uint16_t opcode;        // as Op::opcode
  std::uint16_t mask;          // bits of the opcode that count
  std::int8_t extension;       // ModRM reg field, -1 = any
  std::uint8_t reads, writes;  // flags
  MicroOps reg, mem;
};

constexpr MicroOps stack(std::uint8_t uops, std::uint8_t compute = 0, std::uint8_t ports = p1) {
  return {uops, compute, ports, 1, 1, true};
}
/// Microcode that drains the machine; `clocks` beyond its micro-ops.
constexpr MicroOps serial(std::uint8_t uops, std::uint8_t clocks) { return {uops, 1, p0, 1, 1, false, true, clocks}; }
/// Microcode that does not; `latency` clocks of its last micro-op pass before its result is available.
constexpr MicroOps slow(std::uint8_t uops, std::uint8_t latency) { return {uops, 1, p01, latency}; }

constexpr Row rows[] = {
    // opcode  mask     /r  reads writes  register form         memory form
    // clang-format off
    {0x0000, 0x0000,  -1, 0, 0,   {4, 1, p01, 1},        {4, 1, p01, 1}},         // anything not listed below
    // -- arithmetic and logic
    {0x0000, alu,     -1, 0, all, {1, 1, p01, 1},        {4, 1, p01, 1}},         // ADD.. r/m,r
    {0x0002, alu,     -1, 0, all, {1, 1, p01, 1},        {2, 1, p01, 1}},         // ADD.. r,r/m
    {0x0004, alu,     -1, 0, all, {1, 1, p01, 1},        {1, 1, p01, 1}},         // ADD.. acc,imm
    {0x0010, 0xFFF6,  -1, C, all, {2, 2, p01, 1},        {6, 3, p01, 1}},         // ADC SBB r/m,r
    {0x0012, 0xFFF6,  -1, C, all, {2, 2, p01, 1},        {3, 2, p01, 1}},         // ADC SBB r,r/m
    {0x0014, 0xFFF6,  -1, C, all, {2, 2, p01, 1},        {2, 2, p01, 1}},         // ADC SBB acc,imm
    {0x0038, 0xFFFC,  -1, 0, all, {1, 1, p01, 1},        {2, 1, p01, 1}},         // CMP
    {0x003C, two,     -1, 0, all, {1, 1, p01, 1},        {1, 1, p01, 1}},
    {0x0080, 0xFFFC,  -1, 0, all, {1, 1, p01, 1},        {4, 1, p01, 1}},         // ADD.. r/m,imm
    {0x0080, 0xFFFC,   2, C, all, {2, 2, p01, 1},        {6, 3, p01, 1}},         // ADC
    {0x0080, 0xFFFC,   3, C, all, {2, 2, p01, 1},        {6, 3, p01, 1}},         // SBB
    {0x0080, 0xFFFC,   7, 0, all, {1, 1, p01, 1},        {2, 1, p01, 1}},         // CMP
    {0x0084, two,     -1, 0, C | Z, {1, 1, p01, 1},      {2, 1, p01, 1}},         // TEST
    {0x00A8, two,     -1, 0, C | Z, {1, 1, p01, 1},      {1, 1, p01, 1}},
    {0x0040, sixteen, -1, 0, Z | flag_ap, {1, 1, p01, 1}, {1, 1, p01, 1}},        // INC DEC r
    {0x00FE, two,      0, 0, Z | flag_ap, {1, 1, p01, 1}, {4, 1, p01, 1}},        // INC r/m
    {0x00FE, two,      1, 0, Z | flag_ap, {1, 1, p01, 1}, {4, 1, p01, 1}},        // DEC r/m
    {0x00F6, two,      0, 0, C | Z, {1, 1, p01, 1},      {2, 1, p01, 1}},         // TEST imm
    {0x00F6, two,      1, 0, C | Z, {1, 1, p01, 1},      {2, 1, p01, 1}},
    {0x00F6, two,      2, 0, 0,   {1, 1, p01, 1},        {4, 1, p01, 1}},         // NOT
    {0x00F6, two,      3, 0, all, {1, 1, p01, 1},        {4, 1, p01, 1}},         // NEG
    {0x00F6, one,      4, 0, all, {1, 1, p0, 4},         {2, 1, p0, 4}},          // MUL 8
    {0x00F7, one,      4, 0, all, {3, 1, p0, 4},         {4, 1, p0, 4}},          // MUL (Intel's three micro-ops)
    {0x00F6, one,      5, 0, all, {1, 1, p0, 4},         {2, 1, p0, 4}},
    {0x00F7, one,      5, 0, all, {3, 1, p0, 4},         {4, 1, p0, 4}},
    {0x00F6, one,      6, 0, all, {3, 1, p0, 19, 12},    {4, 1, p0, 19, 12}},     // DIV 8
    {0x00F7, one,      6, 0, all, {4, 1, p0, 39, 37},    {4, 1, p0, 39, 37}},     // DIV; 16 bits: set_micro_ops()
    {0x00F6, one,      7, 0, all, {3, 1, p0, 19, 12},    {4, 1, p0, 19, 12}},     // IDIV 8
    {0x00F7, one,      7, 0, all, {4, 1, p0, 39, 37},    {4, 1, p0, 39, 37}},
    {0x0069, 0xFFFD,  -1, 0, all, {1, 1, p0, 4},         {2, 1, p0, 4}},          // IMUL r,r/m,imm
    {0x0FAF, one,     -1, 0, all, {1, 1, p0, 4},         {2, 1, p0, 4}},          // IMUL r,r/m
    {0x0098, two,     -1, 0, 0,   {1, 1, p01, 1},        {1, 1, p01, 1}},         // CBW CWD
    // -- shifts and rotates
    {0x00C0, two,     -1, 0, C | Z, {1, 1, p0, 1},       {4, 1, p0, 1}},
    {0x00D0, 0xFFFC,  -1, 0, C | Z, {1, 1, p0, 1},       {4, 1, p0, 1}},
    {0x00C0, two,      2, C, C,   {8, 6, p0, 1},         {10, 6, p0, 1}},         // RCL n
    {0x00C0, two,      3, C, C,   {8, 6, p0, 1},         {10, 6, p0, 1}},
    {0x00D0, two,      2, C, C,   {2, 2, p0, 1},         {4, 2, p0, 1}},          // RCL 1
    {0x00D0, two,      3, C, C,   {2, 2, p0, 1},         {4, 2, p0, 1}},
    {0x00D2, two,      2, C, C,   {8, 6, p0, 1},         {10, 6, p0, 1}},         // RCL CL
    {0x00D2, two,      3, C, C,   {8, 6, p0, 1},         {10, 6, p0, 1}},
    {0x0FA4, 0xFFF6,  -1, 0, C | Z, {2, 2, p0, 1},       {4, 2, p0, 1}},          // SHLD SHRD
    // -- moves
    {0x0088, two,     -1, 0, 0,   {1, 1, p01, 1},        {2, 0, 0, 0}},           // MOV r/m,r
    {0x008A, two,     -1, 0, 0,   {1, 1, p01, 1},        {1, 0, 0, 0}},           // MOV r,r/m
    {0x00C6, two,     -1, 0, 0,   {1, 1, p01, 1},        {2, 0, 0, 0}},           // MOV r/m,imm
    {0x00B0, sixteen, -1, 0, 0,   {1, 1, p01, 1},        {1, 1, p01, 1}},         // MOV r,imm
    {0x00A0, two,     -1, 0, 0,   {1, 0, 0, 0},          {1, 0, 0, 0}},           // MOV acc,moffs
    {0x00A2, two,     -1, 0, 0,   {2, 0, 0, 0},          {2, 0, 0, 0}},           // MOV moffs,acc
    {0x008D, one,     -1, 0, 0,   {1, 1, p0, 1},         {1, 1, p0, 1}},          // LEA
    {0x008C, one,     -1, 0, 0,   {1, 1, p01, 1},        {3, 1, p01, 1}},         // MOV r/m,sreg
    {0x008E, one,     -1, 0, 0,   slow(8, 10),           slow(9, 10)},            // MOV sreg,r/m: 12 clocks (Torvalds)
    {0x0086, two,     -1, 0, 0,   {3, 3, p01, 1},        {7, 2, p01, 1, 1, false, false, 18}},  // XCHG: locked
    {0x0090, eight,   -1, 0, 0,   {3, 3, p01, 1},        {3, 3, p01, 1}},         // XCHG eAX,r
    {0x0090, one,     -1, 0, 0,   {1, 1, p01, 1},        {1, 1, p01, 1}},         // NOP
    {0x0FB6, 0xFFF6,  -1, 0, 0,   {1, 1, p01, 1},        {1, 0, 0, 0}},           // MOVZX MOVSX
    {0x00D7, one,     -1, 0, 0,   {2, 1, p01, 1},        {2, 1, p01, 1}},         // XLAT
    {0x009E, one,     -1, 0, all, {1, 1, p01, 1},        {1, 1, p01, 1}},         // SAHF
    {0x009F, one,     -1, all, 0, {1, 1, p01, 1},        {1, 1, p01, 1}},         // LAHF
    {0x0F18, eight,   -1, 0, 0,   {1, 1, p01, 1},        {1, 0, 0, 0}},           // PREFETCHh, other hints
    {0x0FC8, eight,   -1, 0, 0,   {2, 2, p01, 1},        {2, 2, p01, 1}},         // BSWAP
    {0x0FB0, two,     -1, 0, all, {4, 3, p01, 1},        {6, 3, p01, 1}},         // CMPXCHG
    {0x0FC0, two,     -1, 0, all, {4, 3, p01, 1},        {6, 2, p01, 1}},         // XADD
    {0x0FC7, one,      1, 0, Z,   {15, 6, p01, 1},       {15, 6, p01, 1}},        // CMPXCHG8B
    {0x00C4, two,     -1, 0, 0,   slow(11, 10),          slow(11, 10)},           // LES LDS
    {0x0FB2, one,     -1, 0, 0,   slow(11, 10),          slow(11, 10)},
    {0x0FB4, two,     -1, 0, 0,   slow(11, 10),          slow(11, 10)},
    // -- stack
    {0x0050, eight,   -1, 0, 0,   stack(3),              stack(3)},               // PUSH r
    {0x0058, eight,   -1, 0, 0,   stack(2),              stack(2)},               // POP r
    {0x0068, 0xFFFD,  -1, 0, 0,   stack(3),              stack(3)},               // PUSH imm
    {0x00FF, one,      6, 0, 0,   stack(3),              stack(4)},               // PUSH r/m
    {0x008F, one,     -1, 0, 0,   stack(2),              stack(8)},               // POP r/m
    {0x0006, 0xFFE7,  -1, 0, 0,   stack(4),              stack(4)},               // PUSH sreg
    {0x0007, 0xFFE7,  -1, 0, 0,   {9, 1, p01, 10, 1, true}, {9, 1, p01, 10, 1, true}},  // POP sreg
    {0x0FA0, 0xFFF7,  -1, 0, 0,   stack(4),              stack(4)},
    {0x0FA1, 0xFFF7,  -1, 0, 0,   {9, 1, p01, 10, 1, true}, {9, 1, p01, 10, 1, true}},
    {0x0060, one,     -1, 0, 0,   stack(18),             stack(18)},              // PUSHA
    {0x0061, one,     -1, 0, 0,   stack(10),             stack(10)},              // POPA
    {0x009C, one,     -1, all, 0, stack(16, 4, p01),     stack(16, 4, p01)},      // PUSHF
    {0x009D, one,     -1, 0, all, {17, 1, p01, 8, 1, true, true, 10}, {17, 1, p01, 8, 1, true, true, 10}},  // POPF (R)
    {0x00C8, one,     -1, 0, 0,   stack(14, 2, p01),     stack(14, 2, p01)},      // ENTER
    {0x00C9, one,     -1, 0, 0,   {3, 1, p01, 1},        {3, 1, p01, 1}},         // LEAVE
    // -- near transfers
    {0x0070, sixteen, -1, 0, 0,   {1, 1, p1, 1},         {1, 1, p1, 1}},          // Jcc; flags: set_micro_ops()
    {0x0F80, sixteen, -1, 0, 0,   {1, 1, p1, 1},         {1, 1, p1, 1}},
    {0x00E0, 0xFFFC,  -1, 0, 0,   {11, 3, p01, 1},       {11, 3, p01, 1}},        // LOOPNE LOOPE LOOP
    {0x00E0, two,     -1, Z, 0,   {11, 3, p01, 1},       {11, 3, p01, 1}},
    {0x00E3, one,     -1, 0, 0,   {2, 2, p1, 1},         {2, 2, p1, 1}},          // JCXZ
    {0x00E8, one,     -1, 0, 0,   stack(4, 1),           stack(4, 1)},            // CALL
    {0x00E9, 0xFFFD,  -1, 0, 0,   {1, 1, p1, 1},         {1, 1, p1, 1}},          // JMP
    {0x00FF, one,      2, 0, 0,   stack(5, 1),           stack(8, 1)},            // CALL r/m
    {0x00FF, one,      4, 0, 0,   {1, 1, p1, 1},         {2, 1, p1, 1}},          // JMP r/m
    {0x00C3, one,     -1, 0, 0,   stack(4, 1),           stack(4, 1)},            // RET
    {0x00C2, one,     -1, 0, 0,   stack(5, 1),           stack(5, 1)},            // RET n
    // -- far transfers: transfer_clocks()
    {0x009A, one,     -1, 0, 0,   serial(33, 0),         serial(33, 0)},
    {0x00EA, one,     -1, 0, 0,   serial(22, 0),         serial(22, 0)},
    {0x00FF, one,      3, 0, 0,   serial(33, 0),         serial(33, 0)},
    {0x00FF, one,      5, 0, 0,   serial(22, 0),         serial(22, 0)},
    {0x00CA, two,     -1, 0, 0,   serial(26, 0),         serial(26, 0)},
    {0x00CC, 0xFFFC,  -1, 0, 0,   serial(4, 0),          serial(4, 0)},           // INT3 INT INTO IRET
    {0x00CE, one,     -1, all, 0, {4, 1, p01, 1},        {4, 1, p01, 1}},         // INTO
    // -- strings; under REP: timing_p6.cpp
    {0x00A4, two,     -1, 0, 0,   {5, 2, p01, 1},        {5, 2, p01, 1}},         // MOVS
    {0x00A6, two,     -1, 0, all, {6, 3, p01, 1},        {6, 3, p01, 1}},         // CMPS
    {0x00AA, two,     -1, 0, 0,   {3, 1, p01, 1},        {3, 1, p01, 1}},         // STOS
    {0x00AC, two,     -1, 0, 0,   {2, 1, p01, 1},        {2, 1, p01, 1}},         // LODS
    {0x00AE, two,     -1, 0, all, {3, 2, p01, 1},        {3, 2, p01, 1}},         // SCAS
    // -- I/O: the micro-ops; the pins charge the rest
    {0x006C, 0xFFFC,  -1, 0, 0,   serial(18, 0),         serial(18, 0)},          // INS OUTS
    {0x00E4, 0xFFFC,  -1, 0, 0,   serial(18, 0),         serial(18, 0)},          // IN OUT imm
    {0x00EC, 0xFFFC,  -1, 0, 0,   serial(18, 0),         serial(18, 0)},          // IN OUT DX
    // -- conditions and bits
    {0x0F90, sixteen, -1, 0, 0,   {1, 1, p01, 1},        {3, 1, p01, 1}},         // SETcc
    {0x0F40, sixteen, -1, 0, 0,   {2, 2, p01, 1},        {3, 2, p01, 1}},         // CMOVcc
    {0x0FA3, one,     -1, 0, C,   {1, 1, p01, 1},        {8, 3, p01, 1}},         // BT
    {0x0FAB, one,     -1, 0, C,   {1, 1, p01, 1},        {10, 4, p01, 1}},        // BTS
    {0x0FB3, one,     -1, 0, C,   {1, 1, p01, 1},        {10, 4, p01, 1}},        // BTR
    {0x0FBB, one,     -1, 0, C,   {1, 1, p01, 1},        {10, 4, p01, 1}},        // BTC
    {0x0FBA, one,     -1, 0, C,   {1, 1, p01, 1},        {4, 1, p01, 1}},         // BTS BTR BTC imm
    {0x0FBA, one,      4, 0, C,   {1, 1, p01, 1},        {2, 1, p01, 1}},         // BT imm
    {0x0FBC, two,     -1, 0, Z,   {2, 2, p01, 1},        {3, 2, p01, 1}},         // BSF BSR
    // -- flags and processor control
    {0x00F5, one,     -1, C, C,   {1, 1, p01, 1},        {1, 1, p01, 1}},         // CMC
    {0x00F8, two,     -1, 0, C,   {1, 1, p01, 1},        {1, 1, p01, 1}},         // CLC STC
    {0x00FC, two,     -1, 0, 0,   {4, 4, p01, 1},        {4, 4, p01, 1}},         // CLD STD
    {0x00FA, one,     -1, 0, 0,   slow(9, 5),            slow(9, 5)},             // CLI (I)
    {0x00FB, one,     -1, 0, 0,   slow(17, 5),           slow(17, 5)},            // STI (I)
    {0x00F4, one,     -1, 0, 0,   serial(4, 0),          serial(4, 0)},           // HLT
    {0x009B, one,     -1, 0, 0,   {2, 1, p01, 1},        {2, 1, p01, 1}},         // WAIT
    {0x0F00, one,     -1, 0, 0,   serial(20, 10),        serial(20, 10)},         // LLDT, LTR, VERR, VERW
    {0x0F00, one,      0, 0, 0,   slow(10, 5),           slow(10, 5)},            // SLDT (I)
    {0x0F00, one,      1, 0, 0,   slow(10, 5),           slow(10, 5)},            // STR (I)
    {0x0F01, one,     -1, 0, 0,   serial(20, 20),        serial(20, 20)},         // LGDT, LIDT, LMSW, INVLPG (R)
    {0x0F01, one,      0, 0, 0,   slow(10, 5),           slow(10, 5)},            // SGDT (I)
    {0x0F01, one,      1, 0, 0,   slow(10, 5),           slow(10, 5)},            // SIDT (I)
    {0x0F01, one,      4, 0, 0,   slow(10, 5),           slow(10, 5)},            // SMSW (I)
    {0x0F06, one,     -1, 0, 0,   serial(10, 10),        serial(10, 10)},         // CLTS
    {0x0F08, two,     -1, 0, 0,   serial(40, 255),       serial(40, 255)},        // INVD WBINVD, without the writes
    {0x0F20, two,     -1, 0, 0,   slow(10, 5),           slow(10, 5)},            // MOV r,CRn r,DRn (I)
    {0x0F22, two,     -1, 0, 0,   serial(20, 25),        serial(20, 25)},         // MOV CRn,r DRn,r (R)
    {0x0F30, one,     -1, 0, 0,   serial(40, 70),        serial(40, 70)},         // WRMSR (R)
    {0x0F31, one,     -1, 0, 0,   {31, 1, p0, 1, 1, false, false, 14}, {31, 1, p0, 1}},  // RDTSC: 32 clocks apart
    {0x0F32, one,     -1, 0, 0,   serial(30, 20),        serial(30, 20)},         // RDMSR (R)
    {0x0F33, one,     -1, 0, 0,   serial(30, 10),        serial(30, 10)},         // RDPMC
    {0x0F34, two,     -1, 0, 0,   serial(30, 10),        serial(30, 10)},         // SYSENTER SYSEXIT
    {0x0FA2, one,     -1, 0, 0,   serial(48, 110),       serial(48, 110)},        // CPUID: 138 clocks (Torvalds)
    {0x0FAA, one,     -1, 0, 0,   serial(100, 200),      serial(100, 200)},       // RSM
    // -- x87
    {0x00D8, eight,   -1, 0, 0,   {1, 1, p0, 3},         {2, 1, p0, 3}},          // FADD ..
    {0x00D8, eight,    1, 0, 0,   {1, 1, p0, 5, 2},      {2, 1, p0, 5, 2}},       // FMUL
    {0x00D8, eight,    6, 0, 0,   {1, 1, p0, 38, 37},    {2, 1, p0, 38, 37}},     // FDIV
    {0x00D8, eight,    7, 0, 0,   {1, 1, p0, 38, 37},    {2, 1, p0, 38, 37}},
    {0x00D9, one,      0, 0, 0,   {1, 1, p0, 1},         {1, 0, 0, 0}},           // FLD
    {0x00D9, one,      1, 0, 0,   {1, 1, p01, 1},        {1, 1, p01, 1}},         // FXCH
    {0x00D9, one,      2, 0, 0,   {1, 1, p0, 1},         {2, 0, 0, 0}},           // FST m32
    {0x00D9, one,      3, 0, 0,   {1, 1, p0, 1},         {2, 0, 0, 0}},
    {0x00D9, one,      4, 0, 0,   {1, 1, p0, 1},         slow(30, 10)},           // FCHS ..; FLDENV
    {0x00D9, one,      5, 0, 0,   {2, 1, p0, 1},         slow(3, 7)},             // FLD1 ..; FLDCW
    {0x00D9, one,      6, 0, 0,   slow(30, 60),          slow(30, 20)},           // F2XM1 ..; FNSTENV
    {0x00D9, one,      7, 0, 0,   slow(30, 60),          slow(3, 3)},             // FSQRT ..; FNSTCW
    {0x00DA, one,     -1, 0, 0,   {2, 2, p01, 1},        {6, 2, p0, 3}},          // FCMOV; FIADD ..
    {0x00DB, 0xFFFB,  -1, 0, 0,   {2, 2, p01, 1},        {4, 2, p0, 3}},          // FCMOV, FFREE; FILD, FIST
    {0x00DB, 0xFFFB,   5, 0, all, {1, 1, p0, 1},         {4, 2, p0, 1}},          // FUCOMI; FLD m80
    {0x00DB, 0xFFFB,   6, 0, all, {1, 1, p0, 1},         {4, 2, p0, 1}},          // FCOMI
    {0x00DD, one,      0, 0, 0,   {1, 1, p0, 1},         {1, 0, 0, 0}},           // FLD m64
    {0x00DD, one,      2, 0, 0,   {1, 1, p0, 1},         {2, 0, 0, 0}},           // FST m64
    {0x00DD, one,      3, 0, 0,   {1, 1, p0, 1},         {2, 0, 0, 0}},
    {0x00DD, one,      4, 0, 0,   {1, 1, p0, 1},         slow(72, 50)},           // FRSTOR
    {0x00DD, one,      6, 0, 0,   {1, 1, p0, 1},         slow(141, 60)},          // FNSAVE
    // -- MMX
    {0x0F60, sixteen, -1, 0, 0,   {1, 1, p1, 1},         {2, 1, p1, 1}},          // PUNPCK PACK
    {0x0F64, 0xFFFC,  -1, 0, 0,   {1, 1, p01, 1},        {2, 1, p01, 1}},         // PCMPGT
    {0x0F67, one,     -1, 0, 0,   {1, 1, p1, 1},         {2, 1, p1, 1}},          // PACKUSWB
    {0x0F6E, one,     -1, 0, 0,   {1, 1, p01, 1},        {1, 0, 0, 0}},           // MOVD mm,r/m
    {0x0F6F, one,     -1, 0, 0,   {1, 1, p01, 1},        {1, 0, 0, 0}},           // MOVQ mm,mm/m
    {0x0F71, one,     -1, 0, 0,   {1, 1, p1, 1},         {1, 1, p1, 1}},          // shifts by an immediate
    {0x0F72, two,     -1, 0, 0,   {1, 1, p1, 1},         {1, 1, p1, 1}},
    {0x0F74, 0xFFFC,  -1, 0, 0,   {1, 1, p01, 1},        {2, 1, p01, 1}},         // PCMPEQ
    {0x0F77, one,     -1, 0, 0,   {11, 1, p01, 1, 1, false, false, 2}, {11, 1, p01, 1}},  // EMMS
    {0x0F7E, one,     -1, 0, 0,   {1, 1, p01, 1},        {2, 0, 0, 0}},           // MOVD r/m,mm
    {0x0F7F, one,     -1, 0, 0,   {1, 1, p01, 1},        {2, 0, 0, 0}},           // MOVQ m,mm
    {0x0FD0, sixteen, -1, 0, 0,   {1, 1, p01, 1},        {2, 1, p01, 1}},
    {0x0FD0, 0xFFFC,  -1, 0, 0,   {1, 1, p1, 1},         {2, 1, p1, 1}},          // PSRL
    {0x0FD5, one,     -1, 0, 0,   {1, 1, p0, 3},         {2, 1, p0, 3}},          // PMULLW
    {0x0FE0, sixteen, -1, 0, 0,   {1, 1, p01, 1},        {2, 1, p01, 1}},
    {0x0FE1, two,     -1, 0, 0,   {1, 1, p1, 1},         {2, 1, p1, 1}},          // PSRAW PSRAD
    {0x0FE2, one,     -1, 0, 0,   {1, 1, p1, 1},         {2, 1, p1, 1}},
    {0x0FE5, one,     -1, 0, 0,   {1, 1, p0, 3},         {2, 1, p0, 3}},          // PMULHW
    {0x0FF0, sixteen, -1, 0, 0,   {1, 1, p01, 1},        {2, 1, p01, 1}},
    {0x0FF0, 0xFFFC,  -1, 0, 0,   {1, 1, p1, 1},         {2, 1, p1, 1}},          // PSLL
    {0x0FF5, one,     -1, 0, 0,   {1, 1, p0, 3},         {2, 1, p0, 3}},          // PMADDWD
    // -- and what differs by operand size
    {0x10F7, one,      6, 0, all, {4, 1, p0, 23, 21},    {4, 1, p0, 23, 21}},     // DIV 16: not an opcode
    // clang-format on
};
constexpr std::size_t row_count = std::size(rows), division_of_words = row_count - 1;

struct Index {
  std::array<std::uint8_t, opcode_places> row{};
  static_assert(row_count <= 256);
  Index() {
    for_each_place(rows, [this](unsigned place, std::size_t n) { row[place] = static_cast<std::uint8_t>(n); });
  }
};

std::size_t row_of(const Op& op) {
  static const Index index;
  const bool division = op.opcode == 0xF7 && op.extension() >= 6;
  return division && !op.operand32 ? division_of_words : index.row[opcode_place(op)];
}

/// The flags that a condition code tests.
std::uint8_t flags_of_condition(unsigned condition) {
  switch (condition >> 1) {
    case 1: return C;      // C NC
    case 3: return C | Z;  // BE A
    case 5: return flag_ap;
    default: return Z;
  }
}
bool has_condition(std::uint16_t opcode) {
  return (opcode & 0xFFF0) == 0x70 || (opcode & 0xFFF0) == 0x0F80 || (opcode & 0xFFF0) == 0x0F90 ||
         (opcode & 0xFFF0) == 0x0F40;
}

/// MOVZX and MOVSX write the whole register whatever they read.
bool extends(std::uint16_t opcode) { return (opcode & 0xFFF6) == 0x0FB6; }

/// The registers that it computes with: those of its form, except for one-operand multiplication and division.
std::uint8_t sources_of(const Op& op, const StaticForm& form) {
  constexpr unsigned eax = 1, edx = 4;
  if ((op.opcode & 0xFFFE) != 0xF6 || op.reg < 4) return static_cast<std::uint8_t>(form.sources);
  const bool byte = op.opcode == 0xF6;
  const unsigned operand = op.has_memory ? 0u : 1u << (byte ? op.rm & 3u : op.rm & 7u);
  return static_cast<std::uint8_t>(eax | operand | (op.reg >= 6 && !byte ? edx : 0u));
}

std::uint8_t decoding_of(const Op& op) {
  const bool byte = byte_operand(op.opcode) && !extends(op.opcode);
  unsigned d = 0;
  // An operand-size prefix with an immediate of that size restarts the length decoder (R). So does an address-size
  // prefix, which is left out.
  if (op.prefixes != 0 && op.operand32 != op.address32 && op.has_immediate) d = 2;
  if (!byte && op.operand32) d |= reads_whole;
  if (byte || !op.operand32) d |= writes_part;
  const unsigned group = op.opcode & 0x3C;
  if (op.opcode < 0x40 && (group == 0x30 || group == 0x28) && op.has_modrm && !op.has_memory && op.reg == op.rm &&
      !(d & writes_part))
    d |= zeroes;
  return static_cast<std::uint8_t>(d);
}

bool is_mmx(std::uint16_t opcode) {
  return (opcode >= 0x0F60 && opcode <= 0x0F7F && opcode != 0x0F77) || opcode >= 0x0FD0;
}
bool is_x87(std::uint16_t opcode) { return opcode >= 0xD8 && opcode <= 0xDF; }

/// The x87's stack is treated as one register: code of the period works at its top. MMX has eight.
void set_fp_registers(Op& op) {
  const auto bit = [](unsigned r) { return static_cast<std::uint8_t>(1u << (r & 7)); };
  if (is_x87(op.opcode)) {
    const bool loads = op.has_memory && (op.opcode & 1) && op.reg == 0;
    op.p6.fp_sources = loads ? 0 : 1;
    op.p6.fp_results = 1;
    return;
  }
  if (!is_mmx(op.opcode)) return;
  const unsigned low = op.opcode & 0xFF;
  const bool shift_by_immediate = low >= 0x71 && low <= 0x73;
  const bool stores = low == 0x7E || low == 0x7F, moves = low == 0x6E || low == 0x6F;
  const std::uint8_t reg = bit(op.reg), rm = op.has_memory ? std::uint8_t{0} : bit(op.rm);
  if (shift_by_immediate) {
    op.p6.fp_sources = op.p6.fp_results = rm;
  } else if (stores) {
    op.p6.fp_sources = reg;
    op.p6.fp_results = low == 0x7F ? rm : std::uint8_t{0};
  } else {
    // XOR, subtraction and comparison of a register with itself still read it on the P6.
    op.p6.fp_sources = static_cast<std::uint8_t>((moves ? 0u : unsigned{reg}) | (low == 0x6E ? 0u : unsigned{rm}));
    op.p6.fp_results = reg;
  }
}

constexpr auto both_forms = [] {
  std::array<MicroOps, 2 * row_count> f{};
  for (std::size_t n = 0; n < row_count; ++n) {
    f[2 * n] = rows[n].reg;
    f[2 * n + 1] = rows[n].mem;
  }
  return f;
}();

}  // namespace

constinit const MicroOps* const micro_op_table = both_forms.data();

void set_micro_ops(Op& op, const StaticForm& form) {
  const std::size_t n = row_of(op);
  const Row& row = rows[n];
  op.p6 = {};
  op.p6.micro_ops = static_cast<std::uint16_t>(2 * n + op.has_memory);
  op.p6.sources = sources_of(op, form);
  op.p6.results = static_cast<std::uint8_t>(op.writes & 0xFF);
  std::uint8_t reads = row.reads;
  if (has_condition(op.opcode)) reads = static_cast<std::uint8_t>(reads | flags_of_condition(op.opcode & 15));
  op.p6.flags = static_cast<std::uint8_t>(reads | row.writes << 4);
  op.p6.decoding = static_cast<std::uint8_t>(decoding_of(op) | (form.repeated ? repeats : 0));
  set_fp_registers(op);
}

}  // namespace planar::cpu
