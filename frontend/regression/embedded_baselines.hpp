// SPDX-License-Identifier: GPL-2.0-or-later
// tests/baselines/ as of the build of this program; `planar regress` uses it outside of a source tree.
#pragma once

#include <span>

#include "core/common/embedded_file.hpp"

namespace planar {

std::span<const EmbeddedFile> embedded_baselines();

}  // namespace planar
