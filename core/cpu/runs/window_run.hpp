// SPDX-License-Identifier: GPL-2.0-or-later
// REP MOVS between RAM and a device's memory in one go, where nothing can interfere.
#pragma once

#include <cstdint>

#include "core/cpu/engine/engine.hpp"

namespace planar::cpu {

/// Up to `count` iterations of `op`, a REP MOVS, with all that they cost and move, the index registers included, the
/// count register not; returns how many. 0, with nothing done: the next one must be made by itself, and all that follow
/// if `possible` is cleared. Ends at stop_at like the iterations.
template <class T>
std::uint32_t run_window(Engine& c, const Op& op, std::uint32_t count, bool& possible);

}  // namespace planar::cpu
