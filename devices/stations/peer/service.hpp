// SPDX-License-Identifier: GPL-2.0-or-later
// What the reference station serves: programs that wait at TCP and UDP ports. The station's stack (peer.hpp,
// peer_tcp.hpp) carries their bytes and knows none of them by name; services.cpp lists them. A program takes no time of
// its own: buffers are empty before the next frame arrives, and there are data when a window opens.
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

/// Where a service waits.
struct ServicePort {
  Transport transport = Transport::tcp;
  std::uint16_t number = 0;
};

/// Where a datagram comes from.
struct DatagramSender {
  Ipv4 address = 0;
  std::uint16_t port = 0;
};

/// A datagram that a service sends of its own accord.
struct OwnDatagram {
  Ipv4 to = 0;
  std::uint16_t from_port = 0, to_port = 0;
  Bytes data;
  Ipv4 gateway = 0;  ///< the neighbour by way of whom; 0: `to` is on the medium
  /// Whether it may be longer than a frame: it then goes in fragments, the last one first as Linux 2.2 sends them, and
  /// has left with the last frame of them.
  bool in_fragments = false;
};

/// A connection that a service opens of its own accord.
struct OwnConnection {
  Ipv4 to = 0;
  std::uint16_t from_port = 0, to_port = 0;
};

/// A service's side of one TCP connection.
class ServiceConnection {
 public:
  virtual ~ServiceConnection() = default;

  /// The connection that the service has asked for (own_connections()) is established.
  virtual void opened(Time /*now*/) {}
  /// Takes what the client has sent, in order.
  virtual void receive(ByteView data, Time now) = 0;
  /// How many bytes the service would send now, `at_most` or fewer (0 = nothing for the present). Asked again whenever
  /// a segment arrives, a timer runs or an earlier answer has been taken.
  virtual std::size_t to_send(std::size_t at_most, Time now) = 0;
  /// Fills `data` with the next bytes to send; not more than to_send() allowed.
  virtual void take(std::span<std::uint8_t> data) = 0;
  /// The service ends the connection of its own accord: after what to_send() still has, and without waiting for the
  /// client's end. Nothing that comes afterwards reaches it.
  virtual bool leaving() const { return false; }
  /// False while the service leaves what arrives in the receive buffer, whose window then closes.
  virtual bool reading() const { return true; }
  /// Whether a client that has closed its direction still gets what is to be sent. If not, the connection is closed at
  /// once.
  virtual bool sends_after_end() const { return false; }
  /// The client has ended its direction, and all that it sent was received; or the connection is lost. At most once.
  virtual void ended(Time /*now*/) {}
  /// Bytes of its socket's receive buffer, half of which is the window; 0: what the station's sockets have.
  virtual std::uint32_t receive_buffer() const { return 0; }
  /// When to_send() is to be asked again though nothing arrives; Time::never() if that does not matter.
  virtual Time due() const { return Time::never(); }
  /// All state of this connection.
  virtual void archive(Archive& a) = 0;
};

/// A program of the station; one object serves all its connections, and what they share is its own.
class Service {
 public:
  virtual ~Service() = default;

  virtual std::string_view name() const = 0;
  virtual std::span<const ServicePort> ports() const = 0;
  /// One connection after another: a second client waits until the first one is done.
  virtual bool iterative() const { return false; }
  /// The service's side of a connection to one of its TCP ports. Also builds an empty one for a snapshot to fill.
  virtual std::unique_ptr<ServiceConnection> accept(std::uint16_t port);
  /// Whether it waits for connections at its TCP ports. If not, they are those of the connections that it opens itself.
  virtual bool listens() const { return true; }
  /// The connections that the service opens now, each between its accept() of `from_port` and what opened() or ended()
  /// says. Asked when due() has come.
  virtual std::vector<OwnConnection> own_connections(Time /*now*/) { return {}; }
  /// Whether a program waits at one of its UDP ports just now; if not, a datagram to it is refused.
  virtual bool bound(std::uint16_t /*port*/) const { return true; }
  /// Takes a datagram that has come to one of its UDP ports; the answer to its sender, if there is one.
  virtual std::optional<Bytes> datagram(const DatagramSender& from, std::uint16_t port, ByteView data, Time now);
  /// When own_connections() and own_datagrams() are to be called; Time::never() if the service sends nothing of its own
  /// accord.
  virtual Time due() const { return Time::never(); }
  /// What the service sends now; `waiting` frames of the station have not left yet. After it due() is later than
  /// `now`. One service of a station at most may have such datagrams.
  virtual std::vector<OwnDatagram> own_datagrams(std::size_t /*waiting*/, Time /*now*/) { return {}; }
  /// The first of own_datagrams() of which this was not told yet has left whole, or was given up.
  virtual void own_sent(bool /*sent*/, Time /*now*/) {}
  /// State that is not of one connection.
  virtual void archive(Archive&) {}
  /// Whether archive_used() has anything to save: the state of a service that was never used is not in a snapshot.
  virtual bool used() const { return false; }
  virtual void archive_used(Archive&) {}
  /// As if never used.
  virtual void forget() {}
};

}  // namespace planar::net
