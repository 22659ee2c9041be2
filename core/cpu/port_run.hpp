// SPDX-License-Identifier: GPL-2.0-or-later
// REP INS and REP OUTS in one go, where nothing can interfere.
#pragma once

#include <cstdint>

#include "core/cpu/engine.hpp"

namespace planar::cpu {

/// Up to `count` iterations of `op`, with all that they cost and move, the index register included, the count register not;
/// returns how many. 0, with nothing done: the next one must be made by itself, and all that follow if `ever` is cleared. Ends
/// at stop_at like the iterations.
template <class T>
std::uint32_t run_outs(Engine& c, const Op& op, std::uint16_t port, std::uint32_t count, bool& ever);
template <class T>
std::uint32_t run_ins(Engine& c, const Op& op, std::uint16_t port, std::uint32_t count, bool& ever);

}  // namespace planar::cpu
