// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/netperf_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "frontend/output/frame_counts.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/output/output.hpp"

namespace planar {

namespace {

double over(double amount, std::uint64_t microseconds) {
  return microseconds ? amount / (static_cast<double>(microseconds) * 1e-6) : 0.0;
}
}  // namespace

double NetperfRun::mbit_per_s() const { return over(static_cast<double>(received) * 8e-6, microseconds); }
Time NetperfRun::duration() const {
  return Time{static_cast<std::int64_t>(std::min<std::uint64_t>(microseconds, 3'600'000'000)) * 1'000'000};
}

double NetperfRun::delivered_mbit_per_s() const {
  return over(static_cast<double>(delivered.value_or(0)) * 8e-6, microseconds);
}
double NetperfRun::sent_mbit_per_s() const {
  return over(static_cast<double>(messages) * message_bytes * 8e-6, microseconds);
}
double NetperfRun::kb_per_s() const { return over(static_cast<double>(received) / 1024, microseconds); }
double NetperfRun::transactions_per_s() const { return over(static_cast<double>(messages), microseconds); }

std::optional<NetperfRun> netperf_run(const GuestLine& line, bool datagrams) {
  if (!line.tagged("@row") && !line.tagged("@run")) return std::nullopt;
  const auto bytes = line.number("bytes"), messages = line.number("messages"), us = line.number("us"),
             kb = line.number("received_kb"), rest = line.number("received_rest");
  if (!bytes || !messages || !us || !kb || !rest) return std::nullopt;
  NetperfRun run{static_cast<std::uint32_t>(*bytes), *messages, *us, *kb * 1024 + *rest};
  if (datagrams) {
    run.messages_received = run.received;
    run.received *= run.message_bytes;
  }
  return run;
}

namespace {
constexpr double percent = 1e-4;  // per millionth

std::optional<double> millionths(const GuestLine& line, const std::string& key) {
  const auto value = line.number(key);
  return value ? std::optional(static_cast<double>(*value) * percent) : std::nullopt;
}

NetperfConfidence confidence(const GuestLine& line) {
  return {static_cast<unsigned>(line.number("level").value_or(0)),
          millionths(line, "width").value_or(0),
          line.number("met").value_or(0) != 0,
          millionths(line, "result"),
          millionths(line, "local"),
          millionths(line, "remote")};
}
}  // namespace

// Lines on a run's socket buffers and processor load come before the run, the confidence after all runs.
std::vector<NetperfRow> netperf_rows(const std::vector<GuestLine>& lines, bool datagrams) {
  std::vector<NetperfRow> rows;
  std::vector<NetperfRun> runs;
  NetperfRun next;
  for (const GuestLine& line : lines) {
    if (line.tagged("@buffers")) {
      const auto bytes = [&](const char* key) { return line.number(key).value_or(0); };
      next.buffers = {bytes("local_send"), bytes("local_receive"), bytes("remote_send"), bytes("remote_receive")};
    } else if (line.tagged("@cpu")) {
      const auto ticks = line.number("ticks"), busy = line.number("busy");
      if (ticks && busy && *ticks) next.cpu_percent = 100.0 * static_cast<double>(*busy) / static_cast<double>(*ticks);
      next.server_cpu_percent = millionths(line, "server_millionths");
    } else if (auto run = netperf_run(line, datagrams)) {
      run->buffers = next.buffers;
      run->cpu_percent = next.cpu_percent;
      run->server_cpu_percent = next.server_cpu_percent;
      next = {};
      runs.push_back(*run);
      if (line.tagged("@row")) rows.push_back({std::exchange(runs, {}), {}});
    } else if (line.tagged("@confidence") && !runs.empty()) {
      rows.push_back({std::exchange(runs, {}), confidence(line)});
      // A server that measures no load has no width to report.
      if (!rows.back().runs.back().server_cpu_percent) rows.back().confidence->server_cpu.reset();
    }
  }
  return rows;
}

namespace {

/// Truncates a mean, as netperf does. A guest can report 2^64 - 1, which as a mean is 2^64.
std::uint64_t whole(double mean) {
  return mean < 0x1p64 ? static_cast<std::uint64_t>(mean) : std::numeric_limits<std::uint64_t>::max();
}

nlohmann::ordered_json buffers_json(const NetperfRun::Buffers& b) {
  return {{"local_send", b.local_send},
          {"local_receive", b.local_receive},
          {"remote_send", b.remote_send},
          {"remote_receive", b.remote_receive}};
}

double result_of(const NetperfRun& run, bool stream) { return stream ? run.mbit_per_s() : run.transactions_per_s(); }

nlohmann::ordered_json confidence_json(const NetperfRow& row, bool stream) {
  const NetperfConfidence& c = *row.confidence;
  nlohmann::ordered_json out{
      {"level_percent", c.level}, {"width_percent", rounded(c.wanted, 3)}, {"runs", row.runs.size()}, {"met", c.met}};
  if (c.result) out["achieved_percent"] = rounded(*c.result, 4);
  if (c.cpu) out["cpu_achieved_percent"] = rounded(*c.cpu, 4);
  if (c.server_cpu) out["server_cpu_achieved_percent"] = rounded(*c.server_cpu, 4);
  for (const NetperfRun& run : row.runs) {
    nlohmann::ordered_json r{{stream ? "mbit_per_s" : "transactions_per_s", rounded(result_of(run, stream), 3)}};
    if (run.cpu_percent) r["cpu_load_percent"] = rounded(*run.cpu_percent, 2);
    if (run.buffers) r["socket_buffers"] = buffers_json(*run.buffers);
    out["each"].push_back(std::move(r));
  }
  return out;
}

}  // namespace

std::optional<nlohmann::ordered_json> NetperfStalls::json() const {
  nlohmann::ordered_json out;
  if (retransmitted) out["retransmitted"] = retransmitted;
  if (late_tests) {
    out["late_tests"] = late_tests;
    out["late_s"] = rounded(late_s, 3);
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

std::string stalls_text(const nlohmann::ordered_json& result) {
  const auto found = result.find("stalls");
  if (found == result.end()) return {};
  const auto again = found->value("retransmitted", std::uint64_t{0}),
             late = found->value("late_tests", std::uint64_t{1});
  const auto lost = result["frames"].value("overruns", std::uint64_t{0});
  std::string out;
  if (again)
    out = fmt::format("the station retransmitted {} that the guest had not acknowledged, after up to 3 s each time. ",
                      again == 1 ? "a segment" : fmt::format("{} segments", again));
  else
    out = fmt::format("{} {:.1f} s longer than {} should, waiting for a retransmission. ",
                      late > 1 ? fmt::format("{} tests lasted up to", late) : "a test lasted",
                      found->value("late_s", 0.0), late > 1 ? "they" : "it");
  if (again && lost >= again) return out + fmt::format("The adapter had no room for {} frames (overruns)", lost);
  return out +
         "An adapter or its driver can leave a frame until the next one comes (docs/hardware/netperf-stalls.md); see "
         "what other phases give: --runs 8";
}

std::string losses_text(const nlohmann::ordered_json& result) {
  constexpr double worth_telling = 0.01;
  std::string sizes;
  for (const auto& row : result.at("rows")) {
    const double sent = row.value("messages", 0.0), lost = row.value("lost", 0.0);
    if (lost > worth_telling * sent)
      sizes += fmt::format("{}{:.0f} % at {}", sizes.empty() ? "" : ", ", 100 * lost / sent,
                           size_name(row.at("packet_bytes").get<std::uint32_t>()));
  }
  return sizes.empty() ? sizes : "the server did not count all datagrams that were sent; lost: " + sizes;
}

nlohmann::ordered_json NetperfResult::json() const {
  auto out = json_head("planar.netperf/1", {{"test", test}});
  if (receiving) out["direction"] = "receive";
  for (const NetperfRow& row : rows) {
    using Run = NetperfRun;
    nlohmann::ordered_json r{{"packet_bytes", row.message_bytes()}};
    if (stream()) {
      r["mbit_per_s"] = rounded(row.mean(&Run::mbit_per_s), 3);
      r["kb_per_s"] = rounded(row.mean(&Run::kb_per_s), 2);
      if (datagrams()) r["sent_mbit_per_s"] = rounded(row.mean(&Run::sent_mbit_per_s), 3);
      if (row.watched()) r["delivered_mbit_per_s"] = rounded(row.mean(&Run::delivered_mbit_per_s), 3);
      r["messages"] = whole(row.mean(&Run::messages));
      if (datagrams()) {
        r["messages_received"] = whole(row.mean(&Run::messages_received));
        r["lost"] = whole(row.mean(&Run::lost));
      }
      r["received_bytes"] = whole(row.mean(&Run::received));
    } else {
      r["response_bytes"] = response_bytes;
      r["transactions_per_s"] = rounded(row.mean(&Run::transactions_per_s), 2);
      r["transactions"] = whole(row.mean(&Run::messages));
    }
    r["seconds"] = rounded(row.mean(&Run::microseconds) * 1e-6, 6);
    if (row.runs.back().cpu_percent) r["cpu_load_percent"] = rounded(row.mean(&Run::cpu_percent), 2);
    if (row.runs.back().server_cpu_percent)
      r["server_cpu_load_percent"] = rounded(row.mean(&Run::server_cpu_percent), 2);
    if (const auto& buffers = row.runs.back().buffers) r["socket_buffers"] = buffers_json(*buffers);
    if (row.confidence) r["confidence"] = confidence_json(row, stream());
    out["rows"].push_back(std::move(r));
  }
  if (served) {
    out["served"] = *served;
    out["served_runs"] = served_runs;
  }
  put_figures(out);
  if (const auto waits = stalls.json()) out["stalls"] = *waits;
  if (against) out["against"] = against->server_json();
  put_end(out);
  return out;
}

namespace {

double seconds(const NetperfRow& row) { return row.mean(&NetperfRun::microseconds) * 1e-6; }

// A line of its own, and netperf's warning if the width was not reached.
std::string confidence_text(const NetperfRow& row) {
  if (!row.confidence) return {};
  const NetperfConfidence& c = *row.confidence;
  const auto width = [](const std::optional<double>& w) { return w ? fmt::format("{:.2f} %", *w) : "unknown"; };
  std::string out = fmt::format("{:>12}  mean of {} runs, {} % interval {} wide (wanted: {:g} %)", row.message_bytes(),
                                row.runs.size(), c.level, width(c.result), c.wanted);
  if (c.cpu) out += fmt::format(", of the load {}", width(c.cpu));
  if (c.server_cpu) out += fmt::format(", of the server's load {}", width(c.server_cpu));
  if (!c.met) out += "\n              WARNING: wider than requested; allow more --iterations";
  return out + "\n";
}

// The load that the server itself reports, which is on no other line of the table.
std::string server_load_text(const std::vector<NetperfRow>& rows) {
  std::string out;
  for (const NetperfRow& row : rows)
    if (row.runs.back().server_cpu_percent)
      out += fmt::format("{:>12}  load of the server, as it reports it: {:.1f} %\n", row.message_bytes(),
                         row.mean(&NetperfRun::server_cpu_percent));
  return out.empty() ? "the server does not measure its load\n" : out;
}

}  // namespace

void NetperfResult::put_delivered(const std::vector<TestMeter::Span>& tests) {
  std::size_t runs = 0;
  for (const NetperfRow& row : rows) runs += row.runs.size();
  if (runs != tests.size()) return;  // some runs preceded the snapshot that this session continues
  auto test = tests.begin();
  for (NetperfRow& row : rows)
    for (NetperfRun& run : row.runs) run.delivered = test++->datagram_bytes;
}

std::string NetperfResult::warning() const {
  if (stalls.json()) return stalls_text(json());
  std::string sizes;
  double wanted = 0;
  for (const NetperfRow& row : rows) {
    if (!row.watched()) continue;
    const double delivered = row.mean(&NetperfRun::delivered_mbit_per_s);
    const double excess = row.mean(&NetperfRun::mbit_per_s) - delivered;
    if (excess <= 0.01 * delivered) continue;  // lost ones are no excess
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", size_name(row.message_bytes()));
    if (delivered > 0) wanted = std::max(wanted, excess * seconds(row) / (0.01 * delivered));
  }
  if (sizes.empty()) return {};
  return fmt::format(
      "netperf's figure exceeds what was delivered by more than 1 % at {}: the server also counts what the "
      "client's queues still held when time was up{}",
      sizes, wanted > 0 ? fmt::format("; take --seconds {:.0f} or more", std::ceil(wanted)) : "");
}

std::string NetperfResult::table() const {
  std::string out = heading(serving() ? "netserver" : "netperf " + test + (receiving ? ", received by the guest" : ""),
                            against ? &*against : nullptr);
  if (serving()) {
    out += served ? fmt::format("{} clients served, {} tests\n", *served, served_runs)
                  : "not all clients have connected; served clients are counted when the last one disconnects\n";
  } else if (datagrams()) {
    out += fmt::format("{:>9}  {:>9}  {:>13}  {:>9}  {:>9}  {:>9}  {:>9}  {:>6}\n", "message", "elapsed s",
                       "sent 10^6 b/s", "received", "delivered", "sent", "received", "lost");
    for (const NetperfRow& row : rows)
      out += fmt::format("{:>9}  {:>9.2f}  {:>13.2f}  {:>9.2f}  {:>9}  {:>9}  {:>9}  {:>6}\n", row.message_bytes(),
                         seconds(row), row.mean(&NetperfRun::sent_mbit_per_s), row.mean(&NetperfRun::mbit_per_s),
                         row.watched() ? fmt::format("{:.2f}", row.mean(&NetperfRun::delivered_mbit_per_s)) : "-",
                         whole(row.mean(&NetperfRun::messages)), whole(row.mean(&NetperfRun::messages_received)),
                         whole(row.mean(&NetperfRun::lost)));
  } else if (stream()) {
    out += fmt::format("{:>12}  {:>12}  {:>12}  {:>12}\n", "message", "elapsed s", "10^6 bit/s", "KB/s");
    for (const NetperfRow& row : rows)
      out += fmt::format("{:>12}  {:>12.2f}  {:>12.2f}  {:>12.1f}\n", row.message_bytes(), seconds(row),
                         row.mean(&NetperfRun::mbit_per_s), row.mean(&NetperfRun::kb_per_s));
  } else {
    out += fmt::format("{:>12}  {:>12}  {:>12}  {:>12}\n", "request", "response", "elapsed s", "trans. / s");
    for (const NetperfRow& row : rows)
      out += fmt::format("{:>12}  {:>12}  {:>12.2f}  {:>12.1f}\n", row.message_bytes(), response_bytes, seconds(row),
                         row.mean(&NetperfRun::transactions_per_s));
  }
  for (const NetperfRow& row : rows) out += confidence_text(row);
  if (server_load && !rows.empty()) out += server_load_text(rows);
  out += interrupted_text();
  if (const auto text = warning(); !text.empty()) out += "\n" + text + "\n";
  out += "\n" + load_text();
  return out +
         counts_text(against ? fmt::format("{}; {}\n", against->server_text(), counted_text(against->frames)) : "");
}

}  // namespace planar
