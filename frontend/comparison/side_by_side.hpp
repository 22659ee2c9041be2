// SPDX-License-Identifier: GPL-2.0-or-later
// Cards that stand in separate tables of a comparison, in one: those of several media in a machine, or of all machines
// where their slots are of several buses and no card fits them all.
#pragma once

#include <string>
#include <vector>

#include "frontend/comparison/compare_report.hpp"

namespace planar {

struct SideBySide {
  struct Row {
    const CellOutcome* outcome;
    double mean;       ///< of its figures over the sizes
    std::string name;  ///< of the card, and of its machine if there are several
  };
  std::string title;               ///< "IBM PS/2 Model 95 ..., side by side"
  std::vector<Row> rows;           ///< with a result; best first
  std::vector<std::string> pairs;  ///< of several machines: what separates each from the next, in a sentence
};

/// The table of all machines, or one for each machine with cards of several media; without reason, none.
std::vector<SideBySide> side_by_side(const Comparison& c);

std::string side_by_side_text(const Comparison& c);
std::string side_by_side_markdown(const Comparison& c);
std::string side_by_side_html(const Comparison& c);

/// Removes cells whose machine has no slots for the card, if another of the machines has.
void leave_out_other_buses(std::vector<Cell>& cells);
/// Which cards of the comparison are missing in which machine for that: "pc-p166 has PCI slots: without Novell NE/2";
/// empty if none is.
std::string left_out_note(const Comparison& c);

}  // namespace planar
