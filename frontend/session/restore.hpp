// SPDX-License-Identifier: GPL-2.0-or-later
// What the command line may say beside --restore: nothing that the snapshot contradicts.
#pragma once

#include "frontend/cli/options.hpp"
#include "machines/lab.hpp"

namespace planar {

/// Throws Error naming the option and what the snapshot has instead, when a machine, card, size of memory or other
/// setting of `options` is not the snapshot's. A snapshot with a network of the host (a file, an interface or an
/// address in its name) attaches to it only where `options` name it too.
void check_restore(const Snapshot& snapshot, const MachineOptions& options);

}  // namespace planar
