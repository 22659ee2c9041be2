// SPDX-License-Identifier: GPL-2.0-or-later
// The connection of a plain station (the reference station, the host's network, a bridge) to a medium of any kind.
//
// Frames are passed in Ethernet form: destination and source address, type or length, data; no check sequence, and
// short frames without padding. Anything else that the medium's own frames need (padding, another header, LLC and SNAP,
// bit order of addresses, check sequence) is added and removed by the medium's link layer, which Medium::connect()
// creates.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"
#include "devices/medium/medium.hpp"

namespace planar::net {

/// What became of a sent frame.
struct LinkOutcome {
  bool sent = false;             ///< false: given up
  std::size_t bytes = 0;         ///< on the medium, without the check sequence
  unsigned failed_attempts = 0;  ///< before it was sent or given up: collisions on Ethernet
};

/// The user of a link layer.
class LinkUser {
 public:
  virtual ~LinkUser() = default;
  /// The last bit of a good frame has arrived, whatever its destination. In Ethernet form: 14 bytes or more, padding
  /// included.
  virtual void frame_received(std::span<const std::uint8_t> frame, Time now) = 0;
  /// A frame has arrived with a wrong check sequence or length.
  virtual void frame_damaged(Time now) = 0;
  /// A frame begins to arrive; its addresses will have arrived at `addresses`. frame_received() or frame_damaged() ends
  /// it.
  virtual void frame_begins(Time /*addresses*/, Time /*now*/) {}
  /// True if a frame to `destination` is for this station, or for stations reached through it. Where the medium tells
  /// the sender what became of its frame (on a ring), this decides the answer; every frame is received in any case.
  virtual bool accepts(std::span<const std::uint8_t> /*destination*/, Time /*now*/) { return true; }
  virtual void frame_sent(const LinkOutcome& outcome, Time now) = 0;
};

class LinkLayer {
 public:
  explicit LinkLayer(LinkUser& user) : user_(user) {}
  virtual ~LinkLayer() = default;
  LinkLayer(const LinkLayer&) = delete;
  LinkLayer& operator=(const LinkLayer&) = delete;

  /// Queues the frame after those already waiting.
  void send(std::span<const std::uint8_t> frame, Time now);
  /// The frame that is arriving, in its medium's own form; during LinkUser::frame_received() it is complete.
  struct Arriving {
    std::span<const std::uint8_t> bytes;  ///< check sequence included
    std::size_t settled = 0;              ///< of those: bytes that have arrived or are on their way
  };
  virtual std::optional<Arriving> arriving() const { return std::nullopt; }
  /// Its destination and source in Ethernet's byte format.
  virtual std::array<std::uint8_t, 12> addresses(const Arriving& frame) const;
  /// Whether a frame arriving at `from` can be sent here before its end: same kind of medium and rate.
  virtual bool can_follow(const LinkLayer& /*from*/) const { return false; }
  /// Sends the frame arriving at `from`; only if can_follow() is true and no frame is waiting(). feed() supplies more
  /// of it before the settled bytes are used up; follow_ends() reports its end, possibly early if it is not `good`.
  void follow(const LinkLayer& from, Time now);
  virtual void feed(const Arriving& /*frame*/, Time /*now*/) {}
  virtual void follow_ends(bool /*good*/, Time /*now*/) {}
  /// Sends a frame that is already in the medium's own form, check sequence included.
  void send_as_is(std::span<const std::uint8_t> frame, Time now);
  /// Frames not sent yet, including the one on the medium.
  std::size_t waiting() const { return waiting_.size(); }
  virtual Port& port() = 0;
  /// Hardware type of the medium in ARP (RFC 826).
  virtual unsigned arp_hardware() const = 0;
  /// Payload bytes after the type field in the medium's longest frame.
  virtual std::size_t mtu() const { return 1500; }

  /// The waiting frames; separate from archive() because the stations save other data between them.
  void archive_waiting(Archive& a);
  virtual void archive(Archive& a) = 0;

 protected:
  /// Builds the medium's own frame, check sequence included.
  virtual std::vector<std::uint8_t> encapsulate(std::span<const std::uint8_t> frame) const = 0;
  /// Passes a frame built by encapsulate() to the port, which is idle; finished() reports its end.
  virtual void transmit(std::span<const std::uint8_t> frame, Time now) = 0;
  /// The same for a frame of which only the first bytes are settled.
  virtual void transmit_first(std::span<const std::uint8_t> frame, std::size_t /*settled*/, Time now) {
    transmit(frame, now);
  }
  void finished(bool sent, unsigned failed_attempts, Time now);
  LinkUser& user() { return user_; }

 private:
  LinkUser& user_;
  std::deque<std::vector<std::uint8_t>> waiting_;  // the first one is with the port
};

}  // namespace planar::net
