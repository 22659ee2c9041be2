// SPDX-License-Identifier: GPL-2.0-or-later
// Continuing a snapshot: what the command line may say beside --restore (nothing that the snapshot contradicts), and
// what a snapshot may do to this host (nothing that the command line does not name).
#pragma once

#include <string>

#include "frontend/options/options.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// A snapshot as this run continues it.
struct RestoredLab {
  Snapshot snapshot;
  LabConfig config;  ///< the snapshot's, with of_this_host() and what the command line adds to that
};

/// Reads `file`, which another user may have made. Throws Error naming the option and what the snapshot has instead
/// when a machine, card, size of memory or other setting of `options` is not the snapshot's, and for a snapshot with a
/// network of the host (a file, an interface or an address in its name) that `options` do not name too.
RestoredLab open_snapshot(const std::string& file, const MachineOptions& options);

/// A snapshot's configuration without what would touch this host: disks change in memory only, COM1 writes no file,
/// slirp leads nowhere and no port is forwarded. Drives still read their images, which must be the very ones: a
/// snapshot holds their digests. Throws Error for a machine that is described in a file of this host.
LabConfig of_this_host(const std::string& configuration);

}  // namespace planar
