// SPDX-License-Identifier: GPL-2.0-or-later
// An Ethernet adapter for card.cpp: the segment at the adapter's rate and one other station.
#include "devices/medium/ethernet/ethernet_segment.hpp"
#include "tests/fuzz/network_adapter.hpp"

namespace {

using namespace planar;
using fuzz::Input;
using fuzz::own;

struct Segment final : net::EthernetStation {
  explicit Segment(Scheduler& scheduler) : other(scheduler, "other", *this, 77) { other.attach(segment); }
  static fuzz::Settings settings() { return {}; }
  net::Medium& medium() { return segment; }
  void archive(Archive& a) {
    segment.archive(a);
    other.archive(a);
  }
  void toggle_cable(net::Port&, Time now) { other.set_plugged(!other.plugged(), now); }
  void frame_ends(const net::Reception&, Time) override {}
  void transmit_ends(const net::TransmitOutcome&, Time) override {}

  void send(Input& input, Time now) {
    const std::size_t length = input.u16() & 0x1FFF;
    const unsigned kind = input.u8(), fill = input.u8();
    if (other.busy()) return;
    std::vector<std::uint8_t> f(length, static_cast<std::uint8_t>(fill));
    net::MacAddress to = kind & 1 ? own : net::broadcast_mac;
    if (kind & 2) to[0] ^= 1;  // a group address, or another station's
    std::copy_n(to.begin(), std::min(length, to.size()), f.begin());
    if (length > 13) f[12] = f[13] = static_cast<std::uint8_t>(kind);
    net::append_fcs(f);
    if (kind & 4) f.back() ^= 1;
    other.transmit(f, now);
  }

  net::EthernetSegment segment{{.bits_per_second = ethernet_rate(fuzz::card().medium)}};
  net::EthernetPort other;
};

}  // namespace

int planar::fuzz::run_on_ethernet(std::span<const std::uint8_t> input) { return run_input<Segment>(input); }
