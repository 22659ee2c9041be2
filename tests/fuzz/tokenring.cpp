// SPDX-License-Identifier: GPL-2.0-or-later
// A Token Ring adapter for card.cpp: a dedicated ring at the adapter's highest rate with one other station that is
// there from the start; at 16 Mbit/s full duplex for a card that requests it. Insertion is quick, so that a run gets
// onto the ring.
#include <string_view>

#include "devices/medium/ring/ring.hpp"
#include "tests/fuzz/network_adapter.hpp"

namespace {

using namespace planar;
using fuzz::Input;
using fuzz::own;

struct RingNetwork final : net::RingStation {
  explicit RingNetwork(Scheduler& scheduler)
      : ring(scheduler, {.bits_per_second = rate(), .full_duplex = rate() == fast, .quick_insertion = true}),
        other(scheduler, "other", *this, 77) {
    other.attach(ring);
    other.insert_at_rest({.node = {0x10, 0, 0x5A, 1, 2, 3}, .bits_per_second = rate(), .full_duplex = rate() == fast},
                         Time{});
  }
  static constexpr std::uint64_t fast = 16'000'000;
  static std::uint64_t rate() { return fuzz::card().name == "tr4-a" ? 4'000'000 : fast; }
  static fuzz::Settings settings() {
    const std::string_view card = fuzz::card().name;
    if (card.starts_with("madge"))
      return {{"chip.self_test", "100us"}, {"chip.initialize", "20us"}, {"processor.doorbell", "2us"}};
    if (card.ends_with("lanstreamer")) return {{"firmware.self_test", "100us"}, {"firmware.request", "20us"}};
    return {{"microprocessor.bring_up", "100us"}, {"microprocessor.step", "20us"}};
  }
  net::Medium& medium() { return ring; }
  void archive(Archive& a) {
    ring.archive(a);
    other.archive(a);
  }
  void toggle_cable(net::Port& card, Time now) { card.set_plugged(!card.plugged(), now); }
  bool frame_ends(const net::RingReception&, Time) override { return true; }
  void transmit_ends(const net::RingTransmitOutcome&, Time) override {}
  void insertion_ends(const net::InsertionOutcome&, Time) override {}
  void ring_status_changed(std::uint16_t, Time) override {}

  // Kind: bit 0 to the card, 1 a group or another station's address, 2 MAC frame, 3 routing, 4 truncated.
  void send(Input& input, Time now) {
    const std::size_t length = input.u16() & 0x3FFF;
    const unsigned kind = input.u8(), fill = input.u8();
    if (other.busy() || length < net::ring_header_bytes) return;
    std::vector<std::uint8_t> f(length, static_cast<std::uint8_t>(fill));
    net::MacAddress to = kind & 1 ? own : net::broadcast_mac;
    if (kind & 2) to[0] ^= 0x80;
    f[0] = net::ring_ac::frame;
    f[1] = kind & 4 ? net::ring_fc::mac : net::ring_fc::llc;
    std::copy(to.begin(), to.end(), f.begin() + 2);
    if (kind & 8) f[8] |= net::routing_indicator;
    if (kind & 16)
      other.transmit(std::span(f).first(length / 2), length, now);
    else
      other.transmit(f, now);
  }

  net::Ring ring;
  net::RingPort other;
};

}  // namespace

int planar::fuzz::run_on_ring(std::span<const std::uint8_t> input) { return run_input<RingNetwork>(input); }
