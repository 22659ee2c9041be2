// SPDX-License-Identifier: GPL-2.0-or-later
// The records of netperf 2.1's control connection: 64 words in network order, the same for client and server
// (docs/hardware/netperf.md).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "devices/stations/peer/netserver.hpp"

namespace planar::net {

namespace netperf {
inline constexpr std::uint32_t debug_on = 1, debug_off = 2, debug_ok = 3;  // a test may begin with one

// Words of the records.
inline constexpr std::size_t type_word = 0, error_word = 1, specific = 2;
inline constexpr std::size_t stream_wants_send = specific, stream_wants_receive = specific + 1,
                             rr_wants_receive = specific, rr_wants_send = specific + 1, udp_wants_receive = specific;
inline constexpr std::size_t stream_length = specific + 8, rr_request = specific + 6, rr_response = specific + 7,
                             rr_length = specific + 11;
inline constexpr std::size_t stream_receive_buffer = specific, stream_receive_size = specific + 1,
                             stream_send_buffer = specific + 5, stream_data_port = specific + 6;
inline constexpr std::size_t rr_receive_buffer = specific, rr_send_buffer = specific + 4, rr_data_port = specific + 5;
inline constexpr std::size_t stream_bytes = specific, stream_calls = specific + 2, stream_elapsed = specific + 3;
inline constexpr std::size_t rr_bytes = specific, rr_transactions = specific + 2, rr_elapsed = specific + 3;

inline constexpr std::size_t udp_message = specific + 1, udp_length = specific + 7;
inline constexpr std::size_t udp_receive_buffer = specific, udp_send_buffer = specific + 1,
                             udp_data_port = specific + 4;
inline constexpr std::size_t udp_messages = specific, udp_bytes = specific + 1, udp_elapsed = specific + 2;

/// Smallest socket buffers in Linux 2.2, bytes.
inline constexpr std::uint32_t least_send_buffer = 2048, least_receive_buffer = 256;
/// The buffer size that Linux 2.2 sets for a setsockopt() request: at most `own`, the limit for users, and then
/// doubled. 0 or less: no size was requested.
inline std::uint32_t linux_buffer(std::uint32_t wanted, std::uint32_t own, std::uint32_t least) {
  return static_cast<std::int32_t>(wanted) <= 0 ? own : std::max(std::min(wanted, own) * 2, least);
}
}  // namespace netperf

class NetperfRecord {
 public:
  explicit NetperfRecord(std::uint32_t type) : bytes_(netperf_record_bytes) { set(netperf::type_word, type); }
  explicit NetperfRecord(Bytes bytes) : bytes_(std::move(bytes)) {}
  std::uint32_t operator[](std::size_t word) const { return get32(bytes_, 4 * word); }
  void set(std::size_t word, std::uint32_t value) {
    for (unsigned n = 0; n < 4; ++n) bytes_[4 * word + n] = static_cast<std::uint8_t>(value >> (24 - 8 * n));
  }
  void set_seconds(std::size_t word, Time t) {
    set(word, std::bit_cast<std::uint32_t>(static_cast<float>(t.seconds())));
  }
  double real(std::size_t word) const {
    return std::bit_cast<double>(std::uint64_t{(*this)[word]} << 32 | (*this)[word + 1]);
  }
  void set_double(std::size_t word, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    set(word, static_cast<std::uint32_t>(bits >> 32));
    set(word + 1, static_cast<std::uint32_t>(bits));
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace planar::net
