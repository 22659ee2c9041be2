// SPDX-License-Identifier: GPL-2.0-or-later
// The files of frontend/published/: published figures and planar's interpretation of their names.
#pragma once

#include <span>

#include "core/common/embedded_file.hpp"

namespace planar {

std::span<const EmbeddedFile> embedded_published();

}  // namespace planar
