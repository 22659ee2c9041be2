// SPDX-License-Identifier: GPL-2.0-or-later
// The timing profiles (*.toml) and the adapters' pages (*.md) of this folder, compiled into the binary by its
// CMakeLists.txt.
#pragma once

#include <span>
#include <string_view>

namespace planar {

struct EmbeddedFile {
  std::string_view path;  ///< from the top of the source tree: "devices/ethernet/ne2.toml"
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_files();

}  // namespace planar
