// SPDX-License-Identifier: GPL-2.0-or-later
// The connection of a plain station (the reference station, the host's network, a bridge) to a medium of any kind.
//
// Frames pass in Ethernet form: destination and source address, type or length, data; no check sequence, and short
// ones without padding. What the medium's own frames need beyond that (padding, another header, LLC and SNAP, bit
// order of addresses, check sequence) is added and taken away by the medium's link layer, which Medium::connect()
// makes.
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

/// What became of a frame.
struct LinkOutcome {
  bool sent = false;             ///< false: given up
  std::size_t bytes = 0;         ///< on the medium, without the check sequence
  unsigned failed_attempts = 0;  ///< before it was sent or given up: collisions on Ethernet
};

/// Who a link layer belongs to.
class LinkUser {
 public:
  virtual ~LinkUser() = default;
  /// The last bit of a good frame has arrived, whomever it is addressed to. In Ethernet form: 14 bytes
  /// or more, padding included.
  virtual void frame_received(std::span<const std::uint8_t> frame, Time now) = 0;
  /// A frame has arrived with a wrong check sequence or length.
  virtual void frame_damaged(Time now) = 0;
  /// A frame begins to arrive; its addresses are there at `addresses`. frame_received() or frame_damaged() ends it.
  virtual void frame_begins(Time /*addresses*/, Time /*now*/) {}
  /// A frame to `destination` is for this station, or for what it leads to. Where the medium lets the sender know what
  /// became of its frame (on a ring), this decides what it is told; every frame arrives all the same.
  virtual bool accepts(std::span<const std::uint8_t> /*destination*/, Time /*now*/) { return true; }
  virtual void frame_sent(const LinkOutcome& outcome, Time now) = 0;
};

class LinkLayer {
 public:
  explicit LinkLayer(LinkUser& user) : user_(user) {}
  virtual ~LinkLayer() = default;
  LinkLayer(const LinkLayer&) = delete;
  LinkLayer& operator=(const LinkLayer&) = delete;

  /// Sends the frame after those that are waiting.
  void send(std::span<const std::uint8_t> frame, Time now);
  /// The frame that arrives, in its medium's own form; during LinkUser::frame_received() the whole.
  struct Arriving {
    std::span<const std::uint8_t> bytes;  ///< check sequence included
    std::size_t settled = 0;              ///< of those: arrived, or on their way
  };
  virtual std::optional<Arriving> arriving() const { return std::nullopt; }
  /// Its destination and source as Ethernet writes them.
  virtual std::array<std::uint8_t, 12> addresses(const Arriving& frame) const;
  /// Whether a frame that arrives at `from` can leave here before its end: same kind of medium and rate.
  virtual bool can_follow(const LinkLayer& /*from*/) const { return false; }
  /// Sends the frame that arrives at `from`; only if can_follow(), with nothing waiting(). feed() has more of it,
  /// before what was settled is used up; follow_ends() its end, an early one if it is not `good`.
  void follow(const LinkLayer& from, Time now);
  virtual void feed(const Arriving& /*frame*/, Time /*now*/) {}
  virtual void follow_ends(bool /*good*/, Time /*now*/) {}
  /// Sends a frame that is in the medium's own form, check sequence included.
  void send_as_is(std::span<const std::uint8_t> frame, Time now);
  /// Frames that are not sent yet, the one on the medium included.
  std::size_t waiting() const { return waiting_.size(); }
  virtual Port& port() = 0;
  /// Hardware type of the medium in ARP (RFC 826).
  virtual unsigned arp_hardware() const = 0;
  /// Bytes after the type that the medium's longest frame holds.
  virtual std::size_t mtu() const { return 1500; }

  /// The frames that wait, and everything else: apart, because the stations save other things between them.
  void archive_waiting(Archive& a);
  virtual void archive(Archive& a) = 0;

 protected:
  /// The medium's own frame, check sequence included.
  virtual std::vector<std::uint8_t> encapsulate(std::span<const std::uint8_t> frame) const = 0;
  /// Hands a frame of encapsulate() to the port, which is idle; finished() tells its end.
  virtual void transmit(std::span<const std::uint8_t> frame, Time now) = 0;
  /// The same for a frame of which the first bytes are settled.
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
