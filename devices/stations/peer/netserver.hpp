// SPDX-License-Identifier: GPL-2.0-or-later
// netserver, the other end of netperf 2.1: TCP_STREAM and TCP_RR (docs/hardware/netperf.md).
//
// A client asks on a control connection with a record of 64 words; the response names a port for the data connection.
// The results of a stream follow when the client has ended the data connection's direction, those of requests and
// responses two seconds after the test's length, as the server cannot know when the client has stopped.
//
// Up to `slots` tests at once. An unknown test is answered with error 998, as by the real one.
//
// Not modelled: CPU measurement (the response says that there is none); requested buffer sizes, alignment, TCP_NODELAY
// (the station's stack has one configuration); that the server closes the data connection of TCP_RR (the client does,
// behind the results); UDP and TCP_CRR.
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
enum class NetperfTestType : std::uint32_t { tcp_stream = 10, tcp_rr = 13 };

/// A test between its request and its results; its data connection and its control connection share it.
struct NetserverTest {
  /// abandoned: the control connection is gone, the data connection not yet
  enum class State : std::uint8_t { free, asked, running, ended, abandoned };
  State state = State::free;
  NetperfTestType type = NetperfTestType::tcp_stream;
  std::uint32_t request = 1, response = 1;  ///< bytes, of TCP_RR
  Time length{};                            ///< of the test, as the client has said
  Time began{}, stopped{};
  std::uint64_t bytes = 0;
  std::uint32_t calls = 0, transactions = 0;

  bool stream() const { return type == NetperfTestType::tcp_stream; }
  /// When the server stops waiting for requests; never while it waits for something else.
  Time deadline() const { return state == State::running && !stream() ? began + length + netperf_pad : Time::never(); }
  void archive(Archive& a);
};

class NetserverService final : public Service {
 public:
  static constexpr std::size_t slots = 8;

  std::string_view name() const override { return "netserver"; }
  std::span<const ServicePort> ports() const override;
  std::unique_ptr<ServiceConnection> accept(std::uint16_t port) override;
  void archive(Archive& a) override;

 private:
  std::array<NetserverTest, slots> tests_;
};

}  // namespace planar::net
