// SPDX-License-Identifier: GPL-2.0-or-later
// A frame on the ring, from its first bit until its sender has stripped it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"

namespace planar::net {

/// A frame on the ring.
struct RingFlight {
  /// An event still to come for the frame. A flight is over when none is left.
  struct Stop {
    enum class Kind : std::uint8_t {
      dry,       ///< bytes that are due to leave are missing
      header,    ///< SA has arrived at the first station: the receivers are determined
      begins,    ///< SA has arrived at `port`
      ends,      ///< ED has arrived at `port`
      leaves,    ///< FS has left the sender
      returned,  ///< SA is back at the sender
      stripped,  ///< FS is back at the sender
      lost,      ///< the sender gives up (TRR)
    };
    Kind kind{};
    std::uint32_t port = UINT32_MAX;
    Time first_bit{};         ///< of SD, at `port`
    bool recognised = false;  ///< sets A
    bool forwards = false;    ///< a bridge: sets A and C if it takes it
    bool wanted = false;      ///< `port`'s station is notified
    bool begun = false;
    bool by_functional = false, by_group = false;
    void archive(Archive& a) { a(kind, port, first_bit, recognised, forwards, wanted, begun, by_functional, by_group); }
  };

  std::uint64_t id = 0;
  std::uint32_t source = UINT32_MAX;  ///< UINT32_MAX: it left the ring
  Time start{};                       ///< first bit of SD at the sender
  std::vector<std::uint8_t> bytes{};  ///< AC to FCS; bytes from `known` on are not supplied yet
  std::size_t known = 0;
  enum class Purpose : std::uint8_t { host, mac, recovery } purpose = Purpose::host;
  bool immediate = false;  ///< full duplex: needs no token and does not come back
  bool left = false;       ///< FS is out
  bool returned = false;   ///< SA is back
  bool aborted = false;    ///< ended by an abort sequence
  bool broken = false;     ///< the ring was interrupted while the frame was on it
  std::uint8_t status = 0;
  std::uint8_t priority = 0;  ///< of the token that was captured for it
  std::vector<Stop> stops{};

  void archive(Archive& a) {
    a(id, source, start, bytes, known, purpose, immediate, left, returned, aborted, broken, status, priority, stops);
  }
};

}  // namespace planar::net
