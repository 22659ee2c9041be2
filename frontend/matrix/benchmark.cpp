// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/matrix/benchmark.hpp"

#include <cmath>

namespace planar {

double Benchmark::excess(const nlohmann::ordered_json& result, std::uint32_t size) const {
  if (!delivered) return 0;
  const auto counted = figure(result, size), really = delivered(result, size);
  if (!counted || !really) return 0;
  if (*really > 0) return std::abs(*counted - *really) / *really;
  return *counted > 0 ? 1 : 0;
}

}  // namespace planar
