// SPDX-License-Identifier: GPL-2.0-or-later
// How far each row was from its published figures when the record was made, and how far the guest's placements spread:
// the band that a figure may not leave unnoticed (frontend/published/residuals.json, embedded;
// docs/results/comparisons.md#planarresiduals1).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontend/published/score.hpp"

namespace planar {

/// What a run's figures must have been made with to be comparable with a record's.
struct RecordConditions {
  std::string seconds;   ///< of each size; empty: the benchmark's own
  std::string converge;  ///< percent; empty: every size lasts its whole duration
  bool operator==(const RecordConditions&) const = default;
  /// The options of `planar published` that give them: "--seconds 2"; empty: none.
  std::string text() const;
};

/// The rows that were run, with mean, least and most residual in percent over the runs: of the average and of each
/// size.
nlohmann::ordered_json make_record(const std::vector<ScoredRow>& rows, const RecordConditions& conditions);
/// `made` with the rows of `record`, of the same conditions or empty, that it lacks.
nlohmann::ordered_json merge_record(const nlohmann::ordered_json& record, nlohmann::ordered_json made);
RecordConditions conditions_of(const nlohmann::ordered_json& record);

/// What a record to be written to `file` begins with: what is there, or if nothing is, what this program was built
/// with; nothing, if that was made under other conditions. Throws Error for a file that is no record, or one of other
/// conditions.
nlohmann::ordered_json record_before(const std::string& file, const RecordConditions& conditions);

/// The record that this program was built with.
const nlohmann::ordered_json& embedded_record();

/// Percent by which a residual may be outside the recorded placements, which are a sample.
inline constexpr double band_margin = 1.0;
/// Every figure that lies outside its band (recorded least and most, widened by band_margin), in words with the row's
/// name, and every row that was run and has no band. Rows that were not run say nothing.
std::vector<std::string> outside_bands(const std::vector<ScoredRow>& rows, const nlohmann::ordered_json& record);

}  // namespace planar
