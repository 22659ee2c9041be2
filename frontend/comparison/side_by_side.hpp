// SPDX-License-Identifier: GPL-2.0-or-later
// Combines cards from separate tables of a comparison into one: those of several media in a machine, or those of all
// machines if the machines' slots are of several buses, so that no card fits them all.
#pragma once

#include <string>
#include <vector>

#include "frontend/comparison/compare_report.hpp"

namespace planar {

struct SideBySide {
  struct Row {
    const CellOutcome* outcome;
    std::string mean;  ///< of its figures over all sizes; marked as figure_text() marks a figure
    std::string name;  ///< of the card, and of its machine if there are several
  };
  std::string title;               ///< "IBM PS/2 Model 95 ..., side by side"
  std::vector<Row> rows;           ///< with a result; best first
  std::vector<std::string> pairs;  ///< for several machines: a sentence on what separates each from the next
};

/// The table of all machines, or one for each machine with cards of several media; empty if neither applies.
std::vector<SideBySide> side_by_side(const Comparison& c);

std::string side_by_side_text(const Comparison& c);
std::string side_by_side_markdown(const Comparison& c);
std::string side_by_side_html(const Comparison& c);

/// Removes cells whose machine has no slot for the card if another of the machines has one.
void leave_out_other_buses(std::vector<Cell>& cells);
/// Which machines lack which cards of the comparison for that reason: "pc-p166 has PCI slots: without Novell NE/2";
/// empty if none do.
std::string left_out_note(const Comparison& c);

}  // namespace planar
