// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for frames into libslirp: ARP, DHCP, ping, UDP, TCP and TFTP from a guest, complete and truncated, with
// valid checksums. The process first moves into a network namespace of its own, where no host can be reached; if the
// host does not permit that, frames go to unused addresses.
//
// A finding: a crash or sanitizer report, and a frame from libslirp that no medium can carry.
#include <sched.h>

#include <algorithm>
#include <memory>

#include "devices/stations/host/host_net.hpp"
#include "devices/stations/host/links.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace planar;
using namespace planar::net;
using fuzz::expect;
using fuzz::Input;

namespace {

// Before any other thread is started, as a new user namespace does not permit one.
const bool alone = ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;

constexpr Ipv4 nobody = ipv4(192, 168, 10, 77);
constexpr std::uint8_t guest_mac[] = {0x00, 0x00, 0xD8, 1, 2, 3}, slirp_mac[] = {0x52, 0x55, 192, 168, 10, 1},
                       everybody[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

struct Sink final : HostSink {
  void frame_from_host(ByteView frame) override {
    expect(frame.size() >= 14 && frame.size() <= 1514, "a frame that no medium carries");
    if (frame.size() >= 54 && get16(frame, 12) == 0x0800 && frame[23] == 6) answered = get32(frame, 38);
  }
  void host_note(std::string_view) override {}
  std::uint32_t answered = 0;
};

// clang-format off
enum Operation : unsigned { arp, icmp, udp, tcp, dhcp, tftp, name_query, fragment, raw, pause };
// clang-format on

class Guest {
 public:
  Guest() { link_->attach(sink_); }

  void operate(Input& input) {
    static constexpr Ipv4 addresses[] = {slirp_host,        slirp_name_server,  slirp_guest, nobody,
                                         ipv4(10, 0, 0, 1), ipv4(127, 0, 0, 1), 0xFFFFFFFF,  ipv4(224, 0, 0, 1)};
    static constexpr std::uint16_t ports[] = {53, 67, 69, 80, 7, 113, 6000, 21};
    const unsigned first = input.u8(), high = first >> 4;
    const Ipv4 to = alone ? addresses[high & 7] : nobody;
    const unsigned port = alone ? ports[input.u8() & 7] : 9;
    Bytes p;
    switch (first & 15) {
      case arp: {
        put(p, Bytes{0, 1, 8, 0, 6, 4, 0, static_cast<std::uint8_t>(1 + (high & 1))});
        put(p, guest_mac);
        put32(p, slirp_guest);
        put(p, Bytes(6, 0));
        put32(p, to);
        put(p, input.take(input.u8() & 31));
        frame(everybody, 0x0806, p);
        break;
      }
      case icmp:
        p = {static_cast<std::uint8_t>(high & 8 ? input.u8() : 8), 0, 0, 0};
        put(p, input.take(input.u8()));
        set16(p, 2, checksum_fold(checksum_add(p)));
        ip(1, to, p, 0);
        break;
      case udp: {
        const auto data = input.take(input.u8());
        datagram(to, port, data, high & 8 ? input.u8() : 0);
        break;
      }
      case tcp: {
        const unsigned flags = input.u8();
        put16(p, 1024 + (high & 3));
        put16(p, port);
        put32(p, sequence_ + input.u8());
        put32(p, sink_.answered + 1);
        p.push_back(static_cast<std::uint8_t>((5 + (flags >> 6)) << 4));
        p.push_back(static_cast<std::uint8_t>(flags & 0x3F));
        put16(p, input.u16());
        put32(p, 0);
        put(p, input.take(input.u8()));
        set16(p, 16, checksum_fold(checksum_add(p, checksum_pseudo(slirp_guest, to, 6, p.size()))));
        ip(6, to, p, 0);
        break;
      }
      case dhcp: {
        p = {1, 1, 6, 0, 1, 2, 3, 4};
        p.resize(28);
        put(p, guest_mac);
        p.resize(236);
        put(p, Bytes{99, 130, 83, 99, 53, 1, static_cast<std::uint8_t>(1 + (high & 7))});
        put(p, input.take(input.u8()));
        datagram(0xFFFFFFFF, 67, p, 0);
        break;
      }
      case tftp: datagram(slirp_host, 69, input.take(input.u8()), 0); break;
      case name_query: datagram(slirp_name_server, alone ? 53 : 9, input.take(input.u8()), 0); break;
      case fragment: {
        const unsigned at = input.u16();
        ip(high & 1 ? 17 : 1, to, Bytes(input.u8(), 0x5A), at);
        break;
      }
      case raw: {
        const unsigned type = high & 1 ? 0x0800 : 0x86DD;
        put(p, input.take(input.u8()));
        if (!alone) break;
        frame(slirp_mac, type, p);
        break;
      }
      case pause:
        now_ += 10_ms * input.u8();
        link_->exchange(now_, HostDuration{});
        break;
      default: break;
    }
    link_->exchange(now_, HostDuration{});
  }

 private:
  void datagram(Ipv4 to, unsigned port, ByteView data, unsigned longer) {
    Bytes p;
    put16(p, 68);
    put16(p, port);
    put16(p, static_cast<std::uint32_t>(8 + data.size() + longer));
    put16(p, 0);
    put(p, data);
    ip(17, alone || to == 0xFFFFFFFF ? to : nobody, p, 0);
  }
  void ip(unsigned protocol, Ipv4 to, ByteView payload, unsigned fragment) {
    Bytes p{0x45, 0};
    put16(p, static_cast<std::uint32_t>(20 + payload.size()));
    put16(p, 1);
    put16(p, fragment);
    p.push_back(64);
    p.push_back(static_cast<std::uint8_t>(protocol));
    put16(p, 0);
    put32(p, slirp_guest);
    put32(p, to);
    set16(p, 10, checksum_fold(checksum_add(p)));
    put(p, payload);
    frame(slirp_mac, 0x0800, p);
  }
  void frame(std::span<const std::uint8_t, 6> to, unsigned type, ByteView payload) {
    Bytes f(to.begin(), to.end());
    put(f, guest_mac);
    put16(f, type);
    put(f, payload);
    f.resize(std::clamp<std::size_t>(f.size(), 60, 1514));
    link_->send(f, now_);
  }

  Sink sink_;
  std::unique_ptr<HostLink> link_ = open_slirp({}, false);
  Time now_{};
  std::uint32_t sequence_ = 1000;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(std::span(data, std::min<std::size_t>(size, 1 << 13)));
  Guest guest;
  for (unsigned n = 0; n < 200 && input.left(); ++n) guest.operate(input);
  return 0;
}
