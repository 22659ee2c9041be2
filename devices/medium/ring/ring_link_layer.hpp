// SPDX-License-Identifier: GPL-2.0-or-later
// A plain station on a ring: it has always been there, hears every LLC frame, and translates between the ring's frames
// and the Ethernet form that its user knows.
#pragma once

#include "devices/medium/link_layer.hpp"
#include "devices/medium/ring/ring.hpp"

namespace planar::net {

class RingLinkLayer final : public LinkLayer, private RingStation {
 public:
  /// The station's own address, which MAC frames show, is a locally administered one drawn from `seed`.
  RingLinkLayer(Scheduler& scheduler, std::string name, Ring& ring, LinkUser& user, std::uint64_t seed);

  RingPort& port() override { return port_; }
  unsigned arp_hardware() const override { return 6; }
  void archive(Archive& a) override;

 private:
  std::vector<std::uint8_t> encapsulate(std::span<const std::uint8_t> frame) const override;
  void transmit(std::span<const std::uint8_t> frame, Time now) override;
  void give_up(Time now) { finished(false, 0, now); }

  // RingStation
  bool accepts(std::span<const std::uint8_t> destination, Time now) override;
  bool frame_ends(const RingReception& reception, Time now) override;
  void transmit_ends(const RingTransmitOutcome& outcome, Time now) override;
  void insertion_ends(const InsertionOutcome&, Time) override {}
  void ring_status_changed(std::uint16_t, Time) override {}
  void lobe_connected(Time now) override { port_.insert_at_rest(parameters_, now); }

  RingInsertion parameters_;
  RingPort port_;
  Event give_up_;  // a frame of a station that is not on the ring
};

}  // namespace planar::net
