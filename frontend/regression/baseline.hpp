// SPDX-License-Identifier: GPL-2.0-or-later
// The stored figures that every timing model must reproduce in `planar regress`, cycle for cycle, and what explains a
// difference.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontend/matrix/matrix.hpp"

namespace planar {

/// A difference between a baseline and a run.
struct Change {
  std::string machine;
  std::string card;
  std::string figure;  ///< "cycles", "4K KB/s", ...
  std::string was;
  std::string is;
  std::string by;  ///< "+1.30 %"; empty where a ratio would be meaningless
};

/// A timing value (of a card's profile or a machine's file) that differs from the baseline's.
struct TimingChange {
  std::string name;  ///< "ne2.data_port.ready_delay", "model56sx.memory.dram.read_miss"
  std::string was;
  std::string is;
};

/// The measurements of a matrix in the form of a baseline file: guest image, arguments, the figures of each cell, and
/// the timing values in force for each machine and card.
nlohmann::ordered_json make_baseline(const std::vector<CellOutcome>& outcomes, const MatrixOptions& options,
                                     const std::string& reason);

/// The rows of `baseline` that are not among `cells`, as "MACHINE CARD".
std::vector<std::string> rows_beside(const nlohmann::ordered_json& baseline, const std::vector<Cell>& cells);
/// Removes rows from `baseline`: each of `names` is a machine, a card or "MACHINE CARD". Throws Error for a name that
/// matches no row.
void drop_rows(nlohmann::ordered_json& baseline, const std::vector<std::string>& names);
/// Throws Error if an accepted run of `cells` could not share a file with the rows of `baseline` that are not run;
/// `run` is the result of make_baseline() without outcomes.
void check_mergeable(const nlohmann::ordered_json& baseline, const nlohmann::ordered_json& run,
                     const std::vector<Cell>& cells);
/// `made`, completed with the rows of `baseline` that it lacks, in their order.
nlohmann::ordered_json merge_baseline(const nlohmann::ordered_json& baseline, nlohmann::ordered_json made);
/// Why a file's content is not a valid baseline (schema violated, or digest does not match); empty if it is valid. All
/// functions below require a valid baseline.
std::string baseline_problem(const nlohmann::ordered_json& file);

/// Each acceptance of a baseline, oldest first: the reason and, if recorded, the program, the date and the numbers of
/// runs and of changed figures. A baseline without a history yields only its reason.
nlohmann::ordered_json accepted_history(const nlohmann::ordered_json& baseline);
/// Gives `made` the history of the baseline that it replaces (null: none), appends its own entry for `runs` runs, and
/// seals it. `date`: "2026-11-22".
void continue_history(nlohmann::ordered_json& made, const nlohmann::ordered_json& replaced, std::size_t runs,
                      const std::string& date);

/// Throws Error if the two were not made with the same guest image and arguments: their differences would not be due to
/// a model.
void check_comparable(const nlohmann::ordered_json& baseline, const nlohmann::ordered_json& run);

/// Every figure that differs; a cell that only one side has also counts as a difference.
std::vector<Change> changes(const nlohmann::ordered_json& baseline, const nlohmann::ordered_json& run);

/// The timing values of `machine` and `card` that differ; if there are none, the code must have changed.
std::vector<TimingChange> timing_changes(const nlohmann::ordered_json& baseline, const nlohmann::ordered_json& run,
                                         const std::string& machine, const std::string& card);

}  // namespace planar
