// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/common/instruction_table.hpp"

#include <array>
#include <cstddef>
#include <iterator>

namespace planar::cpu {
namespace {

using enum Form;
using enum When;
constexpr auto NP = pair_none, PU = pair_u, PV = pair_v, UV = pair_uv;
using namespace opcode_mask;

// I/O rows hold the manuals' figure less the two clocks of the bus cycle, which the pins charge.
constexpr InstructionRow rows[] = {
    // opcode  mask   /r  when          386       486       Pentium   pair form
    // clang-format off
    {0x0000, 0x0000, -1, always,        {2, 2},   {1, 1},   {1, 1},   NP, none},          // anything not listed below
    // -- arithmetic and logic
    {0x0000, alu,    -1, always,        {2, 7},   {1, 3},   {1, 3},   UV, rm_reg},        // ADD.. r/m,r
    {0x0002, alu,    -1, always,        {2, 6},   {1, 2},   {1, 2},   UV, reg_rm},        // ADD.. r,r/m
    {0x0004, alu,    -1, always,        {2, 2},   {1, 1},   {1, 1},   UV, acc},           // ADD.. acc,imm
    {0x0010, 0xFFF6, -1, always,        {2, 7},   {1, 3},   {1, 3},   PU, rm_reg},        // ADC SBB r/m,r
    {0x0012, 0xFFF6, -1, always,        {2, 6},   {1, 2},   {1, 2},   PU, reg_rm},        // ADC SBB r,r/m
    {0x0014, 0xFFF6, -1, always,        {2, 2},   {1, 1},   {1, 1},   PU, acc},           // ADC SBB acc,imm
    {0x0038, two,    -1, always,        {2, 5},   {1, 2},   {1, 2},   UV, rm_reg_test},   // CMP r/m,r
    {0x003A, two,    -1, always,        {2, 6},   {1, 2},   {1, 2},   UV, rm_reg_test},   // CMP r,r/m
    {0x003C, two,    -1, always,        {2, 2},   {1, 1},   {1, 1},   UV, acc_test},      // CMP acc,imm
    {0x0080, 0xFFFC, -1, always,        {2, 7},   {1, 3},   {1, 3},   UV, rm},            // ADD.. r/m,imm
    {0x0080, 0xFFFC, 2,  always,        {2, 7},   {1, 3},   {1, 3},   PU, rm},            // ADC
    {0x0080, 0xFFFC, 3,  always,        {2, 7},   {1, 3},   {1, 3},   PU, rm},            // SBB
    {0x0080, 0xFFFC, 7,  always,        {2, 5},   {1, 2},   {1, 2},   UV, rm_test},       // CMP r/m,imm
    {0x0084, two,    -1, always,        {2, 5},   {1, 2},   {1, 2},   UV, rm_reg_test},   // TEST r/m,r
    {0x00A8, two,    -1, always,        {2, 2},   {1, 1},   {1, 1},   UV, acc_test},      // TEST acc,imm
    {0x0040, sixteen, -1, always,       {2, 2},   {1, 1},   {1, 1},   UV, low},           // INC DEC r
    {0x00FE, two,    0,  always,        {2, 6},   {1, 3},   {1, 3},   UV, rm},            // INC r/m
    {0x00FE, two,    1,  always,        {2, 6},   {1, 3},   {1, 3},   UV, rm},            // DEC r/m
    {0x00F6, two,    0,  always,        {2, 5},   {1, 2},   {1, 2},   NP, rm_test},       // TEST r/m,imm
    {0x00F6, two,    1,  always,        {2, 5},   {1, 2},   {1, 2},   NP, rm_test},       // alias
    {0x00F6, two,    2,  always,        {2, 6},   {1, 3},   {1, 3},   NP, rm},            // NOT
    {0x00F6, two,    3,  always,        {2, 6},   {1, 3},   {1, 3},   NP, rm},            // NEG
    {0x00F6, one,    4,  always,        {9, 12},  {13, 13}, {11, 11}, NP, acc},           // MUL 8 (shortest)
    {0x00F7, one,    4,  always,        {9, 12},  {13, 13}, {11, 11}, NP, acc_data},      // MUL 16
    {0x00F7, one,    4,  operand32,     {9, 12},  {13, 13}, {10, 10}, NP, acc_data},      // MUL 32
    {0x00F6, one,    5,  always,        {9, 12},  {13, 13}, {11, 11}, NP, acc},           // IMUL 8
    {0x00F7, one,    5,  always,        {9, 12},  {13, 13}, {11, 11}, NP, acc_data},
    {0x00F7, one,    5,  operand32,     {9, 12},  {13, 13}, {10, 10}, NP, acc_data},
    {0x00F6, one,    6,  always,        {14, 17}, {16, 16}, {17, 17}, NP, acc},           // DIV 8
    {0x00F7, one,    6,  always,        {22, 25}, {24, 24}, {25, 25}, NP, acc_data},      // DIV 16
    {0x00F7, one,    6,  operand32,     {38, 41}, {40, 40}, {41, 41}, NP, acc_data},      // DIV 32
    {0x00F6, one,    7,  always,        {19, 22}, {19, 20}, {22, 22}, NP, acc},           // IDIV 8
    {0x00F7, one,    7,  always,        {27, 30}, {27, 28}, {30, 30}, NP, acc_data},
    {0x00F7, one,    7,  operand32,     {43, 46}, {43, 44}, {46, 46}, NP, acc_data},
    {0x0069, 0xFFFD, -1, always,        {9, 12},  {13, 13}, {10, 10}, NP, reg_rm_move},   // IMUL r,r/m,imm
    {0x0FAF, one,    -1, always,        {9, 12},  {13, 13}, {10, 10}, NP, reg_rm},        // IMUL r,r/m
    {0x0027, 0xFFF7, -1, always,        {4, 4},   {2, 2},   {3, 3},   NP, acc},           // DAA DAS
    {0x0037, 0xFFF7, -1, always,        {4, 4},   {3, 3},   {3, 3},   NP, acc},           // AAA AAS
    {0x00D4, one,    -1, always,        {17, 17}, {15, 15}, {18, 18}, NP, acc},           // AAM
    {0x00D5, one,    -1, always,        {19, 19}, {14, 14}, {10, 10}, NP, acc},           // AAD
    {0x0098, one,    -1, always,        {3, 3},   {3, 3},   {3, 3},   NP, acc},           // CBW CWDE
    {0x0099, one,    -1, always,        {2, 2},   {3, 3},   {2, 2},   NP, acc_data},      // CWD CDQ
    // -- shifts and rotates
    {0x00C0, two,    -1, always,        {3, 7},   {2, 4},   {1, 3},   PU, rm},            // SHL SHR SAR imm
    {0x00C0, two,    0,  always,        {3, 7},   {2, 4},   {1, 3},   NP, rm},            // ROL imm
    {0x00C0, two,    1,  always,        {3, 7},   {2, 4},   {1, 3},   NP, rm},            // ROR imm
    {0x00C0, two,    2,  always,        {9, 10},  {8, 9},   {8, 10},  NP, rm},            // RCL imm (shortest)
    {0x00C0, two,    3,  always,        {9, 10},  {8, 9},   {8, 10},  NP, rm},            // RCR imm
    {0x00D0, two,    -1, always,        {3, 7},   {3, 4},   {1, 3},   PU, rm},            // by one
    {0x00D0, two,    2,  always,        {9, 10},  {3, 4},   {1, 3},   PU, rm},            // RCL by one
    {0x00D0, two,    3,  always,        {9, 10},  {3, 4},   {1, 3},   PU, rm},
    {0x00D2, two,    -1, always,        {3, 7},   {3, 4},   {4, 4},   NP, rm},            // by CL
    {0x00D2, two,    2,  always,        {9, 10},  {8, 9},   {7, 9},   NP, rm},            // RCL by CL (shortest)
    {0x00D2, two,    3,  always,        {9, 10},  {8, 9},   {7, 9},   NP, rm},
    {0x0FA4, 0xFFF7, -1, always,        {3, 7},   {2, 3},   {4, 4},   NP, rm_reg},        // SHLD SHRD imm
    {0x0FA5, 0xFFF7, -1, always,        {3, 7},   {3, 4},   {4, 5},   NP, rm_reg},        // SHLD SHRD CL
    // -- moves
    {0x0088, two,    -1, always,        {2, 2},   {1, 1},   {1, 1},   UV, rm_reg_move},   // MOV r/m,r
    {0x008A, two,    -1, always,        {2, 4},   {1, 1},   {1, 1},   UV, reg_rm_move},   // MOV r,r/m
    {0x00C6, two,    -1, always,        {2, 2},   {1, 1},   {1, 1},   UV, rm_move},       // MOV r/m,imm
    {0x00B0, sixteen, -1, always,       {2, 2},   {1, 1},   {1, 1},   UV, low_move},      // MOV r,imm
    {0x00A0, two,    -1, always,        {4, 4},   {1, 1},   {1, 1},   UV, acc_move},      // MOV acc,moffs
    {0x00A2, two,    -1, always,        {2, 2},   {1, 1},   {1, 1},   UV, acc_store},     // MOV moffs,acc
    {0x008D, one,    -1, always,        {2, 2},   {1, 1},   {1, 1},   UV, reg_address},   // LEA
    {0x008C, one,    -1, always,        {2, 2},   {3, 3},   {1, 1},   NP, rm_move},       // MOV r/m,sreg
    {0x008E, one,    -1, always,        {2, 5},   {3, 3},   {2, 3},   NP, rm_test},       // MOV sreg,r/m
    {0x008E, one,    -1, protected_mode, {18, 19}, {9, 9},  {3, 3},   NP, rm_test},
    {0x0086, two,    -1, always,        {3, 5},   {3, 5},   {3, 3},   NP, exchange},      // XCHG r/m,r
    {0x0090, eight,  -1, always,        {3, 3},   {3, 3},   {2, 2},   NP, low},           // XCHG eAX,r (eAX: static_form)
    {0x0090, one,    -1, always,        {3, 3},   {1, 1},   {1, 1},   UV, none},          // NOP
    {0x0FB6, 0xFFF6, -1, always,        {3, 6},   {3, 3},   {3, 3},   NP, reg_rm_move},   // MOVZX MOVSX
    {0x00D7, one,    -1, always,        {5, 5},   {4, 4},   {4, 4},   NP, acc},           // XLAT
    {0x009E, one,    -1, always,        {3, 3},   {2, 2},   {2, 2},   NP, acc_test},      // SAHF
    {0x009F, one,    -1, always,        {2, 2},   {3, 3},   {2, 2},   NP, acc},           // LAHF
    {0x0FC8, eight,  -1, always,        {2, 2},   {1, 1},   {1, 1},   NP, low},           // BSWAP
    {0x0FB0, two,    -1, always,        {6, 7},   {6, 7},   {5, 6},   NP, rm_reg},        // CMPXCHG
    {0x0FC0, two,    -1, always,        {3, 4},   {3, 4},   {3, 4},   NP, exchange},      // XADD
    {0x0FC7, one,    1,  always,        {10, 10}, {10, 10}, {10, 10}, NP, acc_data},      // CMPXCHG8B
    {0x00C4, two,    -1, always,        {7, 7},   {6, 6},   {4, 4},   NP, reg_rm_move},   // LES LDS
    {0x00C4, two,    -1, protected_mode, {22, 22}, {12, 12}, {4, 4},  NP, reg_rm_move},
    {0x0FB2, one,    -1, always,        {7, 7},   {6, 6},   {4, 4},   NP, reg_rm_move},   // LSS
    {0x0FB2, one,    -1, protected_mode, {22, 22}, {12, 12}, {8, 8},  NP, reg_rm_move},
    {0x0FB4, two,    -1, always,        {7, 7},   {6, 6},   {4, 4},   NP, reg_rm_move},   // LFS LGS
    {0x0FB4, two,    -1, protected_mode, {25, 25}, {12, 12}, {4, 4},  NP, reg_rm_move},
    // -- stack
    {0x0050, eight,  -1, always,        {2, 2},   {1, 1},   {1, 1},   UV, low_test},      // PUSH r
    {0x0058, eight,  -1, always,        {4, 4},   {1, 1},   {1, 1},   UV, low_move},      // POP r
    {0x0068, 0xFFFD, -1, always,        {2, 2},   {1, 1},   {1, 1},   UV, none},          // PUSH imm
    {0x00FF, one,    6,  always,        {2, 5},   {4, 4},   {2, 2},   NP, rm_test},       // PUSH r/m
    {0x008F, one,    -1, always,        {5, 5},   {6, 6},   {3, 3},   NP, rm_move},       // POP r/m
    {0x0006, 0xFFE7, -1, always,        {2, 2},   {3, 3},   {1, 1},   NP, none},          // PUSH ES CS SS DS
    {0x0007, 0xFFE7, -1, always,        {7, 7},   {3, 3},   {3, 3},   NP, none},          // POP ES SS DS
    {0x0007, 0xFFE7, -1, protected_mode, {21, 21}, {9, 9},  {3, 3},   NP, none},
    {0x0FA0, 0xFFF7, -1, always,        {2, 2},   {3, 3},   {1, 1},   NP, none},          // PUSH FS GS
    {0x0FA1, 0xFFF7, -1, always,        {7, 7},   {3, 3},   {3, 3},   NP, none},          // POP FS GS
    {0x0FA1, 0xFFF7, -1, protected_mode, {21, 21}, {9, 9},  {3, 3},   NP, none},
    {0x0060, one,    -1, always,        {18, 18}, {11, 11}, {5, 5},   NP, none},          // PUSHA
    {0x0061, one,    -1, always,        {24, 24}, {9, 9},   {5, 5},   NP, all},           // POPA
    {0x009C, one,    -1, always,        {4, 4},   {4, 4},   {4, 4},   NP, none},          // PUSHF
    {0x009C, one,    -1, protected_mode, {4, 4},  {3, 3},   {3, 3},   NP, none},
    {0x009D, one,    -1, always,        {5, 5},   {9, 9},   {6, 6},   NP, none},          // POPF
    {0x009D, one,    -1, protected_mode, {5, 5},  {6, 6},   {4, 4},   NP, none},
    {0x00C8, one,    -1, always,        {10, 10}, {14, 14}, {11, 11}, NP, none},          // ENTER (level 0)
    {0x00C9, one,    -1, always,        {4, 4},   {5, 5},   {3, 3},   NP, none},          // LEAVE
    // -- near transfers (386: without the m clocks of the target, which its issue adds)
    {0x0070, sixteen, -1, always,       {3, 3},   {1, 1},   {1, 1},   PV, none},          // Jcc, not taken
    {0x0F80, sixteen, -1, always,       {3, 3},   {1, 1},   {1, 1},   PV, none},
    {0x00E0, two,    -1, always,        {11, 11}, {6, 6},   {7, 7},   NP, count},         // LOOPNE LOOPE, not taken
    {0x00E2, one,    -1, always,        {11, 11}, {6, 6},   {5, 5},   NP, count},         // LOOP
    {0x00E3, one,    -1, always,        {5, 5},   {5, 5},   {5, 5},   NP, none},          // JCXZ
    {0x00E8, two,    -1, always,        {7, 7},   {3, 3},   {1, 1},   PV, none},          // CALL JMP near
    {0x00EB, one,    -1, always,        {7, 7},   {3, 3},   {1, 1},   PV, none},          // JMP short
    {0x00FF, one,    2,  always,        {7, 10},  {5, 5},   {2, 2},   NP, rm_test},       // CALL r/m
    {0x00FF, one,    4,  always,        {7, 10},  {5, 5},   {2, 2},   NP, rm_test},       // JMP r/m
    {0x00C3, one,    -1, always,        {10, 10}, {5, 5},   {2, 2},   NP, none},          // RET
    {0x00C2, one,    -1, always,        {10, 10}, {5, 5},   {3, 3},   NP, none},          // RET n
    // -- far transfers: transfer_clocks()
    {0x009A, one,    -1, always,        {0, 0},   {0, 0},   {0, 0},   NP, none},          // CALL far
    {0x00EA, one,    -1, always,        {0, 0},   {0, 0},   {0, 0},   NP, none},          // JMP far
    {0x00FF, one,    3,  always,        {0, 0},   {0, 0},   {0, 0},   NP, rm_test},       // CALL far m
    {0x00FF, one,    5,  always,        {0, 0},   {0, 0},   {0, 0},   NP, rm_test},       // JMP far m
    {0x00CA, two,    -1, always,        {0, 0},   {0, 0},   {0, 0},   NP, none},          // RET far
    {0x00CC, 0xFFFC, -1, always,        {0, 0},   {0, 0},   {0, 0},   NP, none},          // INT3 INT INTO IRET
    {0x00CE, one,    -1, always,        {3, 3},   {3, 3},   {4, 4},   NP, none},          // INTO, not taken
    {0x00F1, one,    -1, always,        {0, 0},   {0, 0},   {0, 0},   NP, none},          // INT1
    // -- strings; with REP: count zero (repeat_start, repeat_iteration)
    {0x00A4, two,    -1, always,        {7, 7},   {7, 7},   {4, 4},   NP, string},        // MOVS
    {0x00A6, two,    -1, always,        {10, 10}, {8, 8},   {5, 5},   NP, string},        // CMPS
    {0x00AA, two,    -1, always,        {4, 4},   {5, 5},   {3, 3},   NP, string},        // STOS
    {0x00AC, two,    -1, always,        {5, 5},   {5, 5},   {2, 2},   NP, string},        // LODS
    {0x00AE, two,    -1, always,        {7, 7},   {6, 6},   {4, 4},   NP, string},        // SCAS
    // -- I/O, less the bus cycle
    {0x006C, two,    -1, always,        {13, 13}, {15, 15}, {7, 7},   NP, string},        // INS
    {0x006C, two,    -1, protected_mode, {7, 7},  {8, 8},   {4, 4},   NP, string},
    {0x006C, two,    -1, v86,           {7, 7},   {8, 8},   {4, 4},   NP, string},
    {0x006E, two,    -1, always,        {12, 12}, {15, 15}, {11, 11}, NP, string},        // OUTS
    {0x006E, two,    -1, protected_mode, {6, 6},  {8, 8},   {8, 8},   NP, string},
    {0x006E, two,    -1, v86,           {6, 6},   {8, 8},   {8, 8},   NP, string},
    {0x00E4, two,    -1, always,        {10, 10}, {12, 12}, {5, 5},   NP, acc_move},      // IN imm
    {0x00E4, two,    -1, protected_mode, {4, 4},  {7, 7},   {2, 2},   NP, acc_move},
    {0x00E4, two,    -1, v86,           {4, 4},   {7, 7},   {2, 2},   NP, acc_move},
    {0x00EC, two,    -1, always,        {11, 11}, {12, 12}, {5, 5},   NP, acc_move},      // IN DX
    {0x00EC, two,    -1, protected_mode, {5, 5},  {6, 6},   {2, 2},   NP, acc_move},
    {0x00EC, two,    -1, v86,           {5, 5},   {6, 6},   {2, 2},   NP, acc_move},
    {0x00E6, two,    -1, always,        {8, 8},   {14, 14}, {10, 10}, NP, acc_store},     // OUT imm
    {0x00E6, two,    -1, protected_mode, {2, 2},  {9, 9},   {7, 7},   NP, acc_store},
    {0x00E6, two,    -1, v86,           {2, 2},   {9, 9},   {7, 7},   NP, acc_store},
    {0x00EE, two,    -1, always,        {9, 9},   {14, 14}, {10, 10}, NP, acc_store},     // OUT DX
    {0x00EE, two,    -1, protected_mode, {3, 3},  {8, 8},   {7, 7},   NP, acc_store},
    {0x00EE, two,    -1, v86,           {3, 3},   {8, 8},   {7, 7},   NP, acc_store},
    // -- bits
    {0x0F90, sixteen, -1, always,       {4, 5},   {3, 4},   {1, 2},   NP, rm_move},       // SETcc
    {0x0FA3, one,    -1, always,        {3, 12},  {3, 8},   {4, 9},   NP, rm_reg_test},   // BT
    {0x0FAB, one,    -1, always,        {6, 13},  {6, 13},  {7, 13},  NP, rm_reg},        // BTS
    {0x0FB3, one,    -1, always,        {6, 13},  {6, 13},  {7, 13},  NP, rm_reg},        // BTR
    {0x0FBB, one,    -1, always,        {6, 13},  {6, 13},  {7, 13},  NP, rm_reg},        // BTC
    {0x0FBA, one,    -1, always,        {6, 8},   {6, 8},   {7, 8},   NP, rm},            // BTS BTR BTC imm
    {0x0FBA, one,    4,  always,        {3, 6},   {3, 3},   {4, 4},   NP, rm_test},       // BT imm
    {0x0FBC, one,    -1, always,        {10, 10}, {6, 7},   {6, 6},   NP, reg_rm_move},   // BSF (shortest)
    {0x0FBD, one,    -1, always,        {10, 10}, {6, 7},   {7, 7},   NP, reg_rm_move},   // BSR
    // -- flags and processor control
    {0x00F5, one,    -1, always,        {2, 2},   {2, 2},   {2, 2},   NP, none},          // CMC
    {0x00F8, two,    -1, always,        {2, 2},   {2, 2},   {2, 2},   NP, none},          // CLC STC
    {0x00FC, two,    -1, always,        {2, 2},   {2, 2},   {2, 2},   NP, none},          // CLD STD
    {0x00FA, two,    -1, always,        {3, 3},   {5, 5},   {7, 7},   NP, none},          // CLI STI
    {0x00F4, one,    -1, always,        {5, 5},   {4, 4},   {4, 4},   NP, none},          // HLT
    {0x009B, one,    -1, always,        {6, 6},   {1, 1},   {1, 1},   NP, none},          // WAIT
    {0x0062, one,    -1, always,        {10, 10}, {7, 7},   {8, 8},   NP, none},          // BOUND
    {0x0063, one,    -1, always,        {20, 21}, {9, 9},   {7, 7},   NP, rm},            // ARPL
    {0x0F00, one,    -1, always,        {2, 2},   {2, 3},   {2, 2},   NP, rm_move},       // SLDT STR
    {0x0F00, one,    2,  always,        {20, 24}, {11, 11}, {9, 9},   NP, rm_test},       // LLDT
    {0x0F00, one,    3,  always,        {23, 27}, {20, 20}, {10, 10}, NP, rm_test},       // LTR
    {0x0F00, one,    4,  always,        {10, 11}, {11, 11}, {7, 7},   NP, rm_test},       // VERR
    {0x0F00, one,    5,  always,        {15, 16}, {11, 11}, {7, 7},   NP, rm_test},       // VERW
    {0x0F01, one,    -1, always,        {9, 9},   {10, 10}, {4, 4},   NP, none},          // SGDT SIDT
    {0x0F01, one,    2,  always,        {11, 11}, {11, 11}, {6, 6},   NP, none},          // LGDT
    {0x0F01, one,    3,  always,        {11, 11}, {11, 11}, {6, 6},   NP, none},          // LIDT
    {0x0F01, one,    4,  always,        {2, 3},   {2, 3},   {4, 4},   NP, rm_move},       // SMSW
    {0x0F01, one,    6,  always,        {10, 13}, {13, 13}, {8, 8},   NP, rm_test},       // LMSW
    {0x0F01, one,    7,  always,        {12, 12}, {12, 12}, {25, 25}, NP, none},          // INVLPG
    {0x0F02, one,    -1, always,        {15, 16}, {11, 11}, {8, 8},   NP, reg_rm_move},   // LAR
    {0x0F03, one,    -1, always,        {20, 21}, {10, 10}, {8, 8},   NP, reg_rm_move},   // LSL
    {0x0F06, one,    -1, always,        {5, 5},   {7, 7},   {10, 10}, NP, none},          // CLTS
    {0x0F08, one,    -1, always,        {4, 4},   {4, 4},   {15, 15}, NP, none},          // INVD
    {0x0F09, one,    -1, always,        {5, 5},   {5, 5},   {15, 15}, NP, none},          // WBINVD, without the writes
    {0x0F20, one,    -1, always,        {6, 6},   {4, 4},   {4, 4},   NP, rm_move},       // MOV r,CRn
    {0x0F22, one,    -1, always,        {4, 4},   {4, 4},   {12, 12}, NP, rm_test},       // MOV CR2,r
    {0x0F22, one,    0,  always,        {10, 10}, {16, 16}, {22, 22}, NP, rm_test},       // MOV CR0,r
    {0x0F22, one,    3,  always,        {5, 5},   {4, 4},   {21, 21}, NP, rm_test},       // MOV CR3,r
    {0x0F22, one,    4,  always,        {5, 5},   {4, 4},   {14, 14}, NP, rm_test},       // MOV CR4,r
    {0x0F21, one,    -1, always,        {22, 22}, {10, 10}, {11, 11}, NP, rm_move},       // MOV r,DRn
    {0x0F23, one,    -1, always,        {22, 22}, {11, 11}, {11, 11}, NP, rm_test},       // MOV DRn,r
    {0x0F24, 0xFFFD, -1, always,        {12, 12}, {4, 4},   {4, 4},   NP, rm},            // MOV to and from TRn
    {0x0F30, one,    -1, always,        {30, 30}, {30, 30}, {30, 30}, NP, none},          // WRMSR
    {0x0F31, one,    -1, always,        {6, 6},   {6, 6},   {6, 6},   NP, acc_data},      // RDTSC
    {0x0F32, one,    -1, always,        {20, 20}, {20, 20}, {20, 20}, NP, acc_data},      // RDMSR
    {0x0FA2, one,    -1, always,        {14, 14}, {14, 14}, {14, 14}, NP, all},           // CPUID
    {0x0FAA, one,    -1, always,        {83, 83}, {83, 83}, {83, 83}, NP, all},           // RSM
    // -- P6 (its clocks: p6/micro_ops.cpp)
    {0x0F33, one,    -1, always,        {2, 2},   {1, 1},   {1, 1},   NP, acc_data},      // RDPMC
    {0x0F40, sixteen, -1, always,       {2, 2},   {1, 1},   {1, 1},   NP, reg_rm},        // CMOVcc
    {0x0F6E, one,    -1, always,        {2, 2},   {1, 1},   {1, 1},   NP, rm_test},       // MOVD mm,r/m
    {0x0F7E, one,    -1, always,        {2, 2},   {1, 1},   {1, 1},   NP, rm_move},       // MOVD r/m,mm
    // -- x87, 387 / 487 / Pentium: the shortest of each group; further clocks of each form: fpu_clocks.cpp
    {0x00D8, eight,  -1, always,        {28, 28}, {10, 10}, {3, 3},   NP, none},          // FADD FSUB
    {0x00D8, eight,  1,  always,        {31, 31}, {11, 11}, {3, 3},   NP, none},          // FMUL
    {0x00D8, eight,  2,  always,        {24, 26}, {4, 4},   {4, 4},   NP, none},          // FCOM
    {0x00D8, eight,  3,  always,        {24, 26}, {4, 4},   {4, 4},   NP, none},          // FCOMP
    {0x00D8, eight,  6,  always,        {88, 89}, {35, 35}, {19, 19}, NP, none},          // FDIV (24 bits)
    {0x00D8, eight,  7,  always,        {88, 89}, {35, 35}, {19, 19}, NP, none},          // FDIVR
    {0x00D9, one,    0,  always,        {14, 20}, {4, 3},   {1, 1},   NP, none},          // FLD
    {0x00D9, one,    1,  always,        {18, 18}, {4, 4},   {1, 1},   NP, none},          // FXCH
    {0x00D9, one,    2,  always,        {11, 44}, {3, 7},   {1, 2},   NP, none},          // FST
    {0x00D9, one,    3,  always,        {11, 44}, {3, 7},   {1, 2},   NP, none},          // FSTP
    {0x00D9, one,    4,  always,        {22, 71}, {3, 44},  {1, 37},  NP, none},          // FCHS..; FLDENV
    {0x00D9, one,    5,  always,        {20, 19}, {4, 4},   {2, 7},   NP, none},          // FLD1..; FLDCW
    {0x00D9, one,    6,  always,        {21, 103}, {3, 67}, {1, 50},  NP, none},          // FINCSTP, F2XM1..; FNSTENV
    {0x00D9, one,    7,  always,        {66, 15}, {29, 3},  {9, 2},   NP, none},          // FRNDINT, FSQRT..; FNSTCW
    {0x00DB, 0xFFFB, 0,  always,        {30, 48}, {10, 10}, {3, 3},   NP, none},          // FILD
    {0x00DB, 0xFFFB, 2,  always,        {11, 86}, {3, 29},  {1, 6},   NP, none},          // FIST
    {0x00DB, 0xFFFB, 3,  always,        {11, 86}, {3, 29},  {1, 6},   NP, none},          // FISTP
    {0x00DB, one,    4,  always,        {11, 11}, {7, 7},   {9, 9},   NP, none},          // FNCLEX FNINIT
    {0x00DB, one,    5,  always,        {44, 44}, {6, 6},   {3, 3},   NP, none},          // FLD m80
    {0x00DB, one,    7,  always,        {53, 53}, {6, 6},   {3, 3},   NP, none},          // FSTP m80
    {0x00DD, one,    0,  always,        {18, 25}, {3, 3},   {1, 1},   NP, none},          // FFREE; FLD m64
    {0x00DD, one,    2,  always,        {11, 45}, {3, 8},   {1, 2},   NP, none},          // FST m64
    {0x00DD, one,    3,  always,        {11, 45}, {3, 8},   {1, 2},   NP, none},          // FSTP m64
    {0x00DD, one,    4,  always,        {24, 200}, {4, 131}, {4, 75}, NP, none},          // FUCOM; FRSTOR
    {0x00DD, one,    6,  always,        {24, 200}, {4, 154}, {4, 127}, NP, none},         // FNSAVE
    {0x00DD, one,    7,  always,        {24, 15}, {4, 3},   {4, 2},   NP, none},          // FNSTSW m
    {0x00DF, one,    4,  always,        {13, 200}, {3, 75}, {2, 48},  NP, acc},           // FNSTSW AX; FBLD
    {0x00DF, one,    5,  always,        {24, 60}, {4, 10},  {4, 3},   NP, none},          // FILD m64
    {0x00DF, one,    6,  always,        {24, 200}, {4, 175}, {4, 148}, NP, none},         // FBSTP
    {0x00DF, one,    7,  always,        {24, 90}, {4, 29},  {4, 6},   NP, none},          // FISTP m64
    // clang-format on
};

static_assert(std::size(rows) < 65536);

// Row by place and condition column (none, protected, V86; each with and without 32-bit operands).
struct Index {
  std::array<std::uint16_t, opcode_places * 6> row{};
  Index() {
    for_each_place(rows, [this](unsigned place, std::size_t n) {
      const When when = rows[n].when;
      for (unsigned column = 0; column < 6; ++column) {
        const bool holds = when == always || (when == operand32 && column >= 3) ||
                           (when == protected_mode && column % 3 == 1) || (when == v86 && column % 3 == 2);
        if (holds) row[place * 6 + column] = static_cast<std::uint16_t>(n);
      }
    });
  }
};

}  // namespace

const InstructionRow& instruction_row(const Op& op) {
  static const Index index;
  const unsigned column = (op.v86 ? 2u : op.protected_mode ? 1u : 0u) + (op.operand32 ? 3u : 0u);
  return rows[index.row[opcode_place(op) * 6 + column]];
}

}  // namespace planar::cpu
