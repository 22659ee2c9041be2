// SPDX-License-Identifier: GPL-2.0-or-later
// REP MOVS between RAM and a device's memory in one step, where nothing can interfere.
#pragma once

#include <cstdint>

#include "core/cpu/engine/engine.hpp"

namespace planar::cpu {

/// Makes up to `count` iterations of `op`, a REP MOVS, with all their costs and data and the index registers, but not
/// the count register; returns how many. 0, with nothing done: the next one must be made on its own, and so must all
/// that follow if `possible` is cleared. Ends at stop_at as the iterations would.
template <class T>
std::uint32_t run_window(Engine& c, const Op& op, std::uint32_t count, bool& possible);

}  // namespace planar::cpu
