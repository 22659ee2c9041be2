// SPDX-License-Identifier: GPL-2.0-or-later
// The operating systems whose network stack the guest test bench can stand for. Each is a profile of values with source
// and confidence (a .toml beside this file), and every value is a setting of the guest under its own name
// (roms/README.md section 3): the same for every machine and adapter.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/adapter/timing_profile.hpp"

namespace planar {

/// The one that the guest is measured against and runs as unless told otherwise.
inline constexpr std::string_view default_system = "linux22";

struct OperatingSystem {
  std::string_view name;  ///< "nt4"
  TimingProfile profile;

  /// Key and value of the guest's settings sector that make it this system: its name, and what differs from
  /// default_system, for which there are none.
  std::vector<std::pair<std::string, std::string>> settings() const;
};

std::vector<std::string_view> operating_system_names();
/// Throws Error naming those that there are.
OperatingSystem find_operating_system(std::string_view name);

}  // namespace planar
