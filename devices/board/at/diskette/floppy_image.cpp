// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/diskette/floppy_image.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/common/error.hpp"

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

constexpr std::string_view known_sizes =
    "163840, 184320, 327680, 368640, 737280, 1228800, 1474560, 1720320 or 2949120 bytes";

std::string size_problem(std::uint64_t bytes) {
  if (FloppyImage::recognise(bytes)) return {};
  return fmt::format("{} bytes is not a diskette size; a raw image has {}", bytes, known_sizes);
}

constexpr storage::ImageKind diskette_kind{"diskette image", size_problem};

}  // namespace

std::optional<FloppyGeometry> FloppyImage::recognise(std::uint64_t bytes) {
  for (const FloppyGeometry& g : geometries)
    if (g.bytes() == bytes) return g;
  return std::nullopt;
}

FloppyImage FloppyImage::open(const storage::DiskSpec& spec) {
  return FloppyImage(storage::DiskImage::open(spec, diskette_kind));
}

FloppyImage FloppyImage::load(const std::string& file, bool write_protected) {
  return open({file, write_protected ? storage::WriteMode::read_only : storage::WriteMode::memory, {}});
}

FloppyImage::FloppyImage(std::vector<std::uint8_t> bytes, std::string name, bool write_protected)
    : FloppyImage([&] {
        if (const auto problem = size_problem(bytes.size()); !problem.empty())
          throw Error(fmt::format("{}: {}", name, problem), ExitCode::missing_file);
        return storage::DiskImage(std::move(bytes), std::move(name),
                                  write_protected ? storage::WriteMode::read_only : storage::WriteMode::memory);
      }()) {}

FloppyImage::FloppyImage(storage::DiskImage disk)
    : disk_(std::move(disk)), geometry_(*recognise(disk_.sectors() * sector_bytes)) {}

std::optional<std::uint32_t> FloppyImage::index(unsigned cylinder, unsigned head, unsigned sector) const {
  if (cylinder >= geometry_.cylinders || head >= geometry_.heads || sector < 1 || sector > geometry_.sectors)
    return std::nullopt;
  return (cylinder * geometry_.heads + head) * geometry_.sectors + sector - 1;
}

bool FloppyImage::read(unsigned cylinder, unsigned head, unsigned sector,
                       std::span<std::uint8_t, sector_bytes> data) const {
  const auto number = index(cylinder, head, sector);
  return number && disk_.read(*number, data);
}

bool FloppyImage::write(unsigned cylinder, unsigned head, unsigned sector,
                        std::span<const std::uint8_t, sector_bytes> data) {
  const auto number = index(cylinder, head, sector);
  return number && disk_.write(*number, data);
}

std::vector<std::uint8_t> FloppyImage::contents() const {
  std::vector<std::uint8_t> all(geometry_.bytes());
  for (std::size_t at = 0; at < all.size(); at += sector_bytes)
    disk_.read(at / sector_bytes, std::span(all).subspan(at, sector_bytes));
  return all;
}

void FloppyImage::archive(Archive& a) {
  a.section("floppy_image", 1);
  disk_.archive(a);
}

}  // namespace planar
