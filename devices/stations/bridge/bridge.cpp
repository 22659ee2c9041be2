// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/bridge/bridge.hpp"

#include <algorithm>

namespace planar::net {
namespace {

constexpr std::size_t ethernet_header = 14;
constexpr unsigned type_ip = 0x0800, dont_fragment = 0x4000;
constexpr std::uint8_t protocol_icmp = 1;
/// How often more is taken of a frame whose sender is still receiving it itself.
constexpr Time feeding = 4_us;

/// 01:80:C2:00:00:00 to 0F (IEEE 802.1D, reserved addresses).
bool reserved(const MacAddress& mac) {
  constexpr MacAddress first{0x01, 0x80, 0xC2, 0, 0, 0};
  return std::equal(mac.begin(), mac.end() - 1, first.begin()) && mac[5] < 0x10;
}

LinkType link_type(LinkLayer& link) { return link.port().medium()->format().link; }

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
  // The frame being received: when the decision is due, where it leaves, when more of it is to be fed.
  Time decide = Time::never(), feed = Time::never();
  std::uint32_t leaves_at = all_others;
  std::uint32_t number() const { return number_; }
  void archive(Archive& a) {
    link->archive_waiting(a);
    link->archive(a);
    a(decide, feed, leaves_at);
  }

 private:
  void frame_begins(Time addresses, Time) override {
    if (!bridge_.figures_.cut_through) return;
    decide = addresses + bridge_.figures_.delay;
    bridge_.find_cut();
  }
  void frame_received(ByteView frame, Time now) override {
    if (!bridge_.cut_ends(*this, true, now)) bridge_.receive(number_, frame, now);
  }
  bool accepts(ByteView destination, Time now) override {
    return bridge_.crosses(number_, mac_at(destination, 0), now);
  }
  void frame_damaged(Time now) override {
    ++bridge_.counters_.damaged;
    bridge_.cut_ends(*this, false, now);
  }
  void frame_sent(const LinkOutcome& outcome, Time) override {
    if (!outcome.sent) ++bridge_.counters_.dropped;
  }

  Bridge& bridge_;
  std::uint32_t number_;
};

Bridge::Bridge(Scheduler& scheduler, Trace& trace, std::string name, std::span<Medium* const> media, std::uint64_t seed,
               const BridgeFigures& figures)
    : trace_(trace),
      name_(std::move(name)),
      figures_(figures),
      forward_(scheduler, name_ + ".forward", Priority::device, Callback::to<&Bridge::forward>(this)),
      cut_(scheduler, name_ + ".cut", Priority::device, Callback::to<&Bridge::cut_due>(this)) {
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
  Held held{Bytes(frame.begin(), frame.end()), {}, from, known ? known->side : all_others, now + figures_.delay};
  if (LinkLayer& link = *sides_[from]->link; link_type(link) != LinkType::ethernet)
    if (const auto whole = link.arriving()) held.as_is.assign(whole->bytes.begin(), whole->bytes.end());
  held_.push_back(std::move(held));
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
  const bool known = found != addresses_.end() && found->mac == mac && now - found->heard < figures_.ageing;
  return known ? &*found : nullptr;
}

void Bridge::learn(const MacAddress& source, std::uint32_t side, Time now) {
  if (source[0] & 1) return;  // not a station's address
  const auto place = [&] {
    return std::lower_bound(addresses_.begin(), addresses_.end(), source,
                            [](const Address& a, const MacAddress& wanted) { return a.mac < wanted; });
  };
  if (const auto at = place(); at != addresses_.end() && at->mac == source) {
    at->side = side;
    at->heard = now;
    return;
  }
  if (addresses_.size() >= figures_.addresses)
    std::erase_if(addresses_, [&](const Address& a) { return now - a.heard >= figures_.ageing; });
  if (addresses_.size() >= figures_.addresses) return;
  addresses_.insert(place(), {source, side, now});
  trace_(TraceCategory::peer, now, name_, "{} is on {}", format_mac(source), port(side).medium()->name());
}

void Bridge::forward(Time now) {
  const Held held = std::move(held_.front());
  held_.pop_front();
  if (!held_.empty()) forward_.at(held_.front().due);
  if (held.to != all_others) {
    send(*sides_[held.to], held, now);
    return;
  }
  for (std::uint32_t side = 0; side < sides_.size(); ++side)
    if (side != held.from) send(*sides_[side], held, now);
}

void Bridge::send(Side& side, const Held& held, Time now) {
  if (held.frame.size() > ethernet_header + side.link->mtu()) {
    ++counters_.too_long;
    refuse(held, side.link->mtu(), now);
  } else if (side.link->waiting() >= figures_.queue) {
    ++counters_.dropped;
  } else if (!held.as_is.empty() && link_type(*side.link) == link_type(*sides_[held.from]->link)) {
    side.link->send_as_is(held.as_is, now);
  } else {
    side.link->send(held.frame, now);
  }
}

// RFC 792 and 1191. Broadcasts, fragments other than the first, and ICMP errors are not answered (RFC 1122).
void Bridge::refuse(const Held& held, std::size_t mtu, Time now) {
  const ByteView frame = held.frame, ip = frame.subspan(ethernet_header);
  if (held.from == itself || frame[0] & 1 || get16(frame, 12) != type_ip || ip.size() < 28 || ip[0] >> 4 != 4) return;
  const unsigned fragment = get16(ip, 6);
  const std::size_t header = (ip[0] & 15) * 4u;
  const bool error = ip[9] == protocol_icmp && ip.size() > header && ip[header] != 0 && ip[header] != 8;
  if (!(fragment & dont_fragment) || fragment & 0x1FFF || error || header < 20 || ip.size() < header + 8) return;
  Bytes icmp{3, 4, 0, 0, 0, 0};  // destination unreachable: fragmentation needed
  put16(icmp, static_cast<std::uint32_t>(mtu));
  put(icmp, ip.first(header + 8));
  set16(icmp, 2, checksum_fold(checksum_add(icmp)));
  Bytes answer(frame.begin() + 6, frame.begin() + 12);
  put(answer, frame.first(6));
  put16(answer, type_ip);
  Bytes packet{0x45, 0};
  put16(packet, static_cast<std::uint32_t>(20 + icmp.size()));
  put(packet, Bytes{0, 0, 0, 0, 64, protocol_icmp, 0, 0});
  put(packet, ip.subspan(16, 4));
  put(packet, ip.subspan(12, 4));
  set16(packet, 10, checksum_fold(checksum_add(packet)));
  put(answer, packet);
  put(answer, icmp);
  ++counters_.refused;
  held_.push_back({std::move(answer), {}, itself, held.from, now + figures_.delay});
  if (!forward_.pending()) forward_.at(held_.front().due);
}

// ---- cutting through ----

void Bridge::find_cut() {
  Time first = Time::never();
  for (const auto& side : sides_) first = std::min({first, side->decide, side->feed});
  cut_.at(first);
}

void Bridge::cut_due(Time now) {
  for (auto& side : sides_) {
    if (side->decide <= now) {
      side->decide = Time::never();
      cut_through(*side, now);
    }
    if (side->feed > now) continue;
    side->feed = Time::never();
    const auto frame = side->link->arriving();
    if (!frame || side->leaves_at >= sides_.size()) continue;
    sides_[side->leaves_at]->link->feed(*frame, now);
    if (frame->settled < frame->bytes.size()) side->feed = now + feeding;
  }
  find_cut();
}

void Bridge::cut_through(Side& side, Time now) {
  const auto frame = side.link->arriving();
  if (!frame) return;
  const auto both = side.link->addresses(*frame);
  const MacAddress destination = mac_at(both, 0);
  const Address* known = find(destination, now);
  if (!known || !crosses(side.number(), destination, now)) return;
  LinkLayer& out = *sides_[known->side]->link;
  if (out.waiting() || !out.can_follow(*side.link)) return;
  side.leaves_at = known->side;
  learn(mac_at(both, 6), side.number(), now);
  ++counters_.received;
  ++counters_.forwarded;
  ++counters_.cut;
  out.follow(*side.link, now);
  if (frame->settled < frame->bytes.size()) side.feed = now + feeding;
}

bool Bridge::cut_ends(Side& side, bool good, Time now) {
  side.decide = side.feed = Time::never();
  const std::uint32_t out = std::exchange(side.leaves_at, all_others);
  find_cut();
  if (out >= sides_.size()) return false;
  if (const auto whole = side.link->arriving(); good && whole) sides_[out]->link->feed(*whole, now);
  sides_[out]->link->follow_ends(good, now);
  return true;
}

Description Bridge::describe() const {
  Description d(name_);
  d.number("received", counters_.received).number("filtered", counters_.filtered);
  d.number("forwarded", counters_.forwarded).number("flooded", counters_.flooded).number("cut through", counters_.cut);
  d.number("dropped", counters_.dropped).number("damaged", counters_.damaged);
  d.number("too long", counters_.too_long).number("refused", counters_.refused);
  Description& table = d.part("addresses");
  for (const Address& a : addresses_) table.text(format_mac(a.mac), sides_[a.side]->link->port().medium()->name());
  return d;
}

void Bridge::archive(Archive& a) {
  a.section("bridge", 2);
  counters_.archive(a);
  a(addresses_, held_);
  for (auto& side : sides_) side->archive(a);
  forward_.archive(a);
  cut_.archive(a);
  if (!a.loading()) return;
  // A damaged snapshot must not index beyond the existing ports.
  const auto there = [&](std::uint32_t side) { return side < sides_.size(); };
  std::erase_if(addresses_, [&](const Address& entry) { return !there(entry.side); });
  std::erase_if(held_, [&](const Held& held) {
    const bool own_form = !held.as_is.empty();
    return (held.to != all_others && !there(held.to)) || held.frame.size() < ethernet_header ||
           (!there(held.from) && (held.from != itself || own_form)) || (own_form && held.as_is.size() < fcs_bytes);
  });
  if (held_.empty()) forward_.cancel();
}

}  // namespace planar::net
