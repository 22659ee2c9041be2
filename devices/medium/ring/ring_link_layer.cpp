// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/ring/ring_link_layer.hpp"

#include <algorithm>

#include "devices/medium/ring/ring_routing.hpp"
#include "devices/medium/ring/ring_translation.hpp"

namespace planar::net {
namespace {

/// Source: Linux 2.4 net/802/tr.c.
constexpr Time route_ageing = 600_s;
constexpr std::size_t most_routes = 256;

RingInsertion plain_station(const RingConfig& ring, std::uint64_t seed) {
  RingInsertion p;
  const std::uint64_t number = Random(seed).next();
  p.node = {0x40,
            0x00,
            0x50,
            static_cast<std::uint8_t>(number >> 16),
            static_cast<std::uint8_t>(number >> 8),
            static_cast<std::uint8_t>(number)};
  p.bits_per_second = ring.bits_per_second;
  p.early_token_release = ring.early_token_release;
  p.full_duplex = ring.full_duplex;
  return p;
}

}  // namespace

RingLinkLayer::RingLinkLayer(Scheduler& scheduler, std::string name, Ring& ring, LinkUser& user, std::uint64_t seed)
    : LinkLayer(user),
      parameters_(plain_station(ring.config(), seed)),
      port_(scheduler, std::move(name), *this, seed),
      give_up_(scheduler, port_.name() + ".give_up", Priority::wire, Callback::to<&RingLinkLayer::give_up>(this)) {
  port_.attach(ring);
  port_.hear_all(true);
  port_.insert_at_rest(parameters_, scheduler.now());
}

std::size_t RingLinkLayer::mtu() const {
  return static_cast<const Ring*>(port_.medium())->longest() - ring_header_bytes - snap_bytes - fcs_bytes;
}

std::vector<std::uint8_t> RingLinkLayer::encapsulate(std::span<const std::uint8_t> frame) const {
  std::vector<std::uint8_t> out = to_ring(frame);
  const auto route = std::find_if(routes_.begin(), routes_.end(), [&](const Route& r) {
    return std::equal(r.station.begin(), r.station.end(), out.begin() + 2);
  });
  if (route != routes_.end()) {
    if (const auto way = RingRoute::of(route->header)) out = way->applied_to(out);
  } else if (static_cast<const Ring*>(port_.medium())->config().source_routing) {
    out[8] |= routing_indicator;  // route unknown: to every ring
    out.insert(out.begin() + ring_header_bytes, single_route_explorer.begin(), single_route_explorer.end());
  }
  out.resize(out.size() + fcs_bytes);
  set_ring_fcs(out);
  return out;
}

void RingLinkLayer::transmit(std::span<const std::uint8_t> frame, Time now) {
  if (port_.inserted())
    port_.transmit(frame.first(frame.size() - fcs_bytes), now);
  else
    give_up_.at(now);
}

void RingLinkLayer::transmit_first(std::span<const std::uint8_t> frame, std::size_t settled, Time now) {
  if (!port_.inserted()) return transmit(frame, now);
  fed_ = std::min(settled, frame.size() - fcs_bytes);
  port_.transmit(frame.first(static_cast<std::size_t>(fed_)), frame.size() - fcs_bytes, now);
}

// ---- cutting through ----

std::optional<LinkLayer::Arriving> RingLinkLayer::arriving() const {
  if (!whole_.empty()) return Arriving{whole_, whole_.size()};
  const auto r = port_.receiving();
  return r && r->length >= ring_header_bytes + fcs_bytes ? std::optional(Arriving{r->frame, port_.settled()})
                                                         : std::nullopt;
}

std::array<std::uint8_t, 12> RingLinkLayer::addresses(const Arriving& frame) const {
  std::array<std::uint8_t, 12> both{};
  for (std::size_t n = 0; n < both.size(); ++n) both[n] = reversed(frame.bytes[2 + n]);
  both[6] &= static_cast<std::uint8_t>(~1);  // the routing information indicator is not part of the address
  return both;
}

bool RingLinkLayer::can_follow(const LinkLayer& from) const {
  const auto* other = dynamic_cast<const RingLinkLayer*>(&from);
  return other && port_.inserted() && port_.medium()->bits_per_second() == other->port_.medium()->bits_per_second();
}

void RingLinkLayer::feed(const Arriving& frame, Time now) {
  const std::size_t body = frame.bytes.size() - fcs_bytes, settled = std::min(frame.settled, body);
  if (settled <= fed_) return;
  port_.supply(frame.bytes.subspan(static_cast<std::size_t>(fed_), settled - static_cast<std::size_t>(fed_)), now);
  fed_ = settled;
}

void RingLinkLayer::follow_ends(bool good, Time now) {
  if (!good) port_.abort(now);
}

bool RingLinkLayer::accepts(std::span<const std::uint8_t> destination, Time now) {
  MacAddress address;
  std::copy_n(destination.begin(), address.size(), address.begin());
  return user().accepts(reversed(address), now);
}

bool RingLinkLayer::frame_ends(const RingReception& r, Time now) {
  if (!r.good) {
    user().frame_damaged(now);
    return false;
  }
  learn_route(r.frame.first(r.length - fcs_bytes), now);
  const auto frame = to_ethernet(r.frame.first(r.length - fcs_bytes));
  if (!frame) {
    user().frame_damaged(now);
    return false;
  }
  whole_ = r.frame.first(r.length);
  user().frame_received(*frame, now);
  whole_ = {};
  return true;
}

// An answer takes the reverse of the received route (docs/hardware/token-ring.md#source-routing).
void RingLinkLayer::learn_route(std::span<const std::uint8_t> frame, Time now) {
  if (!static_cast<const Ring*>(port_.medium())->config().source_routing) return;
  Route route{{}, {}, now};
  std::copy_n(frame.begin() + 8, route.station.size(), route.station.begin());
  route.station[0] &= static_cast<std::uint8_t>(~routing_indicator);
  if (const auto way = RingRoute::of(frame); way && way->has_bridges())
    route.header = way->back().applied_to(frame.first(ring_header_bytes));
  std::erase_if(routes_, [&](const Route& r) { return r.station == route.station || now - r.heard > route_ageing; });
  if (routes_.size() < most_routes) routes_.push_back(std::move(route));
}

void RingLinkLayer::transmit_ends(const RingTransmitOutcome& outcome, Time now) {
  finished(outcome.result == RingTransmitOutcome::Result::stripped, 0, now);
}

void RingLinkLayer::archive(Archive& a) {
  port_.archive(a);
  a(fed_, routes_);
  give_up_.archive(a);
}

}  // namespace planar::net
