// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/benchmarks/netio_result.hpp"

#include <fmt/format.h>

#include "frontend/cli/output.hpp"
#include "frontend/report/labels.hpp"

namespace planar {

double NetioRow::kb_per_s() const {
  return ticks ? static_cast<double>(blocks) * packet_bytes / static_cast<double>(ticks) : 0.0;
}

std::optional<NetioRow> netio_row(const GuestLine& line, const std::string& tag) {
  if (!line.tagged(tag)) return std::nullopt;
  const auto bytes = line.number("bytes"), blocks = line.number("blocks"), ticks = line.number("ticks");
  if (!bytes || !blocks || !ticks) return std::nullopt;
  return NetioRow{static_cast<std::uint32_t>(*bytes), *blocks, *ticks};
}

std::vector<NetioRow> netio_rows(const GuestOutput& guest, const std::string& tag) {
  std::vector<NetioRow> rows;
  for (const auto& line : guest.lines())
    if (const auto row = netio_row(line, tag)) rows.push_back(*row);
  return rows;
}

nlohmann::ordered_json NetioResult::json() const {
  nlohmann::ordered_json out;
  out["schema"] = "planar.netio/1";
  put_setup(out);
  out["netio_version"] = netio_version;
  out["guest_image_sha256"] = guest_image_sha256;
  out["rows"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out["rows"].push_back({{"packet_bytes", rows[i].packet_bytes}, {"kb_per_s", rounded(rows[i].kb_per_s(), 2)}});
    if (i < received_rows.size()) out["rows"].back()["received_kb_per_s"] = rounded(received_rows[i].kb_per_s(), 2);
  }
  put_figures(out);
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
  const std::string other_end = against ? "against " + against->pairing() : "net " + net;
  std::string out = fmt::format("netio {} on {}, {}{}\n\n", netio_version, pairing(), other_end,
                                repeatable ? "" : " (host in the loop, not repeatable)");
  if (received_rows.empty())
    out += fmt::format("{:>12}  {:>12}\n", "packet", "KB/s");
  else
    out += fmt::format("{:>12}  {:>12}  {:>12}\n", "packet", "KB/s sent", "received");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += fmt::format("{:>12}  {:>12.1f}", size_name(rows[i].packet_bytes), rows[i].kb_per_s());
    if (i < received_rows.size()) out += fmt::format("  {:>12.1f}", received_rows[i].kb_per_s());
    out += "\n";
  }
  out += "\n" + load_text();
  out += counted_text(frames) + "\n";
  if (against)
    out += fmt::format("the server, {}: CPU load {:.1f} %, {:.1f} % truly busy; {} KB received, {} KB sent; {}\n",
                       against->machine, against->cpu_load_percent, against->true_busy_percent, against->received_kb,
                       against->sent_kb, counted_text(against->frames));
  out += counts_text();
  return out;
}

}  // namespace planar
