// SPDX-License-Identifier: GPL-2.0-or-later
// What the uncertain values that every card shares do to a published row, and whether print lies in the band that they
// leave open.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/published/score.hpp"

namespace planar {

/// A key of the machine file, from `low` to `high` as `--set` takes them.
struct UncertainValue {
  std::string name;  ///< "peer.turnaround"
  std::string used, low, high;
};

/// The uncertain values of a built-in machine: the reference station's turnaround and the channel's synchronisation,
/// both inferred, from half to double; a page miss of its DRAM, one clock less or more.
std::vector<UncertainValue> uncertain_values(const std::string& machine);

/// The cell with one of them at an end of its range.
Cell with_value(Cell cell, const std::string& name, const std::string& value);

/// A row's average (PublishedRow::average) with one value at its ends; nothing where a run failed.
struct Effect {
  UncertainValue value;
  std::optional<double> low, high;
};

struct SensitiveRow {
  ScoredRow row;
  std::vector<Effect> effects;
  /// Our average with the effects added that lower it, and with those that raise it: each value is moved by itself, so
  /// this takes them to be independent. Nothing if a run is missing.
  struct Band {
    double from, to;
  };
  std::optional<Band> band() const;
  /// Whether print lies in the band.
  std::optional<bool> within() const;
};

}  // namespace planar
