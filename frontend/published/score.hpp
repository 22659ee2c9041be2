// SPDX-License-Identifier: GPL-2.0-or-later
// How near a set of runs comes to print: residuals, mean absolute percentage error, rank correlation, load error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/published/published_figures.hpp"
#include "frontend/session/matrix.hpp"

namespace planar {

/// A published row with what planar measured for it.
struct ScoredRow {
  PublishedRow print;
  const CellOutcome* ours = nullptr;  ///< null: not run
  bool hypothetical = false;          ///< the card's interface is planar's own declaration: scored apart

  bool run() const { return ours && ours->result; }
  /// (ours - print) / print in percent of a packet size; nothing if either is missing.
  std::optional<double> residual(std::uint32_t packet_bytes) const;
  std::optional<double> plateau_residual() const;
  /// Points of CPU load: ours - print.
  std::optional<double> load_residual() const;
};

std::vector<ScoredRow> score_rows(const std::vector<PublishedRow>& print, const std::vector<CellOutcome>& ours);

/// Figures over some rows of one machine; rows that were not run are left out, hypothetical cards count in Rows::apart
/// alone (which has no rank, median or skill).
struct Score {
  std::size_t rows = 0;
  std::optional<double> mape;        ///< of the plateau means, percent
  std::optional<double> all_sizes;   ///< of every cell, percent
  std::optional<double> rank;        ///< Spearman's correlation of the plateau means (ties share ranks)
  std::optional<double> load_error;  ///< mean absolute, points
  /// The predictor that knows no physics says the median of the machine's printed plateaus for every card.
  std::optional<double> median_mape;
  /// 1 - mape / median_mape: 1 is perfect, 0 no better than the median.
  std::optional<double> skill;
};

/// Rows::calibration: something was fitted on the row; Rows::informed: something was chosen with it in view, nothing
/// fitted; Rows::prediction: neither.
enum class Rows { all, calibration, informed, prediction, apart };
Score score(const std::vector<ScoredRow>& rows, const std::string& machine, Rows which);

}  // namespace planar
