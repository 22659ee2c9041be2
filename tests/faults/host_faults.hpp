// SPDX-License-Identifier: GPL-2.0-or-later
// A host that fails: the n-th call with which a program opens, reads, writes, syncs or renames a file below one folder,
// or the n-th memory allocation, fails. It is a shared library between the program and the C library, so that the
// shipped program itself is tested: tests_devices is linked with it, and other programs run with it in LD_PRELOAD (in a
// build with sanitizers the program is linked with it, too), armed by their environment:
//
//   PLANAR_FAULT_UNDER   the folder; files elsewhere are left alone
//   PLANAR_FAULT_AT      n, from 1
//   PLANAR_FAULT_KIND    "fail" (default), "stay" (all fail from n on: a disk that is full or gone),
//                        "cut" (a write takes half of its bytes, later ones fail), "memory" (the n-th allocation)
//   PLANAR_FAULT_TOLD    a file that is created when the fault has occurred
#pragma once

#include <cstdint>

extern "C" {

enum planar_fault_kind : int { planar_fault_fail, planar_fault_stay, planar_fault_cut, planar_fault_memory };

/// From now on the `n`-th call (from 1) below `folder`, or allocation, fails with ENOSPC (EIO for reads). 0: none.
void planar_fault_arm(std::uint64_t n, int kind, const char* folder);
/// Disarms it; true if the fault has occurred.
bool planar_fault_disarm();
}
