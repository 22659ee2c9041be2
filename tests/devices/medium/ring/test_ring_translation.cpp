// SPDX-License-Identifier: GPL-2.0-or-later
// Translation between Ethernet's and the ring's form of a frame: bit order, SNAP, ARP, 802.2, routing information,
// padding.
#include "devices/medium/ring/ring_link_layer.hpp"
#include "devices/medium/ring/ring_translation.hpp"
#include "devices/stations/packet.hpp"
#include "tests/devices/medium/ring/ring_stations.hpp"
#include "tests/devices/medium/toy_medium.hpp"

using namespace planar;
using namespace planar::test;

namespace {

const MacAddress alice{0x02, 0, 0, 0, 0, 0xA1}, bob{0x02, 0, 0, 0, 0, 0xB0};
const MacAddress ring_alice{0x40, 0, 0, 0, 0, 0x85}, ring_bob{0x40, 0, 0, 0, 0, 0x0D};

Bytes ethernet(const MacAddress& to, const MacAddress& from, unsigned type, const Bytes& data) {
  Bytes f(to.begin(), to.end());
  put(f, from);
  put16(f, type);
  put(f, data);
  return f;
}
Bytes ip_packet(std::size_t bytes, Ipv4 to = ipv4(192, 168, 10, 1)) {
  Bytes p{0x45, 0};
  put16(p, static_cast<std::uint32_t>(bytes));
  put(p, Bytes{0, 1, 0, 0, 64, 17, 0, 0});
  put32(p, ipv4(192, 168, 10, 2));
  put32(p, to);
  p.resize(bytes, 0x77);
  return p;
}
Bytes tail(const Bytes& b, std::size_t from) { return Bytes(b.begin() + static_cast<long>(from), b.end()); }

}  // namespace

TEST_CASE("an IP packet has addresses in the ring's bit order, SNAP and no padding", "[ring]") {
  Bytes padded = ethernet(bob, alice, 0x0800, ip_packet(30));
  padded.resize(60);
  const Bytes f = to_ring(padded);
  REQUIRE(f.size() == 14 + 8 + 30);
  CHECK(f[0] == 0x10);
  CHECK(f[1] == 0x40);
  CHECK(std::equal(ring_bob.begin(), ring_bob.end(), f.begin() + 2));
  CHECK(std::equal(ring_alice.begin(), ring_alice.end(), f.begin() + 8));
  CHECK(Bytes(f.begin() + 14, f.begin() + 22) == Bytes{0xAA, 0xAA, 3, 0, 0, 0, 8, 0});
  CHECK(to_ethernet(f) == ethernet(bob, alice, 0x0800, ip_packet(30)));
}

TEST_CASE("ARP has the ring's hardware type and bit order of addresses", "[ring]") {
  Bytes arp{0, 1, 8, 0, 6, 4, 0, 1};
  put(arp, alice);
  put32(arp, ipv4(192, 168, 10, 2));
  put(arp, Bytes(6, 0));
  put32(arp, ipv4(192, 168, 10, 1));
  const Bytes f = to_ring(ethernet(broadcast_mac, alice, 0x0806, arp));
  REQUIRE(f.size() == 14 + 8 + 28);
  CHECK(f[23] == 6);
  CHECK(std::equal(ring_alice.begin(), ring_alice.end(), f.begin() + 30));
  CHECK(to_ethernet(f) == ethernet(broadcast_mac, alice, 0x0806, arp));
}

TEST_CASE("802.2 frames keep their headers, in both directions", "[ring]") {
  const Bytes netbios{0xF0, 0xF0, 0x03, 1, 2, 3, 4, 5};
  Bytes padded = ethernet({0x03, 0, 0, 0, 0, 1}, alice, 8, netbios);
  padded.resize(60);
  const Bytes f = to_ring(padded);
  CHECK(Bytes(f.begin() + 2, f.begin() + 8) == Bytes{0xC0, 0, 0, 0, 0, 0x80});  // NetBIOS' functional address
  CHECK(tail(f, 14) == netbios);
  CHECK(to_ethernet(f) == ethernet({0x03, 0, 0, 0, 0, 1}, alice, 8, netbios));
  // SNA: an 802.2 frame after its length and a byte of padding.
  const Bytes sna{4, 4, 0x7F, 9};
  CHECK(tail(to_ring(ethernet(bob, alice, 0x80D5, {0, 4, 0, 4, 4, 0x7F, 9, 0, 0, 0})), 14) == sna);
  // Too long for a length field.
  Bytes large = f;
  large.resize(14 + 1501, 0x42);
  CHECK(get16(*to_ethernet(large), 12) == 0x8870);
  CHECK(to_ring(*to_ethernet(large)) == large);
  CHECK(to_ethernet(to_ring(ethernet(bob, alice, 0x0800, ip_packet(4464))))->size() == 14 + 4464);
}

TEST_CASE("IPX and AppleTalk ARP use the bridges' own OUI, IP multicast its functional address", "[ring]") {
  const Bytes ipx = to_ring(ethernet(bob, alice, 0x8137, Bytes(40, 1)));
  CHECK(Bytes(ipx.begin() + 14, ipx.begin() + 22) == Bytes{0xAA, 0xAA, 3, 0, 0, 0xF8, 0x81, 0x37});
  CHECK(to_ethernet(ipx) == ethernet(bob, alice, 0x8137, Bytes(40, 1)));
  const Bytes packet = ip_packet(40, ipv4(224, 129, 2, 3));
  const Bytes f = to_ring(ethernet({0x01, 0, 0x5E, 1, 2, 3}, alice, 0x0800, packet));
  CHECK(Bytes(f.begin() + 2, f.begin() + 8) == Bytes{0xC0, 0, 0, 4, 0, 0});
  CHECK(to_ethernet(f) == ethernet({0x01, 0, 0x5E, 1, 2, 3}, alice, 0x0800, packet));
}

TEST_CASE("routing information is removed; frames that end in it are refused", "[ring]") {
  Bytes f = to_ring(ethernet(bob, alice, 0x0800, ip_packet(100)));
  f[8] |= 0x80;
  f.insert(f.begin() + 14, {0xC2, 0x20});
  CHECK(to_ethernet(f) == ethernet(bob, alice, 0x0800, ip_packet(100)));
  f[14] = 0xDE;
  f.resize(20);
  CHECK_FALSE(to_ethernet(f).has_value());
}

TEST_CASE("the FCS covers FC to the end of the data, with bits in the ring's order", "[ring]") {
  Bytes f = to_ring(ethernet(bob, alice, 0x0800, ip_packet(40)));
  f.resize(f.size() + 4);
  set_ring_fcs(f);
  // As checked by a receiver: bit by bit through the shift register, the final remainder is a constant.
  std::uint32_t crc = 0xFFFFFFFF;
  for (std::size_t n = 1; n < f.size(); ++n)
    for (int bit = 7; bit >= 0; --bit) {
      const bool out = (crc >> 31) != static_cast<std::uint32_t>(f[n] >> bit & 1);
      crc = crc << 1 ^ (out ? 0x04C11DB7 : 0);
    }
  CHECK(crc == 0xC704DD7B);
  f[0] ^= 0x18;  // AC is changed on the way
  Bytes g = f;
  set_ring_fcs(g);
  CHECK(f == g);
}

TEST_CASE("plain stations on a ring exchange frames in Ethernet form", "[ring]") {
  Scheduler scheduler;
  Ring ring(scheduler);
  Ear a(scheduler, ring, "a", 1), b(scheduler, ring, "b", 2);
  CHECK(a.link->arp_hardware() == 6);
  const Bytes large = ethernet(bob, alice, 0x0800, ip_packet(4464)),
              small = ethernet(bob, alice, 0x0800, ip_packet(20));
  a.link->send(large, Time{});
  a.link->send(small, Time{});
  scheduler.run_until(10_ms);
  REQUIRE(b.heard.size() == 2);
  CHECK(b.heard[0] == large);
  CHECK(b.heard[1] == small);
  REQUIRE(a.outcomes.size() == 2);
  CHECK(a.outcomes[0].sent);
  CHECK(a.outcomes[0].bytes == 14 + 8 + 4464);

  a.link->port().set_plugged(false, scheduler.now());
  a.link->send(small, scheduler.now());
  scheduler.run_until(20_s);
  a.link->send(small, scheduler.now());
  scheduler.run_until(21_s);
  REQUIRE(a.outcomes.size() == 4);
  CHECK_FALSE(a.outcomes[2].sent);
  CHECK_FALSE(a.outcomes[3].sent);
  a.link->port().set_plugged(true, scheduler.now());
  scheduler.run_until(26_s);
  a.link->send(small, scheduler.now());
  scheduler.run_until(27_s);
  CHECK(b.heard.size() == 3);
}
