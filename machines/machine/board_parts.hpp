// SPDX-License-Identifier: GPL-2.0-or-later
// Parts that every kind of board installs from the configuration in the same way.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "devices/board/at/diskette/i82077.hpp"
#include "devices/medium/medium.hpp"
#include "devices/storage/image/disk_image.hpp"
#include "machines/config/machine_config.hpp"

namespace planar {

/// A built-in firmware image with the machine's bytes in the two documented places: the INT 15h C0h table and the model
/// byte. Throws Error, naming `name`, if the image has no such table.
std::vector<std::uint8_t> identified_firmware(std::span<const std::uint8_t> built_in, const Identity& identity,
                                              const std::string& name);

/// The medium that a card is plugged into; null if it is not among `media`.
net::Medium* plugged_medium(const CardConfig& card, std::span<net::Medium* const> media);

/// Installs drive A, and drive B if present, both of the machine's type.
void install_diskette_drives(I82077& controller, const MachineConfig& config);

/// Opens the image in a drive.
std::optional<storage::DiskImage> open_drive(const DriveConfig& drive);

}  // namespace planar
