// SPDX-License-Identifier: GPL-2.0-or-later
// A decoded instruction: what the decoder found, what the executor needs, what the timing model computed in advance.
#pragma once

#include <cstdint>

#include "core/cpu/x86/branch_kind.hpp"

namespace planar::cpu {

struct Engine;

/// Register numbers as in ModRM; this one stands for an absent base or index.
inline constexpr std::uint8_t no_register = 8;

/// Occupies one line of the host's cache.
struct alignas(64) Op {
  /// Executes the instruction; EIP already points after it.
  void (*execute)(Engine&, const Op&) = nullptr;
  /// Executes it and jumps to the next instruction in its block (486, Pentium: chain.hpp; 386SX, once it has begun:
  /// step.hpp).
  void (*chained)(Engine&, const Op&) = nullptr;
  std::uint32_t immediate = 0;     ///< immediate, relative displacement of a branch, or offset of a far pointer
  std::uint32_t displacement = 0;  ///< of the memory operand, sign-extended; selector of a far pointer
  std::uint16_t opcode = 0;        ///< 00h..FFh, or 0F00h | second byte
  std::uint8_t modrm = 0;          ///< valid if has_modrm
  std::uint8_t reg = 0;            ///< ModRM bits 5..3
  std::uint8_t rm = 0;  ///< register operand: ModRM bits 2..0, or the low bits of the opcode (40h..5Fh, B0h..)
  std::uint8_t base = no_register;
  std::uint8_t index = no_register;
  std::uint8_t scale = 1;     ///< factor of the index: 1, 2, 4 or 8
  std::uint8_t segment = 3;   ///< effective segment of the memory operand, overrides applied (ES CS SS DS FS GS)
  std::uint8_t length = 0;    ///< bytes, prefixes included (at most 15)
  std::uint8_t prefixes = 0;  ///< number of prefix bytes
  bool operand32 : 1 = false;
  bool address32 : 1 = false;
  bool has_modrm : 1 = false;
  bool has_memory : 1 = false;  ///< ModRM names memory (mod != 3)
  bool has_immediate : 1 = false;
  bool has_displacement : 1 = false;
  bool lock : 1 = false;
  bool rep : 1 = false;             ///< F3h
  bool repne : 1 = false;           ///< F2h
  bool ends_block : 1 = false;      ///< branch, mode change, I/O: the block ends after it
  bool protected_mode : 1 = false;  ///< decoded with CR0.PE = 1 (and not V86): selects the column of clocks
  bool v86 : 1 = false;

  /// ModRM bits 5..3, where they are part of the opcode; 0 without ModRM.
  unsigned extension() const { return has_modrm ? reg : 0u; }

  // ---- the timing model's part, filled by Timing::set_static_clocks() at decode time ----
  std::uint16_t clocks = 0;        ///< including prefixes and static penalties, but not memory and branches
  std::uint16_t writes = 0;        ///< registers written; bit 8: flags
  std::uint8_t reads = 0;          ///< registers read or written: the first half of a pair must not write these
  std::uint8_t address_reads = 0;  ///< registers that form the address
  BranchKind branch = BranchKind::none;

  struct I386sx {
    std::uint16_t tail;   ///< clocks after the end of its first read
    std::uint8_t refill;  ///< decode clocks if it is the target of a jump (m in the manual)
  };
  /// 486 and Pentium, when the block runs by plan (chain.hpp): clocks from the start of the plan in force until this
  /// instruction has begun. The 486 has one plan per block; the Pentium has a second one for each new code line.
  struct Planned {
    std::uint16_t at[2];
  };
  struct I486sx {
    std::uint16_t at[2];    ///< Planned
    std::uint8_t prefixes;  ///< prefixes whose clocks a longer previous instruction hides
  };
  struct Pentium {
    std::uint16_t at[2];              ///< Planned; [1]: in a code line that is new (cached/issue_plan.hpp: ColdLine)
    std::uint8_t pair;                ///< pipes in which it pairs
    std::uint8_t line_after;          ///< the plan's code line in which the next instruction ends
    mutable std::uint16_t btb_entry;  ///< where the branch target buffer last held this branch: only a hint
  };
  struct P6 {
    std::uint16_t micro_ops;  ///< its micro-ops (p6/micro_ops.hpp)
    std::uint8_t sources;     ///< general registers that it computes with
    std::uint8_t results;     ///< general registers that it writes
    std::uint8_t fp_sources;  ///< the same for the x87 and MMX registers
    std::uint8_t fp_results;
    std::uint8_t flags;     ///< status flags that it reads (bits 0 to 2) and writes (4 to 6)
    std::uint8_t decoding;  ///< decoder clocks beyond the usual
  };
  union {
    I386sx i386sx;
    Planned planned;  // how i486sx and pentium begin
    I486sx i486sx;
    Pentium pentium{};
    P6 p6;
  };

  // ---- how it runs: `after`, `edge` and `asks_nothing` are set when it is put into a block ----
  enum class Edge : std::uint8_t { none, line, end };
  std::uint32_t address_mask = 0xFFFFFFFF;  ///< of an effective address: FFFFh with 16-bit addressing
  std::uint16_t after = 0;                  ///< bytes from the block's start to this instruction's end
  Edge edge = Edge::none;  ///< what follows: an instruction that ends in another code line (486, Pentium), or nothing
  bool register_only : 1 = false;  ///< uses only registers and flags, and may run before its clocks have passed
  bool asks_nothing : 1 = false;   ///< the same on the P6, where its timing asks no question (p6/block_memo.hpp)
};
static_assert(sizeof(Op) == 64);

}  // namespace planar::cpu
