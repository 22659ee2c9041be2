// SPDX-License-Identifier: GPL-2.0-or-later
// How execution moves from one code line to another, for the processor's class and geometry (interpreter/lines.cpp).
#pragma once

#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

class Timing;

struct Lines {
  using Way = void (*)(Engine&, const Op&);
  Way execute_before_line;  ///< as Op::chained: an instruction after which another line is entered
  /// Into the block in progress, at its first instruction, if its plan is not known to hold, or if stop_at is near.
  Way enter;
  Way leave;       ///< the rest of the block after an instruction, without the plan
  Way go_on_with;  ///< the block in progress, whose first instruction has already begun
};
/// Null: no first-level cache, and so no lines.
const Lines* lines_of(const Timing& timing);

}  // namespace planar::cpu
