// SPDX-License-Identifier: GPL-2.0-or-later
// The result of a netperf run, as the guest's netperf has written it: the table for people and the JSON object
// `planar.netperf/1` (docs/results.md#planarnetperf1).
#pragma once

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

  /// 10^6 bit/s, netperf's unit: what the server received over the client's time.
  double mbit_per_s() const;
  /// The same in netio's unit, 1024 bytes a second.
  double kb_per_s() const;
  double transactions_per_s() const;
};

/// The row that a line of the guest tells, if it tells one.
std::optional<NetperfRow> netperf_row(const GuestLine& line);

struct NetperfResult : BenchmarkResult {
  std::string test;  ///< "tcp_stream", "tcp_rr"
  unsigned response_bytes = 1;
  std::vector<NetperfRow> rows;
  std::optional<MachineFigures> against;  ///< the machine that ran the server (`--against`)

  bool stream() const { return test == "tcp_stream"; }
  nlohmann::ordered_json json() const;
  std::string table() const;
};

}  // namespace planar
