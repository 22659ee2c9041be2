// SPDX-License-Identifier: GPL-2.0-or-later
// A plain station on an Ethernet segment: it obeys CSMA/CD and receives every frame. Its frames are padded to the
// minimum length.
#pragma once

#include "devices/medium/ethernet/ethernet_segment.hpp"
#include "devices/medium/link_layer.hpp"

namespace planar::net {

class EthernetLinkLayer final : public LinkLayer, private EthernetStation {
 public:
  EthernetLinkLayer(Scheduler& scheduler, std::string name, EthernetSegment& segment, LinkUser& user,
                    std::uint64_t seed);

  EthernetPort& port() override { return port_; }
  unsigned arp_hardware() const override { return 1; }
  std::optional<Arriving> arriving() const override;
  /// Only between full-duplex links: on others a collision may still occur.
  bool can_follow(const LinkLayer& from) const override;
  void follow_ends(bool good, Time now) override;
  void archive(Archive& a) override { port_.archive(a); }

 private:
  std::vector<std::uint8_t> encapsulate(std::span<const std::uint8_t> frame) const override;
  void transmit(std::span<const std::uint8_t> frame, Time now) override { port_.transmit(frame, now); }

  // EthernetStation
  void frame_begins(const Reception& reception, Time now) override;
  void frame_ends(const Reception& reception, Time now) override;
  void transmit_ends(const TransmitOutcome& outcome, Time now) override;

  EthernetPort port_;
};

}  // namespace planar::net
