// SPDX-License-Identifier: GPL-2.0-or-later
// Reassembles IP datagrams, for the reference station, and so that libslirp never sees a fragment: up to at least 4.7.0
// it corrupts its own memory when a fragment belongs before one already received, and some systems send the last
// fragment first (Linux 2.2 and 2.4).
//
// A datagram with overlapping or duplicate fragments is dropped; one with a gap is discarded after thirty seconds (RFC
// 1122, section 3.3.2 asks for 60 to 120 where a path of unknown length is between) or when sixteen younger ones are
// being reassembled. Options are those of the first fragment.
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

  /// Whether this Ethernet frame holds a fragment; other frames need no reassembly.
  static bool is_fragment(ByteView frame);
  /// Takes a fragment. Returns the frame with the whole datagram (up to 64 KB) if this was the last missing one.
  std::optional<Bytes> take(ByteView frame, Time now);
  /// Number of incomplete datagrams.
  std::size_t waiting() const { return datagrams_.size(); }
  /// A stored fragment, as take() got it, with the time of its datagram's first one. Passing them in this order to an
  /// empty Reassembly restores the same state.
  struct Kept {
    Time begun{};
    Bytes frame;
    void archive(Archive& a) { a(begun, frame); }
  };
  std::vector<Kept> kept() const;

 private:
  struct Fragment {
    std::uint32_t from = 0;  ///< offset in the datagram's data
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
  std::vector<Datagram> datagrams_;  ///< oldest first
};

}  // namespace planar::net
