// SPDX-License-Identifier: GPL-2.0-or-later
// The result of a netperf run, as the guest's netperf has written it: the table for people and the JSON object
// `planar.netperf/1` (docs/results.md#planarnetperf1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/benchmarks/benchmark_result.hpp"
#include "frontend/session/guest_output.hpp"

namespace planar {

/// One test of a run.
struct NetperfRow {
  std::uint32_t message_bytes = 0;  ///< of each message or request
  std::uint64_t messages = 0;       ///< sent, or transactions, by the client's count
  std::uint64_t microseconds = 0;   ///< from the data connection to the end of the test
  std::uint64_t received = 0;       ///< by the server's count: bytes, or transactions
  /// By the server's count, of datagrams alone.
  std::optional<std::uint64_t> messages_received;

  /// 10^6 bit/s, netperf's unit: what the server received over the client's time.
  double mbit_per_s() const;
  /// The same of what the client has sent.
  double sent_mbit_per_s() const;
  /// Datagrams that were sent and never came, as far as the counts tell.
  std::uint64_t lost() const { return messages - std::min(messages, messages_received.value_or(messages)); }
  /// The same in netio's unit, 1024 bytes a second.
  double kb_per_s() const;
  double transactions_per_s() const;
};

/// The row that a line of the guest tells, if it tells one. With `datagrams` the server has counted messages.
std::optional<NetperfRow> netperf_row(const GuestLine& line, bool datagrams);

struct NetperfResult : BenchmarkResult {
  std::string test;  ///< "tcp_stream", "tcp_rr", "tcp_crr", "udp_stream", "udp_rr"; "serve": for another's netperf
  std::optional<std::uint64_t> served;  ///< tests of --serve
  unsigned response_bytes = 1;
  std::vector<NetperfRow> rows;
  std::optional<MachineFigures> against;  ///< the machine that ran the server (`--against`)

  bool datagrams() const { return test == "udp_stream"; }
  bool stream() const { return test == "tcp_stream" || datagrams(); }
  nlohmann::ordered_json json() const;
  std::string table() const;
};

}  // namespace planar
