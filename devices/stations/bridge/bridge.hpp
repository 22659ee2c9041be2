// SPDX-License-Identifier: GPL-2.0-or-later
// A transparent bridge between two or more media (IEEE 802.1D), or a switch, which differs only in its figures.
//
// It receives every frame on each of its media and learns which port leads to a source address. A frame to a known
// destination is sent only to that port, or is filtered if it came from there; any other is sent to every other port.
// An address not heard as a source for the ageing time is removed. Group addresses 01:80:C2:00:00:00 to 0F are reserved
// for bridges and never cross. On a ring the sender of a frame that crosses sees A and C set.
//
// Media may differ: their link layers translate. A packet longer than the other medium's limit does not cross. If it is
// IP and must not be fragmented, its sender gets ICMP "fragmentation needed" with the other medium's MTU, as a router
// would send it, but with the destination's address as source.
//
// A switch cuts through between media of the same kind and rate: a frame to a known station whose port is idle leaves
// as soon as its addresses have arrived and the delay has passed. Frames between rings keep their own form, including
// routing information.
//
// The bridge's figures are those of a two-port Ethernet bridge of the time, HP's 10:10 LAN Bridge MB (28673A,
// Installation and Reference Guide, 1992): 512 addresses, 300 s, and forwarding at the full rate of the medium. The
// switch's are those of Madge's Smart Deskstream as far as they are known (docs/hardware/token-ring.md#switch).
//
// Not modelled: the spanning tree (a lab whose bridges form a loop is refused), management, a station address of its
// own, a limit on the time a frame may spend in the bridge.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/common/random.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/medium/ethernet/ethernet_frame.hpp"
#include "devices/medium/link_layer.hpp"
#include "devices/stations/packet.hpp"
#include "devices/stations/station.hpp"

namespace planar::net {

/// From a frame's last bit to its place in the queue of the output port. Source: inferred; a bridge that keeps up with
/// 10 Mbit/s Ethernet has finished with a frame when the next one of minimum length can have arrived, 67.2 us later.
inline constexpr Time bridge_delay = 67'200_ns;
/// How long an address is kept. Source: IEEE 802.1D, recommended value, and HP's default.
inline constexpr Time bridge_ageing = 300_s;
/// Size of the address table; when it is full, new addresses are not learned. Source: HP's guide.
inline constexpr std::size_t bridge_addresses = 512;
/// Frames waiting at a port; further ones are dropped. Source: inferred, 96 KB of frames of maximum length.
inline constexpr std::size_t bridge_queue = 64;

struct BridgeFigures {
  Time delay = bridge_delay;
  Time ageing = bridge_ageing;
  std::size_t addresses = bridge_addresses;
  std::size_t queue = bridge_queue;
  bool cut_through = false;  ///< between media of the same kind and rate: `delay` after the addresses
};
/// A switch forwards in hardware. Source of the delay: inferred, about a header's time at 16 Mbit/s (20 bytes); of the
/// addresses: Madge's product pages; of the queue: inferred, 128 KB per port.
inline constexpr BridgeFigures switch_figures{.delay = 10_us, .addresses = 2048, .queue = 84, .cut_through = true};

class Bridge final : public Station {
 public:
  struct Counters {
    std::uint64_t received = 0;   ///< good frames
    std::uint64_t filtered = 0;   ///< of those: destination on the same side, or a reserved bridge address
    std::uint64_t forwarded = 0;  ///< to the single port of a known address
    std::uint64_t flooded = 0;    ///< to every other port
    std::uint64_t cut = 0;        ///< of the forwarded: cut through, before their end had arrived
    std::uint64_t dropped = 0;    ///< no room at a port, or given up by its medium; counted per port
    std::uint64_t too_long = 0;   ///< for the medium of an output port; counted per port
    std::uint64_t refused = 0;    ///< of those: answered by "fragmentation needed"
    std::uint64_t damaged = 0;    ///< bad check sequence or length
    void archive(Archive& a) { a(received, filtered, forwarded, flooded, cut, dropped, too_long, refused, damaged); }
  };

  /// Connects to each of `media`; `seed` seeds the first port's generator, the following numbers those of the other
  /// ports.
  Bridge(Scheduler& scheduler, Trace& trace, std::string name, std::span<Medium* const> media, std::uint64_t seed,
         const BridgeFigures& figures = {});
  ~Bridge() override;

  const std::string& name() const { return name_; }
  const Counters& counters() const { return counters_; }
  Port& port(std::size_t number);

  // Station
  Description describe() const override;
  void archive(Archive& a) override;

 private:
  class Side;  // a port of the bridge
  static constexpr std::uint32_t all_others = UINT32_MAX, itself = UINT32_MAX;
  struct Address {
    MacAddress mac{};
    std::uint32_t side = 0;
    Time heard{};
    void archive(Archive& a) { a(mac, side, heard); }
  };
  struct Held {
    Bytes frame, as_is;  // as_is: in the form of the medium where it arrived, unless that is Ethernet
    std::uint32_t from = 0, to = all_others;  // from: nobody if the bridge itself sends it
    Time due{};
    void archive(Archive& a) { a(frame, as_is, from, to, due); }
  };

  void receive(std::uint32_t from, ByteView frame, Time now);
  /// Whether a frame to `destination` received at port `from` is forwarded.
  bool crosses(std::uint32_t from, const MacAddress& destination, Time now) const;
  void learn(const MacAddress& source, std::uint32_t side, Time now);
  const Address* find(const MacAddress& mac, Time now) const;
  void forward(Time now);
  void find_cut();
  void cut_due(Time now);
  void cut_through(Side& side, Time now);
  bool cut_ends(Side& side, bool good, Time now);
  void send(Side& side, const Held& held, Time now);
  void refuse(const Held& held, std::size_t mtu, Time now);

  Trace& trace_;
  std::string name_;
  BridgeFigures figures_;
  Counters counters_;
  std::vector<Address> addresses_;  // by address
  std::deque<Held> held_;           // in the order in which they are due
  std::vector<std::unique_ptr<Side>> sides_;
  Event forward_;
  Event cut_;  // a frame being received could leave, or more of a frame being cut through has arrived
};

}  // namespace planar::net
