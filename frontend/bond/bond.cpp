// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/bond/bond.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/common/small_letters.hpp"
#include "devices/stations/peer/peer.hpp"
#include "frontend/guest/guest_image.hpp"
#include "frontend/options/network_adapters.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/frame_counts.hpp"
#include "frontend/output/output.hpp"
#include "frontend/session/session.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/stations.hpp"

namespace planar {
namespace {

/// The slots that hold a network adapter which POST enables, in ascending order.
std::vector<unsigned> network_slots(const Config& config) {
  std::vector<unsigned> slots;
  for (const Plugged& adapter : network_adapters(config))
    if (const auto number = parse_number(adapter.slot); number && adapter.enabled)
      slots.push_back(static_cast<unsigned>(*number));
  return slots;
}

/// Adapters whose driver does not set the address that it is given. The RTL8139 accepts it only as doublewords, with
/// its configuration unlocked; Linux 2.2.16's driver writes six bytes, which have no effect
/// (devices/ethernet/rtl8139/rtl8139.md). The PRO/1000s' reads the EEPROM's each time it opens the adapter
/// (roms/guest/drivers/pci/e1000_probe.c).
constexpr std::string_view with_own_address[] = {"rtl8139", "pro1000-82542", "pro1000-82543"};

/// Every slave is given the first adapter's station address. One of `with_own_address` would receive nothing, so its
/// EEPROM gets the address, as M. Siegert did with his RTL8139s: the first adapter's address if the user has given one,
/// otherwise `usual`, which the first adapter then gets as well. Throws Error for one to which the user has given
/// another.
void give_one_address(Config& config, const std::vector<unsigned>& slots, const std::string& usual) {
  const auto path = [](unsigned slot) { return fmt::format("slot.{}.mac", slot); };
  const auto given = [&](unsigned slot) { return config.peek_text(path(slot)); };
  for (const unsigned slot : slots) {
    const std::string card = config.peek_text(fmt::format("slot.{}.card", slot));
    if (slot == slots.front() || std::ranges::find(with_own_address, card) == std::end(with_own_address)) continue;
    const std::string wanted = given(slots.front()).empty() ? usual : given(slots.front());
    if (given(slot).empty()) config.set_text(path(slot), wanted, "--bond");
    if (given(slots.front()).empty()) config.set_text(path(slots.front()), wanted, "--bond");
    if (small_letters(given(slot)) != small_letters(wanted))
      config.fail(path(slot), fmt::format("the {} would receive nothing in a bond, because its driver does not give "
                                          "it the first card's address; write {}, or leave it out",
                                          card, wanted));
  }
}

const AdapterEntry& adapter_in(const Config& config, unsigned slot) {
  return find_adapter(config.peek_text(fmt::format("slot.{}.card", slot)));
}

/// The slots of a bond of `count` adapters (0: all of them). Throws Error.
std::vector<unsigned> bonded_slots(const Config& config, unsigned count) {
  auto slots = network_slots(config);
  if (slots.size() < 2)
    throw Error(fmt::format("--bond: the machine has {} network adapter; write --bond 2, or a --card for each slot",
                            slots.empty() ? "no" : "one"));
  if (slots.size() > BondOptions::most || (count && slots.size() != count))
    throw Error(fmt::format(
        "--bond{}: the machine has {} network adapters, in slots {}; {}", count ? fmt::format(" {}", count) : "",
        slots.size(), fmt::join(slots, ", "),
        count ? "leave the number or some of them out" : fmt::format("a bond has at most {}", BondOptions::most)));
  for (const unsigned slot : slots) {
    const AdapterEntry& adapter = adapter_in(config, slot);
    if (ethernet_rate(adapter.medium) == 0)
      throw Error(fmt::format("--bond: {} in slot {} is not an Ethernet adapter; only those can be bonded",
                              adapter.name, slot));
  }
  return slots;
}

const net::Peer* station_of_bond(Lab& lab) {
  const net::Peer* peer = nullptr;
  for (const net::Peer* found : reference_stations(lab))
    if (found->ports() > 1) peer = found;
  return peer;
}

}  // namespace

void BondOptions::add_to(CLI::App& app) {
  option_ = app.add_option("--bond", count_,
                           "Use the machine's Ethernet adapters as one device, like Linux 2.2.17's channel bonding: "
                           "frames are sent over them in turn; each is on its own segment, where the reference station "
                           "has a port, or the machine of --against an adapter. With N and one --card: that card N "
                           "times")
                ->type_name("[N]")
                ->expected(0, 1)
                ->check(CLI::Range(2u, most));
}

bool BondOptions::given() const { return option_ && option_->count() > 0; }

void BondOptions::repeat_card(MachineOptions& machine) const {
  if (count_) planar::repeat_card(machine, count_);
}

void repeat_card(MachineOptions& machine, unsigned count) {
  if (machine.cards.empty()) machine.cards.emplace_back(board_kind_of(load_machine(machine.machine)).usual_card);
  if (machine.cards.size() > 1) return;  // their number is checked later
  if (const auto card = parse_card_option(machine.cards.front()); card.slot)
    throw Error(
        fmt::format("--bond {0} --card {1}: a slot holds one card; write --card {2} --bond {0}, or a --card for each",
                    count, machine.cards.front(), card.name));
  machine.cards.assign(count, machine.cards.front());
}

unsigned BondOptions::apply(Config& config) const {
  const auto slots = bonded_slots(config, count_);
  give_one_address(config, slots, "02:00:00:00:00:01");
  if (config.has("medium")) throw Error("--bond: the machine's file has [medium.NAME] tables; --bond makes its own");
  std::vector<std::string> media;
  for (const unsigned slot : slots) {
    const AdapterEntry& adapter = adapter_in(config, slot);
    const auto medium = fmt::format("segment-{}", media.size() + 1);
    config.set_text(fmt::format("slot.{}.medium", slot), medium, "--bond");
    config.set_text(fmt::format("medium.{}.rate", medium),
                    fmt::format("{} Mbit/s", ethernet_rate(adapter.medium) / 1'000'000), "--bond");
    if (adapter.agrees_on_full_duplex()) config.set_text(fmt::format("medium.{}.duplex", medium), "full", "--bond");
    for (const char* key : {"rate", "duplex", "path", "length", "delay"})  // of the single medium, now copied to each
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

void connect_bonds(Config& client, Config& server) {
  std::vector<std::string> media;
  for (const unsigned slot : network_slots(client))
    media.push_back(client.peek_text(fmt::format("slot.{}.medium", slot)));
  client.remove({"net.bond"});
  const auto slots = bonded_slots(server, static_cast<unsigned>(media.size()));
  give_one_address(server, slots, "02:00:00:00:00:02");
  for (std::size_t n = 0; n < media.size(); ++n) {
    server.set_text(fmt::format("slot.{}.medium", slots[n]), media[n], "--bond");
    const std::string duplex = fmt::format("medium.{}.duplex", media[n]);
    if (!adapter_in(server, slots[n]).agrees_on_full_duplex() && client.origin(duplex) == "--bond")
      client.remove({duplex});  // the two ends do not negotiate it
  }
}

namespace {

/// The media of the machine's bond; empty if it has none.
std::vector<std::string> bonded_media(Lab& lab) {
  const MachineConfig& config = lab.machine().config();
  if (!config.net_bond.empty()) return config.net_bond;
  std::vector<std::string> media;
  if (lab.machines() == 1 || !setting(settings_of(lab.diskette_image()), "bond")) return media;
  for (const CardConfig& card : config.cards)
    if (card.enabled && !card.medium.empty()) media.push_back(card.medium);
  return media;
}

/// The frames that the other end's port on a medium of the bond has sent and received: port `place` of the reference
/// station, or an adapter of the second machine.
void put_other_end(Lab& lab, std::size_t place, BondFigures::Member& m) {
  if (lab.machines() == 1) {
    const net::Peer* peer = station_of_bond(lab);
    if (!peer) return;
    const auto& port = peer->port_counters(place);
    m.peer_sent = port.frames_sent;
    m.peer_received = port.frames_received;
    return;
  }
  for (const CardConfig& card : lab.machine(1).config().cards)
    if (const NetworkAdapter* adapter = lab.machine(1).adapter(card.slot); adapter && card.medium == m.medium) {
      m.peer_sent = adapter->counters().sent;
      m.peer_received = adapter->counters().received;
    }
}

/// A count that a guest reports when its program ends; nothing if it was interrupted before.
using Told = std::optional<std::uint64_t>;
std::string told_text(const Told& count) { return count ? std::to_string(*count) : "-"; }

/// TCP segments that a guest reports as received out of order and as retransmitted.
void put_guest_counts(const GuestOutput& guest, Told& out_of_order, Told& retransmitted) {
  for (const GuestLine& line : guest.lines()) {
    if (line.tagged("@reordered")) out_of_order = line.number("segments");
    if (line.tagged("@counters")) retransmitted = line.number("retransmitted");
  }
}

}  // namespace

std::optional<BondFigures> collect_bond(Session& session) {
  Lab& lab = session.lab();
  const auto media = bonded_media(lab);
  if (media.empty()) return std::nullopt;
  BondFigures bond;
  for (const CardConfig& card : lab.machine().config().cards) {
    const auto place = std::find(media.begin(), media.end(), card.medium);
    const NetworkAdapter* adapter = lab.machine().adapter(card.slot);
    if (place == media.end() || !card.enabled || !adapter) continue;
    BondFigures::Member m{.slot = card.slot, .card = card.name, .medium = card.medium, .frames = adapter->counters()};
    put_other_end(lab, static_cast<std::size_t>(place - media.begin()), m);
    for (const GuestLine& line : session.guest().lines())
      if (line.tagged("@adapter_counters") && line.number("slot") == card.slot)
        m.interrupts = line.number("interrupts");
    bond.members.push_back(std::move(m));
  }
  std::sort(bond.members.begin(), bond.members.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
  put_guest_counts(session.guest(), bond.segments_out_of_order_at_guest, bond.retransmitted_by_guest);
  if (lab.machines() > 1) {
    put_guest_counts(session.guest(1), bond.segments_out_of_order_at_peer, bond.retransmitted_by_peer);
  } else if (const net::Peer* peer = station_of_bond(lab)) {
    bond.packets_overtaken_at_peer = peer->overtaken();
    bond.segments_out_of_order_at_peer = peer->tcp().counters().out_of_order;
    bond.retransmitted_by_peer = peer->tcp().counters().retransmitted;
  }
  const AcknowledgementMeter& acknowledgements = session.acknowledgements();
  bond.duplicate_acknowledgements_of_guest = acknowledgements.duplicates_sent();
  bond.duplicate_acknowledgements_of_peer = acknowledgements.duplicates_received();
  return bond;
}

nlohmann::ordered_json BondFigures::json() const {
  nlohmann::ordered_json out;
  out["cards"] = nlohmann::ordered_json::array();
  for (const Member& m : members) {
    out["cards"].push_back({{"slot", m.slot},
                            {"card", m.card},
                            {"medium", m.medium},
                            {"frames", counted(m.frames)},
                            {"interrupts", or_null(m.interrupts)},
                            {"peer_frames", {{"sent", m.peer_sent}, {"received", m.peer_received}}}});
  }
  if (packets_overtaken_at_peer) out["packets_overtaken_at_peer"] = *packets_overtaken_at_peer;
  out["segments_out_of_order"] = {{"at_peer", or_null(segments_out_of_order_at_peer)},
                                  {"at_guest", or_null(segments_out_of_order_at_guest)}};
  out["duplicate_acknowledgements"] = {{"of_peer", duplicate_acknowledgements_of_peer},
                                       {"of_guest", duplicate_acknowledgements_of_guest}};
  out["retransmitted"] = {{"by_peer", or_null(retransmitted_by_peer)}, {"by_guest", or_null(retransmitted_by_guest)}};
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
                       m.frames.received, collisions, told_text(m.interrupts), m.peer_sent);
  }
  out += "out of order: ";
  if (packets_overtaken_at_peer) out += fmt::format("{} packets at the peer, ", *packets_overtaken_at_peer);
  out += fmt::format("{} TCP segments at the peer, {} in the guest\n", told_text(segments_out_of_order_at_peer),
                     told_text(segments_out_of_order_at_guest));
  out += fmt::format(
      "duplicate acknowledgements: {} of the peer, {} of the guest; sent again: {} by the guest, {} by the peer\n",
      duplicate_acknowledgements_of_peer, duplicate_acknowledgements_of_guest, told_text(retransmitted_by_guest),
      told_text(retransmitted_by_peer));
  return out;
}

}  // namespace planar
