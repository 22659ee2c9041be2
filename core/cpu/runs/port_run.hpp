// SPDX-License-Identifier: GPL-2.0-or-later
// REP INS and REP OUTS in one go, where nothing can interfere.
#pragma once

#include <cstdint>

#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

/// Up to `count` iterations of `op`, a REP OUTS (`direction` write) or a REP INS, with all that they cost and move, the
/// index register included, the count register not; returns how many. 0, with nothing done: the next one must be made
/// by itself, and all that follow if `possible` is cleared. Ends at stop_at like the iterations.
template <class T, Direction direction>
std::uint32_t run_port(Engine& c, const Op& op, std::uint16_t port, std::uint32_t count, bool& possible);

}  // namespace planar::cpu
