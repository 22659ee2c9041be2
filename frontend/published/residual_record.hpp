// SPDX-License-Identifier: GPL-2.0-or-later
// The deviation of each row from its published figures when the record was made, and its spread over the guest's
// placements: a figure that leaves this band is reported (frontend/published/residuals.json, embedded;
// docs/results/comparisons.md#planarresiduals1).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontend/published/score.hpp"

namespace planar {

/// The conditions under which a run's figures are comparable with those of a record.
struct RecordConditions {
  std::string seconds;   ///< for each size; empty: the benchmark's default
  std::string converge;  ///< percent; empty: every size runs for its whole duration
  bool operator==(const RecordConditions&) const = default;
  /// The options of `planar published` for these conditions: "--seconds 2"; empty: none.
  std::string text() const;
};

/// The rows that were run, each with the mean, least and greatest residual over the runs, in percent: of the average
/// and of each size.
nlohmann::ordered_json make_record(const std::vector<ScoredRow>& rows, const RecordConditions& conditions);
/// `made`, completed with the rows of `record` that it lacks; `record` has the same conditions or is empty.
nlohmann::ordered_json merge_record(const nlohmann::ordered_json& record, nlohmann::ordered_json made);
RecordConditions conditions_of(const nlohmann::ordered_json& record);

/// The record to start from when writing to `file`: the file's content; if there is no file, the embedded record, or
/// nothing if that was made under other conditions. Throws Error for a file that is not a record, or was made under
/// other conditions.
nlohmann::ordered_json record_before(const std::string& file, const RecordConditions& conditions);

/// The record that this program was built with.
const nlohmann::ordered_json& embedded_record();

/// Percent by which a residual may exceed the range of the recorded placements, which are only a sample.
inline constexpr double band_margin = 1.0;
/// Messages for every figure that lies outside its band (the recorded least and greatest residual, widened by
/// band_margin), with the row's name, and for every row that was run and has no band. Rows that were not run are
/// ignored.
std::vector<std::string> outside_bands(const std::vector<ScoredRow>& rows, const nlohmann::ordered_json& record);

}  // namespace planar
