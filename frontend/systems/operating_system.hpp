// SPDX-License-Identifier: GPL-2.0-or-later
// The operating systems whose network stack the guest test bench can represent. Each is a profile of values with source
// and confidence (a .toml in this folder), and every value is a guest setting of the same name (roms/README.md section
// 3), the same for every machine and adapter.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/adapter/timing_profile.hpp"

namespace planar {

/// The system that the guest is measured against and represents by default.
inline constexpr std::string_view default_system = "linux22";

struct OperatingSystem {
  std::string_view name;  ///< "nt4"
  TimingProfile profile;

  /// Keys and values for the guest's settings sector that select this system: its name, and the values that differ from
  /// default_system; none for default_system itself.
  std::vector<std::pair<std::string, std::string>> settings() const;
};

std::vector<std::string_view> operating_system_names();
/// Throws Error naming the available systems.
OperatingSystem find_operating_system(std::string_view name);

}  // namespace planar
