// SPDX-License-Identifier: GPL-2.0-or-later
// A drive as machines, windows and snapshots see it, whatever its cable: its kind, its medium (an image), and for a
// CD-ROM drive whether there is one and whether the tray is locked.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "devices/storage/image/disk_image.hpp"

namespace planar::storage {

enum class DriveKind : std::uint8_t { disk, cdrom };

class Drive {
 public:
  DriveKind kind() const { return kind_; }
  /// There is a medium in the drive or on its open tray.
  bool loaded() const { return image_.has_value(); }
  /// Its medium; only valid if there is one.
  const DiskImage& image() const { return *image_; }
  bool tray_open() const { return tray_open_; }
  /// The guest has locked the tray: the drive's button has no effect while it is closed.
  bool locked() const { return locked_; }

 protected:
  Drive(DriveKind kind, std::optional<DiskImage> image) : kind_(kind), image_(std::move(image)) {}
  ~Drive() = default;

  const DriveKind kind_;
  std::optional<DiskImage> image_;
  bool tray_open_ = false;
  bool locked_ = false;
};

}  // namespace planar::storage
