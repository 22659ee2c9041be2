// SPDX-License-Identifier: GPL-2.0-or-later
// The outcome of a comparison as text, Markdown, CSV, JSON and HTML.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/medium/medium_kind.hpp"
#include "frontend/matrix/matrix.hpp"

namespace planar {

struct Comparison {
  const Benchmark& benchmark;
  std::vector<CellOutcome> outcomes;
  std::vector<std::string> machines;  ///< in the order in which they are shown
  std::vector<std::uint32_t> sizes;   ///< the requested packet sizes
  std::string seconds;                ///< virtual, per size
  std::uint64_t seed = 1;
  /// One data frame's path through each card, as SVG, by machine and medium; empty without timelines.
  std::map<std::pair<std::string, MediumKind>, std::string> pictures = {};

  /// The media of the machine's outcomes in order of first appearance, without those whose cards it all refuses.
  std::vector<MediumKind> media(const std::string& machine) const;
  /// Where the time of a frame of the largest packets goes; null: that row has none.
  const nlohmann::ordered_json* frame_time(const CellOutcome& o) const;
  /// Calls `table(machine, medium)` for every table: each medium has a table of its own.
  template <class F>
  void each_table(F&& table) const {
    for (const std::string& machine : machines)
      for (const MediumKind medium : media(machine)) table(machine, medium);
  }
};

/// `text` as a CSV field, in quotes if it contains a comma or a quote.
std::string csv_field(const std::string& text);
/// "Novell NE/2, irq=3, 2 bonded".
std::string card_name(const Cell& cell);
/// "Novell NE/2, irq=3 (hypothetical interface)".
std::string card_title(const Cell& cell);
/// "IBM PS/2 Model 95 ...".
std::string machine_title(const std::string& machine);
/// "IBM PS/2 Model 95 ..., 100 Mbit/s Ethernet".
std::string table_title(const std::string& machine, MediumKind medium);

/// A name padded to a text column; a longer name gets a line of its own.
std::string in_column(const std::string& name, std::size_t width);
/// A text heading, split into two lines at the comma nearest to its middle if it is too long.
std::string wrapped_heading(const std::string& text);

/// The layout of the published tables: a block per machine and medium, a line per card.
std::string comparison_text(const Comparison& c);
std::string comparison_markdown(const Comparison& c);
/// One line per figure: machine, card, packet_bytes, metric, value, unit (columns of the published files; a flood's
/// rows have a rate or frame_bytes in place of packet_bytes), and whether the card's interface is hypothetical (yes,
/// no).
std::string comparison_csv(const Comparison& c);
/// An array of `planar netio --json` objects; a failed run appears as {machine, card, problem}.
nlohmann::ordered_json comparison_json(const Comparison& c);
/// One self-contained file with tables and plots (throughput, with published values as crosses; where a frame's time
/// goes).
std::string comparison_html(const Comparison& c);

}  // namespace planar
