// SPDX-License-Identifier: GPL-2.0-or-later
// The findings of `planar regress`, in forms for people, programs and build servers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontend/regression/baseline.hpp"

namespace planar {

/// One run against its row of the baseline.
struct RegressRow {
  enum class Status {
    equal,
    refused,  ///< also equal: the machine rejects the card, as in the baseline
    differs,
    added,       ///< not in the baseline
    unfinished,  ///< interrupted
  };
  std::string machine, card;
  Status status = Status::equal;
  std::vector<Change> changes;
  std::vector<TimingChange> timing;  ///< what explains the changes; none: the code must have changed
  nlohmann::ordered_json figures;    ///< as the baseline would keep them
  double host_seconds = 0;
  bool from_cache = false;

  bool good() const { return status == Status::equal || status == Status::refused; }
};

struct RegressReport {
  std::string baseline_name;
  nlohmann::ordered_json baseline;  ///< the baseline compared with
  nlohmann::ordered_json made;      ///< the same for this program (make_baseline)
  std::vector<RegressRow> rows;
  double host_seconds = 0;
  std::string cached;  ///< note on the runs taken from the cache (cache_note.hpp)

  std::size_t count(RegressRow::Status status) const;
  std::size_t finished() const { return rows.size() - count(RegressRow::Status::unfinished); }
  std::size_t figures_that_differ() const;

  /// `outcomes` contains the runs from which `made` was made, and the interrupted ones.
  RegressReport(std::string name, nlohmann::ordered_json baseline, nlohmann::ordered_json made,
                const std::vector<CellOutcome>& outcomes);

  /// The rows that differ, each with its explanation, and the totals.
  std::string text() const;
  /// planar.regress/1
  nlohmann::ordered_json json() const;
  /// JUnit XML for build servers: one test suite per machine, one test case per card. A rejected card counts as
  /// skipped.
  std::string junit() const;
};

/// "2026-11-22  0.1.0  REASON", one line for each acceptance of a baseline, oldest first.
std::string history_text(const nlohmann::ordered_json& baseline);

}  // namespace planar
