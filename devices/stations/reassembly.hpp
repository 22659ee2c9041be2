// SPDX-License-Identifier: GPL-2.0-or-later
// Joins the fragments of IP datagrams, for the reference station, and so that libslirp never sees one: up to at least
// 4.7.0 it damages its own memory when a fragment belongs before one that is there already, and some systems send
// the last fragment first (Linux 2.2 and 2.4).
//
// Nothing becomes of a datagram with an overlap or a fragment that comes twice; one with a gap is discarded after
// thirty seconds (RFC 1122, section 3.3.2 asks for 60 to 120 where a path of unknown length is between) or when sixteen
// younger ones are under way. Options are those of the first fragment.
#pragma once

#include <optional>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"
#include "devices/stations/packet.hpp"

namespace planar::net {

class Reassembly {
 public:
  static constexpr std::size_t most_datagrams = 16;
  static constexpr Time longest = 30_s;

  /// Whether this Ethernet frame holds a fragment; any other goes its own way.
  static bool is_fragment(ByteView frame);
  /// Takes a fragment. The frame with the whole datagram (up to 64 KB) if this was the last that it lacked.
  std::optional<Bytes> take(ByteView frame, Time now);
  /// Datagrams under way.
  std::size_t waiting() const { return datagrams_.size(); }
  /// A fragment under way, as take() got it, with the time of its datagram's first one. Taken again in this order by
  /// an empty Reassembly they make the same state.
  struct Kept {
    Time begun{};
    Bytes frame;
    void archive(Archive& a) { a(begun, frame); }
  };
  std::vector<Kept> kept() const;

 private:
  struct Fragment {
    std::uint32_t from = 0;  ///< of the datagram's data
    bool more = false;
    Bytes head;  ///< Ethernet and IP header
    Bytes data;
    std::uint32_t to() const { return from + static_cast<std::uint32_t>(data.size()); }
  };
  struct Datagram {
    Bytes key;  ///< identification, protocol, addresses
    Time begun{};
    std::vector<Fragment> fragments;  ///< ascending
  };

  static bool whole(const Datagram& datagram);
  static Bytes joined(const Datagram& datagram);
  std::vector<Datagram> datagrams_;  ///< the eldest first
};

}  // namespace planar::net
