// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/benchmarks/netperf_result.hpp"

#include <fmt/format.h>

#include "frontend/cli/output.hpp"
#include "frontend/report/labels.hpp"

namespace planar {

namespace {
double over(double amount, std::uint64_t microseconds) {
  return microseconds ? amount / (static_cast<double>(microseconds) * 1e-6) : 0.0;
}
}  // namespace

double NetperfRow::mbit_per_s() const { return over(static_cast<double>(received) * 8e-6, microseconds); }
double NetperfRow::sent_mbit_per_s() const {
  return over(static_cast<double>(messages) * message_bytes * 8e-6, microseconds);
}
double NetperfRow::kb_per_s() const { return over(static_cast<double>(received) / 1024, microseconds); }
double NetperfRow::transactions_per_s() const { return over(static_cast<double>(messages), microseconds); }

std::optional<NetperfRow> netperf_row(const GuestLine& line, bool datagrams) {
  if (!line.tagged("@row")) return std::nullopt;
  const auto bytes = line.number("bytes"), messages = line.number("messages"), us = line.number("us"),
             kb = line.number("received_kb"), rest = line.number("received_rest");
  if (!bytes || !messages || !us || !kb || !rest) return std::nullopt;
  NetperfRow row{static_cast<std::uint32_t>(*bytes), *messages, *us, *kb * 1024 + *rest, {}};
  if (datagrams) {
    row.messages_received = row.received;
    row.received *= row.message_bytes;
  }
  return row;
}

nlohmann::ordered_json NetperfResult::json() const {
  nlohmann::ordered_json out;
  out["schema"] = "planar.netperf/1";
  put_setup(out);
  out["test"] = test;
  out["guest_image_sha256"] = guest_image_sha256;
  put_provenance(out);
  out["rows"] = nlohmann::ordered_json::array();
  for (const NetperfRow& row : rows) {
    nlohmann::ordered_json r{{"packet_bytes", row.message_bytes}};
    if (stream()) {
      r["mbit_per_s"] = rounded(row.mbit_per_s(), 3);
      r["kb_per_s"] = rounded(row.kb_per_s(), 2);
      if (datagrams()) r["sent_mbit_per_s"] = rounded(row.sent_mbit_per_s(), 3);
      r["messages"] = row.messages;
      if (row.messages_received) {
        r["messages_received"] = *row.messages_received;
        r["lost"] = row.lost();
      }
      r["received_bytes"] = row.received;
    } else {
      r["response_bytes"] = response_bytes;
      r["transactions_per_s"] = rounded(row.transactions_per_s(), 2);
      r["transactions"] = row.messages;
    }
    r["seconds"] = rounded(static_cast<double>(row.microseconds) * 1e-6, 6);
    out["rows"].push_back(std::move(r));
  }
  if (served) out["served"] = *served;
  put_figures(out);
  if (against) out["against"] = against->server_json();
  out["state_hash"] = state_hash;
  put_host(out);
  return out;
}

std::string NetperfResult::table() const {
  std::string out = heading(served ? "netserver" : "netperf " + test, against ? &*against : nullptr);
  if (served) {
    out += fmt::format("{} tests served\n", *served);
  } else if (datagrams()) {
    out += fmt::format("{:>12}  {:>10}  {:>12}  {:>12}  {:>10}  {:>10}  {:>8}\n", "message", "elapsed s",
                       "sent 10^6 b/s", "received", "sent", "received", "lost");
    for (const NetperfRow& row : rows)
      out += fmt::format("{:>12}  {:>10.2f}  {:>12.2f}  {:>12.2f}  {:>10}  {:>10}  {:>8}\n", row.message_bytes,
                         static_cast<double>(row.microseconds) * 1e-6, row.sent_mbit_per_s(), row.mbit_per_s(),
                         row.messages, row.messages_received.value_or(0), row.lost());
  } else if (stream()) {
    out += fmt::format("{:>12}  {:>12}  {:>12}  {:>12}\n", "message", "elapsed s", "10^6 bit/s", "KB/s");
    for (const NetperfRow& row : rows)
      out += fmt::format("{:>12}  {:>12.2f}  {:>12.2f}  {:>12.1f}\n", row.message_bytes,
                         static_cast<double>(row.microseconds) * 1e-6, row.mbit_per_s(), row.kb_per_s());
  } else {
    out += fmt::format("{:>12}  {:>12}  {:>12}  {:>12}\n", "request", "response", "elapsed s", "trans. / s");
    for (const NetperfRow& row : rows)
      out += fmt::format("{:>12}  {:>12}  {:>12.2f}  {:>12.1f}\n", row.message_bytes, response_bytes,
                         static_cast<double>(row.microseconds) * 1e-6, row.transactions_per_s());
  }
  if (interrupted) out += fmt::format("\ninterrupted at {:.3f} s virtual\n", virtual_seconds);
  out += "\n" + load_text();
  out += counted_text(frames) + "\n";
  if (against) out += fmt::format("{}; {}\n", against->server_text(), counted_text(against->frames));
  out += counts_text();
  return out;
}

}  // namespace planar
