// SPDX-License-Identifier: GPL-2.0-or-later
// A source-routing bridge between rings (IEEE 802.1D annex C; IBM Token-Ring Network Bridge Program).
//
// It forwards only frames with routing information. An explorer (all routes or spanning tree) is sent on every other
// ring that it has not visited, with this bridge and that ring added to its route, and its largest frame lowered to
// that ring's limit. A routed frame is forwarded as its route says. The sender sees A and C set.
//
// Not modelled: the spanning tree (a lab whose bridges form a loop is refused, so explorers may use every path), the
// bridge's own functions of ring parameter server and error monitor.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/time/scheduler.hpp"
#include "devices/medium/ring/ring.hpp"
#include "devices/stations/station.hpp"

namespace planar::net {

/// From a frame's end to its place in the queue of the other ring. Source: inferred, a software bridge that forwards
/// about 2000 frames per second.
inline constexpr Time source_route_delay = 500_us;
/// Frames waiting for one ring. Source: inferred.
inline constexpr std::size_t source_route_queue = 32;

class SourceRouteBridge final : public Station {
 public:
  struct Place {
    Ring* ring = nullptr;
    unsigned number = 1;  ///< 1 to FFFh, unique in the network
  };
  struct Counters {
    std::uint64_t routed = 0;    ///< forwarded along their route
    std::uint64_t explored = 0;  ///< explorers forwarded, counted per ring
    std::uint64_t stayed = 0;    ///< routing information leads elsewhere, or has no room left
    std::uint64_t too_long = 0;  ///< for the other ring
    std::uint64_t dropped = 0;   ///< no room, or not sent
    void archive(Archive& a) { a(routed, explored, stayed, too_long, dropped); }
  };

  /// `number` is the bridge's, 1 to Fh; two bridges between the same rings need different ones.
  SourceRouteBridge(Scheduler& scheduler, std::string name, std::vector<Place> places, unsigned number,
                    std::uint64_t seed, Time delay = source_route_delay);
  ~SourceRouteBridge() override;

  const Counters& counters() const { return counters_; }

  // Station
  Description describe() const override;
  void archive(Archive& a) override;

 private:
  class Side;
  struct Held {
    std::vector<std::uint8_t> frame;
    std::uint32_t to = 0;
    Time due{};
    void archive(Archive& a) { a(frame, to, due); }
  };

  /// True if the frame leaves on another ring.
  bool receive(std::uint32_t from, std::span<const std::uint8_t> frame, Time now);
  bool explore(std::uint32_t from, std::span<const std::uint8_t> frame, Time now);
  bool follow_route(std::uint32_t from, std::span<const std::uint8_t> frame, Time now);
  bool hold(std::vector<std::uint8_t> frame, std::uint32_t to, Time now);
  void forward(Time now);

  std::string name_;
  unsigned number_;
  Time delay_;
  Counters counters_;
  std::vector<std::unique_ptr<Side>> sides_;
  std::deque<Held> held_;  // in the order in which they are due
  Event forward_;
};

}  // namespace planar::net
