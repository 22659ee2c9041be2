// SPDX-License-Identifier: GPL-2.0-or-later
// The result of a netio run, as the guest's netio has written it: the table for people and the JSON object
// `planar.netio/2` (docs/results.md#planarnetio2).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/guest/guest_output.hpp"
#include "frontend/guest_benchmarks/benchmark_result.hpp"
#include "frontend/guest_benchmarks/netio_converge.hpp"
#include "frontend/meters/delivery.hpp"

namespace planar {

/// One size of a run as the guest counted it.
struct NetioRow {
  std::uint32_t packet_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t ticks = 0;  ///< of 1/1024 s
  /// Percent of the processor's clocks not halted; nothing if it was not watched.
  std::optional<double> busy_percent = {};
  /// Bytes of TCP data that left for the server within the time, each counted once; nothing if it was not watched.
  std::optional<DeliveryMeter::Row> delivered = {};
  /// The rate for the time that was not run (--converge).
  std::optional<SettledRow> settled = {};

  /// netio's figure in KB/s (1024 bytes).
  double kb_per_s() const;
  /// The delivered rate in netio's unit.
  std::optional<double> delivered_kb_per_s() const;
  /// The same in each of equal parts of the time that was run.
  std::vector<double> delivered_over_time() const;
  /// The time that was run: `ticks`, at most 3 600 000 s.
  Time measured() const;
  /// The time that the figure is for, in 1/1024 s: `ticks`, or the whole duration of a row that settled before.
  std::uint64_t duration() const;

 private:
  double figure(double bytes) const;
};

/// The tags of rows: what the client sent, and (netio from 1.16 on) what it received.
inline constexpr const char *netio_sent = "@row", *netio_received = "@row_received";

/// The row in a line of the guest, if the line has this tag.
std::optional<NetioRow> netio_row(const GuestLine& line, const std::string& tag = netio_sent);
std::vector<NetioRow> netio_rows(const GuestOutput& guest, const std::string& tag = netio_sent);

/// The machine at the other end of the wire, which ran netio's server (`--against`).
struct NetioServer : MachineFigures {
  /// By its own count in units of 1024 bytes, reported at its end; nothing if the run was interrupted before.
  std::optional<std::uint64_t> received_kb, sent_kb;
};

struct NetioResult : BenchmarkResult {
  std::string netio_version;
  std::vector<NetioRow> rows;
  std::vector<NetioRow> received_rows;  ///< from netio 1.16 on: the other direction, one for each of `rows`
  std::optional<NetioServer> against;
  std::optional<Converged> converged;

  nlohmann::ordered_json json() const override;
  /// Names the rows whose figure differs from the delivered rate by more than 1 %, and the duration from which on it
  /// would not; empty: none.
  std::string warning() const override;
  /// The table as netio users know it, load and counters below.
  std::string table() const override;
};

}  // namespace planar
