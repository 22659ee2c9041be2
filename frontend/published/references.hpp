// SPDX-License-Identifier: GPL-2.0-or-later
// Predictions from a table of published figures alone, without any model: the yardstick for planar's own error.
#pragma once

#include <string>
#include <vector>

#include "frontend/published/score.hpp"

namespace planar {

/// A predictor of a machine's rows from published figures alone, with its error and planar's on the same rows.
struct Reference {
  std::string predictor;    ///< "the median of all rows", "model95 x 0.571"
  std::size_t rows = 0;     ///< number of rows that it predicts
  double mape = 0;          ///< percent, over the averages
  double planars_mape = 0;  ///< percent, over planar's averages of these rows
};

/// The median of the machine's published averages, then, for each other machine, its row of the same card, driver,
/// duplex and test multiplied by the one constant that minimizes the mean error (so the constant itself is fitted).
/// Rows that were not run, repeats and rows that are scored separately are left out, and so are predictors of fewer
/// than three rows.
std::vector<Reference> references(const std::vector<ScoredRow>& rows, const std::string& machine);

}  // namespace planar
