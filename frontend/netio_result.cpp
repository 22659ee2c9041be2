// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/netio_result.hpp"

#include <fmt/format.h>

#include "frontend/output.hpp"

namespace planar {

std::string size_name(std::uint32_t bytes) {
  if (bytes == 32767) return "32K";
  return bytes % 1024 == 0 ? fmt::format("{}K", bytes / 1024) : fmt::format("{}", bytes);
}

nlohmann::ordered_json NetioResult::json() const {
  nlohmann::ordered_json out;
  out["schema"] = "planar.netio/1";
  out["machine"] = machine;
  out["card"] = card;
  out["net"] = net;
  out["repeatable"] = repeatable;
  out["seed"] = seed;
  out["netio_version"] = netio_version;
  out["guest_image_sha256"] = guest_image_sha256;
  out["rows"] = nlohmann::ordered_json::array();
  for (const auto& row : rows)
    out["rows"].push_back({{"packet_bytes", row.packet_bytes}, {"kb_per_s", rounded(row.kb_per_s(), 2)}});
  out["cpu_load_percent"] = rounded(cpu_load_percent, 2);
  out["true_busy_percent"] = rounded(true_busy_percent, 2);
  out["virtual_seconds"] = rounded(virtual_seconds, 6);
  out["host_seconds"] = rounded(host_seconds, 3);
  out["instructions"] = instructions;
  out["cycles"] = cycles;
  out["frames"] = {{"sent", frames_sent}, {"received", frames_received}, {"collisions", collisions},
                   {"overruns", overruns}};
  out["state_hash"] = state_hash;
  return out;
}

std::string NetioResult::table() const {
  std::string out = fmt::format("netio {} on {} with {}, net {}{}\n\n", netio_version, machine, card, net,
                                repeatable ? "" : " (host in the loop, not repeatable)");
  out += fmt::format("{:>12}  {:>12}\n", "packet", "KB/s");
  for (const auto& row : rows)
    out += fmt::format("{:>12}  {:>12.1f}\n", size_name(row.packet_bytes), row.kb_per_s());
  out += fmt::format("\nCPU load {:.1f} % by the guest's clock ticks, {:.1f} % truly busy\n", cpu_load_percent,
                     true_busy_percent);
  out += fmt::format("frames: {} sent, {} received, {} collisions, {} overruns\n", frames_sent, frames_received,
                     collisions, overruns);
  out += fmt::format("{:.3f} s virtual, {:.2f} s host: {:.1f}x real time; {} instructions, {} cycles\n",
                     virtual_seconds, host_seconds, host_seconds > 0 ? virtual_seconds / host_seconds : 0.0,
                     instructions, cycles);
  out += fmt::format("state {}\n", state_hash);
  return out;
}

}  // namespace planar
