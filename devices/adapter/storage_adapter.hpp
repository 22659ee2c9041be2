// SPDX-License-Identifier: GPL-2.0-or-later
// What a machine knows of an adapter with drives, whatever bus it sits on.
#pragma once

#include <cstdint>

namespace planar {

namespace storage {
class DiskImage;
class ScsiDrive;
enum class DriveKind : std::uint8_t;
}  // namespace storage

class StorageAdapter {
 public:
  /// Connects a drive as SCSI target `id` (0 to 7, not the adapter's own), before the machine runs.
  virtual void attach(unsigned id, storage::DriveKind kind, storage::DiskImage image) = 0;
  /// The drive with this ID, or null.
  virtual const storage::ScsiDrive* drive(unsigned id) const = 0;
  /// Puts another medium into the drive with this ID, which must be there, while the machine runs.
  virtual void change_medium(unsigned id, storage::DiskImage image) = 0;
  /// A command is at work: the machine's disk light.
  virtual bool busy() const = 0;

 protected:
  ~StorageAdapter() = default;
};

}  // namespace planar
