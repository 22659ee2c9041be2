// SPDX-License-Identifier: GPL-2.0-or-later
// The timing profiles (*.toml) and the adapters' pages (*.md) of this folder.
#pragma once

#include <span>

#include "core/common/embedded_file.hpp"

namespace planar {

std::span<const EmbeddedFile> embedded_files();

}  // namespace planar
