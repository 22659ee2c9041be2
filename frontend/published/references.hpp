// SPDX-License-Identifier: GPL-2.0-or-later
// What a table of published figures lets one predict without any physics: the yardstick beside planar's own error.
#pragma once

#include <string>
#include <vector>

#include "frontend/published/score.hpp"

namespace planar {

/// A predictor of a machine's rows made of published figures alone, with its error and planar's on the same rows.
struct Reference {
  std::string predictor;    ///< "the median of all rows", "model95 x 0.571"
  std::size_t rows = 0;     ///< that it says something of
  double mape = 0;          ///< percent, of the averages
  double planars_mape = 0;  ///< percent, of planar's averages on these rows
};

/// The median of the machine's published averages, then each other machine's row of the same card, driver, duplex and
/// test times the one constant that makes the mean error least (so the constant itself is fitted). Rows that were not
/// run, repeats and rows that are scored apart are left out, and a predictor of fewer than three rows.
std::vector<Reference> references(const std::vector<ScoredRow>& rows, const std::string& machine);

}  // namespace planar
