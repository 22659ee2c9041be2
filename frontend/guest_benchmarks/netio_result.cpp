// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/netio_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frontend/output/frame_counts.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/output/output.hpp"

namespace planar {

Time NetioRow::measured() const {
  constexpr std::uint64_t most = 3'600'000 * std::uint64_t{1024};  // `ticks` is an unchecked value from the guest
  return Time{static_cast<std::int64_t>(std::min(ticks, most)) * (1'000'000'000'000 / 1024)};
}

std::uint64_t NetioRow::duration() const { return settled ? std::max(settled->of_ticks, ticks) : ticks; }

/// The rate of `bytes` over the time that was run, and the settled rate for the rest: bytes per tick are KB/s.
double NetioRow::figure(double bytes) const {
  const double rest = settled ? settled->kb_per_s * static_cast<double>(duration() - ticks) : 0.0;
  return (bytes + rest) / static_cast<double>(duration());
}

double NetioRow::kb_per_s() const { return ticks ? figure(static_cast<double>(blocks) * packet_bytes) : 0.0; }

std::optional<double> NetioRow::delivered_kb_per_s() const {
  if (!delivered || !ticks) return std::nullopt;
  return figure(static_cast<double>(delivered->bytes));
}

std::vector<double> NetioRow::delivered_over_time() const {
  std::vector<double> rates;
  if (!delivered || !ticks) return rates;
  for (const auto bytes : delivered->bytes_by_part)
    rates.push_back(static_cast<double>(bytes) * DeliveryMeter::parts / static_cast<double>(ticks));
  return rates;
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
  auto out = json_head("planar.netio/2", {{"netio_version", netio_version}});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out["rows"].push_back({{"packet_bytes", rows[i].packet_bytes}, {"kb_per_s", rounded(rows[i].kb_per_s(), 2)}});
    if (const auto delivered = rows[i].delivered_kb_per_s())
      out["rows"].back()["delivered_kb_per_s"] = rounded(*delivered, 2);
    for (const double rate : rows[i].delivered_over_time())
      out["rows"].back()["delivered_over_time"].push_back(rounded(rate, 1));
    if (rows[i].busy_percent) out["rows"].back()["busy_percent"] = rounded(*rows[i].busy_percent, 2);
    if (i >= received_rows.size()) continue;
    out["rows"].back()["received_kb_per_s"] = rounded(received_rows[i].kb_per_s(), 2);
    if (const auto busy = received_rows[i].busy_percent)
      out["rows"].back()["received_busy_percent"] = rounded(*busy, 2);
  }
  if (converged) out["converged"] = converged->json(rows);
  put_figures(out);
  if (against) {
    out["against"] = against->server_json();
    out["against"]["received_kb"] = or_null(against->received_kb);
    out["against"]["sent_kb"] = or_null(against->sent_kb);
  }
  put_end(out);
  return out;
}

std::string NetioResult::warning() const {
  std::string more, less;
  double seconds = 0;
  for (const NetioRow& row : rows) {
    const auto delivered = row.delivered_kb_per_s();
    const double excess = row.kb_per_s() - delivered.value_or(row.kb_per_s());
    if (std::abs(excess) <= 0.01 * delivered.value_or(0)) continue;
    std::string& sizes = excess > 0 ? more : less;
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", size_name(row.packet_bytes));
    if (*delivered > 0)  // what the send buffer holds does not depend on the row's duration
      seconds = std::max(seconds, std::abs(excess) * static_cast<double>(row.duration()) / 1024 / (0.01 * *delivered));
  }
  if (more.empty() && less.empty()) return {};
  std::string out = "netio's figure differs from what was delivered by more than 1 %";
  if (!more.empty()) out += fmt::format(" at {}: it counts what is still in the send buffer", more);
  if (!less.empty())
    out += fmt::format("{} at {}: data that it counted in the row before were delivered", more.empty() ? "" : ", and",
                       less);
  return out + (seconds > 0 ? fmt::format("; take --seconds {:.0f} or more", std::ceil(seconds)) : "");
}

std::string NetioResult::table() const {
  std::string out = heading(netio_version.empty() ? "netio" : "netio " + netio_version, against ? &*against : nullptr);
  const bool watched = !rows.empty() && rows.front().delivered, both = !received_rows.empty();
  out += fmt::format("{:>12}  {:>12}", "packet", both ? "KB/s sent" : "KB/s");
  if (watched) out += fmt::format("  {:>12}", "delivered");
  if (both) out += fmt::format("  {:>12}", "received");
  out += "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += fmt::format("{:>12}  {:>12.1f}", size_name(rows[i].packet_bytes), rows[i].kb_per_s());
    if (watched) out += fmt::format("  {:>12.1f}", rows[i].delivered_kb_per_s().value_or(0));
    if (i < received_rows.size()) out += fmt::format("  {:>12.1f}", received_rows[i].kb_per_s());
    out += "\n";
  }
  out += interrupted_text();
  if (converged && converged->shorter())
    out += fmt::format(
        "\n--converge {:g}: the rates had settled after {:g} s per size; the figures are those of {:g} s, the rest is "
        "of\n"
        "the shorter run\n",
        converged->percent, converged->seconds(), converged->of_seconds);
  else if (converged)
    out += fmt::format("\n--converge {:g}: the rates did not settle earlier; each size lasted {:g} s\n",
                       converged->percent, converged->of_seconds);
  if (const auto text = warning(); !text.empty()) out += "\n" + text + "\n";
  out += "\n" + load_text();
  std::string server;
  if (against) {
    server = against->server_text() + "; ";
    if (against->received_kb && against->sent_kb)
      server += fmt::format("{} KB received, {} KB sent; ", *against->received_kb, *against->sent_kb);
    server += counted_text(against->frames) + "\n";
  }
  return out + counts_text(server);
}

}  // namespace planar
