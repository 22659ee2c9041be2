// SPDX-License-Identifier: GPL-2.0-or-later
// REP INS and REP OUTS in one step, where nothing can interfere.
#pragma once

#include <cstdint>

#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

/// Makes up to `count` iterations of `op`, a REP OUTS (`direction` write) or a REP INS, with all their costs and data
/// and the index register, but not the count register; returns how many. 0, with nothing done: the next one must be
/// made on its own, and so must all that follow if `possible` is cleared. Ends at stop_at as the iterations would.
template <class T, Direction direction>
std::uint32_t run_port(Engine& c, const Op& op, std::uint16_t port, std::uint32_t count, bool& possible);

}  // namespace planar::cpu
