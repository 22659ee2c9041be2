// SPDX-License-Identifier: GPL-2.0-or-later
// Steady-state loops on the P6, many passes at once: a delay that counts down, or a loop that waits for something that
// only an event can change (a flag, a descriptor that an adapter writes, a key, for which a boot loader goes from mode
// to mode).
//
// The processor's state is recorded before a block. If a pass of the loop leads back to it (registers, stored data and
// pipeline are the same apart from the time), the next pass does the same in the same clocks, since nothing else
// happens before the next event, at which the run ends. The passes that end before it are skipped, and the times in the
// pipeline are advanced. A pass may only compute on registers, segments and RAM, without first-level misses, page
// walks, cycles on the pins, device interrupts or instructions that read the time. The state of the caches is then the
// same as after the previous pass, because the same lines have been used in the same order.
//
// In a loop of DEC and a branch back to it (Linux's udelay and others), one register differs from pass to pass.
#pragma once

#include "core/cpu/engine/engine.hpp"

namespace planar::cpu {

/// Called before `b`, which is at EIP. Skipped passes count as executed on return, and EIP is the same.
[[gnu::noinline]] void watch_loop(Engine& c, const Block& b);
/// Something has happened that may lead elsewhere: the recorded state is no longer used.
void forget_loop(Engine& c);

}  // namespace planar::cpu
