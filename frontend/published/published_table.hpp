// SPDX-License-Identifier: GPL-2.0-or-later
// A published table as stored in frontend/published/: its figures (CSV), and planar's interpretation of their names
// (TOML).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/common/toml.hpp"
#include "frontend/published/published_figures.hpp"

namespace planar {

/// The names of the tables' TOML files, in the order of published_rows().
inline constexpr std::string_view published_tables[] = {
    "frontend/published/ethernet-rows.toml", "frontend/published/tokenring-rows.toml",
    "frontend/published/netperf-rows.toml", "frontend/published/gigabit/pro1000-rows.toml"};

struct PublishedTable {
  std::string_view file;  ///< of the TOML
  toml::table names;      ///< its content
  std::vector<PublishedRow> rows;

  /// Reads an embedded table. Throws Error naming file and line.
  explicit PublishedTable(std::string_view file);
  /// Whether a value may be fitted on the rows that `use` names.
  bool may_be_fitted(const PublishedUse& use) const;
};

/// Whether `use` names `row`. The card of `use` may select among several rows by some of their words(): "lanstreamer:
/// 3.04 half"; words left out match anything.
bool names_row(const PublishedUse& use, const PublishedRow& row);

}  // namespace planar
