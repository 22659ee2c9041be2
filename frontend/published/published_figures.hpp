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

namespace planar {

/// What the tables were measured with.
inline constexpr std::string_view published_benchmark = "netio";

/// Packet sizes of the published tables, in their order (the published 32K column is netio's 32767).
inline constexpr std::uint32_t published_sizes[] = {1024, 2048, 4096, 8192, 16384, 32767};

/// One row of a published table: a card in a machine.
struct PublishedRow {
  std::string machine;                       ///< planar's name
  std::string card;                          ///< planar's name
  std::string title;                         ///< as printed: "PS/2 56SX, 3C529"
  std::map<std::uint32_t, double> kb_per_s;  ///< by packet size of the run (the published 32768 is netio's 32767)
  std::optional<double> load;                ///< percent
  std::string calibrated;                    ///< the values that were fitted on this row
  std::set<std::uint32_t> fitted_sizes;      ///< the cells that were fitted on
  bool load_fitted = false;
  std::string informed = {};  ///< the values that were chosen with this row in view, but not fitted
  std::set<std::uint32_t> informed_sizes = {};

  /// Nothing of ours was chosen by this row.
  bool prediction() const { return calibrated.empty() && informed.empty(); }
  /// Mean of the sizes from 4096 bytes on.
  double plateau() const;
};

/// The rows of the Ethernet table in its order. Throws Error naming file and line if the data do not fit together, also
/// when a value was fitted on a row that is not among those kept for it (ethernet-rows.toml).
std::vector<PublishedRow> published_ethernet();

/// A value that was fitted to published figures, or chosen with them in view.
struct ChosenValue {
  std::string owner;  ///< the machine or card
  Provenance from;
};
/// All of them: machines first, then cards.
std::vector<ChosenValue> chosen_by_print();
/// The same as a table for people, which README.md has word for word.
std::string chosen_by_print_table();

}  // namespace planar
