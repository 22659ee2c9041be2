// SPDX-License-Identifier: GPL-2.0-or-later
// What a machine knows of an adapter with drives, whatever bus it sits on.
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
  /// Connects a drive as number `id` of its cable or cables, before the machine runs: a SCSI target (0 to 7, not the
  /// adapter's own), or of IDE 0 and 1 the first channel's master and slave, 2 and 3 the second one's.
  /// A CD-ROM drive may have no medium.
  virtual void attach(unsigned id, storage::DriveKind kind, std::optional<storage::DiskImage> image) = 0;
  /// The drive with this number, or null.
  virtual const storage::Drive* drive(unsigned id) const = 0;
  /// Puts another medium into the drive with this number, which must be there, while the machine runs; without one the
  /// tray of a CD-ROM drive is left open and empty. A locked tray does not matter here.
  virtual void change_medium(unsigned id, std::optional<storage::DiskImage> image) = 0;
  /// A command is at work: the machine's disk light.
  virtual bool busy() const = 0;

 protected:
  ~StorageAdapter() = default;
};

}  // namespace planar
