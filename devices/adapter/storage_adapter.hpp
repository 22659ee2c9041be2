// SPDX-License-Identifier: GPL-2.0-or-later
// What a machine knows about an adapter with drives, whatever its bus.
#pragma once

#include <cstdint>
#include <optional>

namespace planar {

namespace storage {
class DiskImage;
class Drive;
enum class DriveKind : std::uint8_t;
}  // namespace storage

class StorageAdapter {
 public:
  /// Connects a drive as number `id` before the machine runs: a SCSI target (0 to 7, except the adapter's own), or on
  /// IDE 0 and 1 for the first channel's master and slave, 2 and 3 for the second channel's. A CD-ROM drive may have no
  /// medium.
  virtual void attach(unsigned id, storage::DriveKind kind, std::optional<storage::DiskImage> image) = 0;
  /// The drive with this number, or null.
  virtual const storage::Drive* drive(unsigned id) const = 0;
  /// Changes the medium in drive `id`, which must exist, while the machine runs; without an image, a CD-ROM drive's
  /// tray is left open and empty. The tray's lock is ignored.
  virtual void change_medium(unsigned id, std::optional<storage::DiskImage> image) = 0;
  /// A command is in progress: the machine's disk light.
  virtual bool busy() const = 0;

 protected:
  ~StorageAdapter() = default;
};

}  // namespace planar
