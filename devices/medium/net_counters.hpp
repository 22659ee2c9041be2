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
  std::uint64_t fifo = 0;                    ///< of the overruns, frames for which a FIFO was too short

  NetCounters& operator+=(const NetCounters& other) {
    sent += other.sent;
    received += other.received;
    overruns += other.overruns;
    fifo += other.fifo;
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

/// Those of an Ethernet chip, whose counters have `sent`, `received`, `collisions` and `overruns`; `fifo_overruns`
/// where these are a FIFO's, and not those of a ring or of buffers that were full.
template <class ChipCounters>
NetCounters ethernet_counters(const ChipCounters& chip) {
  NetCounters c{chip.sent, chip.received, chip.overruns, {{"collisions", chip.collisions}}};
  if constexpr (requires { ChipCounters::fifo_overruns; }) c.fifo = chip.overruns;
  return c;
}

}  // namespace planar
