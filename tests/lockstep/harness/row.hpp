// SPDX-License-Identifier: GPL-2.0-or-later
// A one-line reproducer: model, mode, code and the differences from a default initial state.
//
//   486 pm32 | 0F AF 03 | eax=80000000 fl=00000046 | 20000=1122
//
// Registers that are not named are 0 (ESP: 5000 after the stack's start), flags 2, memory 0. Memory is physical, in hex
// bytes. x87 registers are written f0=3FFF.8000000000000000 (physical), with cw, sw and tw.
#pragma once

#include <optional>
#include <string>

#include "tests/lockstep/harness/runner.hpp"

namespace planar::lockstep {

/// The smallest row that still shows the mismatch.
std::string shrink(const Mismatch& mismatch);
/// Runs the row; returns the difference, or nothing. Throws Error for a malformed row.
std::optional<Mismatch> run_row(const std::string& row);

}  // namespace planar::lockstep
