// SPDX-License-Identifier: GPL-2.0-or-later
// What the uncertain values do to a published row, those that every card shares and those of the card, and whether the
// published figure lies in the band that they leave open; and which loads the same row has by the phase between the two
// machines' ticks.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "frontend/published/score.hpp"

namespace planar {

/// A key of the machine file or a card's timing value, from `low` to `high` as `--set` takes them.
struct UncertainValue {
  std::string name;  ///< "peer.turnaround", "ne2.chip.transmit_start"
  std::string used, low, high;
  bool of_card = false;
};

/// The uncertain values that all cards of a medium share in a cell's machine: the reference station's turnaround (what
/// the cell sets, or the machine's), and what its bus adds to an access and takes of memory, all inferred, from half to
/// double; a page miss of its DRAM, one clock less or more; of a P6 the start of repeated strings (15 to 72 clocks;
/// outside the fast mode, to 70), interrupts and IRET (ten clocks less or more each), a page walk (1 to 10), the second
/// level (18 to 25 from load to datum; a line, from half to double) and memory (a first datum three bus
/// clocks less or more, a quarter; a line of a stream one); the station's receive buffer, that of Linux 2.2 with small
/// buffers or with large ones (CONFIG_SKB_LARGE); for a card of 10 Mbit/s the cable, whose length is not recorded, from
/// half to double.
std::vector<UncertainValue> uncertain_values(const Cell& cell);
/// The times of a card that are marked as inferred, from half to double. Those of 10 ms and more are of starting up and
/// left out.
std::vector<UncertainValue> inferred_times(const std::string& card);
/// Phases of the reference station's clock of 100 Hz besides 0, which is used: peer.tick_phase as `--set` takes it.
inline constexpr std::array<const char*, 4> tick_phases{"2 ms", "4 ms", "6 ms", "8 ms"};

/// The cell with one of them at an end of its range.
Cell with_value(Cell cell, const std::string& name, const std::string& value);

/// A row's average (PublishedRow::average) with one value at its ends; nothing where a run failed.
struct Effect {
  UncertainValue value;
  std::optional<double> low, high;
};

/// The row with another phase between the two machines' ticks.
struct PhaseRun {
  std::string phase;
  std::optional<double> average;  ///< as of Effect
  std::optional<double> load;     ///< percent; nothing where the run failed
};

struct SensitiveRow {
  ScoredRow row;
  std::vector<Effect> effects;
  std::vector<PhaseRun> phases;
  /// Our average with the effects added that lower it, and with those that raise it: each value is moved by itself, so
  /// this takes them to be independent. Nothing if a run is missing.
  struct Band {
    double from, to;
  };
  enum class Values { shared, all };  ///< those that all cards share, or the card's own as well
  std::optional<Band> band(Values which) const;
  /// Whether the published figure lies in the band.
  std::optional<bool> within(Values which) const;
  /// Least and most load in percent over the phases and our own run; nothing if one is missing.
  std::optional<Band> load_band() const;
  /// Whether the published load lies in it; nothing without one.
  std::optional<bool> load_within() const;
};

}  // namespace planar
