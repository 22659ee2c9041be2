// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/config/network_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "devices/stations/peer/peer.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

namespace {

void read_attachment(Config& c, MachineConfig& m) {
  m.net = c.text("net.attach", "peer");
  m.peer_duration = c.time("peer.duration", "6 s");
  if (m.peer_duration < 10_ms || m.peer_duration > 3600_s) c.fail("peer.duration", "expects 10 ms to 3600 s");
  m.peer_turnaround = c.time("peer.turnaround", "60 us");
  if (m.peer_turnaround < 1_us || m.peer_turnaround > 1_s) c.fail("peer.turnaround", "expects 1 us to 1 s");
  m.peer_tick_phase = c.time("peer.tick_phase", "0 s");
  if (m.peer_tick_phase < 0_s || m.peer_tick_phase >= 10_ms) c.fail("peer.tick_phase", "expects less than 10 ms");
  m.peer_receive_buffer = static_cast<std::uint32_t>(c.integer("peer.receive_buffer", 8192, 65535, 65535));
  m.peer_acknowledge =
      c.choice("peer.acknowledge", {"by-estimate", "every-second-segment"}, "by-estimate") == "by-estimate"
          ? net::AckRule::by_estimate
          : net::AckRule::every_second_segment;
  m.peer_mtu = static_cast<std::uint32_t>(c.integer("peer.mtu", 576, 17800, 1500));
  const auto forwards = c.texts("net.forward");
  if (net::is_host_net(m.net)) {
    try {
      m.host_net = net::parse_host_net(m.net, forwards);
    } catch (const Error& e) { c.fail(c.has("net.forward") ? "net.forward" : "net.attach", e.what()); }
    m.host_time = c.choice("net.time", {"as-hardware", "unthrottled"}, "as-hardware") == "unthrottled"
                      ? net::HostTime::unthrottled
                      : net::HostTime::as_hardware;
    return;
  }
  if (m.net != "peer" && m.net != "none")
    c.fail("net.attach",
           fmt::format("'{}' is not one of peer, none, slirp, slirp:isolated, tap:NAME, pcap:IFACE, socket:HOST:PORT, "
                       "socket:unix:PATH",
                       m.net));
  for (const char* path : {"net.forward", "net.time"})
    if (c.has(path))
      c.fail(path, fmt::format("is for the host's network; net.attach is {}, write slirp there (--net slirp)", m.net));
}

constexpr std::size_t most_stations = 32;  // [station.NAME] tables; their seeds are consecutive (lab.cpp)

struct Rate {
  std::string_view name;
  MediumKind kind;
  std::uint64_t bits_per_second;
};
constexpr Rate rates[] = {{"4 Mbit/s", MediumKind::token_ring, 4'000'000},
                          {"10 Mbit/s", MediumKind::ethernet_10, 10'000'000},
                          {"16 Mbit/s", MediumKind::token_ring, 16'000'000},
                          {"100 Mbit/s", MediumKind::ethernet_100, 100'000'000},
                          {"1000 Mbit/s", MediumKind::ethernet_1000, 1'000'000'000}};

bool is_ring(MediumKind kind) { return kind == MediumKind::token_ring; }

/// The bit rate at `path` also distinguishes an Ethernet from a ring.
void read_rate(Config& c, const std::string& path, MediumConfig& medium) {
  std::vector<std::string> names;
  for (const Rate& rate : rates) names.emplace_back(rate.name);
  const std::string name = c.choice(path, names, bit_rate(medium));
  const Rate& rate = *std::find_if(std::begin(rates), std::end(rates), [&](const Rate& r) { return r.name == name; });
  medium.kind = rate.kind;
  if (is_ring(rate.kind)) medium.ring.bits_per_second = rate.bits_per_second;
}

bool read_full_duplex(Config& c, const std::string& path, bool usual = false) {
  return c.choice(path, {"half", "full"}, usual ? "full" : "half") == "full";
}

void read_duplex(Config& c, const std::string& path, MediumConfig& medium) {
  const bool gigabit = medium.kind == MediumKind::ethernet_1000;
  const bool usual = gigabit || (medium.full_duplex && medium.kind == MediumKind::ethernet_100);
  medium.full_duplex = medium.ring.full_duplex = read_full_duplex(c, path, usual);
  if (gigabit && !medium.full_duplex) c.fail(path, "1000 Mbit/s is modelled in full duplex only; write full");
  if (is_ring(medium.kind) && medium.full_duplex && medium.ring.bits_per_second != 16'000'000)
    c.fail(path, "a ring transmits immediately (full duplex) at 16 Mbit/s only; write half");
}

/// At 10 Mbit/s half duplex, the stations share a coax.
net::PathKind usual_path(const MediumConfig& medium) {
  const bool shared = medium.kind == MediumKind::ethernet_10 && !medium.full_duplex;
  return shared ? net::PathKind::coax : net::PathKind::cable;
}

/// `table`.path, with the length of its cable or, for a bare cable, `table`.delay. The half-duplex 10 Mbit/s paths have
/// transceivers.
void read_path(Config& c, const std::string& table, MediumConfig& medium) {
  const std::string path = table + ".path", delay = table + ".delay", length = table + ".length";
  if (is_ring(medium.kind)) {
    for (const auto& key : {path, delay, length})
      if (c.has(key)) c.fail(key, "is of an Ethernet; leave it out");
    return;
  }
  const net::PathKind usual = usual_path(medium);
  const std::string name =
      c.choice(path, {"10base2", "10base-t", "cable"}, std::string(net::path_names[static_cast<std::size_t>(usual)]));
  const auto found = std::find(std::begin(net::path_names), std::end(net::path_names), name);
  medium.path = static_cast<net::PathKind>(found - std::begin(net::path_names));
  if (usual == net::PathKind::cable && medium.path != net::PathKind::cable)
    c.fail(path, fmt::format("{} is a path of 10 Mbit/s in half duplex; write cable", name));
  if (medium.path != net::PathKind::cable) {
    if (c.has(delay))
      c.fail(delay, fmt::format("is of a bare cable, {} = \"cable\"; {} has a length, {}", path, name, length));
    const auto longest = medium.path == net::PathKind::coax ? net::longest_coax : net::longest_pair;
    medium.cable_metres = static_cast<unsigned>(c.integer(length, 0, longest, 0));
    return;
  }
  if (c.has(length)) c.fail(length, "is of 10base2 or 10base-t; a bare cable has a delay");
  medium.cable_delay = c.time(delay, medium.kind == MediumKind::ethernet_1000 ? "50 ns" : "500 ns");
  const Time gap = Time{1'000'000'000'000 / static_cast<std::int64_t>(ethernet_rate(medium.kind))} * net::gap_bits;
  if (medium.cable_delay < 1_ns || medium.cable_delay >= gap)
    c.fail(delay, fmt::format("expects 1 ns or more, and less than the interframe gap of {} ns", gap.ps / 1000));
}

MediumKind kind_of(const CardConfig& card) { return find_adapter(card.name).medium; }
bool on_network(const CardConfig& card) { return kind_of(card) != MediumKind::scsi; }

std::string names(const MachineConfig& m) {
  std::vector<std::string> list;
  for (const MediumConfig& medium : m.media) list.push_back(medium.name);
  return fmt::format("{}", fmt::join(list, ", "));
}

const MediumConfig* find_medium(const MachineConfig& m, const std::string& name) {
  const auto found =
      std::find_if(m.media.begin(), m.media.end(), [&](const MediumConfig& medium) { return medium.name == name; });
  return found == m.media.end() ? nullptr : &*found;
}

/// The medium for which a card is designed.
MediumConfig medium_of(const AdapterEntry& adapter) {
  MediumConfig medium;
  medium.kind = adapter.medium;
  medium.full_duplex = adapter.agrees_on_full_duplex();
  if (adapter.medium_rate) medium.ring.bits_per_second = adapter.medium_rate;
  if (is_ring(medium.kind)) medium.name = "ring";
  return medium;
}

/// For a request for full duplex at `path`: throws Error if `card` cannot send and receive at once.
void refuse_half_duplex(Config& c, const std::string& path, const CardConfig& card) {
  if (!find_adapter(card.name).full_duplex)
    c.fail(path, fmt::format("'{}' in slot {} cannot send and receive at once; write half or leave it out, or take "
                             "another card (planar list cards)",
                             card.name, card.slot));
}

/// The keys of a lab's single medium.
constexpr const char* medium_keys[] = {"net.rate", "net.duplex", "net.path", "net.length", "net.delay"};

/// One medium for all cards: its rate is the user's, or else that of the first card. A card of another kind is refused.
/// Without a card none of the keys is read, so that a resolved file does not fix values for a card that is added later.
void read_one_medium(Config& c, MachineConfig& m) {
  const auto first = std::find_if(m.cards.begin(), m.cards.end(), on_network);
  const bool chosen = c.has("net.rate");
  MediumConfig medium;
  if (first == m.cards.end() &&
      std::none_of(std::begin(medium_keys), std::end(medium_keys), [&](const char* key) { return c.has(key); })) {
    medium.path = usual_path(medium);
    m.media.push_back(medium);
    return;
  }
  if (first != m.cards.end()) medium = medium_of(find_adapter(first->name));
  if (std::count_if(m.cards.begin(), m.cards.end(), on_network) > 1) medium.full_duplex = false;  // a hub
  read_rate(c, "net.rate", medium);
  read_duplex(c, "net.duplex", medium);
  read_path(c, "net", medium);
  if (medium.full_duplex)
    for (const CardConfig& card : m.cards)
      if (on_network(card) && kind_of(card) == medium.kind) refuse_half_duplex(c, "net.duplex", card);
  medium.name = is_ring(medium.kind) ? "ring" : MediumConfig{}.name;
  m.media.push_back(medium);
  for (const CardConfig& card : m.cards) {
    if (!on_network(card) || kind_of(card) == medium.kind) continue;
    const std::string own = bit_rate(medium_of(find_adapter(card.name))), present = bit_rate(medium);
    const std::string chooser = chosen ? c.origin("net.rate") : std::string{};
    c.fail(fmt::format("slot.{}.card", card.slot),
           chooser.starts_with(first_machines_card)
               ? fmt::format("'{}' works at {}, but {} at {}, and both are on one segment; take another card, or write "
                             "a lab file with a switch between two segments (docs/two-machines.md)",
                             card.name, own, chooser, present)
           : chosen
               ? fmt::format("'{}' works at {}, but net.rate is \"{}\"; set it to \"{}\" or leave it out, or take "
                             "another card",
                             card.name, own, present, own)
               : fmt::format("'{}' works at {}, but '{}' in slot {} at {}, and both are on one segment; take one of "
                             "them out",
                             card.name, own, first->name, first->slot, present));
  }
}

/// Adds the tables of the usual installation around Token Ring adapters, below the user's own tables.
void add_switched_network(Config& c, MachineConfig& m) {
  const std::string duplex = c.peek_text("net.duplex");
  const bool half = duplex == "half";
  if (duplex == "full")
    for (const CardConfig& card : m.cards)
      if (on_network(card) && card.medium.empty()) refuse_half_duplex(c, "net.duplex", card);
  if (half || duplex == "full") c.remove({"net.duplex"});  // now in the ring's table
  std::string toml, media = "\"uplink\"";
  std::vector<std::string> made;
  for (CardConfig& card : m.cards) {
    if (!on_network(card) || !card.medium.empty()) continue;
    const MediumConfig medium = medium_of(find_adapter(card.name));
    const bool ring = is_ring(medium.kind), fast_ring = ring && medium.ring.bits_per_second == 16'000'000;
    const std::string rate = bit_rate(medium);
    std::string name = ring ? "ring" : fmt::format("ethernet-{}", ethernet_rate(medium.kind) / 1'000'000);
    if (ring && std::find(made.begin(), made.end(), name) != made.end()) name = fmt::format("ring-{}", card.slot);
    toml += fmt::format("[slot.{}]\nmedium = \"{}\"\n", card.slot, name);
    if (std::find(made.begin(), made.end(), name) != made.end()) continue;
    made.push_back(name);
    media += fmt::format(", \"{}\"", name);
    toml += fmt::format("[medium.{}]\nkind = \"{}\"\nrate = \"{}\"\nduplex = \"{}\"\n", name,
                        ring ? "token-ring" : "ethernet", rate,
                        (fast_ring && !half) || medium.kind == MediumKind::ethernet_1000 ? "full" : "half");
  }
  if (!c.has("net.medium")) toml += "[net]\nmedium = \"uplink\"\n";
  toml += "[medium.uplink]\nrate = \"100 Mbit/s\"\nduplex = \"full\"\n";
  toml += fmt::format("[switch.switch]\nmedia = [{}]\n", media);
  c.add_text(toml, "default of a Token Ring adapter");
  for (CardConfig& card : m.cards)
    if (const std::string path = fmt::format("slot.{}.medium", card.slot); c.has(path)) card.medium = c.text(path);
}

/// [medium.NAME]: kind, rate, duplex; more for a ring.
void read_media(Config& c, MachineConfig& m) {
  for (const char* path : medium_keys)
    if (c.has(path)) c.fail(path, "is of a lab without [medium.NAME] tables; write it into the table of the medium");
  for (const std::string& name : c.children("medium")) {
    const std::string path = "medium." + name;
    MediumConfig medium;
    const bool ring = c.choice(path + ".kind", {"ethernet", "token-ring"}, "ethernet") == "token-ring";
    if (ring) medium.kind = MediumKind::token_ring;
    read_rate(c, path + ".rate", medium);
    if (is_ring(medium.kind) != ring)
      c.fail(path + ".rate", ring ? "a ring works at 4 or 16 Mbit/s" : "an Ethernet works at 10, 100 or 1000 Mbit/s");
    read_duplex(c, path + ".duplex", medium);
    read_path(c, path, medium);
    if (ring) {
      medium.ring.early_token_release = c.flag(path + ".early_release", true);
      medium.ring.quick_insertion = c.choice(path + ".insertion", {"realistic", "quick"}, "realistic") == "quick";
      medium.ring.lobe_metres = static_cast<unsigned>(c.integer(path + ".lobe_metres", 1, 500, 30));
      medium.ring_number = static_cast<unsigned>(c.integer(path + ".ring_number", 1, 0xFFF, 1));
    }
    medium.name = name;
    m.media.push_back(std::move(medium));
  }
  std::sort(m.media.begin(), m.media.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

/// The medium that `path` names; optional if the lab has only one.
std::string read_place(Config& c, const MachineConfig& m, const std::string& path, const std::string& given,
                       const std::string& owner) {
  if (given.empty() && m.media.size() == 1) return m.media.front().name;
  if (given.empty())
    c.fail(owner, fmt::format("does not say what it is plugged into; write {} with one of {}", path, names(m)));
  if (!find_medium(m, given)) c.fail(path, fmt::format("there is no medium '{}'; the lab has {}", given, names(m)));
  return given;
}

void plug_in_cards(Config& c, MachineConfig& m) {
  for (CardConfig& card : m.cards) {
    const std::string slot = fmt::format("slot.{}", card.slot), path = slot + ".medium";
    if (!on_network(card)) {
      if (!card.medium.empty()) c.fail(path, fmt::format("'{}' is not a network adapter; leave it out", card.name));
      continue;
    }
    card.medium = read_place(c, m, path, card.medium, slot + ".card");
    const MediumConfig& medium = *find_medium(m, card.medium);
    if (kind_of(card) != medium.kind)
      c.fail(slot + ".card",
             fmt::format("'{}' works on {}, but medium '{}' is {}; plug it in elsewhere or take another card",
                         card.name, title(kind_of(card)), medium.name, title(medium.kind)));
    if (medium.full_duplex && !is_ring(medium.kind))  // a full-duplex ring falls back to token passing for such a card
      refuse_half_duplex(c, fmt::format("medium.{}.duplex", medium.name), card);
  }
}

/// Source-routing bridges that join the same two rings must differ in their numbers: a route names one of them.
void refuse_same_numbers(Config& c, const MachineConfig& m) {
  for (const BridgeConfig& bridge : m.bridges)
    for (const BridgeConfig& other : m.bridges) {
      if (&other == &bridge) break;  // each pair once
      if (bridge.kind != BridgeConfig::Kind::source_route || other.kind != bridge.kind) continue;
      if (bridge.number != other.number) continue;
      const auto shared = std::count_if(bridge.media.begin(), bridge.media.end(), [&](const std::string& medium) {
        return std::find(other.media.begin(), other.media.end(), medium) != other.media.end();
      });
      if (shared >= 2)
        c.fail(fmt::format("bridge.{}.number", bridge.name),
               fmt::format("{} is also the number of bridge.{}, which joins the same rings; give one of them another",
                           bridge.number, other.name));
    }
}

/// Bridges without a spanning tree must not close a loop: frames would circulate for ever. Source-routing ones may,
/// among themselves: an explorer does not enter a ring twice. They come first, so that a loop is closed by another one.
void refuse_loops(Config& c, const MachineConfig& m) {
  std::vector<std::size_t> joined(m.media.size());  // by medium: the lowest-numbered medium connected to it
  std::iota(joined.begin(), joined.end(), std::size_t{0});
  std::vector<BridgeConfig> bridges = m.bridges;
  const auto routes = [](const BridgeConfig& bridge) { return bridge.kind == BridgeConfig::Kind::source_route; };
  std::stable_partition(bridges.begin(), bridges.end(), routes);
  for (const BridgeConfig& bridge : bridges) {
    const auto group = [&](const std::string& name) {
      return joined[static_cast<std::size_t>(find_medium(m, name) - m.media.data())];
    };
    const std::size_t first = group(bridge.media.front());
    for (std::size_t n = 1; n < bridge.media.size(); ++n) {
      const std::size_t other = group(bridge.media[n]);
      if (other == group(bridge.media.front()) && !routes(bridge))
        c.fail(
            fmt::format("{}.{}.media", bridge.kind == BridgeConfig::Kind::switching ? "switch" : "bridge", bridge.name),
            fmt::format("closes a loop: {} and {} are connected already, and bridges without a spanning tree would "
                        "send frames round for ever; take one out",
                        bridge.media.front(), bridge.media[n]));
      std::replace(joined.begin(), joined.end(), other, first);
    }
  }
}

/// A source-routing bridge identifies rings by number.
void read_source_routing(Config& c, MachineConfig& m, const std::string& path, BridgeConfig& bridge) {
  bridge.number = static_cast<unsigned>(c.integer(path + ".number", 1, 15, 1));
  std::vector<const MediumConfig*> rings;
  for (const std::string& name : bridge.media) {
    const auto place = static_cast<std::size_t>(find_medium(m, name) - m.media.data());
    MediumConfig& ring = m.media[place];
    if (!is_ring(ring.kind))
      c.fail(path + ".media", fmt::format("'{}' is {}; a source-routing bridge joins rings", name, title(ring.kind)));
    for (const MediumConfig* other : rings)
      if (other->ring_number == ring.ring_number)
        c.fail(path + ".media", fmt::format("{0} and {1} both have the number {2}; write medium.{1}.ring_number",
                                            other->name, name, ring.ring_number));
    ring.ring.source_routing = true;
    rings.push_back(&ring);
  }
}

/// [bridge.NAME] or [switch.NAME]: media, delay, ageing.
void read_bridges(Config& c, MachineConfig& m, const std::string& table) {
  using Kind = BridgeConfig::Kind;
  for (const std::string& name : c.children(table)) {
    const std::string path = fmt::format("{}.{}", table, name);
    BridgeConfig bridge{.name = name, .media = c.texts(path + ".media")};
    for (const std::string& medium : bridge.media)
      if (!find_medium(m, medium))
        c.fail(path + ".media", fmt::format("there is no medium '{}'; the lab has {}", medium, names(m)));
    if (bridge.media.size() < 2)
      c.fail(path + ".media", fmt::format("expects two media or more, of {}: media = [\"A\", \"B\"]", names(m)));
    if (table == "switch") {
      bridge.kind = Kind::switching;
      bridge.figures = net::switch_figures;
    } else if (c.choice(path + ".kind", {"transparent", "source-route"}, "transparent") == "source-route") {
      bridge.kind = Kind::source_route;
      read_source_routing(c, m, path, bridge);
    }
    Time& delay = bridge.figures.delay;
    delay = c.time(path + ".delay", bridge.kind == Kind::switching      ? "10 us"
                                    : bridge.kind == Kind::source_route ? "500 us"
                                                                        : "67.2 us");
    if (delay <= Time{} || delay > 1_s) c.fail(path + ".delay", "expects 1 ps to 1 s");
    if (bridge.kind != Kind::source_route) {
      Time& ageing = bridge.figures.ageing;
      ageing = c.time(path + ".ageing", "300 s");
      if (ageing < 10_s || ageing > 1'000'000_s) c.fail(path + ".ageing", "expects 10 s to 1000000 s");
    }
    m.bridges.push_back(std::move(bridge));
  }
  std::sort(m.bridges.begin(), m.bridges.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

/// net.bond: the Ethernets on each of which the reference station has a port.
void read_bond(Config& c, MachineConfig& m) {
  if (!c.has("net.bond")) return;
  m.net_bond = c.texts("net.bond");
  if (m.net != "peer") c.fail("net.bond", fmt::format("is for the station peer; net.attach is {}", m.net));
  if (c.has("net.medium")) c.fail("net.medium", "net.bond says on which media the station is; leave it out");
  if (m.net_bond.size() < 2 || m.net_bond.size() > net::Peer::most_ports)
    c.fail("net.bond", fmt::format("expects two to {} media: bond = [\"A\", \"B\"]", net::Peer::most_ports));
  for (auto name = m.net_bond.begin(); name != m.net_bond.end(); ++name) {
    const MediumConfig* medium = find_medium(m, *name);
    if (!medium) c.fail("net.bond", fmt::format("there is no medium '{}'; the lab has {}", *name, names(m)));
    if (is_ring(medium->kind))
      c.fail("net.bond", fmt::format("'{}' is {}; a bond is of Ethernets", *name, title(medium->kind)));
    if (std::find(m.net_bond.begin(), name, *name) != name)
      c.fail("net.bond", fmt::format("names '{}' twice; the station has one port on a medium", *name));
  }
}

std::optional<net::Ipv4> parse_ipv4(const std::string& text) {
  net::Ipv4 address = 0;
  std::size_t at = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const std::size_t dot = n < 3 ? text.find('.', at) : text.size();
    const auto part = dot == std::string::npos ? std::nullopt : parse_number(text.substr(at, dot - at));
    if (!part || *part > 255) return std::nullopt;
    address = address << 8 | static_cast<net::Ipv4>(*part);
    at = dot + 1;
  }
  return address;
}

/// [station.NAME]: medium, address.
void read_stations(Config& c, MachineConfig& m) {
  for (const std::string& name : c.children("station")) {
    const std::string path = "station." + name;
    if (name == "peer") c.fail(path + ".address", "'peer' is the station of net.attach; take another name");
    StationConfig station;
    station.name = name;
    const std::string medium = c.has(path + ".medium") ? c.text(path + ".medium") : "";
    station.medium = read_place(c, m, path + ".medium", medium, path + ".address");
    const std::string address = c.text(path + ".address");
    const auto parsed = parse_ipv4(address);
    if (!parsed)
      c.fail(path + ".address", fmt::format("'{}' is not an IP address; write four numbers with dots", address));
    if (const auto host = *parsed & 0xFF; host == 0 || host == 0xFF)
      c.fail(path + ".address",
             fmt::format("{} is that of a network or of all its stations; end it with 1 to 254", address));
    station.address = *parsed;
    const bool peers = m.net == "peer" && station.address == net::PeerConfig{}.address;
    if (peers || std::any_of(m.stations.begin(), m.stations.end(),
                             [&](const StationConfig& other) { return other.address == station.address; }))
      c.fail(path + ".address", fmt::format("{} is the address of another station; give each its own", address));
    if (m.stations.size() == most_stations)
      c.fail(path + ".address", fmt::format("is one station too many; a lab has {} at most", most_stations));
    m.stations.push_back(std::move(station));
  }
  std::sort(m.stations.begin(), m.stations.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

}  // namespace

std::string bit_rate(const MediumConfig& medium) {
  const auto bits = is_ring(medium.kind) ? medium.ring.bits_per_second : ethernet_rate(medium.kind);
  return fmt::format("{} Mbit/s", bits / 1'000'000);
}

std::optional<std::string> ring_rate(const Config& c) {
  for (const std::string& slot : c.children("slot"))
    for (const AdapterEntry& adapter : adapter_registry())
      if (is_ring(adapter.medium) && adapter.name == c.peek_text(fmt::format("slot.{}.card", slot)))
        return bit_rate(medium_of(adapter));
  return std::nullopt;
}

std::optional<std::string> first_card_rate(const Config& c) {
  for (const std::string& slot : c.children("slot"))
    for (const AdapterEntry& adapter : adapter_registry())
      if (adapter.name == c.peek_text(fmt::format("slot.{}.card", slot))) return bit_rate(medium_of(adapter));
  return std::nullopt;
}

void read_network(Config& c, MachineConfig& m) {
  read_attachment(c, m);
  const bool chosen = c.has("net.rate") || c.has("medium");
  const bool rings =
      std::any_of(m.cards.begin(), m.cards.end(), [](const CardConfig& card) { return is_ring(kind_of(card)); });
  if (rings && !chosen && m.net != "none") add_switched_network(c, m);
  if (c.has("medium"))
    read_media(c, m);
  else
    read_one_medium(c, m);
  plug_in_cards(c, m);
  read_bond(c, m);
  const std::string given = c.has("net.medium") ? c.text("net.medium") : "";
  if (!m.net_bond.empty())
    m.net_medium = m.net_bond.front();
  else if (m.net != "none")
    m.net_medium = read_place(c, m, "net.medium", given, "net.attach");
  else if (!given.empty())
    c.fail("net.medium", "is where net.attach is, and that is none; leave it out");
  read_bridges(c, m, "bridge");
  read_bridges(c, m, "switch");
  refuse_same_numbers(c, m);
  refuse_loops(c, m);
  read_stations(c, m);
  refuse_same_address(c, m, m);
  const auto on_ethernet = [&](const std::string& medium) { return !is_ring(find_medium(m, medium)->kind); };
  if (m.peer_mtu > 1500 && ((m.net == "peer" && on_ethernet(m.net_medium)) ||
                            std::any_of(m.stations.begin(), m.stations.end(),
                                        [&](const StationConfig& s) { return on_ethernet(s.medium); })))
    c.fail("peer.mtu",
           "expects 576 to 1500 on Ethernet; longer packets need one ring from end to end: net.rate = \"16 Mbit/s\" "
           "(--rate)");
}

void refuse_same_address(const Config& c, const MachineConfig& m, const MachineConfig& other) {
  for (const CardConfig& card : m.cards)
    for (const CardConfig& twin : other.cards) {
      if (&card == &twin) break;  // of the same machine: each pair once
      if (!card.mac || !twin.mac || !card.enabled || !twin.enabled) continue;
      const bool joined = card.medium == twin.medium || !m.bridges.empty();
      if (joined && net::parse_mac(*card.mac) == net::parse_mac(*twin.mac))
        c.fail(fmt::format("slot.{}.mac", card.slot),
               fmt::format("is also the address of the card in slot {}{}; give each card of a network its own",
                           twin.slot, &m == &other ? "" : " of " + other.label));
    }
}

void refuse_shared_links(const Config& c, const std::vector<MachineConfig>& machines) {
  const MachineConfig& first = machines.front();
  for (const MediumConfig& medium : first.media) {
    if (!medium.full_duplex || is_ring(medium.kind)) continue;
    const auto on_it = [&](const auto& one) { return one.medium == medium.name; };
    const auto named = [&](const std::string& name) { return name == medium.name; };
    auto stations = std::count_if(first.stations.begin(), first.stations.end(), on_it);
    for (const MachineConfig& m : machines) stations += std::count_if(m.cards.begin(), m.cards.end(), on_it);
    for (const BridgeConfig& bridge : first.bridges)
      stations += std::count_if(bridge.media.begin(), bridge.media.end(), named);
    if (first.net != "none")
      stations += first.net_bond.empty() ? named(first.net_medium)
                                         : std::count_if(first.net_bond.begin(), first.net_bond.end(), named);
    if (stations <= 2) continue;
    const bool only = !c.has("medium"), gigabit = medium.kind == MediumKind::ethernet_1000;
    c.fail(only ? "net.duplex" : fmt::format("medium.{}.duplex", medium.name),
           fmt::format("a full-duplex link has two ends, but {} stations are on '{}'; {}give each card a medium of "
                       "its own and join them with a switch (docs/two-machines.md)",
                       stations, medium.name, gigabit ? "" : "write half, or "));
  }
}

}  // namespace planar
