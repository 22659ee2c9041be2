// SPDX-License-Identifier: GPL-2.0-or-later
// Finds loops that copy, such as the period kernels' copy with checksum, in the code as it is decoded.
#pragma once

#include <cstdint>
#include <span>

#include "core/cpu/decode/decoder.hpp"

namespace planar::cpu {

constexpr unsigned longest_copy_loop = 32;  ///< instructions

/// Whether `branch`, which follows the code `before`, closes a loop that copies: a conditional jump or LOOP back to an
/// instruction there, with only straight-line code in between, in which some register carries data from a load to a
/// store (memory or port on either side) and a quarter or more of the instructions load or store.
bool closes_copy_loop(std::span<const std::uint8_t> before, const Op& branch, const DecodeMode& mode);

}  // namespace planar::cpu
