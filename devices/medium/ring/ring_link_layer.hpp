// SPDX-License-Identifier: GPL-2.0-or-later
// A plain station on a ring: it has always been there, receives every LLC frame, and translates between ring frames and
// the Ethernet form that its user expects. It remembers the routes to stations on other rings.
#pragma once

#include "devices/medium/link_layer.hpp"
#include "devices/medium/ring/ring.hpp"

namespace planar::net {

class RingLinkLayer final : public LinkLayer, private RingStation {
 public:
  /// The station's own address, seen in MAC frames, is a locally administered one derived from `seed`.
  RingLinkLayer(Scheduler& scheduler, std::string name, Ring& ring, LinkUser& user, std::uint64_t seed);

  RingPort& port() override { return port_; }
  unsigned arp_hardware() const override { return 6; }
  std::size_t mtu() const override;
  std::optional<Arriving> arriving() const override;
  std::array<std::uint8_t, 12> addresses(const Arriving& frame) const override;
  bool can_follow(const LinkLayer& from) const override;
  void feed(const Arriving& frame, Time now) override;
  void follow_ends(bool good, Time now) override;
  void archive(Archive& a) override;

 private:
  std::vector<std::uint8_t> encapsulate(std::span<const std::uint8_t> frame) const override;
  void transmit(std::span<const std::uint8_t> frame, Time now) override;
  void transmit_first(std::span<const std::uint8_t> frame, std::size_t settled, Time now) override;
  void give_up(Time now) { finished(false, 0, now); }
  void learn_route(std::span<const std::uint8_t> frame, Time now);

  // RingStation
  void frame_begins(const RingReception&, Time now) override { user().frame_begins(now, now); }
  bool accepts(std::span<const std::uint8_t> destination, Time now) override;
  bool frame_ends(const RingReception& reception, Time now) override;
  void transmit_ends(const RingTransmitOutcome& outcome, Time now) override;
  void insertion_ends(const InsertionOutcome&, Time) override {}
  void ring_status_changed(std::uint16_t, Time) override {}
  bool plain() const override { return true; }
  void lobe_connected(Time now) override { port_.insert_at_rest(parameters_, now); }

  struct Route {
    MacAddress station{};
    std::vector<std::uint8_t> header{};  // of a frame, up to its routing information; empty: same ring
    Time heard{};
    void archive(Archive& a) { a(station, header, heard); }
  };

  RingInsertion parameters_;
  RingPort port_;
  std::vector<Route> routes_;
  std::span<const std::uint8_t> whole_;  // the frame being reported by frame_received(); empty otherwise
  std::uint64_t fed_ = 0;                // bytes passed on of the frame being followed
  Event give_up_;                        // for a frame of a station that is not on the ring
};

}  // namespace planar::net
