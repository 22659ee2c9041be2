// SPDX-License-Identifier: GPL-2.0-or-later
// The server's side of netio's TCP protocol, both generations, independent of any network: bytes in, bytes out, time as
// an argument. `planar netio-server` runs it in host time, the reference station in virtual time.
//
//   up to 1.14      the client's data, discarded until end of file
//   1.16 and later  control records of two big-endian 32-bit words {command, data}: 0 QUIT; 1 C2S, the client sends
//                   blocks of `data` bytes; 2 S2C, the server sends them, for its own duration. The first byte of a
//                   block is 0, that of the last one 1.
//
// A connection whose first eight bytes are C2S or S2C with a block size belongs to the later generation, any other to
// the earlier one. Source: facts about the wire; the program's licence is restrictive and none of it is used.
//
// Not modelled: the UDP measurement of 1.18 and later (command 3, port 18768): such a connection is treated as first
// generation.
#pragma once

#include <array>
#include <cstdint>

#include "devices/stations/peer/service.hpp"

namespace planar::net {

inline constexpr std::uint16_t netio_port = 18767;
/// How long the later generation sends, for each size and direction.
inline constexpr Time netio_duration = 6_s;
/// netio uses blocks of at most 64 KB; a size above this limit is not netio.
inline constexpr std::uint32_t netio_longest_block = 1 << 20;

class NetioSession final : public ServiceConnection {
 public:
  enum class Generation : std::uint8_t { unknown, first, second };

  explicit NetioSession(Time duration = netio_duration) : duration_(duration) {}

  void receive(ByteView data, Time now) override;
  /// In pieces of any size; 0 until the client asks for data.
  std::size_t to_send(std::size_t at_most, Time now) override;
  void take(std::span<std::uint8_t> data) override;
  /// The client has quit, or is not netio of either kind: like the real server, it closes at once without waiting for
  /// the client.
  bool leaving() const override { return phase_ == Phase::over; }

  Generation generation() const { return generation_; }
  std::uint64_t received() const { return received_; }  ///< bytes of data, without control records
  std::uint64_t sent() const { return sent_; }
  void archive(Archive& a) override;

 private:
  enum class Phase : std::uint8_t { control, discard, blocks_in, blocks_out, over };

  void record(Time now);
  void begin_block(Time now);

  Time duration_;
  Phase phase_ = Phase::control;
  Generation generation_ = Generation::unknown;
  std::array<std::uint8_t, 8> control_{};
  std::uint32_t control_bytes_ = 0;
  std::uint32_t block_ = 0;     // bytes per block
  std::uint32_t in_block_ = 0;  // bytes of the present block so far
  bool last_ = false;           // the present block is the last
  Time until_{};                // end of sending
  std::uint64_t received_ = 0, sent_ = 0;
};

/// The station's netio server. Like the real one, it serves connections one at a time, each until end of file.
class NetioService final : public Service {
 public:
  explicit NetioService(Time duration = netio_duration) : duration_(duration) {}

  std::string_view name() const override { return "netio"; }
  std::span<const ServicePort> ports() const override;
  bool iterative() const override { return true; }
  std::unique_ptr<ServiceConnection> accept(std::uint16_t port) override;

 private:
  Time duration_;
};

}  // namespace planar::net
