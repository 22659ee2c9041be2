// SPDX-License-Identifier: GPL-2.0-or-later
// The result of a netperf run, as the guest's netperf has written it: the table for people and the JSON object
// `planar.netperf/1` (docs/results.md#planarnetperf1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/guest/guest_output.hpp"
#include "frontend/guest_benchmarks/benchmark_result.hpp"
#include "frontend/meters/test_meter.hpp"

namespace planar {

/// One run of a test.
struct NetperfRun {
  /// Of sockets, as getsockopt() tells them; 0: unknown.
  struct Buffers {
    std::uint64_t local_send = 0, local_receive = 0, remote_send = 0, remote_receive = 0;
  };

  std::uint32_t message_bytes = 0;  ///< of each message or request
  std::uint64_t messages = 0;       ///< sent, or transactions, by the client's count
  std::uint64_t microseconds = 0;   ///< from the data connection to the end of the test
  std::uint64_t received = 0;       ///< by the server's count: bytes, or transactions
  /// Bytes of datagrams that left within the measured time; nothing where that was not watched.
  std::optional<std::uint64_t> delivered{};
  /// By the server's count, of datagrams alone.
  std::optional<std::uint64_t> messages_received{};
  std::optional<Buffers> buffers{};
  std::optional<double> cpu_percent{};         ///< of the client, by its ticks
  std::optional<double> server_cpu_percent{};  ///< as the server tells it, with --remote-cpu

  /// 10^6 bit/s, netperf's unit: what the server received over the client's time. Of datagrams the server also counts
  /// those that the client's queues still held at the end of that time.
  double mbit_per_s() const;
  /// The same of what left within that time.
  double delivered_mbit_per_s() const;
  /// The same of what the client has sent.
  double sent_mbit_per_s() const;
  /// Datagrams that were sent and never came, as far as the counts tell.
  std::uint64_t lost() const { return messages - std::min(messages, messages_received.value_or(messages)); }
  /// The same in netio's unit, 1024 bytes a second.
  double kb_per_s() const;
  double transactions_per_s() const;
};

/// How sure the mean of several runs is, as the guest has found (docs/hardware/netperf.md).
struct NetperfConfidence {
  unsigned level = 0;                             ///< percent
  double wanted = 0;                              ///< width of the interval in percent of the mean
  bool met = false;                               ///< by the result, and the loads that were asked for
  std::optional<double> result, cpu, server_cpu;  ///< the widths that came out; nothing after one run
};

/// A test of one size: one run, or as many as its confidence needed.
struct NetperfRow {
  std::vector<NetperfRun> runs;
  std::optional<NetperfConfidence> confidence;

  std::uint32_t message_bytes() const { return runs.front().message_bytes; }
  bool watched() const { return runs.front().delivered.has_value(); }
  /// Of all runs.
  template <typename Figure>
  double mean(Figure&& figure) const {
    double sum = 0;
    for (const NetperfRun& run : runs) sum += static_cast<double>(std::invoke(figure, run));
    return sum / static_cast<double>(runs.size());
  }
};

/// The run that a line of the guest tells, if it tells one. With `datagrams` the server has counted messages.
std::optional<NetperfRun> netperf_run(const GuestLine& line, bool datagrams);
/// All tests that the guest has told.
std::vector<NetperfRow> netperf_rows(const std::vector<GuestLine>& lines, bool datagrams);

struct NetperfResult : BenchmarkResult {
  std::string test;  ///< "tcp_stream", "tcp_rr", "tcp_crr", "udp_stream", "udp_rr"; "serve": for another's netperf
  std::optional<std::uint64_t> served;  ///< clients of --serve, which the guest tells when it is done
  std::uint64_t served_runs = 0;        ///< their tests
  bool receiving = false;               ///< --receive: the guest is the server, the station's netperf the client
  bool server_load = false;             ///< --remote-cpu: the table says what the server reports, or that it does not
  unsigned response_bytes = 1;
  std::uint64_t sent_again = 0;  ///< TCP segments with data that the station had to repeat
  std::vector<NetperfRow> rows;
  std::optional<MachineFigures> against;  ///< the machine that ran the server (`--against`)

  bool serving() const { return test == "serve"; }
  bool datagrams() const { return test == "udp_stream"; }
  bool stream() const { return test == "tcp_stream" || datagrams(); }
  /// Each run with what was delivered in it, if all of them were watched.
  void put_delivered(const std::vector<TestMeter::Span>& tests);

  nlohmann::ordered_json json() const override;
  /// Names the messages whose figure differs from the delivered rate by more than 1 %; of round trips, says when some
  /// waited for a segment that was sent again.
  std::string warning() const override;
  std::string table() const override;
};

}  // namespace planar
