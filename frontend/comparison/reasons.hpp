// SPDX-License-Identifier: GPL-2.0-or-later
// Explains, from where the time of a card's data frame goes, why the card is as fast as it is and what separates it
// from the next one. Every form of a report uses the same sentences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/comparison/compare_report.hpp"

namespace planar {

/// A sentence for each card of a table, fastest first, then one for each adjacent pair. For overload: where each card's
/// frames are lost. Cards without these data have none.
struct Reasons {
  std::vector<std::string> cards, pairs;
};
Reasons reasons_of(const Comparison& c, const std::string& machine, MediumKind medium);

/// The sentences on pairs for all cards of the comparison, each named with its machine.
std::vector<std::string> separations(const Comparison& c);

/// The most data that the medium can carry, in the benchmark's unit: full-size frames back to back, with the timestamps
/// of Linux 2.2's TCP. Nothing for other kinds of rate, or for a ring, whose frames and rate are set by the lab. Bonded
/// cards have several `wires`.
std::optional<double> medium_limit(const Benchmark& benchmark, MediumKind medium, unsigned wires = 1);

}  // namespace planar
