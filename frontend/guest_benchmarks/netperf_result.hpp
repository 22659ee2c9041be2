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
  /// Socket buffers as returned by getsockopt(); 0: unknown.
  struct Buffers {
    std::uint64_t local_send = 0, local_receive = 0, remote_send = 0, remote_receive = 0;
  };

  std::uint32_t message_bytes = 0;  ///< of each message or request
  std::uint64_t messages = 0;       ///< sent, or transactions, by the client's count
  std::uint64_t microseconds = 0;   ///< from the data connection to the end of the test
  std::uint64_t received = 0;       ///< by the server's count: bytes, or transactions
  /// Bytes of datagrams that left within the measured time; nothing if it was not watched.
  std::optional<std::uint64_t> delivered{};
  /// By the server's count; datagrams only.
  std::optional<std::uint64_t> messages_received{};
  std::optional<Buffers> buffers{};
  std::optional<double> cpu_percent{};         ///< of the client, by its ticks
  std::optional<double> server_cpu_percent{};  ///< as reported by the server, with --remote-cpu

  /// `microseconds`, at most an hour.
  Time duration() const;
  /// 10^6 bit/s, netperf's unit: what the server received over the client's time. The server also counts datagrams that
  /// the client's queues still held at the end of that time.
  double mbit_per_s() const;
  /// The same for what left within that time.
  double delivered_mbit_per_s() const;
  /// The same for what the client has sent.
  double sent_mbit_per_s() const;
  /// Datagrams that were sent but not received, according to the two counts.
  std::uint64_t lost() const { return messages - std::min(messages, messages_received.value_or(messages)); }
  /// mbit_per_s() in netio's unit, 1024 bytes/s.
  double kb_per_s() const;
  double transactions_per_s() const;
};

/// The confidence in the mean of several runs, as computed by the guest (docs/hardware/netperf.md).
struct NetperfConfidence {
  unsigned level = 0;                             ///< percent
  double wanted = 0;                              ///< width of the interval in percent of the mean
  bool met = false;                               ///< by the result and the requested loads
  std::optional<double> result, cpu, server_cpu;  ///< the resulting widths; nothing after one run
};

/// A test of one size: one run, or as many as its confidence needed.
struct NetperfRow {
  std::vector<NetperfRun> runs;
  std::optional<NetperfConfidence> confidence;

  std::uint32_t message_bytes() const { return runs.front().message_bytes; }
  bool watched() const { return runs.front().delivered.has_value(); }
  /// The mean of `figure` over all runs; an optional figure that a run lacks counts as 0.
  template <typename Figure>
  double mean(Figure&& figure) const {
    double sum = 0;
    for (const NetperfRun& run : runs) {
      const auto value = std::invoke(figure, run);
      if constexpr (requires { value.has_value(); })
        sum += static_cast<double>(value.value_or(0));
      else
        sum += static_cast<double>(value);
    }
    return sum / static_cast<double>(runs.size());
  }
};

/// The run in a line of the guest, if there is one. With `datagrams` the server has counted messages.
std::optional<NetperfRun> netperf_run(const GuestLine& line, bool datagrams);
/// All tests that the guest has reported.
std::vector<NetperfRow> netperf_rows(const std::vector<GuestLine>& lines, bool datagrams);

/// Waits for a retransmission that lower what netperf measures (docs/hardware/netperf-stalls.md).
struct NetperfStalls {
  /// A test that lasts this much longer than it should has waited: queues of 64 KB are empty sooner on every medium,
  /// and TCP's shortest wait for a lost acknowledgement of FIN is longer.
  static constexpr double usual_end_s = 1;
  std::uint64_t retransmitted = 0;  ///< round trips: segments with data that the station sent again
  unsigned late_tests = 0;          ///< streams: those that exceeded their length
  double late_s = 0;                ///< by how much at most

  /// Nothing if there were none.
  std::optional<nlohmann::ordered_json> json() const;
};

/// What a result's member "stalls" says, as a sentence; empty if it has none.
std::string stalls_text(const nlohmann::ordered_json& result);
/// At which sizes more than 1 % of the datagrams were lost, as a sentence; empty if none.
std::string losses_text(const nlohmann::ordered_json& result);

struct NetperfResult : BenchmarkResult {
  std::string test;  ///< "tcp_stream", "tcp_rr", "tcp_crr", "udp_stream", "udp_rr"; "serve": for outside clients
  std::optional<std::uint64_t> served;  ///< clients of --serve, reported by the guest when it is done
  std::uint64_t served_runs = 0;        ///< their tests
  bool receiving = false;               ///< --receive: the guest is the server, the station's netperf the client
  bool server_load = false;             ///< --remote-cpu: the table gives the load that the server reports, if any
  unsigned response_bytes = 1;
  NetperfStalls stalls;
  std::vector<NetperfRow> rows;
  std::optional<MachineFigures> against;  ///< the machine that ran the server (`--against`)

  bool serving() const { return test == "serve"; }
  bool datagrams() const { return test == "udp_stream"; }
  bool stream() const { return test == "tcp_stream" || datagrams(); }
  /// Sets what was delivered in each run, if all of them were watched.
  void put_delivered(const std::vector<TestMeter::Span>& tests);

  nlohmann::ordered_json json() const override;
  /// Says if the figures were lowered by waits for a retransmission; otherwise names the message sizes whose figure
  /// differs from the delivered rate by more than 1 %.
  std::string warning() const override;
  std::string table() const override;
};

}  // namespace planar
