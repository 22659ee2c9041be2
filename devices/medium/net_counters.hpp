// SPDX-License-Identifier: GPL-2.0-or-later
// A network adapter's counters, for results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "devices/medium/medium.hpp"

namespace planar {

struct NetCounters {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t overruns = 0;                ///< frames lost for want of room in a FIFO or of buffers
  std::vector<net::NamedCount> of_medium{};  ///< counts specific to the medium: collisions on Ethernet
  std::uint64_t fifo = 0;                    ///< of the overruns: frames lost because a FIFO was too short

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

/// The counters of an Ethernet chip, which has `sent`, `received`, `collisions` and `overruns`; the chip sets
/// `fifo_overruns` if its overruns are those of a FIFO rather than of a full ring or full buffers, and has
/// `without_buffer()` if it counts the latter apart.
template <class ChipCounters>
NetCounters ethernet_counters(const ChipCounters& chip) {
  NetCounters c{chip.sent, chip.received, chip.overruns, {{"collisions", chip.collisions}}};
  if constexpr (requires { ChipCounters::fifo_overruns; }) c.fifo = chip.overruns;
  if constexpr (requires { chip.without_buffer(); }) c.overruns += chip.without_buffer();
  return c;
}

}  // namespace planar
