// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/machine/board_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "devices/board/at/system/memory_controller.hpp"

namespace planar {

std::vector<std::uint8_t> identified_firmware(std::span<const std::uint8_t> built_in, const Identity& id,
                                              const std::string& name) {
  std::vector<std::uint8_t> image(built_in.begin(), built_in.end());
  constexpr std::size_t table = 0xFE6F5 - 0xE0000, model_byte = 0xFFFFE - 0xE0000;
  if (image.size() != MemoryController::rom_bytes || image[table] != 8 || image[table + 1] != 0)
    throw Error(fmt::format("{} has no configuration table at F000:E6F5; rebuild it with make -C roms", name),
                ExitCode::missing_file);
  image[table + 2] = image[model_byte] = id.model;
  image[table + 3] = id.submodel;
  image[table + 4] = id.revision;
  std::copy(id.features.begin(), id.features.end(), image.begin() + table + 5);
  return image;
}

net::Medium* plugged_medium(const CardConfig& card, std::span<net::Medium* const> media) {
  const auto found =
      std::find_if(media.begin(), media.end(), [&](const net::Medium* m) { return m->name() == card.medium; });
  return found == media.end() ? nullptr : *found;
}

void install_diskette_drives(I82077& controller, const MachineConfig& config) {
  for (unsigned n = 0; n < (config.drive_b ? 2 : 1); ++n)
    controller.install(n, config.diskette == "2.88 MB" ? 1000 : 500);
}

std::optional<storage::DiskImage> open_drive(const DriveConfig& drive) {
  if (drive.disk.file.empty()) return {};
  return storage::DiskImage::open(drive.disk,
                                  drive.kind == storage::DriveKind::disk ? storage::disk_kind : storage::cdrom_kind);
}

}  // namespace planar
