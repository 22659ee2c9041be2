// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace planar::cpu {

/// Where the processor has stored, each place once.
struct StoreLog {
  static constexpr unsigned most = 32;
  struct Place {
    std::uint32_t address = 0, bytes = 0;
    bool operator==(const Place&) const = default;
  };
  std::array<Place, most> places{};
  unsigned count = 0;
  bool full = false;  ///< there was one more

  void clear() { count = 0, full = false; }
  void add(std::uint32_t address, unsigned bytes) {
    const Place place{address, bytes};
    for (unsigned n = 0; n < count; ++n)
      if (places[n] == place) return;
    if (count == most)
      full = true;
    else
      places[count++] = place;
  }
};

}  // namespace planar::cpu
