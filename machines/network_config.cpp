// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/network_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "machines/registry/adapter_registry.hpp"

namespace planar {

namespace {

void read_attachment(Config& c, MachineConfig& m) {
  m.net = c.text("net.attach", "peer");
  m.peer_duration = c.time("peer.duration", "6 s");
  if (m.peer_duration < 10_ms || m.peer_duration > 3600_s) c.fail("peer.duration", "expects 10 ms to 3600 s");
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
    c.fail("net.attach", fmt::format("'{}' is not one of peer, none, slirp, tap:NAME, pcap:IFACE, socket:HOST:PORT, "
                                     "socket:unix:PATH",
                                     m.net));
  for (const char* path : {"net.forward", "net.time"})
    if (c.has(path)) c.fail(path, fmt::format("is for the host's network; net.attach is {}, write slirp there", m.net));
}

constexpr MediumKind slow = MediumKind::ethernet_10, fast = MediumKind::ethernet_100;

std::string rate_name(MediumKind kind) { return fmt::format("{} Mbit/s", ethernet_rate(kind) / 1'000'000); }

MediumKind read_rate(Config& c, const std::string& path, MediumKind fallback) {
  return c.choice(path, {rate_name(slow), rate_name(fast)}, rate_name(fallback)) == rate_name(fast) ? fast : slow;
}

bool read_full_duplex(Config& c, const std::string& path) { return c.choice(path, {"half", "full"}, "half") == "full"; }

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

/// One medium for all cards: its rate is the user's, or else the first card's. A card of another rate is refused.
void read_one_medium(Config& c, MachineConfig& m) {
  const auto first = std::find_if(m.cards.begin(), m.cards.end(), on_network);
  const bool chosen = c.has("net.rate");
  MediumConfig medium;
  medium.full_duplex = read_full_duplex(c, "net.duplex");
  medium.kind = read_rate(c, "net.rate", first == m.cards.end() ? slow : kind_of(*first));
  m.media.push_back(medium);
  for (const CardConfig& card : m.cards) {
    if (!on_network(card) || kind_of(card) == medium.kind) continue;
    const std::string own = rate_name(kind_of(card)), present = rate_name(medium.kind);
    c.fail(fmt::format("slot.{}.card", card.slot),
           chosen ? fmt::format("'{}' works at {}, but net.rate is \"{}\"; set it to \"{}\" or leave it out, or take "
                                "another card",
                                card.name, own, present, own)
                  : fmt::format("'{}' works at {}, but '{}' in slot {} at {}, and both are on one segment; take one of "
                                "them out",
                                card.name, own, first->name, first->slot, present));
  }
}

/// [medium.NAME]: kind, rate, duplex.
void read_media(Config& c, MachineConfig& m) {
  for (const char* path : {"net.rate", "net.duplex"})
    if (c.has(path)) c.fail(path, "is of a lab without [medium.NAME] tables; write it into the table of the medium");
  for (const std::string& name : c.children("medium")) {
    const std::string path = "medium." + name;
    MediumConfig medium;
    medium.name = name;
    c.choice(path + ".kind", {"ethernet"}, "ethernet");
    medium.kind = read_rate(c, path + ".rate", slow);
    medium.full_duplex = read_full_duplex(c, path + ".duplex");
    m.media.push_back(std::move(medium));
  }
  std::sort(m.media.begin(), m.media.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

/// The medium that `path` names; with one in the lab it need not be named.
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
      if (!card.medium.empty()) c.fail(path, fmt::format("'{}' is no network adapter; leave it out", card.name));
      continue;
    }
    card.medium = read_place(c, m, path, card.medium, slot + ".card");
    const MediumConfig& medium = *find_medium(m, card.medium);
    if (kind_of(card) != medium.kind)
      c.fail(slot + ".card",
             fmt::format("'{}' works on {}, but medium '{}' is {}; plug it in elsewhere or take another "
                         "card",
                         card.name, title(kind_of(card)), medium.name, title(medium.kind)));
  }
}

/// Bridges without a spanning tree must not close a loop: frames would go round for ever.
void refuse_loops(Config& c, const MachineConfig& m) {
  std::vector<std::size_t> joined(m.media.size());  // by medium: the lowest-numbered one that it is connected with
  std::iota(joined.begin(), joined.end(), std::size_t{0});
  for (const BridgeConfig& bridge : m.bridges) {
    const auto group = [&](const std::string& name) {
      return joined[static_cast<std::size_t>(find_medium(m, name) - m.media.data())];
    };
    const std::size_t first = group(bridge.media.front());
    for (std::size_t n = 1; n < bridge.media.size(); ++n) {
      const std::size_t other = group(bridge.media[n]);
      if (other == group(bridge.media.front()))
        c.fail("bridge." + bridge.name + ".media",
               fmt::format("closes a loop: {} and {} are connected already, and bridges without a spanning tree would "
                           "send frames round for ever; take one out",
                           bridge.media.front(), bridge.media[n]));
      std::replace(joined.begin(), joined.end(), other, first);
    }
  }
}

/// [bridge.NAME]: media, delay, ageing.
void read_bridges(Config& c, MachineConfig& m) {
  for (const std::string& name : c.children("bridge")) {
    const std::string path = "bridge." + name;
    BridgeConfig bridge{name, c.texts(path + ".media"), {}};
    for (const std::string& medium : bridge.media)
      if (!find_medium(m, medium))
        c.fail(path + ".media", fmt::format("there is no medium '{}'; the lab has {}", medium, names(m)));
    if (bridge.media.size() < 2)
      c.fail(path + ".media", fmt::format("expects two media or more, of {}: media = [\"A\", \"B\"]", names(m)));
    bridge.timing.delay = c.time(path + ".delay", "67.2 us");
    if (bridge.timing.delay <= Time{} || bridge.timing.delay > 1_s) c.fail(path + ".delay", "expects 1 ps to 1 s");
    bridge.timing.ageing = c.time(path + ".ageing", "300 s");
    if (bridge.timing.ageing < 10_s || bridge.timing.ageing > 1'000'000_s)
      c.fail(path + ".ageing", "expects 10 s to 1000000 s");
    m.bridges.push_back(std::move(bridge));
  }
  std::sort(m.bridges.begin(), m.bridges.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  refuse_loops(c, m);
}

}  // namespace

void read_network(Config& c, MachineConfig& m) {
  read_attachment(c, m);
  if (c.has("medium"))
    read_media(c, m);
  else
    read_one_medium(c, m);
  plug_in_cards(c, m);
  const std::string given = c.has("net.medium") ? c.text("net.medium") : "";
  if (m.net != "none")
    m.net_medium = read_place(c, m, "net.medium", given, "net.attach");
  else if (!given.empty())
    c.fail("net.medium", "is where net.attach is, and that is none; leave it out");
  if (m.net == "peer" && m.peer_mtu > 1500 && find_medium(m, m.net_medium)->kind != MediumKind::token_ring)
    c.fail("peer.mtu", "expects 576 to 1500 on Ethernet");
  read_bridges(c, m);
}

}  // namespace planar
