// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/reader/embedded.hpp"

namespace planar::adf {

std::optional<EmbeddedAdf> embedded_adf(std::uint16_t id) {
  for (const EmbeddedAdf& one : embedded_adfs())
    if (one.id == id) return one;
  return std::nullopt;
}

}  // namespace planar::adf
