// SPDX-License-Identifier: GPL-2.0-or-later
// The outcome of a comparison in the forms that people and programs want it in.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontend/matrix.hpp"

namespace planar {

struct Comparison {
  std::vector<CellOutcome> outcomes;
  std::vector<std::string> machines;    ///< in the order in which they are shown
  std::vector<std::uint32_t> sizes;     ///< packet sizes that were asked for
  std::string seconds;                  ///< virtual, of each size
  std::uint64_t seed = 1;
};

/// The layout of the published tables: a block a machine, a line a card.
std::string comparison_text(const Comparison& c);
std::string comparison_markdown(const Comparison& c);
/// One line a figure: machine, card, packet_bytes, metric, value, unit (the columns of the published files).
std::string comparison_csv(const Comparison& c);
/// An array of `planar netio --json` objects; a run that failed stands as {machine, card, problem}.
nlohmann::ordered_json comparison_json(const Comparison& c);
/// One file with tables, plots (throughput with print's values as crosses; where a frame's time goes) and no link outside.
std::string comparison_html(const Comparison& c);

}  // namespace planar
