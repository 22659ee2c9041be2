// SPDX-License-Identifier: GPL-2.0-or-later
// The *.toml files of this folder, compiled into the binary by its CMakeLists.txt.
#pragma once

#include <span>
#include <string_view>

namespace planar {

struct EmbeddedProfile {
  std::string_view path;  ///< from the top of the source tree: "devices/ethernet/ne2.toml"
  std::string_view text;
};

std::span<const EmbeddedProfile> embedded_profiles();

}  // namespace planar
