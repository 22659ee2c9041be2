// SPDX-License-Identifier: GPL-2.0-or-later
// Loops in steady state on the P6, many passes at once: a delay that counts down, or one that waits for what only an
// event can change (a flag, a descriptor that an adapter writes, a key, for which a boot loader goes from mode to
// mode).
//
// Before a block the processor's state is noted. If a pass of the loop leads back to it, the registers, what the pass
// has stored and the pipeline being the same but for the time, the next pass does the same in the same clocks: nothing
// else happens before the next event, where the run ends. The passes that end before it are left out, and the times in
// the pipeline are moved. A pass may only have computed, on registers, segments and RAM, without a miss in the first
// level, a page walk, the pins, an interrupt of a device or an instruction that knows the time. The state of the caches
// is then that of the pass before: the same lines have been used in the same order.
//
// A loop of DEC and a branch back to it (udelay of Linux and others) differs in one register from pass to pass.
#pragma once

#include "core/cpu/engine/engine.hpp"

namespace planar::cpu {

/// Before `b`, which is at EIP; what is left out has been executed afterwards, and EIP is the same.
[[gnu::noinline]] void watch_loop(Engine& c, const Block& b);
/// Something has happened that may lead elsewhere: what has been noted is not compared any more.
void forget_loop(Engine& c);

}  // namespace planar::cpu
