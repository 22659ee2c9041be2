// SPDX-License-Identifier: GPL-2.0-or-later
// How close a set of runs comes to the published figures: residuals, mean absolute percentage error, rank correlation,
// load error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/matrix/matrix.hpp"
#include "frontend/published/published_figures.hpp"

namespace planar {

/// A published row and planar's measurement of it.
struct ScoredRow {
  PublishedRow print;
  const CellOutcome* ours = nullptr;  ///< null: not run
  bool hypothetical = false;          ///< planar itself defines the card's interface
  bool available = true;              ///< planar has the card

  bool run() const { return ours && ours->result; }
  /// True if it is scored separately.
  bool apart() const { return hypothetical && print.hypothetical_apart; }
  /// Our figure at a size; nothing if it was not measured.
  std::optional<double> figure(std::uint32_t size) const;
  /// (ours - published) / published in percent, per size; nothing if either figure is missing.
  std::optional<double> residual(std::uint32_t size) const;
  /// Our figure for PublishedRow::average(), and its residual.
  std::optional<double> average() const;
  std::optional<double> average_residual() const;
  /// Half of the 95 % confidence interval of average() over the placements; nothing if there is only one.
  std::optional<double> average_ci95() const;
  /// CPU load, ours - published, in percentage points. Nothing for a run that ended early (--converge): the load is
  /// counted by clock ticks, which beat with the packets, so it needs the whole duration.
  std::optional<double> load_residual() const;
  /// Percent of the time of sending one size during which the processor was not halted; nothing if the benchmark does
  /// not report it.
  std::optional<double> sending_load(std::uint32_t size) const;
  /// The mean over the sizes that the author's estimate covers, three small and three large ones; nothing if one is
  /// missing.
  std::optional<double> sending_load() const;
  /// The author's word for sending_load(); empty if there is none, and for a run that ended early.
  std::string rating() const;
};

/// The number of runs of which the row's figures are the means.
std::size_t runs_of(const ScoredRow& row);
/// The outcome of one of these runs. The row must have been run, or have failed.
CellOutcome run_of(const ScoredRow& row, std::size_t n);

/// Whether the cell's run gives the row's figures.
bool is_run_of(const Cell& cell, const PublishedRow& row);

std::vector<ScoredRow> score_rows(const std::vector<PublishedRow>& print, const std::vector<CellOutcome>& ours);

/// Figures over some rows of one machine (PublishedRow::group). Rows that were not run and rows that repeat another are
/// left out; rows of ScoredRow::apart() count only in Rows::apart (which has no rank, median or skill). A row's average
/// is PublishedRow::average().
struct Score {
  std::size_t rows = 0;
  std::optional<double> mape;        ///< over the averages, percent
  std::optional<double> all_sizes;   ///< over every size of every row, percent
  std::optional<double> rank;        ///< Spearman's correlation of the averages (ties share ranks)
  std::optional<double> load_error;  ///< mean absolute, points; nothing, and no rated rows, if a run ended early
  std::size_t rated = 0;             ///< rows whose load the author gives in words
  std::size_t rated_alike = 0;       ///< those of them for which our load has the same word
  /// MAPE of the predictor without a model: the median of the machine's published averages for every card.
  std::optional<double> median_mape;
  /// 1 - mape / median_mape: 1 is perfect, 0 no better than the median.
  std::optional<double> skill;
  /// Half of the 95 % confidence intervals of `mape` and `load_error` over the placements of the guest: how much the
  /// random placement of its code changes them. Nothing with one placement.
  std::optional<double> mape_ci95, load_error_ci95;
};

/// Rows::calibration: a value was fitted on the row; Rows::informed: a value was chosen knowing it, none was fitted;
/// Rows::prediction: neither; Rows::off_limit: rows not at the medium's limit (PublishedRow::at_limit);
/// Rows::off_limit_unfitted: those of off_limit on which nothing was fitted; Rows::apart: ScoredRow::apart().
enum class Rows { all, calibration, informed, prediction, off_limit, off_limit_unfitted, apart };
/// For rows that are means over placements (planar.runs/1), the score of the means, with its interval.
Score score(const std::vector<ScoredRow>& rows, const std::string& machine, Rows which);

}  // namespace planar
