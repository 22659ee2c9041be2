// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/benchmark_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "devices/stations/peer/peer.hpp"
#include "frontend/output/frame_counts.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/output/output.hpp"
#include "frontend/output/provenance.hpp"
#include "frontend/session/session.hpp"
#include "frontend/systems/operating_system.hpp"
#include "machines/lab/stations.hpp"
#include "roms/images.hpp"

namespace planar {
namespace {

/// The card that the guest's driver uses, by the slot that the guest reports; before it has reported one, the first
/// card. Null: none.
const CardConfig* used_card(const MachineConfig& machine, const GuestOutput& guest) {
  if (const GuestLine* line = guest.find("@card")) {
    std::istringstream words(line->text);
    std::string word;
    while (words >> word && word != "slot") {}
    unsigned slot = 0;
    words >> slot;
    for (const CardConfig& card : machine.cards)
      if (card.slot == slot) return &card;
  }
  return machine.cards.empty() ? nullptr : &machine.cards.front();
}

/// A server divides its busy ticks by the client's time, which may end a few ticks before the server's work does.
std::optional<double> load_percent(const GuestOutput& guest) {
  const auto load = guest.value("@load", "percent");
  return load ? std::optional(std::min(100.0, std::strtod(load->c_str(), nullptr))) : std::nullopt;
}

std::uint64_t retransmitted_by(const GuestOutput& guest) {
  return parse_number(guest.value("@counters", "retransmitted").value_or("0")).value_or(0);
}

std::string load_words(const std::optional<double>& percent) {
  return percent ? fmt::format("CPU load {:.1f} %", *percent) : "CPU load unknown";
}

}  // namespace

double busy_percent(const ClockReading& start, const ClockReading& end) {
  if (end.clocks <= start.clocks) return 0;
  const auto all = end.clocks - start.clocks;
  const auto halted = end.halted - start.halted;
  return 100.0 * static_cast<double>(all - halted) / static_cast<double>(all);
}

std::string MachineFigures::pairing() const {
  return fmt::format("{} with {}{}{}", machine, card, cards > 1 ? fmt::format(" in slot {}", slot) : "",
                     hypothetical ? " (hypothetical interface)" : "");
}

nlohmann::ordered_json MachineFigures::server_json() const {
  return {{"machine", machine},
          {"card", card},
          {"hypothetical", hypothetical},
          {"cpu_load_percent", rounded_or_null(cpu_load_percent, 2)},
          {"true_busy_percent", rounded(true_busy_percent, 2)},
          {"instructions", instructions},
          {"cycles", cycles},
          {"frames", counted(frames)}};
}

std::string MachineFigures::server_text() const {
  return fmt::format("the server, {}: {}, {:.1f} % truly busy", machine, load_words(cpu_load_percent),
                     true_busy_percent);
}

std::string BenchmarkResult::heading(const std::string& what, const MachineFigures* against) const {
  std::string other = "net " + net;
  if (against && bond)
    other = fmt::format("against {} with a bond of {} {}", against->machine, bond->members.size(), against->card);
  else if (against)
    other = "against " + against->pairing();
  return fmt::format("{} on {}, {}{}{}\n\n", what,
                     bond ? fmt::format("{} with {}", machine, bond->heading()) : pairing(),
                     os.empty() || os == default_system ? "" : fmt::format("network stack of {}, ", os), other,
                     repeatable ? "" : " (host in the loop, not repeatable)");
}

nlohmann::ordered_json BenchmarkResult::json_head(const char* schema, const nlohmann::ordered_json& settings) const {
  nlohmann::ordered_json out{{"schema", schema},
                             {"machine", machine},
                             {"card", card},
                             {"slot", slot},
                             {"hypothetical", hypothetical},
                             {"net", net},
                             {"repeatable", repeatable},
                             {"seed", seed},
                             {"placement", placement}};
  if (!os.empty()) out["os"] = os;
  if (interrupted) out["interrupted"] = true;
  out.update(settings);
  out["guest_image_sha256"] = guest_image_sha256;
  out["planar"] = planar;
  out["configuration"] = configuration;
  out["rows"] = nlohmann::ordered_json::array();
  return out;
}

void BenchmarkResult::put_end(nlohmann::ordered_json& out) const {
  out["state_hash"] = state_hash;
  out["host"] = {{"seconds", rounded(host_seconds, 3)}, {"command_line", command_line}};
}

void BenchmarkResult::put_figures(nlohmann::ordered_json& out) const {
  out["cpu_load_percent"] = rounded_or_null(cpu_load_percent, 2);
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
  out["instructions"] = instructions;
  out["cycles"] = cycles;
  out["frames"] = counted(frames);
  if (retransmitted_by_guest || retransmitted_by_peer)
    out["retransmitted"] = {{"by_guest", retransmitted_by_guest}, {"by_peer", retransmitted_by_peer}};
  if (bond) out["bond"] = bond->json();
}

std::string BenchmarkResult::interrupted_text() const {
  return interrupted ? fmt::format("\ninterrupted at {:.3f} s virtual\n", virtual_seconds) : "";
}

std::string BenchmarkResult::load_text() const {
  std::string out;
  out += fmt::format("{} {}, {:.1f} % truly busy\n", load_words(cpu_load_percent),
                     cpu_load_percent ? "by the guest's clock ticks" : "(the guest reports it at the end)",
                     true_busy_percent);
  if (frame_time && clock) {
    out += fmt::format("from one frame of {} bytes to the next {:.1f} µs at {}:", frame_time->frame_bytes,
                       static_cast<double>(frame_time->total_ns(*clock)) / 1000, size_name(frame_time->packet_bytes));
    const auto ns = frame_time->parts_ns(*clock);
    for (unsigned p = 0; p < FrameTime::parts; ++p)
      out += fmt::format("{} {} {:.1f}", p ? "," : "", frame_part_title(FrameTime::names[p]),
                         static_cast<double>(ns[p]) / 1000);
    out += "\n";
  }
  return out;
}

std::string BenchmarkResult::counts_text(const std::string& server) const {
  std::string out = counted_text(frames) + "\n" + server;
  if (!bond && (retransmitted_by_guest || retransmitted_by_peer))
    out += fmt::format("TCP segments retransmitted: {} by the guest, {} by the other end\n", retransmitted_by_guest,
                       retransmitted_by_peer);
  if (bond) out += bond->table();
  out +=
      fmt::format("{:.3f} s virtual, {:.2f} s host: {:.1f}x real time; {} instructions, {} cycles\n", virtual_seconds,
                  host_seconds, host_seconds > 0 ? virtual_seconds / host_seconds : 0.0, instructions, cycles);
  out += fmt::format("state {}\n", state_hash);
  return out;
}

void collect(Session& session, std::size_t n, const std::string& start, const std::string& end, MachineFigures& out) {
  Machine& machine = session.lab().machine(n);
  const GuestOutput& guest = session.guest(n);
  out.machine = machine.config().label_of_results();
  const CardConfig* card = used_card(machine.config(), guest);
  out.card = card ? card->name : "none";
  out.slot = card ? card->slot : 0;
  out.cards = machine.config().cards.size();
  out.hypothetical = card && find_adapter(card->name).hypothetical;
  out.cpu_load_percent = load_percent(guest);
  const GuestLine* last = guest.find(end);
  const auto account = machine.cpu().account();
  const ClockReading until = last ? last->processor : ClockReading{account.clocks, account.halted};
  const GuestLine* first = guest.find(start);
  out.true_busy_percent = first ? busy_percent(first->processor, until) : 0;
  out.instructions = machine.cpu().instructions();
  out.cycles = machine.cpu().clocks();
  out.frames = session.lab().frames(n);
}

void collect(Session& session, const std::string& start, const std::string& end, BenchmarkResult& out) {
  out.host_seconds = session.progress().host_seconds();
  collect(session, 0, start, end, out);
  Lab& lab = session.lab();
  Machine& machine = lab.machine();
  out.bond = collect_bond(session);
  out.retransmitted_by_guest = retransmitted_by(session.guest());
  if (lab.machines() > 1) out.retransmitted_by_peer = retransmitted_by(session.guest(1));
  for (const net::Peer* peer : reference_stations(lab))
    out.retransmitted_by_peer += peer->tcp().counters().retransmitted;
  out.net = lab.machines() > 1 ? "machine" : machine.config().net;
  out.repeatable = lab.repeatable();
  out.seed = machine.config().seed;
  if (const GuestLine* line = session.guest().find("@planar-guest")) {
    out.os = line->value("os").value_or("");
    out.placement = static_cast<unsigned>(line->number("placement").value_or(0));
  }
  out.guest_image_sha256 = sha256_hex(roms::guest());
  out.clock = machine.cpu().config().clock;
  for (const FrameTime& f : session.frames().rows())
    if (!out.frame_time || f.packet_bytes >= out.frame_time->packet_bytes) out.frame_time = f;
  out.virtual_seconds = session.now().seconds();
  out.state_hash = session.state_hash();
  out.planar = program_provenance();
  out.configuration = configuration_provenance(lab);
  out.command_line = host_command_line();
}

}  // namespace planar
