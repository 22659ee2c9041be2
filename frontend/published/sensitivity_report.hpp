// SPDX-License-Identifier: GPL-2.0-or-later
// `planar published --sensitivity` for people and for programs (docs/results/comparisons.md#planarsensitivity2).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontend/published/sensitivity.hpp"

namespace planar {

std::string sensitivity_text(const std::vector<SensitiveRow>& rows);
nlohmann::ordered_json sensitivity_json(const std::vector<SensitiveRow>& rows);

}  // namespace planar
