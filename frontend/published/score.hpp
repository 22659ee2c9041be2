// SPDX-License-Identifier: GPL-2.0-or-later
// How near a set of runs comes to the published figures: residuals, mean absolute percentage error, rank correlation,
// load error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/matrix/matrix.hpp"
#include "frontend/published/published_figures.hpp"

namespace planar {

/// A published row with what planar measured for it.
struct ScoredRow {
  PublishedRow print;
  const CellOutcome* ours = nullptr;  ///< null: not run
  bool hypothetical = false;          ///< the card's interface is planar's own declaration
  bool available = true;              ///< planar has the card

  bool run() const { return ours && ours->result; }
  /// Scored apart from the others.
  bool apart() const { return hypothetical && print.hypothetical_apart; }
  /// Ours at a size; nothing where it was not measured.
  std::optional<double> figure(std::uint32_t size) const;
  /// (ours - published) / published in percent, per size; nothing if either is missing.
  std::optional<double> residual(std::uint32_t size) const;
  /// Our figure for PublishedRow::average(), and its residual.
  std::optional<double> average() const;
  std::optional<double> average_residual() const;
  /// Half of the 95 % confidence interval of average() over the placements; nothing with one.
  std::optional<double> average_ci95() const;
  /// Points of CPU load: ours - published. Nothing for a run that ended early (--converge): counted by clock ticks,
  /// which beat with the packets, it needs the whole time.
  std::optional<double> load_residual() const;
  /// Percent of the processor's time in which it was not halted while it sent one size; nothing where the benchmark
  /// does not say.
  std::optional<double> sending_load(std::uint32_t size) const;
  /// The mean over the sizes that the author's estimate is over, three small ones and three large ones; nothing if one
  /// is missing.
  std::optional<double> sending_load() const;
  /// The author's word for it; empty if he has none, and as for load_residual().
  std::string rating() const;
};

std::vector<ScoredRow> score_rows(const std::vector<PublishedRow>& print, const std::vector<CellOutcome>& ours);

/// Figures over some rows of one machine (PublishedRow::group); rows that were not run and those that repeat another
/// are left out, those of ScoredRow::apart() count in Rows::apart alone (which has no rank, median or skill). A row's
/// average is that of PublishedRow::average().
struct Score {
  std::size_t rows = 0;
  std::optional<double> mape;        ///< of the averages, percent
  std::optional<double> all_sizes;   ///< of every cell, percent
  std::optional<double> rank;        ///< Spearman's correlation of the averages (ties share ranks)
  std::optional<double> load_error;  ///< mean absolute, points; nothing where a run ended early, as for the words below
  std::size_t rated = 0;             ///< rows whose load the author gives in words,
  std::size_t rated_alike = 0;       ///< and those of them for which ours is the same word
  /// The predictor that knows no physics says the median of the machine's published averages for every card.
  std::optional<double> median_mape;
  /// 1 - mape / median_mape: 1 is perfect, 0 no better than the median.
  std::optional<double> skill;
  /// Half of the 95 % confidence intervals of `mape` and `load_error` over the placements of the guest: by how much the
  /// chance of where its code is moves them. Nothing with one placement.
  std::optional<double> mape_ci95, load_error_ci95;
};

/// Rows::calibration: something was fitted on the row; Rows::informed: something was chosen knowing it, nothing
/// fitted; Rows::prediction: neither; Rows::off_limit: those that are not at the medium's limit
/// (PublishedRow::at_limit); Rows::off_limit_unfitted: those of them on which nothing was fitted; Rows::apart:
/// ScoredRow::apart().
enum class Rows { all, calibration, informed, prediction, off_limit, off_limit_unfitted, apart };
/// Of rows that are means over placements (planar.runs/1) the score of the means, with its interval.
Score score(const std::vector<ScoredRow>& rows, const std::string& machine, Rows which);

}  // namespace planar
