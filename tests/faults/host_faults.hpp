// SPDX-License-Identifier: GPL-2.0-or-later
// A host that fails: the n-th call with which a program opens, reads, writes, makes durable or renames a file below one
// folder, or the n-th allocation of memory, is refused. A shared library that stands between the program and the C
// library, so that the program is the one that is shipped: tests_devices is linked with it, and other programs run with
// it as LD_PRELOAD (in a build with sanitizers the program is linked with it, too), armed by their environment:
//
//   PLANAR_FAULT_UNDER   the folder; files elsewhere are left alone
//   PLANAR_FAULT_AT      n, from 1
//   PLANAR_FAULT_KIND    "fail" (default), "stay" (from n on all fail: a disk that is full or gone),
//                        "cut" (a write takes half of its bytes, what follows fails), "memory" (the n-th allocation)
//   PLANAR_FAULT_TOLD    a file that is made when the fault has come
#pragma once

#include <cstdint>

extern "C" {

enum planar_fault_kind : int { planar_fault_fail, planar_fault_stay, planar_fault_cut, planar_fault_memory };

/// From now on the `n`-th call (from 1) below `folder`, or allocation, fails with ENOSPC (EIO for what reads). 0: none.
void planar_fault_arm(std::uint64_t n, int kind, const char* folder);
/// Ends it. Whether the fault came.
bool planar_fault_disarm();
}
