// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for two rings, the protocol of their stations, the cut-through switch between them, and the translation
// to Ethernet. The input is a sequence of operations: frames of every kind from three stations and from the Ethernet
// side, also supplied in pieces or not at all, stations inserted and removed, pulled cables, a broken trunk, pauses.
//
// A finding: a crash or sanitizer report, a station that never finishes its frame, a translation that changes what it
// translated before, and a run that ends differently if a snapshot is loaded in the middle of it.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/medium/ethernet/ethernet_segment.hpp"
#include "devices/medium/ring/ring.hpp"
#include "devices/medium/ring/ring_translation.hpp"
#include "devices/stations/bridge/bridge.hpp"
#include "devices/stations/peer/peer.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace planar;
using fuzz::Input;
using Bytes = std::vector<std::uint8_t>;

constexpr Time run_limit = 60_s;
constexpr unsigned operation_limit = 2000, stations = 3;

// clang-format off
enum Operation : unsigned { frame, piece, supply, ethernet, insert, remove, cable, trunk, addresses, pass, pause,
                            long_pause, translate };
// clang-format on

net::MacAddress node(unsigned n) { return {0x10, 0x00, 0x5A, 0, 0, static_cast<std::uint8_t>(n)}; }

struct Station final : net::RingStation {
  Station(Scheduler& scheduler, net::Ring& ring, unsigned n)
      : port(scheduler, "station" + std::to_string(n), *this, n) {
    port.attach(ring);
  }
  bool frame_ends(const net::RingReception& r, Time now) override {
    fuzz::expect(r.length <= r.frame.size(), "a frame longer than its bytes");
    return (now.ps / 1'000'000 & 7) != 0;
  }
  void transmit_ends(const net::RingTransmitOutcome&, Time) override {
    fuzz::expect(!port.busy(), "a port that is busy with a frame that has ended");
  }
  void insertion_ends(const net::InsertionOutcome&, Time) override {}
  void ring_status_changed(std::uint16_t, Time) override {}
  net::RingPort port;
};

struct Silent final : net::EthernetStation {
  void frame_ends(const net::Reception&, Time) override {}
  void transmit_ends(const net::TransmitOutcome&, Time) override {}
};

/// Built once, each run starts from the initial state.
struct Lab {
  explicit Lab(bool full_duplex)
      : ring(scheduler, {.full_duplex = full_duplex, .quick_insertion = true}, "ring"),
        far(scheduler, {.full_duplex = full_duplex, .quick_insertion = true}, "far"),
        bridge(scheduler, trace, "switch", media, 5, net::switch_figures),
        peer(scheduler, trace, uplink, 1),
        other(scheduler, "other", silent, 77) {
    for (unsigned n = 0; n < stations; ++n) ports[n] = std::make_unique<Station>(scheduler, n == 2 ? far : ring, n + 1);
    other.attach(uplink);
    pristine = saved();
  }

  void archive(Archive& a) {
    scheduler.archive(a);
    ring.archive(a);
    far.archive(a);
    uplink.archive(a);
    bridge.archive(a);
    peer.archive(a);
    for (auto& station : ports) station->port.archive(a);
    other.archive(a);
    a(now);
  }
  Bytes saved() {
    Archive a = Archive::saver();
    archive(a);
    return a.stream();
  }
  void restore(const Bytes& stream) {
    Archive a = Archive::loader(stream);
    archive(a);
    a.expect_end();
  }
  void step(Time t) {
    now += t;
    scheduler.advance(now);
  }

  /// Kind, fill, length, and a few bytes for its beginning.
  Bytes ring_frame(Input& input, unsigned from) {
    const unsigned kind = input.u8(), fill = input.u8();
    Bytes f(std::min<std::size_t>(input.u16() & 0x7FFF, 20'000), static_cast<std::uint8_t>(fill));
    f.resize(std::max<std::size_t>(f.size(), 1));
    static constexpr net::MacAddress groups[] = {
        net::broadcast_mac, net::ring_broadcast, {0xC0, 0, 0, 0, 0, 0x02}, {0xC0, 0, 0x80, 0, 0, 1}};
    const net::MacAddress to = kind & 4 ? groups[kind & 3] : node(kind & 3), own = node(from + 1);
    const auto put = [&](std::size_t at, std::span<const std::uint8_t> bytes) {
      for (std::size_t n = 0; n < bytes.size() && at + n < f.size(); ++n) f[at + n] = bytes[n];
    };
    put(1, std::array{static_cast<std::uint8_t>(kind & 8 ? kind >> 4 & 7 : 0x40)});
    put(2, to);
    put(8, own);
    if (kind & 0x80 && f.size() > 8) f[8] |= net::routing_indicator;
    put(14, input.take(input.u8() & 63));
    return f;
  }

  void operate(Input& input) {
    const unsigned first = input.u8(), n = (first >> 4) % stations;
    net::RingPort& port = ports[n]->port;
    switch (first & 15) {
      case frame: port.transmit(ring_frame(input, n), now); break;
      case piece: {
        const Bytes f = ring_frame(input, n);
        port.transmit(std::span(f).first(std::min<std::size_t>(f.size(), input.u8())), f.size(), now);
        break;
      }
      case supply: port.supply(Bytes(input.u16() & 0x3FFF, input.u8()), now); break;
      case ethernet: {
        Bytes f(80 + input.u16() % 1500);
        const auto head = input.take(input.u8() & 63);
        const net::MacAddress to = net::reversed(node(first >> 4 & 3));
        std::copy(to.begin(), to.end(), f.begin());
        f[6] = 2;
        std::copy(head.begin(), head.end(), f.begin() + 12);
        net::append_fcs(f);
        other.transmit(f, now);
        break;
      }
      case insert:
        port.insert({.node = node((first & 0x80 ? n : n + 1)),
                     .bits_per_second = first & 0x40 ? 4'000'000u : 16'000'000u,
                     .contender = n == 1,
                     .full_duplex = (input.u8() & 1) != 0},
                    now);
        break;
      case remove: port.remove(now); break;
      case cable: port.set_plugged(!port.plugged(), now); break;
      case trunk: ring.set_broken(port, (first & 0x80) != 0, now); break;
      case addresses:
        port.set_functional(input.u32());
        port.set_group(input.u32());
        break;
      case pass: port.pass_mac(first & 0x10, first & 0x20, first & 0x40); break;
      case pause: step(100_ns * input.u16()); break;
      case long_pause: step(10_ms * input.u8()); break;
      case translate: check_translation(input.take(input.u8())); break;
      default: break;
    }
  }

  static void check_translation(std::span<const std::uint8_t> bytes) {
    constexpr unsigned sna = 0x80D5, large = 0x8870;  // these are unwrapped, and may contain anything
    if (bytes.size() < 14) return;
    const auto once = net::to_ethernet(bytes);
    if (!once) return;
    if (const unsigned type = (*once)[12] << 8 | (*once)[13]; type == sna || type == large) return;
    const auto twice = net::to_ethernet(net::to_ring(*once));
    fuzz::expect(twice.has_value(), "a translated frame that cannot be translated back");
    fuzz::expect(net::to_ethernet(net::to_ring(*twice)) == twice, "a translation that is never done");
  }

  Silent silent;
  Scheduler scheduler;
  Trace trace;
  net::Ring ring, far;
  net::EthernetSegment uplink{{.bits_per_second = 100'000'000}, "uplink"};
  std::array<net::Medium*, 3> media{&ring, &uplink, &far};
  net::Bridge bridge;
  net::Peer peer;
  std::array<std::unique_ptr<Station>, stations> ports;
  net::EthernetPort other;
  Time now{};
  Bytes pristine;
};

// clang-format off
/// Runs the operations; if `middle` is given, it receives the state and the remaining input after that many operations.
struct Middle { unsigned after; std::optional<Input> rest; Bytes state; };
// clang-format on
void run(Lab& lab, Input input, unsigned done, Middle* middle) {
  for (; input.left() && done < operation_limit && lab.now < run_limit; ++done) {
    if (middle && done == middle->after) {
      middle->rest = input;
      middle->state = lab.saved();
    }
    lab.operate(input);
  }
  lab.step(100_ms);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Lab half(false), full(true);
  Input input(std::span(data, size));
  const unsigned first = input.u8();
  Lab& lab = first & 1 ? full : half;
  lab.restore(lab.pristine);
  Middle middle{first >> 1, {}, {}};
  run(lab, input, 0, &middle);
  if (!middle.rest) return 0;
  const auto whole = lab.saved();
  lab.restore(middle.state);
  run(lab, *middle.rest, middle.after, nullptr);
  fuzz::expect(whole == lab.saved(), "a run that a snapshot changes");
  return 0;
}
