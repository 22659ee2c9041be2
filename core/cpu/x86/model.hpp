// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace planar::cpu {

/// The modelled processors; each has all the instructions of those before it.
enum class Model : std::uint8_t { i386sx, i486sx, pentium, p6 };

}  // namespace planar::cpu
