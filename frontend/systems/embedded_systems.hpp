// SPDX-License-Identifier: GPL-2.0-or-later
// The files of frontend/systems/: operating systems whose network stack the guest can represent.
#pragma once

#include <span>

#include "core/common/embedded_file.hpp"

namespace planar {

std::span<const EmbeddedFile> embedded_systems();

}  // namespace planar
