// SPDX-License-Identifier: GPL-2.0-or-later
// Services of the reference station: programs that listen on TCP and UDP ports. The station's stack (peer.hpp,
// peer_tcp.hpp) carries their bytes and knows none of them by name; services.cpp lists them. A program takes no time of
// its own: it empties buffers before the next frame arrives and has data ready when a window opens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"
#include "devices/stations/packet.hpp"

namespace planar::net {

enum class Transport : std::uint8_t { tcp, udp };

/// Where a service listens.
struct ServicePort {
  Transport transport = Transport::tcp;
  std::uint16_t number = 0;
};

/// Where a datagram comes from.
struct DatagramSender {
  Ipv4 address = 0;
  std::uint16_t port = 0;
};

/// A datagram that a service sends on its own initiative.
struct OwnDatagram {
  Ipv4 to = 0;
  std::uint16_t from_port = 0, to_port = 0;
  Bytes data;
  Ipv4 gateway = 0;  ///< the neighbour that forwards it; 0: `to` is on the medium
  /// Whether it may be longer than a frame: it is then sent in fragments, the last one first as in Linux 2.2, and
  /// counts as sent when the last of these frames is.
  bool in_fragments = false;
};

/// A connection that a service opens on its own initiative.
struct OwnConnection {
  Ipv4 to = 0;
  std::uint16_t from_port = 0, to_port = 0;
};

/// A service's side of one TCP connection.
class ServiceConnection {
 public:
  virtual ~ServiceConnection() = default;

  /// The connection that the service requested (own_connections()) is established.
  virtual void opened(Time /*now*/) {}
  /// Takes the data that the client has sent, in order.
  virtual void receive(ByteView data, Time now) = 0;
  /// How many bytes the service would send now, `at_most` or fewer (0 = nothing for the present). Asked again whenever
  /// a segment arrives, a timer expires or an earlier answer has been used.
  virtual std::size_t to_send(std::size_t at_most, Time now) = 0;
  /// Fills `data` with the next bytes to send; not more than to_send() allowed.
  virtual void take(std::span<std::uint8_t> data) = 0;
  /// True if the service closes the connection on its own initiative: after the data that to_send() still has, and
  /// without waiting for the client to close. It receives nothing after that.
  virtual bool leaving() const { return false; }
  /// False while the service leaves received data in the receive buffer, so that its window closes.
  virtual bool reading() const { return true; }
  /// Whether a client that has closed its direction still gets pending data. If not, the connection is closed at once.
  virtual bool sends_after_end() const { return false; }
  /// The client has closed its direction and all its data was received, or the connection is lost. Called at most once.
  virtual void ended(Time /*now*/) {}
  /// Bytes of its socket's receive buffer, half of which is the window; 0: the station's default.
  virtual std::uint32_t receive_buffer() const { return 0; }
  /// When to call to_send() again even if nothing arrives; Time::never() if this is not needed.
  virtual Time due() const { return Time::never(); }
  /// All state of this connection.
  virtual void archive(Archive& a) = 0;
};

/// A program of the station; one object serves all its connections and holds the state they share.
class Service {
 public:
  virtual ~Service() = default;

  virtual std::string_view name() const = 0;
  virtual std::span<const ServicePort> ports() const = 0;
  /// One connection at a time: a second client waits until the first one is done.
  virtual bool iterative() const { return false; }
  /// The service's side of a connection to one of its TCP ports. Also creates an empty one to be filled from a
  /// snapshot.
  virtual std::unique_ptr<ServiceConnection> accept(std::uint16_t port);
  /// Whether it listens on its TCP ports. If not, they belong to connections that it opens itself.
  virtual bool listens() const { return true; }
  /// The connections that the service opens now; each is being opened from accept() of its `from_port` until opened()
  /// or ended(). Called when due() is reached.
  virtual std::vector<OwnConnection> own_connections(Time /*now*/) { return {}; }
  /// Whether a program is bound to one of its UDP ports now; if not, datagrams to it are refused.
  virtual bool bound(std::uint16_t /*port*/) const { return true; }
  /// Takes a datagram for one of its UDP ports; returns the answer to its sender, if any.
  virtual std::optional<Bytes> datagram(const DatagramSender& from, std::uint16_t port, ByteView data, Time now);
  /// When own_connections() and own_datagrams() are to be called; Time::never() if the service sends nothing on its own
  /// initiative.
  virtual Time due() const { return Time::never(); }
  /// The datagrams that the service sends now; `waiting` frames of the station have not left yet. Afterwards due() is
  /// later than `now`. At most one service of a station may have such datagrams.
  virtual std::vector<OwnDatagram> own_datagrams(std::size_t /*waiting*/, Time /*now*/) { return {}; }
  /// The first datagram of own_datagrams() not reported yet was sent completely, or was given up.
  virtual void own_sent(bool /*sent*/, Time /*now*/) {}
  /// State that does not belong to a single connection.
  virtual void archive(Archive&) {}
  /// Whether archive_used() has anything to save: a service that was never used has no state in a snapshot.
  virtual bool used() const { return false; }
  virtual void archive_used(Archive&) {}
  /// Resets to the state of a service never used.
  virtual void forget() {}
};

}  // namespace planar::net
