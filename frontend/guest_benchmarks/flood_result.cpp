// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/flood_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "frontend/output/output.hpp"

namespace planar {
namespace {

constexpr std::array<std::pair<const char*, double>, 4> percentiles{
    {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"max", 1.0}}};

double us(Time t) { return static_cast<double>(t.ps) * 1e-6; }

}  // namespace

std::string served_by(const std::string& mode, const std::optional<unsigned>& timer_rate) {
  if (mode == "interrupt") return {};
  if (mode == "delayed") return ", adapter served by delayed interrupts";
  if (mode == "batch") return ", adapter served in batches";
  if (mode == "poll") return ", adapter served by polling";
  return fmt::format(", adapter served by {}{}", mode, timer_rate ? fmt::format(" at {} Hz", *timer_rate) : "");
}

std::int64_t FloodRow::before_kernel() const {
  const auto ended = delivered - seen.duplicates + backlog_dropped + socket_dropped + queue_dropped;
  return static_cast<std::int64_t>(on_wire()) - static_cast<std::int64_t>(ended) - sending_lost();
}

std::int64_t FloodRow::adapter_lost() const {
  return std::clamp(seen.not_received(), std::int64_t{0}, std::max(before_kernel(), std::int64_t{0}));
}

std::int64_t FloodRow::fifo_lost() const {
  return std::min(static_cast<std::int64_t>(seen.after.fifo - seen.before.fifo), adapter_lost());
}

std::string FloodRow::discrepancy(bool bridged) const {
  if (bridge_lost() < 0 || (bridge_lost() > 0 && !bridged))
    return fmt::format("the generator counts {} frames, the wire {}", offered, seen.on_wire);
  if (generated != offered + held_back + given_up)
    return fmt::format("{} frames generated, but {} offered, {} held back, {} given up", generated, offered, held_back,
                       given_up);
  if (of_earlier && run == 1) return fmt::format("{} frames of no run have come", of_earlier);
  if (sending_lost() < 0)
    return fmt::format("the router has forwarded {} frames, {} were on the wire and {} dropped", passed_on, delivered,
                       queue_dropped);
  if (forwarded && counted > delivered)
    return fmt::format("{} frames were forwarded, the station beyond the router counted {}", delivered, counted);
  if (seen.delivered != delivered)
    return fmt::format("the guest says that it has counted {} frames, but {} were seen", delivered, seen.delivered);
  if (before_kernel() < 0)
    return fmt::format("the guest counted {} frames more than were on the wire", -before_kernel());
  if (seen.not_received() < 0)
    return fmt::format("the adapter has received {} frames more than were sent to it", -seen.not_received());
  if (seen.not_received() > before_kernel() + static_cast<std::int64_t>(seen.others))
    return fmt::format("the adapter has not received {} frames, the guest lacks {}", seen.not_received(),
                       before_kernel());
  return {};
}

std::vector<FloodRow> flood_rows(const GuestOutput& guest, const FloodMeter& meter, double seconds) {
  std::vector<FloodRow> rows;
  FloodRow row;
  std::uint64_t interrupts = 0, passed_on = 0, queue_dropped = 0, unresolved = 0;
  for (const GuestLine& line : guest.lines()) {
    const auto number = [&](const char* key) { return line.number(key).value_or(0); };
    if (line.tagged("@flood generator")) {
      row.generated = number("generated");
      row.offered = number("offered");
      row.held_back = number("held_back");
      row.given_up = number("given_up");
    } else if (line.tagged("@counters")) {
      row.interrupts = number("interrupts") - interrupts;
      interrupts = number("interrupts");
    } else if (line.tagged("@forward")) {
      row.forwarded = true;
      row.passed_on = number("forwarded") - passed_on;
      row.unresolved = number("unresolved") - unresolved;
      row.queue_dropped = number("queue") - queue_dropped + row.unresolved;
      unresolved = number("unresolved");
      passed_on = number("forwarded");
      queue_dropped = number("queue");
    } else if (line.tagged("@flood sink")) {
      row.delivered = number("delivered");
      row.backlog_dropped = number("backlog");
      row.socket_dropped = number("socket");
      row.of_earlier = number("strange");
      for (const FloodSeen& seen : meter.runs())
        if (seen.run == row.run) {
          row.seen = seen;
          if (seen.last > seen.ends) row.seconds = (seen.last - seen.began).seconds();
          if (row.forwarded) row.delivered = seen.passed_on;
          rows.push_back(row);
        }
    } else if (line.tagged("@flood") && line.number("frame")) {
      row = {};
      row.run = static_cast<std::uint32_t>(number("run"));
      row.rate = static_cast<std::uint32_t>(number("rate"));
      row.seconds = seconds;
    }
  }
  return rows;
}

void note_page(const GuestLine& line, FloodMeter& meter) {
  if (const auto page = line.tagged("@flood") ? line.value("page") : std::nullopt)
    meter.found_page(static_cast<std::uint32_t>(std::strtoul(page->c_str(), nullptr, 16)));
}

nlohmann::ordered_json cpu_json(const FloodSeen& seen) {
  nlohmann::ordered_json cpu;
  for (unsigned a = 0; a < FloodSeen::activities; ++a)
    cpu[FloodSeen::names[a]] = rounded(seen.percent(static_cast<FloodSeen::Activity>(a)), 2);
  cpu["busy"] = rounded(seen.busy_percent(), 2);
  return cpu;
}

std::optional<double> FloodResult::knee() const {
  std::optional<double> best;
  auto sorted = rows;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.rate < b.rate; });
  for (const FloodRow& row : sorted) {
    // a frame that is under way when the generator ends is not lost; a router asks for an address only once
    const double missing = static_cast<double>(row.on_wire() - row.unresolved) - static_cast<double>(row.seen.in_time);
    if (missing > 0.01 * static_cast<double>(row.on_wire())) break;
    best = row.offered_per_s();
  }
  return best;
}

nlohmann::ordered_json FloodResult::json() const {
  auto out =
      json_head("planar.flood/1", {{"depth", depth}, {"mode", mode}, {"frame_bytes", frame_bytes}, {"burst", burst}});
  if (timer_rate) out["timer_rate"] = *timer_rate;
  for (const FloodRow& row : rows) {
    nlohmann::ordered_json r{{"rate", row.rate},
                             {"seconds", rounded(row.seconds, 6)},
                             {"offered", row.on_wire()},
                             {"offered_per_s", rounded(row.offered_per_s(), 2)},
                             {"delivered", row.delivered - row.seen.duplicates},
                             {"delivered_in_time", row.seen.in_time},
                             {"delivered_per_s", rounded(row.delivered_per_s(), 2)},
                             {"held_back", row.held_back},
                             {"given_up", row.given_up},
                             {"bridge", row.bridge_lost()},
                             {"lost",
                              {{"fifo", row.fifo_lost()},
                               {"ring", row.adapter_lost() - row.fifo_lost()},
                               {"driver", row.driver_lost()},
                               {"backlog", row.backlog_dropped}}},
                             {"interrupts", row.interrupts}};
    if (row.forwarded) {
      r["lost"]["queue"] = row.queue_dropped;
      r["lost"]["sending"] = row.sending_lost();
      r["counted"] = row.counted;
      if (row.counted != row.delivered) r["spoilt"] = row.delivered - row.counted;
    } else {
      r["lost"]["socket"] = row.socket_dropped;
    }
    const auto gaps = row.seen.gaps();
    r["gaps"] = {{"count", gaps.count}, {"longest", gaps.longest}};
    if (row.seen.duplicates) r["duplicates"] = row.seen.duplicates;
    if (row.of_earlier) r["of_earlier_runs"] = row.of_earlier;
    r["cpu_percent"] = cpu_json(row.seen);
    nlohmann::ordered_json latency;
    for (const auto& [name, part] : percentiles)
      if (const auto t = row.seen.latency_of(part)) latency[name] = rounded(us(*t), 1);
    if (!latency.empty()) r["latency_us"] = std::move(latency);
    out["rows"].push_back(std::move(r));
  }
  if (stalled_at) out["stalled_at_rate"] = *stalled_at;
  if (const auto k = knee()) out["knee_per_s"] = rounded(*k, 2);
  put_figures(out);
  put_end(out);
  return out;
}

std::string FloodResult::table() const {
  const bool router = depth == "forward";
  std::string out = heading(
      fmt::format("flood, {} bytes{}, {}{}{}", frame_bytes, burst > 1 ? fmt::format(" in bursts of {}", burst) : "",
                  router ? "passed on to another segment" : "counted in the ", router ? "" : depth,
                  served_by(mode, timer_rate)),
      nullptr);
  out +=
      fmt::format("{:>8} {:>8} {:>8} {:>6} | lost: {:>6} {:>6} {:>6} {:>7} {:>6}{}\n", "frames/s", "offered", "in time",
                  "late", "fifo", "ring", "driver", "backlog", router ? "queue" : "socket", router ? " sending" : "");
  for (const FloodRow& row : rows)
    out += fmt::format("{:>8} {:>8} {:>8} {:>6} | {:>12} {:>6} {:>6} {:>7} {:>6}{}\n", row.rate, row.on_wire(),
                       row.seen.in_time, row.delivered - row.seen.duplicates - row.seen.in_time, row.fifo_lost(),
                       row.adapter_lost() - row.fifo_lost(), row.driver_lost(), row.backlog_dropped,
                       row.forwarded ? row.queue_dropped : row.socket_dropped,
                       router ? fmt::format(" {:>7}", row.sending_lost()) : "");
  const bool polled = mode == "poll";
  out += fmt::format("\n{:>8} | %: {:>6} {:>6} {:>7} {:>5} {:>5} | latency, µs: {:>6} {:>7} {:>7} {:>7}\n", "frames/s",
                     polled ? "poll" : "interr.", "b.half", "process", "other", "idle", "p50", "p90", "p99", "max");
  for (const FloodRow& row : rows) {
    out += fmt::format("{:>8} | {:>10.1f} {:>6.1f} {:>7.1f} {:>5.1f} {:>5.1f} |", row.rate,
                       row.seen.driver_percent(polled), row.seen.percent(FloodSeen::bottom_half),
                       row.seen.percent(FloodSeen::process), row.seen.other_percent(polled),
                       row.seen.percent(FloodSeen::idle));
    for (const auto& [name, part] : percentiles) {
      const auto t = row.seen.latency_of(part);
      out += fmt::format(" {:>{}}", t ? fmt::format("{:.0f}", us(*t)) : "-", part == 0.5 ? 19 : 7);
    }
    out += "\n";
  }
  for (const FloodRow& row : rows)
    if (row.seen.duplicates)
      out += fmt::format("at {} frames/s {} were delivered twice\n", row.rate, row.seen.duplicates);
  for (const FloodRow& row : rows)
    if (row.of_earlier)
      out += fmt::format("at {} frames/s the adapter delivered {} from an earlier rate\n", row.rate, row.of_earlier);
  for (const FloodRow& row : rows)
    if (row.forwarded && row.counted != row.delivered)
      out += fmt::format("at {} frames/s {} were forwarded with altered contents\n", row.rate,
                         row.delivered - row.counted);
  for (const FloodRow& row : rows)
    if (row.bridge_lost() > 0)
      out += fmt::format("at {} frames/s {} were lost before they reached this medium, at a bridge or switch\n",
                         row.rate, row.bridge_lost());
  for (const FloodRow& row : rows)
    if ((row.seen.last - row.seen.ends) * 100 > row.seen.ends - row.seen.began)
      out += fmt::format(
          "at {} frames/s frames were still waiting for the wire when the last one had been generated: "
          "they took {:.3f} s\n",
          row.rate, row.seconds);
  for (const FloodRow& row : rows)
    if (row.unresolved)
      out += fmt::format("at {} frames/s {} were dropped while the router asked for the next station's address\n",
                         row.rate, row.unresolved);
  out += interrupted_text();
  if (stalled_at) out += fmt::format("\nafter the run at {} frames/s the adapter received nothing more\n", *stalled_at);
  const auto k = knee();
  if (rows.empty()) return out + counts_text();
  out += k ? fmt::format("\nup to {:.0f} frames/s, more than 99 % are delivered in time\n", *k)
           : std::string("\nat every rate more than 1 % are not delivered in time\n");
  return out + counts_text();
}

}  // namespace planar
