// SPDX-License-Identifier: GPL-2.0-or-later
// A diskette: the geometry of a raw sector image, recognised by its size, on top of the storage layer's disk image,
// which determines where changes are stored.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "devices/storage/image/disk_image.hpp"

namespace planar {

/// Layout of a diskette; sectors of 512 bytes.
struct FloppyGeometry {
  std::uint8_t cylinders;
  std::uint8_t heads;
  std::uint8_t sectors;     ///< per track
  std::uint16_t data_rate;  ///< of its MFM signal, in kbit/s at 300 rpm: 250, 500 or 1000
  std::uint32_t bytes() const { return std::uint32_t{512} * cylinders * heads * sectors; }
};

/// Raw images of 160K, 180K, 320K, 360K, 720K, 1.2M, 1.44M, 1.68M (DMF) and 2.88M.
class FloppyImage {
 public:
  static constexpr unsigned sector_bytes = 512;

  /// Opens the image described by `spec`. Throws Error (ExitCode::missing_file) with the file, the reason or the size,
  /// and what is accepted.
  static FloppyImage open(const storage::DiskSpec& spec);
  /// Opens `file`; changes are discarded at the end.
  static FloppyImage load(const std::string& file, bool write_protected = false);
  /// An image in memory; messages use `name` in place of a file.
  FloppyImage(std::vector<std::uint8_t> bytes, std::string name, bool write_protected = false);
  /// The geometry of an image of this size, if valid.
  static std::optional<FloppyGeometry> recognise(std::uint64_t bytes);

  const FloppyGeometry& geometry() const { return geometry_; }
  const std::string& name() const { return disk_.name(); }
  bool write_protected() const { return disk_.write_protected(); }
  /// Whether any sector was written.
  bool changed() const { return disk_.changed_sectors() != 0; }
  const storage::DiskImage& disk() const { return disk_; }

  /// One sector; `sector` counts from 1. False if the diskette has no such sector, or if it is damaged.
  bool read(unsigned cylinder, unsigned head, unsigned sector, std::span<std::uint8_t, sector_bytes> data) const;
  bool write(unsigned cylinder, unsigned head, unsigned sector, std::span<const std::uint8_t, sector_bytes> data);

  /// The image with its changes.
  std::vector<std::uint8_t> contents() const;

  /// Saves the changes and a digest of the original; restoring over another image throws Error naming both.
  void archive(Archive& a);

 private:
  explicit FloppyImage(storage::DiskImage disk);
  std::optional<std::uint32_t> index(unsigned cylinder, unsigned head, unsigned sector) const;

  storage::DiskImage disk_;
  FloppyGeometry geometry_{};
};

}  // namespace planar
