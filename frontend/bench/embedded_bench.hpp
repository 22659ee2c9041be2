// SPDX-License-Identifier: GPL-2.0-or-later
// The files of frontend/bench/: what the timing bench's kernels should cost.
#pragma once

#include <span>

#include "core/common/embedded_file.hpp"

namespace planar {

std::span<const EmbeddedFile> embedded_bench();

}  // namespace planar
