// SPDX-License-Identifier: GPL-2.0-or-later
// The connection of a plain station (the reference station, the host's network, a bridge) to a medium of any kind.
//
// Frames pass in Ethernet form: destination and source address, type or length, data; no check sequence, and short
// ones without padding. What the medium's own frames need beyond that (padding, another header, LLC and SNAP, bit
// order of addresses, check sequence) is added and taken away by the medium's link layer, which Medium::connect()
// makes.
#pragma once

#include <cstdint>
#include <deque>
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
  /// A frame to `destination` is for this station, or for what is behind it. Where the medium lets the sender know what
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

  /// Sends the frame behind those that are waiting.
  void send(std::span<const std::uint8_t> frame, Time now);
  /// Frames that are not sent yet, the one on the medium included.
  std::size_t waiting() const { return waiting_.size(); }
  virtual Port& port() = 0;
  /// Hardware type of the medium in ARP (RFC 826).
  virtual unsigned arp_hardware() const = 0;

  /// The frames that wait, and everything else: apart, because the stations save other things between them.
  void archive_waiting(Archive& a) { a(waiting_); }
  virtual void archive(Archive& a) = 0;

 protected:
  /// The medium's own frame, check sequence included.
  virtual std::vector<std::uint8_t> encapsulate(std::span<const std::uint8_t> frame) const = 0;
  /// Hands a frame of encapsulate() to the port, which is idle; finished() tells its end.
  virtual void transmit(std::span<const std::uint8_t> frame, Time now) = 0;
  void finished(bool sent, unsigned failed_attempts, Time now);
  LinkUser& user() { return user_; }

 private:
  LinkUser& user_;
  std::deque<std::vector<std::uint8_t>> waiting_;  // the first one is with the port
};

}  // namespace planar::net
