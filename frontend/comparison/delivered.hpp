// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of a comparison that are not what was delivered: netio and netperf count data that are still in a queue when
// their time is over. In a short run such a figure may exceed what the wire can carry.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/comparison/compare_report.hpp"

namespace planar {

/// The figure differs from what was delivered by more than 1 %.
bool differs_from_delivered(const Benchmark& benchmark, const CellOutcome& outcome, std::uint32_t size);

/// The figure for a table's cell, marked with "*" where it differs; "-" where there is none.
std::string figure_text(const Benchmark& benchmark, const CellOutcome& outcome, std::uint32_t size);

/// What "*" means, which cards are concerned and what was delivered; empty: no figure is marked.
std::string delivered_note(const Comparison& c);

/// Lines for comparison_csv: the metric's _delivered, for all cells that were watched.
std::string delivered_csv(const Comparison& c);

}  // namespace planar
