// SPDX-License-Identifier: GPL-2.0-or-later
// The published figures (frontend/published/, embedded) and what each row was used for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace planar {

/// One row of a published table: a card in a machine.
struct PublishedRow {
  std::string machine;                       ///< planar's name
  std::string card;                          ///< planar's name
  std::string title;                         ///< as printed: "PS/2 56SX, 3C529"
  std::map<std::uint32_t, double> kb_per_s;  ///< by packet size of the run (print's 32768 is netio's 32767)
  std::optional<double> load;                ///< percent
  std::string calibrated;                    ///< what was fitted on this row; empty: the row is a prediction
  std::set<std::uint32_t> fitted_sizes;      ///< the cells that were fitted on
  bool load_fitted = false;

  bool prediction() const { return calibrated.empty(); }
  /// Mean of the sizes from 4096 bytes on.
  double plateau() const;
};

/// The rows of the Ethernet table in its order. Throws Error naming file and line if the data do not fit together.
std::vector<PublishedRow> published_ethernet();

}  // namespace planar
