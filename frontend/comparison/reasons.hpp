// SPDX-License-Identifier: GPL-2.0-or-later
// Why a card is as fast as it is, and what separates it from the next one, in words made from its own data: where the
// time of its data frame goes. The same sentences in every form of a report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/comparison/compare_report.hpp"

namespace planar {

/// A sentence for each card of a table, the fastest first, then one for each two cards that follow one another. Of
/// overload: where each card's frames are lost. Cards with neither have none.
struct Reasons {
  std::vector<std::string> cards, pairs;
};
Reasons reasons_of(const Comparison& c, const std::string& machine, MediumKind medium);

/// The second kind for all cards of the comparison, each named with its machine.
std::vector<std::string> separations(const Comparison& c);

/// What the medium could carry of a stream's data if it did nothing else, in the benchmark's unit: full-size frames one
/// after another. Nothing for rates of another kind, nor for a ring, whose frames and rate the lab chooses.
/// Bonded cards have as many `wires`.
std::optional<double> medium_limit(const Benchmark& benchmark, MediumKind medium, unsigned wires = 1);

}  // namespace planar
