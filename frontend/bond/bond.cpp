// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/bond/bond.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "devices/stations/peer/peer.hpp"
#include "frontend/options/options.hpp"
#include "frontend/session/session.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/stations.hpp"

namespace planar {
namespace {

/// The slots of a configuration with a network adapter that POST enables, in their order.
std::vector<unsigned> network_slots(const Config& config) {
  std::vector<unsigned> slots;
  const auto rows = adapter_registry();
  for (const std::string& name : config.children("slot")) {
    const auto number = parse_number(name);
    const auto card = config.peek_text("slot." + name + ".card");
    if (number && config.peek_text("slot." + name + ".enabled") != "false" &&
        std::any_of(rows.begin(), rows.end(),
                    [&](const AdapterEntry& row) { return row.name == card && row.medium != MediumKind::scsi; }))
      slots.push_back(static_cast<unsigned>(*number));
  }
  std::sort(slots.begin(), slots.end());
  return slots;
}

/// A slave gets the first one's station address. The RTL8139 takes one as doublewords, with its configuration unlocked;
/// Linux 2.2.16's driver writes six bytes, which do nothing (devices/ethernet/rtl8139/rtl8139.md). Such a slave needs
/// that address in its EEPROM, or it receives nothing.
void check_address(const Config& config, const std::string& card, unsigned slot, unsigned first) {
  const auto mac = [&](unsigned n) { return config.peek_text(fmt::format("slot.{}.mac", n)); };
  if (card != "rtl8139" || slot == first || (!mac(slot).empty() && mac(slot) == mac(first))) return;
  throw Error(
      fmt::format("--bond: the rtl8139 in slot {} would receive nothing, because Linux 2.2.16's driver cannot give it "
                  "the bond's address; use 3c905b, eepro100 or lne100tx, or give the cards one address: "
                  "--card rtl8139:mac=02:00:00:00:00:01",
                  slot));
}

}  // namespace

void BondOptions::add_to(CLI::App& app) {
  option_ = app.add_option("--bond", count_,
                           "Use the machine's Ethernet adapters as one device, like Linux 2.2.17's channel bonding: "
                           "frames are sent over them in turn; each is on its own segment, where the reference station "
                           "has a port. With N and one --card: that card N times")
                ->type_name("[N]")
                ->expected(0, 1)
                ->check(CLI::Range(2u, most));
}

bool BondOptions::given() const { return option_ && option_->count() > 0; }

void BondOptions::repeat_card(MachineOptions& machine) const {
  if (!count_) return;
  if (machine.cards.empty()) machine.cards.emplace_back(board_kind_of(load_machine(machine.machine)).usual_card);
  if (machine.cards.size() > 1) return;  // they are counted later
  if (const auto card = parse_card_option(machine.cards.front()); card.slot)
    throw Error(
        fmt::format("--bond {0} --card {1}: the slot is for one; write --card {2} --bond {0}, or a --card for each",
                    count_, machine.cards.front(), card.name));
  machine.cards.assign(count_, machine.cards.front());
}

unsigned BondOptions::apply(Config& config) const {
  const auto slots = network_slots(config);
  if (slots.size() < 2)
    throw Error("--bond: the machine has one network adapter; write --bond 2, or a --card for each slot");
  if (slots.size() > most || (count_ && slots.size() != count_))
    throw Error(
        fmt::format("--bond{}: the machine has {} network adapters, in slots {}; {}",
                    count_ ? fmt::format(" {}", count_) : "", slots.size(), fmt::join(slots, ", "),
                    count_ ? "leave the number or some of them out" : fmt::format("a bond is of up to {}", most)));
  if (config.has("medium")) throw Error("--bond: the machine's file has [medium.NAME] tables; --bond makes its own");
  std::vector<std::string> media;
  for (const unsigned slot : slots) {
    const AdapterEntry& adapter = find_adapter(config.peek_text(fmt::format("slot.{}.card", slot)));
    if (ethernet_rate(adapter.medium) == 0)
      throw Error(
          fmt::format("--bond: {} in slot {} is no Ethernet adapter, and a bond is of those", adapter.name, slot));
    check_address(config, std::string(adapter.name), slot, slots.front());
    const auto medium = fmt::format("segment-{}", media.size() + 1);
    config.set_text(fmt::format("slot.{}.medium", slot), medium, "--bond");
    config.set_text(fmt::format("medium.{}.rate", medium),
                    fmt::format("{} Mbit/s", ethernet_rate(adapter.medium) / 1'000'000), "--bond");
    if (adapter.agrees_on_full_duplex()) config.set_text(fmt::format("medium.{}.duplex", medium), "full", "--bond");
    for (const char* key : {"rate", "duplex", "path", "length", "delay"})  // of the one medium, and now of each
      if (const auto value = config.peek_text(fmt::format("net.{}", key)); !value.empty()) {
        const auto path = fmt::format("medium.{}.{}", medium, key);
        if (std::string(key) == "length")
          config.set(path, value, fmt::format("net.{}", key));
        else
          config.set_text(path, value, fmt::format("net.{}", key));
      }
    media.push_back(medium);
  }
  config.remove({"net.rate", "net.duplex", "net.path", "net.length", "net.delay"});
  config.set_texts("net.bond", media, "--bond");
  return static_cast<unsigned>(slots.size());
}

std::optional<BondFigures> collect_bond(Session& session) {
  Lab& lab = session.lab();
  const MachineConfig& config = lab.machine().config();
  const GuestOutput& guest = session.guest();
  if (config.net_bond.empty() || lab.machines() > 1) return std::nullopt;
  BondFigures bond;
  const net::Peer* peer = nullptr;
  for (const net::Peer* found : reference_stations(lab))
    if (found->ports() > 1) peer = found;
  if (!peer) return std::nullopt;
  for (const CardConfig& card : config.cards) {
    const auto place = std::find(config.net_bond.begin(), config.net_bond.end(), card.medium);
    const NetworkAdapter* adapter = lab.machine().adapter(card.slot);
    if (place == config.net_bond.end() || !card.enabled || !adapter) continue;
    BondFigures::Member m{.slot = card.slot, .card = card.name, .medium = card.medium, .frames = adapter->counters()};
    const auto& port = peer->port_counters(static_cast<std::size_t>(place - config.net_bond.begin()));
    m.peer_sent = port.frames_sent;
    m.peer_received = port.frames_received;
    for (const GuestLine& line : guest.lines())
      if (line.tagged("@adapter_counters") && line.number("slot") == card.slot)
        m.interrupts = line.number("interrupts").value_or(0);
    bond.members.push_back(std::move(m));
  }
  std::sort(bond.members.begin(), bond.members.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
  bond.packets_overtaken_at_peer = peer->overtaken();
  bond.segments_out_of_order_at_peer = peer->tcp().counters().out_of_order;
  bond.retransmitted_by_peer = peer->tcp().counters().retransmitted;
  for (const GuestLine& line : guest.lines()) {
    if (line.tagged("@reordered")) bond.segments_out_of_order_at_guest = line.number("segments").value_or(0);
    if (line.tagged("@counters")) bond.retransmitted_by_guest = line.number("retransmitted").value_or(0);
  }
  return bond;
}

nlohmann::ordered_json BondFigures::json() const {
  nlohmann::ordered_json out;
  out["cards"] = nlohmann::ordered_json::array();
  for (const Member& m : members) {
    nlohmann::ordered_json frames{{"sent", m.frames.sent}, {"received", m.frames.received}};
    for (const net::NamedCount& count : m.frames.of_medium) frames[std::string(count.name)] = count.value;
    frames["overruns"] = m.frames.overruns;
    out["cards"].push_back({{"slot", m.slot},
                            {"card", m.card},
                            {"medium", m.medium},
                            {"frames", std::move(frames)},
                            {"interrupts", m.interrupts},
                            {"peer_frames", {{"sent", m.peer_sent}, {"received", m.peer_received}}}});
  }
  out["packets_overtaken_at_peer"] = packets_overtaken_at_peer;
  out["segments_out_of_order"] = {{"at_peer", segments_out_of_order_at_peer},
                                  {"at_guest", segments_out_of_order_at_guest}};
  out["retransmitted"] = {{"by_peer", retransmitted_by_peer}, {"by_guest", retransmitted_by_guest}};
  return out;
}

std::string BondFigures::heading() const {
  std::vector<std::string> names;
  for (const Member& m : members) names.push_back(fmt::format("{} in slot {}", m.card, m.slot));
  return fmt::format("a bond of {}", fmt::join(names, ", "));
}

std::string BondFigures::table() const {
  std::string out = fmt::format("{:>6}  {:<13}  {:>9}  {:>9}  {:>10}  {:>10}  {:>10}\n", "slot", "card", "sent",
                                "received", "collisions", "interrupts", "peer sent");
  for (const Member& m : members) {
    std::uint64_t collisions = 0;
    for (const net::NamedCount& count : m.frames.of_medium)
      if (count.name == "collisions") collisions = count.value;
    out += fmt::format("{:>6}  {:<13}  {:>9}  {:>9}  {:>10}  {:>10}  {:>10}\n", m.slot, m.card, m.frames.sent,
                       m.frames.received, collisions, m.interrupts, m.peer_sent);
  }
  out += fmt::format(
      "out of order: {} packets at the peer, {} TCP segments there, {} in the guest; sent again: {} by the guest, {} "
      "by the "
      "peer\n",
      packets_overtaken_at_peer, segments_out_of_order_at_peer, segments_out_of_order_at_guest, retransmitted_by_guest,
      retransmitted_by_peer);
  return out;
}

}  // namespace planar
