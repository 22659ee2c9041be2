// SPDX-License-Identifier: GPL-2.0-or-later
// The effect of the uncertain values, both those shared by all cards and those of the card, on a published row; whether
// the published figure lies in the resulting band; and how the row's load depends on the phase between the two
// machines' ticks.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "frontend/published/score.hpp"

namespace planar {

/// A key of the machine file or a timing value of a card, and its range from `low` to `high`, as passed to `--set`.
struct UncertainValue {
  std::string name;  ///< "peer.turnaround", "ne2.chip.transmit_start"
  std::string used, low, high;
  bool of_card = false;
};

/// The uncertain values that all cards of a medium share in a cell's machine: the reference station's turnaround (as
/// set by the cell, or else by the machine), and the time that the machine's bus adds to an access and takes from
/// memory, all inferred, from half to double; a DRAM page miss, one clock less or more; for a P6, the start of repeated
/// strings (15 to 72 clocks; outside the fast mode, up to 70), interrupts and IRET (each ten clocks less or more), a
/// page walk (1 to 10), the second level (load-to-use latency of 18 to 25; a line, from half to double) and memory (the
/// first datum, three bus clocks less or more, which is a quarter; a line of a stream, one); the station's receive
/// buffer, that of Linux 2.2 with small or with large buffers (CONFIG_SKB_LARGE); for a 10 Mbit/s card the cable, whose
/// length is not recorded, from half to double.
std::vector<UncertainValue> uncertain_values(const Cell& cell);
/// The times of a card that are marked as inferred, from half to double. Times of 10 ms and more belong to starting up
/// and are left out.
std::vector<UncertainValue> inferred_times(const std::string& card);
/// Phases of the reference station's 100 Hz clock other than the default 0: values of peer.tick_phase as passed to
/// `--set`.
inline constexpr std::array<const char*, 4> tick_phases{"2 ms", "4 ms", "6 ms", "8 ms"};

/// The cell with one uncertain value at an end of its range.
Cell with_value(Cell cell, const std::string& name, const std::string& value);

/// A row's average (PublishedRow::average) with one value at each end of its range; nothing if the run failed.
struct Effect {
  UncertainValue value;
  std::optional<double> low, high;
};

/// The row with another phase between the two machines' ticks.
struct PhaseRun {
  std::string phase;
  std::optional<double> average;  ///< as in Effect
  std::optional<double> load;     ///< percent; nothing if the run failed
};

struct SensitiveRow {
  ScoredRow row;
  std::vector<Effect> effects;
  std::vector<PhaseRun> phases;
  /// Our average plus all effects that lower it, and plus all effects that raise it. Each value is varied alone, so
  /// this assumes that they are independent. Nothing if a run is missing.
  struct Band {
    double from, to;
  };
  enum class Values { shared, all };  ///< those shared by all cards, or also the card's own
  std::optional<Band> band(Values which) const;
  /// Whether the published figure lies in the band.
  std::optional<bool> within(Values which) const;
  /// Least and greatest load in percent over the phases and our own run; nothing if one is missing.
  std::optional<Band> load_band() const;
  /// Whether the published load lies in load_band(); nothing if there is no published load or no band.
  std::optional<bool> load_within() const;
};

}  // namespace planar
