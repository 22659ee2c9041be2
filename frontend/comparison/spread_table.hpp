// SPDX-License-Identifier: GPL-2.0-or-later
// How far the runs of a comparison lie from the means in its tables. Empty if each cell was run once.
#pragma once

#include <string>

#include "frontend/comparison/compare_report.hpp"

namespace planar {

std::string spread_text(const Comparison& c);
std::string spread_markdown(const Comparison& c);
std::string spread_html(const Comparison& c);
/// Lines for comparison_csv: the metric's _ci95, _stddev, _min and _max.
std::string spread_csv(const Comparison& c);

}  // namespace planar
