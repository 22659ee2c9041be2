// SPDX-License-Identifier: GPL-2.0-or-later
// A text file of the source tree, compiled into the binary by planar_embed_texts (CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace planar {

struct EmbeddedFile {
  std::string_view path;  ///< relative to the top of the source tree: "devices/ethernet/ne2/ne2.toml"
  std::string_view text;
};

/// The text of the file with this path. Throws Error if the build does not hold it.
std::string_view embedded_text(std::span<const EmbeddedFile> files, std::string_view path);

}  // namespace planar
