// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of the 386SX's data cycles, written once for the two classes that keep its figures: Timing386sx, and
// Steady386, which works on copies in host registers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu/timing/i386sx/bus_unit_state.hpp"
#include "core/cpu/timing/i386sx/table_overlap.hpp"

namespace planar::cpu {

/// The rules of aligned data cycles that can be computed in closed form. `Unit` provides: clock(), bus_free() (the
/// clock from which the bus is free), overlap() and latch(), all as references; bring_up_to(clock), which counts the
/// prefetch cycles that begin before a data cycle, false where that is not possible in closed form; and path().
template <class Unit>
struct DataCycles {
  /// Both return false, with no part of the access done, if it has to take the general path.
  static bool read(Unit& u, std::uint32_t address, unsigned bytes) {
    const std::uint64_t wanted = u.overlap().read_wanted(u.clock());
    if (!u.bring_up_to(wanted) || !u.path().access_in_row(u.bus_free(), wanted, address, words(bytes), false))
        [[unlikely]]
      return false;
    u.clock() = u.overlap().read_ended(u.clock(), u.bus_free());
    return true;
  }
  static bool write(Unit& u, std::uint32_t address, unsigned bytes) {
    const std::uint64_t posted = u.latch().free_at(u.clock());
    if (!u.bring_up_to(posted)) [[unlikely]]
      return false;
    const std::uint64_t starts = std::max(posted, u.bus_free());
    if (!u.path().access_in_row(u.bus_free(), starts, address, words(bytes), true)) [[unlikely]]
      return false;
    u.clock() = posted;
    u.latch().starts = starts;
    return true;
  }

 private:
  static constexpr unsigned words(unsigned bytes) { return (bytes + 1) / 2; }  // of an aligned access
};

}  // namespace planar::cpu
