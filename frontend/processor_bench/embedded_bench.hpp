// SPDX-License-Identifier: GPL-2.0-or-later
// The data files of frontend/processor_bench/: the expected cost of the timing bench's kernels.
#pragma once

#include <span>

#include "core/common/embedded_file.hpp"

namespace planar {

std::span<const EmbeddedFile> embedded_bench();

}  // namespace planar
