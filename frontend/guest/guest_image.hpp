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

/// Kernels on the built-in diskette, each with its functions, variables and pages at other places; the setting
/// `placement` chooses one (roms/guest/README.md).
inline constexpr unsigned guest_placements = 8;

/// Key and value of the guest's settings sector (roms/README.md section 3).
using SettingsSector = std::vector<std::pair<std::string, std::string>>;

/// A private copy of `image` with the given settings in place of those that its sector holds.
/// Throws Error if the image has no settings sector or the settings do not fit into it.
std::vector<std::uint8_t> with_settings(std::span<const std::uint8_t> image, const SettingsSector& settings);

/// The settings that `image` holds, in their order; empty if it is no image of the guest.
SettingsSector settings_of(std::span<const std::uint8_t> image);

/// The value of `key`, if it is among them.
std::optional<std::string> setting(const SettingsSector& settings, std::string_view key);

/// The built-in diskette with `settings`. Throws Error as with_settings() does.
NamedFile built_in_guest(const SettingsSector& settings);

}  // namespace planar
