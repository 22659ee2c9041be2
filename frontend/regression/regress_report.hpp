// SPDX-License-Identifier: GPL-2.0-or-later
// What `planar regress` found, in the forms that people, programs and build servers want it in.
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
    refused,  ///< equal, too: the machine refuses the card, as the baseline says
    differs,
    added,       ///< the baseline does not have it
    unfinished,  ///< interrupted
  };
  std::string machine, card;
  Status status = Status::equal;
  std::vector<Change> changes;
  std::vector<TimingChange> timing;  ///< what explains them; none: the code does
  nlohmann::ordered_json figures;    ///< as the baseline would keep them
  double host_seconds = 0;
  bool from_cache = false;

  bool good() const { return status == Status::equal || status == Status::refused; }
};

struct RegressReport {
  std::string baseline_name;
  nlohmann::ordered_json baseline;  ///< that was compared with
  nlohmann::ordered_json made;      ///< the same of this program (make_baseline)
  std::vector<RegressRow> rows;
  double host_seconds = 0;
  std::string cached;  ///< which runs came from the cache (cache_note.hpp)

  std::size_t count(RegressRow::Status status) const;
  std::size_t finished() const { return rows.size() - count(RegressRow::Status::unfinished); }
  std::size_t figures_that_differ() const;

  /// `outcomes` are of the runs from which `made` was made, and of those that were interrupted.
  RegressReport(std::string name, nlohmann::ordered_json baseline, nlohmann::ordered_json made,
                const std::vector<CellOutcome>& outcomes);

  /// The rows that differ, each with what explains it, and the sum.
  std::string text() const;
  /// planar.regress/1
  nlohmann::ordered_json json() const;
  /// JUnit's XML as build servers read it: a test suite per machine, a test case per card. A refused card is skipped.
  std::string junit() const;
};

/// "2026-11-22  0.1.0  REASON", a line for each time that a baseline was accepted, oldest first.
std::string history_text(const nlohmann::ordered_json& baseline);

}  // namespace planar
