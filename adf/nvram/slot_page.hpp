// SPDX-License-Identifier: GPL-2.0-or-later
// The slot page: the contents of every slot, with ID, POS bytes, chosen items and claims, as `planar adf solve` prints
// it.
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

/// A slot of the machine, for rows without an adapter.
struct SlotShape {
  unsigned slot = 0;
  SlotWidth width = SlotWidth::bits16;
};

/// `shapes` lists all slots of the machine; slots of the solution that are not in it are added.
SlotPage slot_page(const Solution& solution, const std::vector<SlotShape>& shapes,
                   const std::vector<PlanarClaim>& planar = {});

/// The page as text; `with_planar` adds the planar's claims below the slots.
std::string to_text(const SlotPage& page, bool with_planar = true);

}  // namespace planar::adf
