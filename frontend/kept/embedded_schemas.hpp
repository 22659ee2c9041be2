// SPDX-License-Identifier: GPL-2.0-or-later
// The files of docs/schemas/, which describe the results that this program writes and reads.
#pragma once

#include <span>

#include "core/common/embedded_file.hpp"

namespace planar {

std::span<const EmbeddedFile> embedded_schemas();

}  // namespace planar
