// SPDX-License-Identifier: GPL-2.0-or-later
// A drive as a machine, a window and a snapshot know it, whatever its cable is: its kind, and the image that is its
// medium.
#pragma once

#include <cstdint>
#include <utility>

#include "devices/storage/image/disk_image.hpp"

namespace planar::storage {

enum class DriveKind : std::uint8_t { disk, cdrom };

class Drive {
 public:
  DriveKind kind() const { return kind_; }
  const DiskImage& image() const { return image_; }

 protected:
  Drive(DriveKind kind, DiskImage image) : kind_(kind), image_(std::move(image)) {}
  ~Drive() = default;

  const DriveKind kind_;
  DiskImage image_;
};

}  // namespace planar::storage
