// SPDX-License-Identifier: GPL-2.0-or-later
// netserver, the other end of netperf 2.1: TCP_STREAM, TCP_RR, TCP_CRR, UDP_STREAM and UDP_RR
// (docs/hardware/netperf.md).
//
// A client asks on a control connection with a record of 64 words; the response names a port for the data connection,
// or for datagrams. The results of TCP_STREAM follow when the client has ended the data connection's direction, those
// of the others two seconds after the test's length, as the server cannot know when the client has stopped; a datagram
// shorter than UDP_STREAM's messages ends that test at once. In TCP_CRR each connection carries one request and its
// response, after which this end closes first.
//
// Up to `slots` tests at once. An unknown test is answered with error 998, as by the real one.
//
// A requested receive buffer is made as Linux 2.2 makes it (cut, then doubled; the response says what it became), and
// with it TCP's window. A send buffer is only said to be so.
//
// Not modelled: CPU measurement (the response says that there is none); what else socket buffers do (the host takes no
// time: no datagram finds its buffer full); alignment, TCP_NODELAY; that the
// server closes the data connection of TCP_RR (the client does, after the results); tests by a number of bytes or
// transactions.
#pragma once

#include <array>
#include <cstdint>

#include "devices/stations/peer/service.hpp"

namespace planar::net {

inline constexpr std::uint16_t netperf_port = 12865;
inline constexpr std::size_t netperf_record_bytes = 256;
/// How much longer than the client the server waits for requests.
inline constexpr Time netperf_pad = 2_s;

/// The type of the record that asks for a test (DO_TCP_STREAM...); its response's is the next number, its results' the
/// one after that.
enum class NetperfTestType : std::uint32_t { tcp_stream = 10, tcp_rr = 13, udp_stream = 16, udp_rr = 19, tcp_crr = 34 };

/// A test between its request and its results; its data connection and its control connection share it.
struct NetserverTest {
  /// abandoned: the control connection is gone, the data connection not yet; refused: ended by a request of another
  /// size
  enum class State : std::uint8_t { free, asked, running, ended, abandoned, refused };
  State state = State::free;
  NetperfTestType type = NetperfTestType::tcp_stream;
  std::uint32_t request = 1, response = 1;            ///< bytes; of UDP_STREAM a message's
  std::uint32_t send_buffer = 0, receive_buffer = 0;  ///< of its sockets
  Time length{};                                      ///< of the test, as the client has said
  Time began{}, stopped{};
  std::uint64_t bytes = 0;
  std::uint32_t calls = 0, transactions = 0;  ///< of UDP_STREAM messages in `calls`

  bool stream() const { return type == NetperfTestType::tcp_stream; }
  bool datagrams() const { return type == NetperfTestType::udp_stream || type == NetperfTestType::udp_rr; }
  /// Whether one data connection is the whole test. Without it the test runs from the response on.
  bool one_connection() const { return stream() || type == NetperfTestType::tcp_rr; }
  /// When the server stops waiting for requests; never while it waits for something else.
  Time deadline() const { return state == State::running && !stream() ? began + length + netperf_pad : Time::never(); }
  /// A datagram to the test's port; the answer to it, if it gets one.
  std::optional<Bytes> take_datagram(std::size_t bytes, Time now);
  void archive(Archive& a);
};

class NetserverService final : public Service {
 public:
  static constexpr std::size_t slots = 8;
  /// `socket_buffer`: bytes of a socket's buffers to begin with, and the most that one may ask for.
  explicit NetserverService(std::uint32_t socket_buffer = 65535) : socket_buffer_(socket_buffer) {}

  std::string_view name() const override { return "netserver"; }
  std::span<const ServicePort> ports() const override;
  std::unique_ptr<ServiceConnection> accept(std::uint16_t port) override;
  bool bound(std::uint16_t port) const override;
  std::optional<Bytes> datagram(const DatagramSender& from, std::uint16_t port, ByteView data, Time now) override;
  void archive(Archive& a) override;

 private:
  /// Of a data port.
  static std::size_t slot_of(std::uint16_t port);

  std::array<NetserverTest, slots> tests_;
  const std::uint32_t socket_buffer_;
};

}  // namespace planar::net
