// SPDX-License-Identifier: GPL-2.0-or-later
// The differences between two results: rows, figures, and the differences in machine, timing values or program that
// explain them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace planar {

/// A figure or a setting that differs between the two sides. Empty text: that side does not have it.
struct Difference {
  std::string name;
  std::string was;
  std::string is;
  std::string by;  ///< "+1.30 %", or empty where a ratio makes no sense
};

/// A value in a Difference, and how much it has changed (`by`).
std::string difference_text(const nlohmann::ordered_json& value);
std::string difference_ratio(const nlohmann::ordered_json& was, const nlohmann::ordered_json& is);

struct RowDiff {
  enum class Where { both, first, second };
  std::string name;  ///< "model95 ne2", with ", seed 2" if a file has several
  Where where = Where::both;
  std::vector<Difference> figures;
  std::vector<Difference> configuration;  ///< of the machine and its cards, with the timing values in force

  bool equal() const { return where == Where::both && figures.empty() && configuration.empty(); }
};

struct ResultDiff {
  std::vector<Difference> program;  ///< version, commit, guest image, settings of all rows
  std::vector<RowDiff> rows;        ///< those that differ
  std::size_t compared = 0;         ///< rows that both sides have

  /// No figure differs, and both sides have the same rows.
  bool same_figures() const;
  std::string text(const std::string& first, const std::string& second) const;
  /// planar.diff/1
  nlohmann::ordered_json json(const std::string& first, const std::string& second) const;
};

/// Compares two results of netio or compare, including finished runs kept in a folder, or two of regress, including
/// baselines. What depends on the host is ignored. Throws Error naming a file that is none of these, or both if they
/// are of different kinds.
ResultDiff diff_results(const nlohmann::ordered_json& a, const std::string& a_name, const nlohmann::ordered_json& b,
                        const std::string& b_name);

}  // namespace planar
