// SPDX-License-Identifier: GPL-2.0-or-later
// A reproducer in one line: model, mode, code and what differs from a plain initial state.
//
//   486 pm32 | 0F AF 03 | eax=80000000 fl=00000046 | 20000=1122
//
// Registers that are not named are 0 (ESP: 5000 behind the stack's start), flags 2, memory 0. Memory is physical, in
// hex bytes. x87 registers are written f0=3FFF.8000000000000000 (physical), with cw, sw and tw.
#pragma once

#include <optional>
#include <string>

#include "tests/lockstep/runner.hpp"

namespace planar::lockstep {

/// The row with the least in it that still shows the mismatch.
std::string shrink(const Mismatch& mismatch);
/// Runs a row; what differs, or nothing. Throws Error for a row it cannot read.
std::optional<Mismatch> run_row(const std::string& row);

}  // namespace planar::lockstep
