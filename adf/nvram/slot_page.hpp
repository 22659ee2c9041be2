// SPDX-License-Identifier: GPL-2.0-or-later
// The slot page: what sits in every slot, its ID, POS bytes, chosen items and claims, as `planar
// adf solve` prints it (the screen that people photograph).
#pragma once

#include <string>
#include <vector>

#include "adf/solver/solver.hpp"

namespace planar::adf {

struct SlotPage {
  struct Row {
    unsigned slot = 0;
    SlotWidth width = SlotWidth::bits16;
    bool empty = true;
    SlotResult result;  // meaningless when empty
  };
  std::vector<Row> rows;  // every slot of the machine, in order
  std::vector<PlanarClaim> planar;
  unsigned shared_interrupts = 0;
  bool fewest_shared = true;
};

/// A machine's slot, for the rows that have no adapter.
struct SlotShape {
  unsigned slot = 0;
  SlotWidth width = SlotWidth::bits16;
};

/// `shapes` lists all slots of the machine; slots of the solution that it lacks are added.
SlotPage slot_page(const Solution& solution, const std::vector<SlotShape>& shapes,
                   const std::vector<PlanarClaim>& planar = {});

/// The page as text; with `with_planar` the planar's claims stand below the slots.
std::string to_text(const SlotPage& page, bool with_planar = true);

}  // namespace planar::adf
