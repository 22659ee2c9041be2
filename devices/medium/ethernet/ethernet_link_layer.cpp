// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/ethernet/ethernet_link_layer.hpp"

#include <algorithm>

namespace planar::net {

EthernetLinkLayer::EthernetLinkLayer(Scheduler& scheduler, std::string name, EthernetSegment& segment, LinkUser& user,
                                     std::uint64_t seed)
    : LinkLayer(user), port_(scheduler, std::move(name), *this, seed) {
  port_.attach(segment);
}

std::vector<std::uint8_t> EthernetLinkLayer::encapsulate(std::span<const std::uint8_t> frame) const {
  const std::size_t bytes = std::max(frame.size(), std::size_t{min_frame_bytes - fcs_bytes});
  std::vector<std::uint8_t> padded;
  padded.reserve(bytes + fcs_bytes);
  padded.assign(frame.begin(), frame.end());
  padded.resize(bytes);
  append_fcs(padded);
  return padded;
}

std::optional<LinkLayer::Arriving> EthernetLinkLayer::arriving() const {
  const auto r = port_.receiving();
  return r ? std::optional(Arriving{r->frame, r->frame.size()}) : std::nullopt;
}

bool EthernetLinkLayer::can_follow(const LinkLayer& from) const {
  const auto* other = dynamic_cast<const EthernetLinkLayer*>(&from);
  if (!other) return false;
  const auto& mine = static_cast<const EthernetSegment*>(port_.medium())->config();
  const auto& its = static_cast<const EthernetSegment*>(other->port_.medium())->config();
  return mine.full_duplex && its.full_duplex && mine.bits_per_second == its.bits_per_second;
}

void EthernetLinkLayer::follow_ends(bool good, Time now) {
  if (!good) port_.underrun(now);
}

void EthernetLinkLayer::frame_begins(const Reception& reception, Time now) {
  user().frame_begins(reception.arrival(11), now);
}

void EthernetLinkLayer::frame_ends(const Reception& r, Time now) {
  if (r.fcs_ok && r.length >= min_frame_bytes && r.length <= max_frame_bytes)
    user().frame_received(r.frame.first(r.length - fcs_bytes), now);
  else if (r.length)
    user().frame_damaged(now);
}

void EthernetLinkLayer::transmit_ends(const TransmitOutcome& outcome, Time now) {
  finished(outcome.result == TransmitResult::ok, outcome.collisions, now);
}

}  // namespace planar::net
