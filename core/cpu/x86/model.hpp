// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace planar::cpu {

/// The processors that are modelled.
enum class Model : std::uint8_t { i386sx, i486sx, pentium };

}  // namespace planar::cpu
