// SPDX-License-Identifier: GPL-2.0-or-later
// The published figures (frontend/published/, embedded) and what each row was used for. The use is recorded with the
// values themselves: in the timing profiles of the cards and the provenance in the machine files.
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

/// The word that an author who gives the load in words uses for loads from `from` percent on.
struct LoadRating {
  double from = 0;
  std::string word;
};

/// A value that a row's run assumes because the table does not state it.
struct AssumedValue {
  std::string value;  ///< as passed to `--set`: "peer.turnaround=30 us"
  std::string source, confidence;
};

/// One row of a published table: a card in a machine, with what the table says about its driver and network, and the
/// benchmark that it was measured with.
struct PublishedRow {
  std::string source;   ///< source of the table: "arnold-2002"
  std::string section;  ///< section of the source: "IV"; empty if it has none
  std::string machine;  ///< planar's name
  std::string group;    ///< the machine in whose scores it counts: `machine`, or the one that `machine` is a variant of
  std::string card;     ///< planar's name; planar need not have the card yet
  std::string title;    ///< as published: "PS/2 56SX, 3C529"
  MediumKind medium = MediumKind::ethernet_10;
  std::string driver;                  ///< its version; empty if not stated
  std::string duplex;                  ///< "half", "full"; likewise
  std::string server;                  ///< the station at the other end; likewise
  std::string test;                    ///< of netperf: "tcp_stream"; likewise
  std::string direction;               ///< where the two ends differ: "sent" or "received" by `machine`; likewise
  std::string setup;                   ///< "bonded"; likewise
  std::string options;                 ///< options of the card in a run: "driver=3.01"
  std::vector<std::string> arguments;  ///< further arguments of a run
  std::vector<AssumedValue> assumed;   ///< those in `arguments` that are assumptions
  std::optional<std::string> seconds;  ///< duration of each size in the author's measurement, if not that of netio 1.14
  std::string missing;                 ///< what planar lacks to run the row: "machine 'pc-p3-600'"; empty: nothing

  std::string benchmark = "netio";          ///< find_benchmark()'s name
  std::map<std::uint32_t, double> figures;  ///< in the benchmark's unit, by size (the published 32768 is netio's 32767)
  std::vector<std::uint32_t> average_sizes;  ///< sizes that average() covers
  std::optional<double> load;                ///< percent
  std::string rating;                        ///< the load in the author's words
  std::vector<LoadRating> ratings;           ///< the author's words, lowest load first

  std::string calibrated;                ///< the values fitted on this row
  std::set<std::uint32_t> fitted_sizes;  ///< the sizes of this row that were fitted on
  bool load_fitted = false;
  std::string informed;  ///< the values chosen knowing this row, but not fitted
  std::set<std::uint32_t> informed_sizes;
  bool released = false;  ///< predicted before anybody here had seen it, and disclosed afterwards
  /// A card whose interface planar defines itself is scored separately, because the table has few such cards.
  bool hypothetical_apart = true;
  bool repeats = false;  ///< the same measurement, or one of the same setup, is listed elsewhere and counts there
  std::optional<double> limit;  ///< the most that the medium allows, in the benchmark's unit

  /// What distinguishes it from other rows of the machine, card and driver: "full-TALENT", "tcp_stream-received".
  std::string variant() const;
  std::string_view unit() const;
  /// The sizes for which it is run.
  std::string sizes() const;
  /// True if the table has one figure for it instead of one per size.
  bool single() const { return figures.size() == 1; }
  /// True if no value of planar was chosen using this row.
  bool prediction() const { return calibrated.empty() && informed.empty(); }
  /// Mean of the figures at the sizes by which the table is judged.
  double average() const;
  /// True if the average is within 5 % of the medium's limit: such a row says little about the card and the machine.
  bool at_limit() const { return limit && average() >= 0.95 * *limit; }
  /// The name that PublishedUse uses: "thaler autolanstreamer: 3.04 half IV", "pc-p166 eepro100: tcp_stream sent".
  std::string name() const;
  /// The words after the colon in name().
  std::vector<std::string> words() const;
  /// The author's word for a load in percent; empty if there is none.
  std::string rating_of(double load_percent) const;
};

/// The rows of the tables in their order: Ethernet, Token Ring, netperf. Throws Error naming file and line if the data
/// are inconsistent, or if a value was fitted on a row that is not reserved for that (*-rows.toml).
std::vector<PublishedRow> published_rows();

/// A value that was fitted to published figures, or chosen knowing them.
struct ChosenValue {
  std::string owner;  ///< the machine, operating system or card
  Provenance from;
};
/// All such values: of machines, operating systems, cards.
std::vector<ChosenValue> chosen_by_print();
/// The same as a table for people; docs/published.md contains it verbatim.
std::string chosen_by_print_table();

}  // namespace planar
