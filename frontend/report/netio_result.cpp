// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/report/netio_result.hpp"

#include <fmt/format.h>

#include <map>

#include "frontend/cli/output.hpp"

namespace planar {

namespace {

nlohmann::ordered_json counted(const NetCounters& frames) {
  nlohmann::ordered_json out{{"sent", frames.sent}, {"received", frames.received}};
  for (const net::NamedCount& count : frames.of_medium) out[std::string(count.name)] = count.value;
  out["overruns"] = frames.overruns;
  return out;
}

std::string counted_text(const NetCounters& frames) {
  std::string out = fmt::format("frames: {} sent, {} received", frames.sent, frames.received);
  for (const net::NamedCount& count : frames.of_medium) out += fmt::format(", {} {}", count.value, count.name);
  return out + fmt::format(", {} overruns", frames.overruns);
}

std::string pairing(const std::string& machine, const std::string& card, bool hypothetical) {
  return fmt::format("{} with {}{}", machine, card, hypothetical ? " (hypothetical interface)" : "");
}

}  // namespace

std::string size_name(std::uint32_t bytes) {
  if (bytes == 32767) return "32K";
  return bytes % 1024 == 0 ? fmt::format("{}K", bytes / 1024) : fmt::format("{}", bytes);
}

std::string frame_part_title(const std::string& name) {
  static const std::map<std::string, std::string> titles{{"cpu_copy", "CPU copy"}, {"bus_wait", "bus wait"}};
  const auto found = titles.find(name);
  return found == titles.end() ? name : found->second;
}

nlohmann::ordered_json NetioResult::json() const {
  nlohmann::ordered_json out;
  out["schema"] = "planar.netio/1";
  out["machine"] = machine;
  out["card"] = card;
  out["hypothetical"] = hypothetical;
  out["net"] = net;
  out["repeatable"] = repeatable;
  out["seed"] = seed;
  out["netio_version"] = netio_version;
  out["guest_image_sha256"] = guest_image_sha256;
  out["rows"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out["rows"].push_back({{"packet_bytes", rows[i].packet_bytes}, {"kb_per_s", rounded(rows[i].kb_per_s(), 2)}});
    if (i < received_rows.size()) out["rows"].back()["received_kb_per_s"] = rounded(received_rows[i].kb_per_s(), 2);
  }
  out["cpu_load_percent"] = rounded(cpu_load_percent, 2);
  out["true_busy_percent"] = rounded(true_busy_percent, 2);
  if (frame_time && clock) {
    const auto us = [](std::int64_t ns) { return rounded(static_cast<double>(ns) / 1000, 3); };
    nlohmann::ordered_json parts;
    const auto ns = frame_time->parts_ns(*clock);
    for (unsigned p = 0; p < FrameTime::parts; ++p) parts[FrameTime::names[p]] = us(ns[p]);
    out["frame_time"] = {{"packet_bytes", frame_time->packet_bytes},
                         {"frame_bytes", frame_time->frame_bytes},
                         {"frames", frame_time->frames},
                         {"us", us(frame_time->total_ns(*clock))},
                         {"parts_us", std::move(parts)}};
  }
  out["virtual_seconds"] = rounded(virtual_seconds, 6);
  out["host_seconds"] = rounded(host_seconds, 3);
  out["instructions"] = instructions;
  out["cycles"] = cycles;
  out["frames"] = counted(frames);
  if (against) {
    const NetioServer& s = *against;
    // clang-format off
    out["against"] = {{"machine", s.machine}, {"card", s.card}, {"hypothetical", s.hypothetical},
                      {"cpu_load_percent", rounded(s.cpu_load_percent, 2)},
                      {"true_busy_percent", rounded(s.true_busy_percent, 2)},
                      {"received_kb", s.received_kb}, {"sent_kb", s.sent_kb},
                      {"instructions", s.instructions}, {"cycles", s.cycles},
                      // clang-format on
                      {"frames", counted(s.frames)}};
  }
  out["state_hash"] = state_hash;
  return out;
}

std::string NetioResult::table() const {
  const std::string other_end =
      against ? "against " + pairing(against->machine, against->card, against->hypothetical) : "net " + net;
  std::string out = fmt::format("netio {} on {}, {}{}\n\n", netio_version, pairing(machine, card, hypothetical),
                                other_end, repeatable ? "" : " (host in the loop, not repeatable)");
  if (received_rows.empty())
    out += fmt::format("{:>12}  {:>12}\n", "packet", "KB/s");
  else
    out += fmt::format("{:>12}  {:>12}  {:>12}\n", "packet", "KB/s sent", "received");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += fmt::format("{:>12}  {:>12.1f}", size_name(rows[i].packet_bytes), rows[i].kb_per_s());
    if (i < received_rows.size()) out += fmt::format("  {:>12.1f}", received_rows[i].kb_per_s());
    out += "\n";
  }
  out += fmt::format("\nCPU load {:.1f} % by the guest's clock ticks, {:.1f} % truly busy\n", cpu_load_percent,
                     true_busy_percent);
  if (frame_time && clock) {
    out += fmt::format("a frame of {} bytes takes {:.1f} us at {}:", frame_time->frame_bytes,
                       static_cast<double>(frame_time->total_ns(*clock)) / 1000, size_name(frame_time->packet_bytes));
    const auto ns = frame_time->parts_ns(*clock);
    for (unsigned p = 0; p < FrameTime::parts; ++p)
      out += fmt::format("{} {} {:.1f}", p ? "," : "", frame_part_title(FrameTime::names[p]),
                         static_cast<double>(ns[p]) / 1000);
    out += "\n";
  }
  out += counted_text(frames) + "\n";
  if (against)
    out += fmt::format("the server, {}: CPU load {:.1f} %, {:.1f} % truly busy; {} KB received, {} KB sent; {}\n",
                       against->machine, against->cpu_load_percent, against->true_busy_percent, against->received_kb,
                       against->sent_kb, counted_text(against->frames));
  out +=
      fmt::format("{:.3f} s virtual, {:.2f} s host: {:.1f}x real time; {} instructions, {} cycles\n", virtual_seconds,
                  host_seconds, host_seconds > 0 ? virtual_seconds / host_seconds : 0.0, instructions, cycles);
  out += fmt::format("state {}\n", state_hash);
  return out;
}

}  // namespace planar
