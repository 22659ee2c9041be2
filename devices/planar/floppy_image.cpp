// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/planar/floppy_image.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "core/error.hpp"

namespace planar {

namespace {

constexpr FloppyGeometry geometries[] = {
    {40, 1, 8, 250},    // 160K
    {40, 1, 9, 250},    // 180K
    {40, 2, 8, 250},    // 320K
    {40, 2, 9, 250},    // 360K
    {80, 2, 9, 250},    // 720K
    {80, 2, 15, 500},   // 1.2M
    {80, 2, 18, 500},   // 1.44M
    {80, 2, 21, 500},   // 1.68M, the distribution format with small gaps
    {80, 2, 36, 1000},  // 2.88M
};

constexpr const char* known_sizes =
    "163840, 184320, 327680, 368640, 737280, 1228800, 1474560, 1720320 or 2949120 bytes";

}  // namespace

std::optional<FloppyGeometry> FloppyImage::recognise(std::uint64_t bytes) {
  for (const FloppyGeometry& g : geometries)
    if (g.bytes() == bytes) return g;
  return std::nullopt;
}

FloppyImage FloppyImage::load(const std::string& file, bool write_protected) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    throw Error(fmt::format("{}: there is no such diskette image; check the path", file),
                ExitCode::missing_file);
  if (std::filesystem::is_directory(status))
    throw Error(fmt::format("{}: is a directory, not a diskette image; name the image file", file),
                ExitCode::missing_file);
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw Error(
        fmt::format("{}: cannot be read ({}); check its permissions", file, std::strerror(errno)),
        ExitCode::missing_file);
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in),
                                  std::istreambuf_iterator<char>()};
  if (in.bad())
    throw Error(
        fmt::format("{}: reading stopped after {} bytes; copy the image again", file, bytes.size()),
        ExitCode::missing_file);
  return FloppyImage(std::move(bytes), file, write_protected);
}

FloppyImage::FloppyImage(std::vector<std::uint8_t> bytes, std::string name, bool write_protected)
    : original_(std::move(bytes)), name_(std::move(name)), write_protected_(write_protected) {
  const auto geometry = recognise(original_.size());
  if (!geometry)
    throw Error(fmt::format("{}: {} bytes is no diskette size; a raw image has {}", name_,
                            original_.size(), known_sizes),
                ExitCode::missing_file);
  geometry_ = *geometry;
  digest_ = sha256_hex(original_);
}

std::optional<std::uint32_t> FloppyImage::index(unsigned cylinder, unsigned head,
                                                unsigned sector) const {
  if (cylinder >= geometry_.cylinders || head >= geometry_.heads || sector < 1 ||
      sector > geometry_.sectors)
    return std::nullopt;
  return (cylinder * geometry_.heads + head) * geometry_.sectors + sector - 1;
}

bool FloppyImage::read(unsigned cylinder, unsigned head, unsigned sector,
                       std::span<std::uint8_t, sector_bytes> data) const {
  const auto number = index(cylinder, head, sector);
  if (!number) return false;
  if (const auto changed = overlay_.find(*number); changed != overlay_.end())
    std::copy(changed->second.begin(), changed->second.end(), data.begin());
  else
    std::copy_n(original_.begin() + static_cast<std::ptrdiff_t>(*number) * sector_bytes,
                sector_bytes, data.begin());
  return true;
}

bool FloppyImage::write(unsigned cylinder, unsigned head, unsigned sector,
                        std::span<const std::uint8_t, sector_bytes> data) {
  const auto number = index(cylinder, head, sector);
  if (!number || write_protected_) return false;
  overlay_[*number].assign(data.begin(), data.end());
  return true;
}

std::vector<std::uint8_t> FloppyImage::contents() const {
  std::vector<std::uint8_t> all = original_;
  for (const auto& [number, data] : overlay_)
    std::copy(data.begin(), data.end(),
              all.begin() + static_cast<std::ptrdiff_t>(number) * sector_bytes);
  return all;
}

void FloppyImage::archive(Archive& a) {
  a.section("floppy_image", 1);
  std::string digest = digest_;
  a(digest, write_protected_);
  if (a.loading() && digest != digest_)
    throw Error(fmt::format(
        "{}: is not the diskette that was in the drive when the snapshot was taken (SHA-256 {} "
        "instead of {}); give the original image",
        name_, digest_, digest));
  auto count = static_cast<std::uint32_t>(overlay_.size());
  a(count);
  if (a.saving()) {
    for (auto& [number, data] : overlay_) {
      std::uint32_t n = number;
      a(n);
      a.bytes(data);
    }
    return;
  }
  overlay_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t number = 0;
    std::vector<std::uint8_t> data(sector_bytes);
    a(number);
    a.bytes(data);
    if (number >= original_.size() / sector_bytes)
      throw Error(fmt::format("snapshot: {} has no sector {}", name_, number));
    overlay_[number] = std::move(data);
  }
}

}  // namespace planar
