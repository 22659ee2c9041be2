// SPDX-License-Identifier: GPL-2.0-or-later
// The decoder: instruction bytes to Op.
#pragma once

#include <cstdint>
#include <span>

#include "core/cpu/dispatch/select.hpp"
#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

/// What, besides its bytes, determines an instruction's meaning.
struct DecodeMode {
  Model model;
  bool big = false;             ///< CS.D
  bool protected_mode = false;  ///< CR0.PE
  bool v86 = false;
};

/// Decodes one instruction. Returns false when `bytes` ends before the instruction does (`op` is then incomplete). An
/// undefined or over-long encoding gives an Op that raises #UD or #GP(0) when executed.
bool decode(std::span<const std::uint8_t> bytes, const DecodeMode& mode, Op& op);

}  // namespace planar::cpu
