// SPDX-License-Identifier: GPL-2.0-or-later
// The guest test bench's diskette with settings written into its settings sector (roms/README.md section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machines/machine/linux_boot.hpp"

namespace planar {

/// Kernels on the built-in diskette, each with its functions, variables and pages at different addresses; the setting
/// `placement` selects one (roms/guest/README.md).
inline constexpr unsigned guest_placements = 8;

/// Keys and values of the guest's settings sector (roms/README.md section 3).
using SettingsSector = std::vector<std::pair<std::string, std::string>>;

/// A private copy of `image` whose settings sector has the given settings and keeps those with other keys. Throws Error
/// if the image has no settings sector or the settings do not fit into it.
std::vector<std::uint8_t> with_settings(std::span<const std::uint8_t> image, const SettingsSector& settings);

/// The settings that `image` holds, in their order; empty if it is not a guest image.
SettingsSector settings_of(std::span<const std::uint8_t> image);

/// The value of `key`, if present.
std::optional<std::string> setting(const SettingsSector& settings, std::string_view key);

/// The built-in diskette with `settings`. Throws Error as with_settings() does.
NamedFile built_in_guest(const SettingsSector& settings);

}  // namespace planar
