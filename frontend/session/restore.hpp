// SPDX-License-Identifier: GPL-2.0-or-later
// Continuing a snapshot: what the command line may contain besides --restore (nothing that contradicts the snapshot),
// and what a snapshot may do to this host (nothing that the command line does not name).
#pragma once

#include <string>

#include "frontend/options/options.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// A snapshot as this run continues it.
struct RestoredLab {
  Snapshot snapshot;
  LabConfig config;  ///< the snapshot's after of_this_host(), with what the command line adds
};

/// Reads `file`, which may come from another user. Throws Error naming the option and the snapshot's value if a
/// machine, card, memory size or other setting of `options` differs from the snapshot's, and for a snapshot attached to
/// a host network (a file, an interface or an address in its name) that `options` do not also name.
RestoredLab open_snapshot(const std::string& file, const MachineOptions& options);

/// A snapshot's configuration without anything that would affect this host: disks change in memory only, COM1 writes no
/// file, slirp is not connected and no port is forwarded. Drives still read their images, which must be the same ones:
/// a snapshot contains their digests. Throws Error for a machine that is described in a file of this host.
LabConfig of_this_host(const std::string& configuration);

}  // namespace planar
