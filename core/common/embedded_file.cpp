// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/common/embedded_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"

namespace planar {

std::string_view embedded_text(std::span<const EmbeddedFile> files, std::string_view path) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& f) { return f.path == path; });
  if (found == files.end()) throw Error(fmt::format("this build holds no '{}'", path));
  return found->text;
}

}  // namespace planar
