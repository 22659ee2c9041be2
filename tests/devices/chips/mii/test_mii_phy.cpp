// SPDX-License-Identifier: GPL-2.0-or-later
// A PHY's registers as seen by a driver, and how its link goes up and down.
#include "tests/archived.hpp"
#include "tests/devices/chips/mii/mii_rig.hpp"

using namespace planar;
using namespace planar::test;

namespace {
constexpr EthernetConfig fast_half{.bits_per_second = 100'000'000, .full_duplex = false};
constexpr EthernetConfig slow_full{.bits_per_second = 10'000'000, .full_duplex = true};
constexpr EthernetConfig slow_half{};
}  // namespace

TEST_CASE("MII: auto-negotiation takes its time, then gives the partner's abilities and the link", "[mii]") {
  MiiRig m;
  CHECK(m.read(MiiPhy::PHYID1) == 0x2000);
  CHECK(m.read(MiiPhy::PHYID2) == 0x5C01);
  CHECK(m.read(MiiPhy::BMCR) == 0x3000);
  CHECK(m.read(MiiPhy::BMSR) == 0x7809);
  CHECK(m.read(MiiPhy::ANAR) == 0x01E1);
  CHECK(m.read(MiiPhy::ANLPAR) == 0);
  CHECK(m.read(MiiPhy::ANER) == 0);
  m.step(1999_ms);
  CHECK((m.read(MiiPhy::BMSR) & MiiPhy::AN_COMPLETE) == 0);
  CHECK_FALSE(m.phy.connected());
  m.step(2_ms);
  CHECK(m.links == std::vector<std::pair<bool, Time>>{{true, 2_s}});
  CHECK(m.phy.connected());
  CHECK(m.read(MiiPhy::BMSR) == 0x7829);  // the link was down since the last read
  CHECK(m.read(MiiPhy::BMSR) == 0x782D);
  CHECK(m.read(MiiPhy::ANLPAR) == 0x41E1);
  CHECK(m.read(MiiPhy::ANER) == 3);
  CHECK(m.read(MiiPhy::ANER) == 1);
  CHECK(m.phy.mbit() == 100);
  CHECK(m.phy.full_duplex());
}

TEST_CASE("MII: the partner offers the segment's mode", "[mii]") {
  const auto settled = [](const EthernetConfig& medium) {
    MiiRig m(medium);
    m.step(3_s);
    CHECK(m.phy.link());
    CHECK(m.phy.full_duplex() == medium.full_duplex);
    CHECK(m.phy.mbit() * 1'000'000 == medium.bits_per_second);
    return m.read(MiiPhy::ANLPAR);
  };
  CHECK(settled(MiiRig::fast_full) == 0x41E1);
  CHECK(settled(fast_half) == 0x40A1);
  CHECK(settled(slow_full) == 0x4061);
  CHECK(settled(slow_half) == 0x4021);
}

TEST_CASE("MII: the result follows the driver's offer; a rate other than the segment's gives no link", "[mii]") {
  MiiRig m;
  m.step(3_s);
  m.write(MiiPhy::ANAR, 0x00A1);  // half duplex only
  CHECK(m.phy.full_duplex());     // not before a restart
  m.write(MiiPhy::BMCR, 0x1200);
  CHECK_FALSE(m.phy.link());
  CHECK(m.read(MiiPhy::BMCR) == 0x1000);  // restart clears itself
  m.step(3_s);
  CHECK(m.phy.link());
  CHECK_FALSE(m.phy.full_duplex());
  m.write(MiiPhy::ANAR, 0x0061);  // 10 Mbit/s only
  m.write(MiiPhy::BMCR, 0x1200);
  m.step(3_s);
  CHECK((m.read(MiiPhy::BMSR) & MiiPhy::AN_COMPLETE) != 0);
  CHECK_FALSE(m.phy.link());
  m.write(MiiPhy::ANAR, 0xFE01);  // nothing in common; acknowledge and next page are not writable by the host
  CHECK(m.read(MiiPhy::ANAR) == 0x3E01);
  m.write(MiiPhy::BMCR, 0x1200);
  m.step(3_s);
  CHECK_FALSE(m.phy.link());
}

TEST_CASE("MII: link status latches low until read when the cable is pulled and plugged in", "[mii][cable]") {
  MiiRig m;
  m.step(3_s);
  m.read(MiiPhy::BMSR);
  CHECK(m.read(MiiPhy::BMSR) == 0x782D);
  m.port.set_plugged(false, m.now);
  CHECK_FALSE(m.phy.link());
  m.step(5_s);
  CHECK(m.read(MiiPhy::BMSR) == 0x7809);
  CHECK(m.read(MiiPhy::ANLPAR) == 0);
  m.port.set_plugged(true, m.now);
  m.step(1_s);
  CHECK_FALSE(m.phy.link());
  m.step(2_s);
  CHECK(m.phy.link());
  CHECK(m.read(MiiPhy::BMSR) == 0x7829);
  CHECK(m.read(MiiPhy::BMSR) == 0x782D);
  REQUIRE(m.links.size() == 3);
  CHECK(m.links[1] == std::pair(false, 3_s));
  CHECK(m.links[2] == std::pair(true, 10_s));
}

TEST_CASE("MII: unplugging the cable during auto-negotiation restarts it", "[mii][cable]") {
  MiiRig m;
  m.step(1_s);
  m.port.set_plugged(false, m.now);
  m.port.set_plugged(true, m.now);
  m.step(1500_ms);
  CHECK_FALSE(m.phy.link());
  m.step(500_ms);
  CHECK(m.phy.link());
}

TEST_CASE("MII: forced mode has a link only at the segment's rate, and no partner", "[mii]") {
  MiiRig m;
  m.step(3_s);
  m.write(MiiPhy::BMCR, 0x2100);
  CHECK_FALSE(m.phy.link());
  m.step(400_us);
  CHECK_FALSE(m.phy.link());
  m.step(200_us);
  CHECK(m.phy.link());
  CHECK(m.phy.full_duplex());
  CHECK(m.read(MiiPhy::ANLPAR) == 0);
  m.read(MiiPhy::BMSR);
  CHECK(m.read(MiiPhy::BMSR) == 0x780D);
  m.write(MiiPhy::BMCR, 0x2100);  // writing the same value does not affect the link
  CHECK(m.phy.link());
  m.write(MiiPhy::BMCR, 0x2300);  // restart has no effect here
  CHECK(m.phy.link());
  m.write(MiiPhy::BMCR, 0x0000);  // 10 Mbit/s
  m.step(1_s);
  CHECK_FALSE(m.phy.link());
}

TEST_CASE("MII: reset, power-down, isolate and loopback", "[mii]") {
  MiiRig m;
  m.step(3_s);
  m.write(MiiPhy::ANAR, 0x0021);
  m.write(MiiPhy::BMCR, 0x8000);
  CHECK(m.read(MiiPhy::BMCR) == 0xB000);
  CHECK(m.read(MiiPhy::ANAR) == 0x01E1);
  CHECK_FALSE(m.phy.link());
  m.step(301_us);
  CHECK(m.read(MiiPhy::BMCR) == 0x3000);
  m.step(2_s);
  CHECK(m.phy.link());
  m.write(MiiPhy::BMCR, 0x3400);  // isolate: a link, but no frames
  CHECK(m.phy.link());
  CHECK_FALSE(m.phy.connected());
  m.write(MiiPhy::BMCR, 0x7000);  // loopback
  CHECK(m.phy.loopback());
  CHECK_FALSE(m.phy.connected());
  m.write(MiiPhy::BMCR, 0x3000);
  CHECK(m.phy.connected());
  m.write(MiiPhy::BMCR, 0x3800);  // power down: registers answer, nothing else does
  m.step(10_s);
  CHECK_FALSE(m.phy.link());
  CHECK(m.read(MiiPhy::BMCR) == 0x3800);
  CHECK(m.read(MiiPhy::BMSR) == 0x7809);
  m.write(MiiPhy::BMCR, 0x3000);
  m.step(1_s);
  CHECK_FALSE(m.phy.link());
  m.step(1001_ms);
  CHECK(m.phy.link());
}

TEST_CASE("MII: read-only and vendor registers accept any value at any time", "[mii]") {
  MiiRig m;
  m.step(3_s);
  for (unsigned reg : {1u, 2u, 3u, 5u, 6u}) {
    const auto before = m.phy.peek(reg, m.now);
    m.write(reg, ~unsigned{before} & 0xFFFF);
    CHECK(m.phy.peek(reg, m.now) == before);
  }
  CHECK(m.read(16) == 0xBEEF);
  m.write(16, 0x1234);
  CHECK(m.vendor == 0x1234);
  CHECK(m.read(7) == 0);
  CHECK(m.read(32) == 0xFFFF);
  for (unsigned value = 0; value < 0x10000; value += 0x35) {
    m.write(value & 63, value);
    m.step(1_ms);
    m.read(value >> 3 & 63);
  }
  m.write(MiiPhy::BMCR, 0x8000);
  m.step(3_s);
  CHECK(m.phy.connected());
}

TEST_CASE("MII: a snapshot during auto-negotiation leads to the same link", "[mii]") {
  MiiRig m, other;
  m.step(1500_ms);
  m.write(MiiPhy::ANAR, 0x00A1);
  const auto saved = saved_state(m);
  restore_state(other, saved);
  m.step(1_s);
  other.step(1_s);
  CHECK(other.phy.link());
  CHECK(m.links == other.links);
  for (unsigned reg = 0; reg <= MiiPhy::ANER; ++reg) CHECK(m.read(reg) == other.read(reg));
}

TEST_CASE("MII: the chip is told which standard registers are read, but not of peeks", "[mii]") {
  MiiRig m;
  m.phy.peek(MiiPhy::ANER, m.now);
  m.read(MiiPhy::ANER);
  m.mdio_read(m.address, MiiPhy::BMSR);
  m.read(16);
  CHECK(m.registers_read == std::vector<unsigned>{MiiPhy::ANER, MiiPhy::BMSR});
}
