// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of a comparison that differ from the delivered rate: netio and netperf also count data that are still queued
// when their time is over. In a short run such a figure may exceed what the wire can carry.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/comparison/compare_report.hpp"

namespace planar {

/// Whether the figure differs from the delivered rate by more than 1 %.
bool differs_from_delivered(const Benchmark& benchmark, const CellOutcome& outcome, std::uint32_t size);

/// The figure for a table's cell, marked with "*" if it differs; "-" if there is none.
std::string figure_text(const Benchmark& benchmark, const CellOutcome& outcome, std::uint32_t size);

/// Explains "*" and lists the cards concerned with their delivered rates; empty if no figure is marked.
std::string delivered_note(const Comparison& c);

/// Lines for comparison_csv: the metric's _delivered, for all cells where delivery was watched.
std::string delivered_csv(const Comparison& c);

}  // namespace planar
