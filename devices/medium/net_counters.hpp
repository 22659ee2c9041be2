// SPDX-License-Identifier: GPL-2.0-or-later
// What a network adapter has counted, for results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "devices/medium/medium.hpp"

namespace planar {

struct NetCounters {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t overruns = 0;
  std::vector<net::NamedCount> of_medium{};  ///< what only its medium knows: collisions on Ethernet

  NetCounters& operator+=(const NetCounters& other) {
    sent += other.sent;
    received += other.received;
    overruns += other.overruns;
    for (const net::NamedCount& count : other.of_medium) {
      const auto known = std::find_if(of_medium.begin(), of_medium.end(),
                                      [&](const net::NamedCount& mine) { return mine.name == count.name; });
      if (known == of_medium.end())
        of_medium.push_back(count);
      else
        known->value += count.value;
    }
    return *this;
  }
};

/// Those of an Ethernet chip, whose counters have `sent`, `received`, `collisions` and `overruns`.
template <class ChipCounters>
NetCounters ethernet_counters(const ChipCounters& chip) {
  return {chip.sent, chip.received, chip.overruns, {{"collisions", chip.collisions}}};
}

}  // namespace planar
