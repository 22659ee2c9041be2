// SPDX-License-Identifier: GPL-2.0-or-later
// A LANStreamer's transmit channels: the chain of descriptors of each, and a frame on its way through the FIFO.
//
//   Descriptor, 32 bytes, little-endian: forward; status; buffers << 16 | frame length; address, length of the first
//   buffer; the same of a second one (the driver uses one; where a second stands is declared); unused. The frame is AC
//   to the end of its data; the FCS is the adapter's. Status as the adapter writes it (declared; the driver knows "not
//   0"): 80000000 done, 40000000 bad with 0001 underrun, 0002 did not come round, 0004 the adapter left the ring, 0010
//   malformed; frame status as stripped in 15:8.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/state/archive.hpp"

namespace planar::tokenring {

namespace transmit_status {
inline constexpr std::uint32_t done = 0x80000000, bad = 0x40000000, underrun = 1, lost = 2, removed = 4,
                               malformed = 0x10;
}

/// The chain of one channel. The first TXnLFDA write after enabling starts at that descriptor; later ones let the
/// channel continue along "forward" up to the new last one.
struct TransmitChannel {
  bool fresh = true;      ///< nothing has been sent since it was enabled
  bool caught_up = true;  ///< the last descriptor has been fetched
  std::uint32_t last = 0, next = 0;
  void ring(std::uint32_t descriptor);
  /// The one at `next` was fetched; `forward` is its link. True if it was the last.
  bool fetched(std::uint32_t forward);
  void archive(Archive& a) { a(fresh, caught_up, last, next); }
};

/// A frame between its descriptor's fetch and its status.
struct TransmitFrame {
  static constexpr std::uint32_t shortest = 14, longest = 17997;
  std::uint8_t channel = 0;
  std::uint32_t descriptor = 0;
  bool last = false;  ///< last of its chain when it was fetched
  std::uint32_t length = 0, fetched = 0, status = 0;
  std::array<std::uint32_t, 2> address{}, bytes{};  ///< of the buffers
  std::vector<std::uint8_t> held;                   ///< fetched, not yet given to the port

  /// Reads a descriptor. False if it makes no sense.
  bool parse(std::span<const std::uint8_t> words);
  /// Where the next byte to be fetched is, and how many of `most` are contiguous there.
  std::uint32_t source() const;
  std::uint32_t piece(std::uint32_t most) const;
  /// Of a snapshot.
  bool sound() const;
  void archive(Archive& a) { a(channel, descriptor, last, length, fetched, status, address, bytes, held); }
};

}  // namespace planar::tokenring
