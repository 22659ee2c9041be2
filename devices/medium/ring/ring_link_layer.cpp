// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/ring/ring_link_layer.hpp"

#include <algorithm>

#include "devices/medium/ring/ring_translation.hpp"

namespace planar::net {
namespace {

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

std::vector<std::uint8_t> RingLinkLayer::encapsulate(std::span<const std::uint8_t> frame) const {
  std::vector<std::uint8_t> out = to_ring(frame);
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
  const auto frame = to_ethernet(r.frame.first(r.length - fcs_bytes));
  if (!frame) {
    user().frame_damaged(now);
    return false;
  }
  user().frame_received(*frame, now);
  return true;
}

void RingLinkLayer::transmit_ends(const RingTransmitOutcome& outcome, Time now) {
  finished(outcome.result == RingTransmitOutcome::Result::stripped, 0, now);
}

void RingLinkLayer::archive(Archive& a) {
  port_.archive(a);
  give_up_.archive(a);
}

}  // namespace planar::net
