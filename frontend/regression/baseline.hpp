// SPDX-License-Identifier: GPL-2.0-or-later
// The stored figures that `planar regress` holds every timing model to, cycle for cycle, and what explains a
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
  std::string by;  ///< "+1.30 %", or empty where there is no sense in a ratio
};

/// A timing value (of a card's profile or a machine's file) that is not what the baseline was made with.
struct TimingChange {
  std::string name;  ///< "ne2.data_port.ready_delay", "model56sx.memory.dram.read_miss"
  std::string was;
  std::string is;
};

/// What a matrix measured, as the baseline file keeps it: guest image, arguments, for each cell its figures and for
/// each machine and card the timing values that were in force.
nlohmann::ordered_json make_baseline(const std::vector<CellOutcome>& outcomes, const MatrixOptions& options,
                                     const std::string& reason);

/// The rows of `baseline` that `run` holds nothing of, as "MACHINE CARD".
std::vector<std::string> rows_beside(const nlohmann::ordered_json& baseline, const std::vector<Cell>& cells);
/// Takes rows out of `baseline`: each of `names` is a machine, a card or "MACHINE CARD". Throws Error for one that
/// names no row.
void drop_rows(nlohmann::ordered_json& baseline, const std::vector<std::string>& names);
/// Throws Error when an accepted run of `cells` could not stand in one file with the rows of `baseline` that are not
/// run: `run` is what make_baseline() gives for no outcomes.
void check_mergeable(const nlohmann::ordered_json& baseline, const nlohmann::ordered_json& run,
                     const std::vector<Cell>& cells);
/// `made` with the rows of `baseline` that it has nothing of, in their order.
nlohmann::ordered_json merge_baseline(const nlohmann::ordered_json& baseline, nlohmann::ordered_json made);
/// What keeps a file's content from being a baseline: its schema, or a digest that is not its own; empty if nothing
/// does. Everything below expects one that this has passed.
std::string baseline_problem(const nlohmann::ordered_json& file);

/// Each time that a baseline was accepted, oldest first: reason and, where they were kept, program, date and the
/// numbers of runs and of figures that were new. A baseline without a history has its reason alone.
nlohmann::ordered_json accepted_history(const nlohmann::ordered_json& baseline);
/// Gives `made` the history of the baseline that it replaces (null: none) and an entry of its own, for `runs` runs,
/// and seals it. `date`: "2026-11-22".
void continue_history(nlohmann::ordered_json& made, const nlohmann::ordered_json& replaced, std::size_t runs,
                      const std::string& date);

/// Throws Error if the two were not made with the same guest image and arguments: such figures say nothing of a model.
void check_comparable(const nlohmann::ordered_json& baseline, const nlohmann::ordered_json& run);

/// Every figure that differs; a cell that only one side has is a difference too.
std::vector<Change> changes(const nlohmann::ordered_json& baseline, const nlohmann::ordered_json& run);

/// The timing values of `machine` and `card` that differ. None: the code does.
std::vector<TimingChange> timing_changes(const nlohmann::ordered_json& baseline, const nlohmann::ordered_json& run,
                                         const std::string& machine, const std::string& card);

}  // namespace planar
