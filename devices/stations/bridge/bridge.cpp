// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/bridge/bridge.hpp"

#include <algorithm>

namespace planar::net {
namespace {

/// 01:80:C2:00:00:00 to 0F (IEEE 802.1D, reserved addresses).
bool reserved(const MacAddress& mac) {
  constexpr MacAddress first{0x01, 0x80, 0xC2, 0, 0, 0};
  return std::equal(mac.begin(), mac.end() - 1, first.begin()) && mac[5] < 0x10;
}

MacAddress mac_at(ByteView frame, std::size_t at) {
  MacAddress mac;
  std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(at), mac.size(), mac.begin());
  return mac;
}

}  // namespace

class Bridge::Side final : private LinkUser {
 public:
  Side(Bridge& bridge, std::uint32_t number, Scheduler& scheduler, Medium& medium, std::uint64_t seed)
      : link(medium.connect(scheduler, bridge.name_ + "." + medium.name(), *this, Random(seed + number).next())),
        bridge_(bridge),
        number_(number) {}
  const std::unique_ptr<LinkLayer> link;

 private:
  void frame_received(ByteView frame, Time now) override { bridge_.receive(number_, frame, now); }
  bool accepts(ByteView destination, Time now) override {
    return bridge_.crosses(number_, mac_at(destination, 0), now);
  }
  void frame_damaged(Time) override { ++bridge_.counters_.damaged; }
  void frame_sent(const LinkOutcome& outcome, Time) override {
    if (!outcome.sent) ++bridge_.counters_.dropped;
  }

  Bridge& bridge_;
  std::uint32_t number_;
};

Bridge::Bridge(Scheduler& scheduler, Trace& trace, std::string name, std::span<Medium* const> media, std::uint64_t seed,
               BridgeTiming timing)
    : trace_(trace),
      name_(std::move(name)),
      timing_(timing),
      forward_(scheduler, name_ + ".forward", Priority::device, Callback::to<&Bridge::forward>(this)) {
  for (Medium* medium : media)
    sides_.push_back(
        std::make_unique<Side>(*this, static_cast<std::uint32_t>(sides_.size()), scheduler, *medium, seed));
}

Bridge::~Bridge() = default;

Port& Bridge::port(std::size_t number) { return sides_[number]->link->port(); }

void Bridge::receive(std::uint32_t from, ByteView frame, Time now) {
  ++counters_.received;
  const MacAddress destination = mac_at(frame, 0);
  learn(mac_at(frame, 6), from, now);
  const Address* known = find(destination, now);
  if (!crosses(from, destination, now)) {
    ++counters_.filtered;
    return;
  }
  ++(known ? counters_.forwarded : counters_.flooded);
  held_.push_back({Bytes(frame.begin(), frame.end()), from, known ? known->side : all_others, now + timing_.delay});
  if (!forward_.pending()) forward_.at(held_.front().due);
}

bool Bridge::crosses(std::uint32_t from, const MacAddress& destination, Time now) const {
  if (reserved(destination)) return false;
  const Address* known = find(destination, now);
  return !known || known->side != from;
}

const Bridge::Address* Bridge::find(const MacAddress& mac, Time now) const {
  const auto found = std::lower_bound(addresses_.begin(), addresses_.end(), mac,
                                      [](const Address& a, const MacAddress& wanted) { return a.mac < wanted; });
  const bool known = found != addresses_.end() && found->mac == mac && now - found->heard < timing_.ageing;
  return known ? &*found : nullptr;
}

void Bridge::learn(const MacAddress& source, std::uint32_t side, Time now) {
  if (source[0] & 1) return;  // no station's address
  const auto place = [&] {
    return std::lower_bound(addresses_.begin(), addresses_.end(), source,
                            [](const Address& a, const MacAddress& wanted) { return a.mac < wanted; });
  };
  if (const auto at = place(); at != addresses_.end() && at->mac == source) {
    at->side = side;
    at->heard = now;
    return;
  }
  if (addresses_.size() >= bridge_addresses)
    std::erase_if(addresses_, [&](const Address& a) { return now - a.heard >= timing_.ageing; });
  if (addresses_.size() >= bridge_addresses) return;
  addresses_.insert(place(), {source, side, now});
  trace_(TraceCategory::peer, now, "{}: {} is on {}", name_, format_mac(source), port(side).medium()->name());
}

void Bridge::forward(Time now) {
  const Held held = std::move(held_.front());
  held_.pop_front();
  if (!held_.empty()) forward_.at(held_.front().due);
  if (held.to != all_others) {
    send(*sides_[held.to], held.frame, now);
    return;
  }
  for (std::uint32_t side = 0; side < sides_.size(); ++side)
    if (side != held.from) send(*sides_[side], held.frame, now);
}

void Bridge::send(Side& side, ByteView frame, Time now) {
  if (side.link->waiting() < bridge_queue)
    side.link->send(frame, now);
  else
    ++counters_.dropped;
}

Description Bridge::describe() const {
  Description d(name_);
  d.number("received", counters_.received).number("filtered", counters_.filtered);
  d.number("forwarded", counters_.forwarded).number("flooded", counters_.flooded);
  d.number("dropped", counters_.dropped).number("damaged", counters_.damaged);
  Description& table = d.part("addresses");
  for (const Address& a : addresses_) table.text(format_mac(a.mac), sides_[a.side]->link->port().medium()->name());
  return d;
}

void Bridge::archive(Archive& a) {
  a.section("bridge", 1);
  counters_.archive(a);
  a(addresses_, held_);
  for (auto& side : sides_) {
    side->link->archive_waiting(a);
    side->link->archive(a);
  }
  forward_.archive(a);
  if (!a.loading()) return;
  // A damaged snapshot must not index beyond the ports that are here.
  const auto there = [&](std::uint32_t side) { return side < sides_.size(); };
  std::erase_if(addresses_, [&](const Address& entry) { return !there(entry.side); });
  std::erase_if(held_, [&](const Held& held) { return held.to != all_others && !there(held.to); });
  if (held_.empty()) forward_.cancel();
}

}  // namespace planar::net
