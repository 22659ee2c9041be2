// SPDX-License-Identifier: GPL-2.0-or-later
// netserver, the other end of netperf 2.1: TCP_STREAM, TCP_RR, TCP_CRR, UDP_STREAM and UDP_RR
// (docs/hardware/netperf.md).
//
// A client makes its request on a control connection with a record of 64 words; the response names a port for the data
// connection or for datagrams. The results of TCP_STREAM follow when the client has ended its direction of the data
// connection, those of the other tests two seconds after the test's length, as the server cannot know when the client
// has stopped; a datagram shorter than UDP_STREAM's messages ends that test at once. In TCP_CRR each connection carries
// one request and its response, and this end closes it first.
//
// Up to `slots` tests at once. An unknown test is answered with error 998, as by the real server.
//
// A requested receive buffer is set as in Linux 2.2 (clamped, then doubled; the response has the resulting size) and
// determines TCP's window. A send buffer is only reported as set.
//
// Not modelled: CPU measurement (the response says that there is none); other effects of socket buffers (the host takes
// no time, so no datagram finds its buffer full); alignment, TCP_NODELAY; that the server closes the data connection of
// TCP_RR (the client does, after the results); tests limited by a number of bytes or transactions.
#pragma once

#include <array>
#include <cstdint>

#include "devices/stations/peer/service.hpp"

namespace planar::net {

inline constexpr std::uint16_t netperf_port = 12865;
inline constexpr std::size_t netperf_record_bytes = 256;
/// How much longer than the client the server waits for requests.
inline constexpr Time netperf_pad = 2_s;

/// Type of the record that requests a test (DO_TCP_STREAM...); the response's type is the next number, the results' the
/// one after that.
enum class NetperfTestType : std::uint32_t { tcp_stream = 10, tcp_rr = 13, udp_stream = 16, udp_rr = 19, tcp_crr = 34 };

/// A test from its request to its results, shared by its data connection and its control connection.
struct NetserverTest {
  /// abandoned: the control connection is gone but the data connection is not; refused: ended by a request of a
  /// different size
  enum class State : std::uint8_t { free, asked, running, ended, abandoned, refused };
  State state = State::free;
  NetperfTestType type = NetperfTestType::tcp_stream;
  std::uint32_t request = 1, response = 1;            ///< bytes; for UDP_STREAM of a message
  std::uint32_t send_buffer = 0, receive_buffer = 0;  ///< of its sockets
  Time length{};                                      ///< of the test, as given by the client
  Time began{}, stopped{};
  std::uint64_t bytes = 0;
  std::uint32_t calls = 0, transactions = 0;  ///< UDP_STREAM counts messages in `calls`

  bool stream() const { return type == NetperfTestType::tcp_stream; }
  bool datagrams() const { return type == NetperfTestType::udp_stream || type == NetperfTestType::udp_rr; }
  /// Whether a single data connection is the whole test. If not, the test runs from the response on.
  bool one_connection() const { return stream() || type == NetperfTestType::tcp_rr; }
  /// When the server stops waiting for requests; never while it waits for something else.
  Time deadline() const { return state == State::running && !stream() ? began + length + netperf_pad : Time::never(); }
  /// Takes a datagram to the test's port; returns the answer, if any.
  std::optional<Bytes> take_datagram(std::size_t bytes, Time now);
  void archive(Archive& a);
};

class NetserverService final : public Service {
 public:
  static constexpr std::size_t slots = 8;
  /// `socket_buffer`: default size of a socket's buffers in bytes, and the largest that may be requested.
  explicit NetserverService(std::uint32_t socket_buffer = 65535) : socket_buffer_(socket_buffer) {}

  std::string_view name() const override { return "netserver"; }
  std::span<const ServicePort> ports() const override;
  std::unique_ptr<ServiceConnection> accept(std::uint16_t port) override;
  bool bound(std::uint16_t port) const override;
  std::optional<Bytes> datagram(const DatagramSender& from, std::uint16_t port, ByteView data, Time now) override;
  void archive(Archive& a) override;

 private:
  /// Slot of a data port.
  static std::size_t slot_of(std::uint16_t port);

  std::array<NetserverTest, slots> tests_;
  const std::uint32_t socket_buffer_;
};

}  // namespace planar::net
