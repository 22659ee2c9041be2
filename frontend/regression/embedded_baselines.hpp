// SPDX-License-Identifier: GPL-2.0-or-later
// tests/baselines/, as it was when this program was built: what `planar regress` compares with outside of a source
// tree.
#pragma once

#include <span>

#include "core/common/embedded_file.hpp"

namespace planar {

std::span<const EmbeddedFile> embedded_baselines();

}  // namespace planar
