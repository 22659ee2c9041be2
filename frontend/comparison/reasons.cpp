// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/comparison/reasons.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "frontend/matrix/spread.hpp"
#include "frontend/meters/frame_time.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

constexpr unsigned full_frame = 1518;  // of Ethernet
/// TCP's header with the timestamps that Linux 2.2 negotiates; UDP's.
constexpr unsigned tcp_header = 20 + 12, udp_header = 8;

/// What a medium needs besides data, in bytes.
struct Wire {
  double bits_per_s = 0;  ///< 0: not known
  unsigned headers;       ///< of the link and IP, with the check sequence
  unsigned framing;       ///< besides a frame with its check sequence
  unsigned shortest;      ///< frame
};

Wire ethernet(MediumKind medium) {
  return {static_cast<double>(ethernet_rate(medium)), 18 + 20, 8 + 12, 64};  // preamble and interframe gap
}

/// The ring of the result's adapter. Neither the token nor acknowledgements are counted.
Wire ring_of(const nlohmann::ordered_json& result) {
  constexpr unsigned link = 14 + 8 + 4, delimiters = 3;  // AC, FC and addresses, SNAP, FCS; SD, ED, FS
  const auto configuration = result.value("configuration", nlohmann::ordered_json::object());
  const auto settings = configuration.value("settings", nlohmann::ordered_json::object());
  std::string name = settings.value(fmt::format("slot.{}.medium", result.value("slot", 0u)), "");
  std::erase(name, '"');
  const std::string rate = settings.value(name.empty() ? "net.rate" : fmt::format("medium.{}.rate", name), "");
  return {rate == "\"4 Mbit/s\"" ? 4e6 : rate == "\"16 Mbit/s\"" ? 16e6 : 0, link + 20, delimiters, 0};
}

/// One data frame of a card, times in µs.
struct Card {
  const AdapterEntry* entry = nullptr;
  std::string title;
  unsigned wires = 1;           ///< bonded cards have one each
  std::optional<double> limit;  ///< the most that they carry of such frames; nothing if not known
  std::uint32_t size = 0;       ///< of the packets that the frame belongs to: the largest
  double rate = 0;              ///< with these packets, as far as they were delivered
  double figure = 0;            ///< the benchmark's, which may include more
  bool stalled = false;         ///< the idle time includes waits for a retransmission
  bool bridged = false;         ///< there is more between the card's medium and the other station
  unsigned collisions = 0;      ///< per 100 frames that it sent
  double total = 0;
  std::array<double, FrameTime::parts> parts{};

  double part(FrameTime::Part p) const { return parts[p]; }
  double running() const { return part(FrameTime::cpu_copy) + part(FrameTime::stack) + part(FrameTime::bus_wait); }
  double share(double us) const { return total > 0 ? us / total : 0; }
};

/// The most data per second that `wires` carry of a benchmark's messages of `message` bytes in frames of at most
/// `frame` bytes, in the benchmark's unit; nothing for a ring of unknown rate and other kinds of rate.
std::optional<double> carried_at_most(const Benchmark& benchmark, const Wire& kind, unsigned wires, unsigned frame,
                                      unsigned message) {
  const double bytes_per_s = wires * kind.bits_per_s / 8;
  const double unit = benchmark.unit == "KB/s" ? 1024 : benchmark.unit == "Mbit/s" ? 1e6 / 8 : 0;
  const bool datagrams = benchmark.name == "netperf-udp";
  if (bytes_per_s <= 0 || unit <= 0 || frame <= kind.headers + (datagrams ? 0 : tcp_header)) return std::nullopt;
  double data = frame - kind.headers - tcp_header, wire = frame + kind.framing;
  if (datagrams) {  // only a datagram's first fragment has the UDP header
    const unsigned most = frame - kind.headers, all = message + udp_header, full = (all - 1) / most,
                   last = all - full * most;
    data = message;
    wire = full * wire + std::max(last + kind.headers, kind.shortest) + kind.framing;
  }
  return bytes_per_s * data / wire / unit;
}

std::optional<Card> card_of(const Comparison& c, const CellOutcome& o) {
  const auto* const frame = c.frame_time(o);
  if (!frame) return std::nullopt;
  Card card;
  card.entry = &find_adapter(o.cell.card);
  card.title = card_name(o.cell);
  card.wires = o.cell.bonded();
  card.total = (*frame)["us"].get<double>();
  for (unsigned p = 0; p < FrameTime::parts; ++p) card.parts[p] = (*frame)["parts_us"].value(FrameTime::names[p], 0.0);
  card.size = (*frame)["packet_bytes"].get<std::uint32_t>();
  const auto delivered = o.delivered(c.benchmark, card.size),
             rate = delivered ? delivered : o.figure(c.benchmark, card.size);
  if (!rate || card.total <= 0) return std::nullopt;
  card.rate = *rate;
  card.figure = o.figure(c.benchmark, card.size).value_or(card.rate);
  const auto& settings = o.result->value("configuration", nlohmann::ordered_json::object())
                             .value("settings", nlohmann::ordered_json::object());
  for (const auto& [key, value] : settings.items())
    card.bridged = card.bridged || key.starts_with("switch.") || key.starts_with("bridge.");
  const auto frames = o.result->value("frames", nlohmann::ordered_json::object());
  if (const double sent = frames.value("sent", 0.0); sent > 0)
    card.collisions = static_cast<unsigned>(std::lround(100 * frames.value("collisions", 0.0) / sent));
  card.stalled = !c.benchmark.loses && !note_of(c.benchmark, *o.result).empty();
  const MediumKind medium = card.entry->medium;
  card.limit = carried_at_most(c.benchmark, medium == MediumKind::token_ring ? ring_of(*o.result) : ethernet(medium),
                               card.wires, (*frame)["frame_bytes"].get<unsigned>(), card.size);
  return card;
}

std::string us(double value) { return fmt::format("{:.0f} µs", value); }

/// "847 of 1284 µs per frame"
std::string of_frame(const Card& card, double value) {
  return fmt::format("{:.0f} of {:.0f} µs per frame", value, card.total);
}

const char* what(FrameTime::Part part) {
  switch (part) {
    case FrameTime::cpu_copy: return "copies by the processor";
    case FrameTime::stack: return "instructions of driver and network stack";
    case FrameTime::bus_wait: return "bus waits";
    case FrameTime::card: return "waits for the card";
    case FrameTime::wire: return "waits for the wire";
    case FrameTime::idle: return "waits for the other station";
    case FrameTime::parts: break;
  }
  return "";
}

/// The name of a part; for bus waits with the card's data path: "bus waits (PIO (remote DMA))" for programmed I/O.
std::string named(const Card& card, FrameTime::Part part) {
  return part == FrameTime::bus_wait ? fmt::format("{} ({})", what(part), card.entry->data_path) : what(part);
}

/// "; the wire would allow 1117 KB/s", if the limit is known and higher than the rate.
std::string wire_would_allow(const Comparison& c, const Card& card) {
  if (!card.limit || *card.limit <= card.rate) return {};
  return fmt::format("; the wire{} would allow {:.{}f} {}", card.wires > 1 ? "s" : "", *card.limit,
                     *card.limit < 100 ? 1 : 0, c.benchmark.unit);
}

/// The wire is nearly full and more heavily used than the processor: of two nearly exhausted resources, the one with
/// less to spare sets the rate.
bool wire_limits(const Card& card) {
  // One acknowledgement for two data frames takes 2.7 % of a half-duplex wire.
  constexpr double nearly_all_of_wire = 0.93;
  const double used = card.limit ? card.rate / *card.limit : 0;
  return used >= nearly_all_of_wire && used >= card.share(card.running());
}

std::string sentence(const Comparison& c, const Card& one) {
  using enum FrameTime::Part;
  constexpr double nearly_all = 0.9, most_of_time = 0.7, little = 0.1;
  const double running = one.running(), waiting_for_wire = one.part(wire);
  const int places = c.benchmark.unit == "KB/s" ? 0 : 1;
  if (wire_limits(one))
    return fmt::format(
        "{}: limited by the wire{}: {:.{}f} of the {:.{}f} {} that {} at most; meanwhile the "
        "processor is busy for {:.0f} % of the time.",
        one.title, one.wires > 1 ? "s" : "", one.rate, places, *one.limit, places, c.benchmark.unit,
        one.wires > 1 ? fmt::format("{} carry", one.wires) : "it carries", 100 * one.share(running));
  const double other = std::max({waiting_for_wire, one.part(FrameTime::card), one.part(idle)});
  if (one.share(running) >= nearly_all || other < little * one.total) {
    const auto most = std::max({cpu_copy, stack, bus_wait}, [&](auto a, auto b) { return one.part(a) < one.part(b); });
    return fmt::format("{}: limited by the processor: {} are {}{}.", one.title, of_frame(one, one.part(most)),
                       named(one, most), wire_would_allow(c, one));
  }
  const double most = std::max(running, other);
  if (one.part(idle) >= std::max(most, little * one.total))
    return fmt::format("{}: limited by {}: for {} the processor and the wire are idle{}.", one.title,
                       one.stalled ? "waits for the other station to retransmit"
                       : one.bridged
                           ? "what is beyond its medium (a switch, another medium, the other station), or by a "
                             "timer"
                           : "the other station, or by a timer",
                       of_frame(one, one.part(idle)), wire_would_allow(c, one));
  if (one.part(FrameTime::card) >= std::max(most, little * one.total))
    return fmt::format("{}: limited by the card: for {} the processor and the wire are idle, waiting for it{}.",
                       one.title, of_frame(one, one.part(FrameTime::card)), wire_would_allow(c, one));
  if (!one.limit && one.share(waiting_for_wire) >= most_of_time)
    return fmt::format("{}: limited by the wire{}: for {} it is busy while the processor is idle.", one.title,
                       one.entry->medium == MediumKind::token_ring ? ", or by the token" : "",
                       of_frame(one, waiting_for_wire));
  // One after the other; what takes little is left out.
  std::vector<std::string> turns{"the processor"}, times{of_frame(one, running) + " the processor is busy"};
  const auto turn = [&](FrameTime::Part part, const char* name, const char* state) {
    if (one.part(part) < little * one.total) return;
    turns.emplace_back(name);
    times.push_back(fmt::format("{} {}", us(one.part(part)), state));
  };
  turn(wire, "the wire", "it is idle while the wire is busy");
  turn(FrameTime::card, "the card", "both wait for the card");
  turn(idle, one.bridged ? "what is beyond" : "the other station",
       one.bridged ? "both wait for a switch, another medium, the other station or a timer"
                   : "both wait for the other station or a timer");
  constexpr unsigned many_collisions = 10;
  const std::string last = turns.back();
  turns.pop_back();
  return fmt::format(
      "{}: limited because {} and {} take turns: for {}{}{}.", one.title, fmt::join(turns, ", "), last,
      fmt::join(times, ", for "),
      one.collisions >= many_collisions ? fmt::format(" ({} collisions per 100 frames)", one.collisions) : "",
      wire_would_allow(c, one));
}

/// For overload: the rate up to which a card's frames are delivered, and where frames are lost at the highest rate.
std::optional<std::string> losses(const CellOutcome& o) {
  constexpr std::pair<const char*, const char*> places[] = {{"fifo", "the card's FIFO"},
                                                            {"ring", "the card's receive buffers"},
                                                            {"driver", "the driver"},
                                                            {"backlog", "the kernel's backlog queue"},
                                                            {"socket", "the socket's buffer"},
                                                            {"queue", "the other card's queue"},
                                                            {"sending", "the other card's driver"}};
  if (!o.result || !o.result->contains("rows") || (*o.result)["rows"].empty()) return std::nullopt;
  const auto& rows = (*o.result)["rows"];
  const auto& row = *std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.value("rate", 0.0) < b.value("rate", 0.0);
  });
  if (!row.contains("lost") || !row.contains("delivered_in_time")) return std::nullopt;
  const double offered = row["offered"].get<double>(), in_time = row["delivered_in_time"].get<double>();
  if (offered <= 0) return std::nullopt;
  const auto percent = [&](double frames) { return fmt::format("{:.1f} %", 100 * frames / offered); };
  std::string out = card_name(o.cell) + ": ";
  out += o.result->contains("knee_per_s") ? fmt::format("up to {:.0f} frames/s, more than 99 % are delivered in time; ",
                                                        (*o.result)["knee_per_s"].get<double>())
                                          : std::string("loses more than 1 % at every rate; ");
  out +=
      fmt::format("of {:.0f} frames/s {} are delivered in time", row["offered_per_s"].get<double>(), percent(in_time));
  if (const double late = row["delivered"].get<double>() - in_time; late > 0)
    out += fmt::format(", {} are delivered late", percent(late));
  for (const auto& [key, place] : places)
    if (const double frames = row["lost"].value(key, 0.0); frames > 0)
      out += fmt::format(", {} are lost in {}", percent(frames), place);
  return out + ".";
}

/// What separates the faster card from the slower one.
std::string separation(const Comparison& c, const Card& fast, const Card& slow) {
  // The slower card's times for as much data as a frame of the faster one carries: shorter frames in between carry
  // some.
  const double as_much = fast.rate * fast.total / (slow.rate * slow.total);
  const double gain = slow.total * as_much - fast.total;
  const auto saved = [&](unsigned part) { return slow.parts[part] * as_much - fast.parts[part]; };
  const double faster = fast.rate - slow.rate;
  const int places = c.benchmark.unit == "KB/s" || faster >= 100 ? 0 : faster >= 10 ? 1 : 2;
  const std::string with = c.sizes.size() > 1 ? " with the largest packets" : "";
  if (fast.rate < slow.rate * 1.005)
    return fmt::format("{} and {} differ by less than half a percent{}.", fast.title, slow.title, with);
  // The table shows figures, whose difference may be another one.
  const std::string by = fmt::format("{:.{}f}", faster, places),
                    shown = fmt::format("{:.{}f}", fast.figure - slow.figure, places);
  const std::string head =
      fmt::format("{} is faster than {}{} by {} {}{} ({:.0f} %)", fast.title, slow.title, with, by, c.benchmark.unit,
                  by == shown ? "" : " of what was delivered", slow.rate > 0 ? 100 * faster / slow.rate : 0.0);
  std::array<unsigned, FrameTime::parts> order{};
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return saved(a) > saved(b); });
  std::vector<std::string> less, more;
  for (const unsigned p : order) {
    if (saved(p) >= 0.15 * gain && less.size() < 2)
      less.push_back(fmt::format("{} are {} shorter", what(FrameTime::Part{p}), us(saved(p))));
    if (saved(p) <= -0.15 * gain)
      more.push_back(fmt::format("{} are {} longer", what(FrameTime::Part{p}), us(-saved(p))));
  }
  std::string out = fmt::format("{} because {} {} less: {}", head,
                                std::abs(as_much - 1) < 0.01 ? "its frame takes" : "the data of its frame take",
                                us(gain), fmt::join(less, ", "));
  if (!more.empty()) out += fmt::format(", while {}", fmt::join(more, ", "));
  if (fast.entry->data_path != slow.entry->data_path)
    out += fmt::format(" ({} in place of {})", fast.entry->data_path, slow.entry->data_path);
  return out + ".";
}

/// Sorts the cards, fastest first; returns a sentence for each adjacent pair whose frames are of the same packets.
std::vector<std::string> pairs_of(const Comparison& c, std::vector<Card>& cards) {
  std::stable_sort(cards.begin(), cards.end(), [](const Card& a, const Card& b) { return a.rate > b.rate; });
  std::vector<std::string> pairs;
  for (std::size_t n = 1; n < cards.size(); ++n)
    if (cards[n - 1].size == cards[n].size) pairs.push_back(separation(c, cards[n - 1], cards[n]));
  return pairs;
}

}  // namespace

Reasons reasons_of(const Comparison& c, const std::string& machine, MediumKind medium) {
  Reasons out;
  std::vector<Card> cards;
  for (const CellOutcome& o : c.outcomes) {
    if (o.cell.machine != machine || find_adapter(o.cell.card).medium != medium) continue;
    if (auto card = card_of(c, o))
      cards.push_back(std::move(*card));
    else if (auto said = losses(o))
      out.cards.push_back(std::move(*said));
  }
  out.pairs = pairs_of(c, cards);
  for (const Card& card : cards) out.cards.push_back(sentence(c, card));
  return out;
}

std::vector<std::string> separations(const Comparison& c) {
  std::vector<Card> cards;
  for (const CellOutcome& o : c.outcomes)
    if (auto card = card_of(c, o)) {
      card->title += " in " + o.cell.machine;
      cards.push_back(std::move(*card));
    }
  return pairs_of(c, cards);
}

std::optional<double> medium_limit(const Benchmark& benchmark, MediumKind medium, unsigned wires) {
  return carried_at_most(benchmark, ethernet(medium), wires, full_frame, 0xFFFF);
}

}  // namespace planar
