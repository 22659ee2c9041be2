// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/flood_send.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"
#include "devices/stations/peer/counter.hpp"
#include "frontend/guest_benchmarks/benchmark_run.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/guest_benchmarks/cached_run.hpp"
#include "frontend/guest_benchmarks/flood_result.hpp"
#include "frontend/output/output.hpp"
#include "machines/lab/stations.hpp"

namespace planar {

std::uint64_t counted_by_stations(Lab& lab, std::uint32_t run) {
  std::uint64_t frames = 0;
  for (const net::Peer* peer : reference_stations(lab))
    if (const auto* counter =
            dynamic_cast<const net::CounterService*>(peer->services().find(net::Transport::udp, net::counter_port)))
      frames += counter->count(run).frames;
  return frames;
}

std::string FloodSendRow::discrepancy(bool bridged) const {
  if (seen.run != run) return "no frame of it was on the wire";
  if (seen.on_wire > given)
    return fmt::format("{} frames were on the wire, but only {} were given to the driver", seen.on_wire, given);
  if (counted > seen.on_wire) return fmt::format("the station counts {} frames, the wire {}", counted, seen.on_wire);
  if (!bridged && counted != seen.on_wire)
    return fmt::format("{} frames were on the wire, the station counts {}", seen.on_wire, counted);
  return {};
}

nlohmann::ordered_json FloodSendResult::json() const {
  auto out = json_head("planar.flood-send/1", {{"mode", mode}, {"frame_bytes", frame_bytes}});
  if (timer_rate) out["timer_rate"] = *timer_rate;
  for (const FloodSendRow& row : rows) {
    nlohmann::ordered_json r{
        {"from", row.from},
        {"frame_bytes", frame_bytes},
        {"seconds", rounded(row.seconds, 6)},
        {"given", row.given},
        {"sent", row.seen.on_wire},
        {"sent_in_time", row.seen.in_time},
        {"sent_per_s", rounded(row.sent_per_s(), 2)},
        {"counted", row.counted},
        {"lost", {{"driver", row.given - row.seen.on_wire}, {"bridge", row.seen.on_wire - row.counted}}},
        {"refused", row.refused},
        {"interrupts", row.interrupts}};
    r["cpu_percent"] = cpu_json(row.seen);
    out["rows"].push_back(std::move(r));
  }
  put_figures(out);
  put_end(out);
  return out;
}

std::string FloodSendResult::table() const {
  const bool polled = mode == "poll";
  std::string out = heading(fmt::format("flood --send, {} bytes{}", frame_bytes, served_by(mode, timer_rate)), nullptr);
  out += fmt::format("{:>8} {:>8} {:>8} {:>8} {:>8} | %: {:>6} {:>6} {:>7} {:>5} {:>5}\n", "from", "given", "sent",
                     "counted", "sent/s", polled ? "poll" : "interr.", "b.half", "process", "other", "idle");
  for (const FloodSendRow& row : rows)
    out += fmt::format("{:>8} {:>8} {:>8} {:>8} {:>8.0f} | {:>9.1f} {:>6.1f} {:>7.1f} {:>5.1f} {:>5.1f}\n", row.from,
                       row.given, row.seen.on_wire, row.counted, row.sent_per_s(), row.seen.driver_percent(polled),
                       row.seen.percent(FloodSeen::bottom_half), row.seen.percent(FloodSeen::process),
                       row.seen.other_percent(polled), row.seen.percent(FloodSeen::idle));
  out += interrupted_text();
  return out + counts_text();
}

int run_flood_send(const GuestRunOptions& o, const FloodSendOptions& send) {
  if (o.runs > 1 && send.from == "both")
    throw Error("--send both and --runs: choose kernel or process; means are formed for one of them");
  if (const auto code = o.several(send.from == "kernel" ? flood_send_benchmark : flood_send_process_benchmark))
    return *code;
  if (o.state.restore)
    throw Error("--restore and flood: every frame is counted from the first one on; leave --restore out");
  const Time seconds = parse_seconds(send.seconds);
  const std::vector<std::uint32_t> lengths(send.from == "both" ? 2 : 1, send.frame);
  CachedRun cached(o, flood_send_benchmark, lengths, seconds.seconds());
  if (const auto code = cached.put()) return *code;
  GuestTasks tasks{.client = "flood-send",
                   .server = "",
                   .settings = {{"seconds", send.seconds},
                                {"frame", std::to_string(send.frame)},
                                {"from", send.from},
                                {"receive", send.mode},
                                {"receive_rate", std::to_string(send.timer_rate)}},
                   .system = o.system,
                   .of_station = true};
  auto session = o.open(tasks);
  if (session->lab().machines() > 1) throw Error("flood watches one machine; the lab has more");
  FloodMeter meter(session->lab());
  meter.watch_sending(seconds);
  FloodSendResult result;
  std::uint64_t interrupts = 0;
  session->on_guest_line([&](std::size_t, const GuestLine& line) {
    note_page(line, meter);
    if (line.tagged("@flood send")) {
      meter.run_ended();
      FloodSendRow& row = result.rows.emplace_back();
      row.run = static_cast<std::uint32_t>(line.number("run").value_or(0));
      row.from = line.value("from").value_or("");
      row.given = line.number("given").value_or(0);
      row.refused = line.number("refused").value_or(0);
      row.seconds = seconds.seconds();
      row.counted = counted_by_stations(session->lab(), row.run);
      if (!meter.runs().empty()) row.seen = meter.runs().back();
      session->progress().row(fmt::format("from {}: {:.0f} frames/s", row.from, row.sent_per_s()));
    } else if (line.tagged("@counters") && !result.rows.empty()) {
      const auto all = line.number("interrupts").value_or(0);
      result.rows.back().interrupts = all - interrupts;
      interrupts = all;
    }
  });
  const bool finished = run_guests(*session, 60_s + 2 * seconds, "flood", o.output.quiet, [&] {
    return result.rows.empty() ? std::string("booting") : result.rows.back().from;
  });
  collect(*session, "@flood start", "@flood end", result);
  result.frame_bytes = send.frame;
  result.mode = send.mode;
  if (send.mode == "timer") result.timer_rate = send.timer_rate;
  result.interrupted = !finished;
  const int code = conclude(*session, o.output, result);
  for (const FloodSendRow& row : result.rows)
    if (const auto wrong = row.discrepancy(session->lab().media().size() > 1); !wrong.empty())
      throw Error(fmt::format("flood --send from {} does not add up: {}", row.from, wrong), ExitCode::scenario_failed);
  cached.made(result);
  return code;
}

}  // namespace planar
