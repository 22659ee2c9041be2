// SPDX-License-Identifier: GPL-2.0-or-later
// The published figures (frontend/published/, embedded) and what each row was used for. What it was used for is said by
// the values themselves: the timing profiles of the cards and the provenance in the machine files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "devices/adapter/provenance.hpp"
#include "devices/medium/medium_kind.hpp"

namespace planar {

/// From which load on, in percent, an author who gives the load in words says which.
struct LoadRating {
  double from = 0;
  std::string word;
};

/// A value that a row's run assumes because its table does not say it.
struct AssumedValue {
  std::string value;  ///< as `--set` takes it: "peer.turnaround=30 us"
  std::string source, confidence;
};

/// One row of a published table: a card in a machine, with what the table says of its driver and network, and the
/// benchmark that it was measured with.
struct PublishedRow {
  std::string source;   ///< of the table: "arnold-2002"
  std::string section;  ///< of the source: "IV"; empty if it has none
  std::string machine;  ///< planar's name
  std::string group;    ///< the machine in whose scores it counts: `machine`, or what that is a variant of
  std::string card;     ///< planar's name; planar need not have it yet
  std::string title;    ///< as printed: "PS/2 56SX, 3C529"
  MediumKind medium = MediumKind::ethernet_10;
  std::string driver;                  ///< its version; empty if the table does not say
  std::string duplex;                  ///< likewise: "half", "full"
  std::string server;                  ///< likewise: the station at the other end
  std::string test;                    ///< likewise, of netperf: "tcp_stream"
  std::string direction;               ///< likewise, where the two ends differ: "sent" or "received" by `machine`
  std::string setup;                   ///< likewise: "bonded"
  std::string options;                 ///< of the card in a run: "driver=3.01"
  std::vector<std::string> arguments;  ///< of a run, beside machine and card
  std::vector<AssumedValue> assumed;   ///< among them
  std::optional<std::string> seconds;  ///< that its author measured each size for, if not as long as netio 1.14
  std::string missing;                 ///< what planar lacks to run it: "machine 'pc-p3-600'"; empty: nothing

  std::string benchmark = "netio";           ///< find_benchmark()'s name
  std::map<std::uint32_t, double> figures;   ///< in its unit, by size of the run (the published 32768 is netio's 32767)
  std::vector<std::uint32_t> average_sizes;  ///< that average() is over
  std::optional<double> load;                ///< percent
  std::string rating;                        ///< the load in the author's words
  std::vector<LoadRating> ratings;           ///< his words, lowest first

  std::string calibrated;                ///< the values that were fitted on this row
  std::set<std::uint32_t> fitted_sizes;  ///< the cells that were fitted on
  bool load_fitted = false;
  std::string informed;  ///< the values that were chosen knowing this row, but not fitted
  std::set<std::uint32_t> informed_sizes;
  bool released = false;  ///< predicted before anybody here had seen it, and shown afterwards
  /// A card whose interface is planar's own declaration is scored apart: the table has few of them.
  bool hypothetical_apart = true;
  bool repeats = false;         ///< the same measurement, or one of the same setup, stands elsewhere and counts there
  std::optional<double> limit;  ///< that the medium lets through, in the benchmark's unit

  /// What tells it from other rows of the machine, card and driver: "full-TALENT", "tcp_stream-received".
  std::string variant() const;
  std::string_view unit() const;
  /// The sizes that it is run with.
  std::string sizes() const;
  /// The table has one figure for it, not one for each of several sizes.
  bool single() const { return figures.size() == 1; }
  /// Nothing of ours was chosen by this row.
  bool prediction() const { return calibrated.empty() && informed.empty(); }
  /// Of the figures at the sizes that the table is judged by.
  double average() const;
  /// The average is within 5 % of what the medium lets through: such a row says little of the card and the machine.
  bool at_limit() const { return limit && average() >= 0.95 * *limit; }
  /// As PublishedUse names it: "thaler autolanstreamer: 3.04 half IV", "pc-p166 eepro100: tcp_stream sent".
  std::string name() const;
  /// What follows the colon there.
  std::vector<std::string> words() const;
  /// The author's word for a load in percent; empty if he has none.
  std::string rating_of(double load_percent) const;
};

/// The rows of the tables in their order: Ethernet, Token Ring, netperf. Throws Error naming file and line if the data
/// do not fit together, also when a value was fitted on a row that is not among those kept for it (*-rows.toml).
std::vector<PublishedRow> published_rows();

/// A value that was fitted to published figures, or chosen knowing them.
struct ChosenValue {
  std::string owner;  ///< the machine, operating system or card
  Provenance from;
};
/// All of them: machines, operating systems, cards.
std::vector<ChosenValue> chosen_by_print();
/// The same as a table for people, which docs/published.md has word for word.
std::string chosen_by_print_table();

}  // namespace planar
