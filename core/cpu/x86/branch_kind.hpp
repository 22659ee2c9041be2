// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace planar::cpu {

/// The kind of branch that an instruction is: decides what a taken one costs and how it is predicted.
enum class BranchKind : std::uint8_t { none, conditional, loop, direct, indirect, ret, loop_z, jcxz, far };
/// LOOPZ, JCXZ and far transfers cost more than their prediction implies.
constexpr bool is_special(BranchKind kind) { return kind >= BranchKind::loop_z; }

}  // namespace planar::cpu
