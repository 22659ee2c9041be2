// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/account/copy_loop.hpp"

namespace planar::cpu {
namespace {

/// How data flows through one instruction of the loop.
struct Flow {
  bool loads = false, stores = false;
  bool copies = false;  ///< by itself
  unsigned into = 8;    ///< register that a load fills
  unsigned from = 8;    ///< register that is stored
};

// The moves of the integer set that a copy is made of; everything else neither loads nor stores for this purpose.
Flow flow(const Op& op) {
  const bool byte = !(op.opcode & 1);
  const auto whole = [&](unsigned r) { return byte ? r & 3 : r; };  // AH belongs to EAX
  switch (op.opcode) {
    case 0x88:
    case 0x89:
      if (op.has_memory) return {.stores = true, .from = whole(op.reg)};
      break;
    case 0x8A:
    case 0x8B:
      if (op.has_memory) return {.loads = true, .into = whole(op.reg)};
      break;
    case 0x0FB6:
    case 0x0FB7:
      if (op.has_memory) return {.loads = true, .into = op.reg};
      break;
    case 0xA4:
    case 0xA5:
    case 0x6C:
    case 0x6D:
    case 0x6E:
    case 0x6F: return {.loads = true, .stores = true, .copies = true};
    case 0xAC:
    case 0xAD:
    case 0xEC:
    case 0xED:
    case 0xE4:
    case 0xE5: return {.loads = true, .into = EAX};
    case 0xAA:
    case 0xAB:
    case 0xEE:
    case 0xEF:
    case 0xE6:
    case 0xE7: return {.stores = true, .from = EAX};
    default: break;
  }
  return {};
}

bool conditional_branch(const Op& op) {
  return op.branch == BranchKind::conditional || op.branch == BranchKind::loop || op.branch == BranchKind::loop_z;
}

}  // namespace

bool closes_copy_loop(std::span<const std::uint8_t> before, const Op& branch, const DecodeMode& mode) {
  if (!conditional_branch(branch)) return false;
  const auto back = static_cast<std::int32_t>(branch.immediate);
  const auto at = static_cast<std::uint32_t>(before.size());
  const std::int64_t target = std::int64_t{at} + branch.length + back;
  if (target < 0 || target >= at) return false;
  unsigned instructions = 1, accesses = 0, loaded = 0;
  bool copies = false;
  for (auto here = static_cast<std::uint32_t>(target); here < at; ++instructions) {
    Op op;
    if (instructions == longest_copy_loop || !decode(before.subspan(here), mode, op) || op.ends_block) return false;
    const Flow f = flow(op);
    accesses += f.loads + f.stores;
    if (f.into < 8) loaded |= 1u << f.into;
    copies |= f.copies || (f.from < 8 && (loaded >> f.from & 1));
    here += op.length;
  }
  return copies && accesses * 4 >= instructions;
}

}  // namespace planar::cpu
