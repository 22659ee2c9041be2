// SPDX-License-Identifier: GPL-2.0-or-later
// MII management clocked by hand.
#include "tests/archived.hpp"
#include "tests/devices/chips/mii/mii_rig.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("MDIO: a driver's search finds one PHY, whose turnaround is zero; other addresses read ones", "[mii][mdio]") {
  MiiRig m;
  m.step(3_s);
  for (unsigned at = 0; at < 32; ++at) {
    CAPTURE(at);
    const std::uint32_t word = m.mdio_read(at, MiiPhy::PHYID1);
    // 18 bits: the pin before the turnaround's two edges, and the word.
    CHECK(word == (at == MiiRig::address ? 0x2'2000u : 0x3'FFFFu));
  }
  CHECK((m.mdio_read(MiiRig::address, MiiPhy::ANLPAR) & 0xFFFF) == 0x41E1);
  CHECK((m.mdio_read(MiiRig::address, MiiPhy::BMSR) & 0xFFFF) == 0x7829);  // one read each because of the latch
  CHECK((m.mdio_read(MiiRig::address, MiiPhy::BMSR) & 0xFFFF) == 0x782D);
}

TEST_CASE("MDIO: a write reaches the addressed PHY at its last bit", "[mii][mdio]") {
  MiiRig m;
  m.mdio_write(MiiRig::address, MiiPhy::ANAR, 0x0081);
  CHECK(m.read(MiiPhy::ANAR) == 0x0081);
  m.mdio_write(6, MiiPhy::ANAR, 0x0021);
  CHECK(m.read(MiiPhy::ANAR) == 0x0081);
  CHECK((m.mdio_read(MiiRig::address, MiiPhy::ANAR) & 0xFFFF) == 0x0081);
  for (unsigned n = 0; n < 32; ++n) m.clock_out(true);
  m.shift_out((0x50020000u | MiiRig::address << 23 | MiiPhy::ANAR << 18 | 0x0041u) >> 1, 31);
  CHECK(m.read(MiiPhy::ANAR) == 0x0081);
  m.clock_out(true);
  CHECK(m.read(MiiPhy::ANAR) == 0x0041);
}

TEST_CASE("MDIO: without a preamble only a PHY with suppression answers; data for another PHY is not a frame",
          "[mii][mdio]") {
  MiiRig m;
  m.mdio_read(MiiRig::address, MiiPhy::PHYID1);
  CHECK((m.mdio_read(MiiRig::address, MiiPhy::PHYID1, 0) & 0xFFFF) == 0xFFFF);
  CHECK((m.mdio_read(MiiRig::address, MiiPhy::PHYID1) & 0xFFFF) == 0x2000);

  MiiPhyConfig config = MiiRig::times;
  config.preamble_suppression = true;
  MiiRig s(MiiRig::fast_full, config);
  CHECK((s.read(MiiPhy::BMSR) & MiiPhy::MF_PREAMBLE) != 0);
  s.mdio_read(MiiRig::address, MiiPhy::PHYID1);
  CHECK((s.mdio_read(MiiRig::address, MiiPhy::PHYID1, 0) & 0xFFFF) == 0x2000);
  // Written to an absent PHY, this looks like the header of a frame.
  s.mdio_write(9, MiiPhy::ANAR, 0x6000 | 1u << 12 | MiiRig::address << 7 | MiiPhy::PHYID1 << 2 | 3, 0);
  CHECK((s.mdio_read(MiiRig::address, MiiPhy::PHYID2, 0) & 0xFFFF) == 0x5C01);
}

TEST_CASE("MDIO: a frame with its preamble is understood after truncated frames, invalid operations and noise",
          "[mii][mdio]") {
  MiiRig m;
  for (unsigned cut = 1; cut < 32; ++cut) {
    for (unsigned n = 0; n < 32; ++n) m.clock_out(true);
    m.shift_out((0x50020000u | MiiRig::address << 23 | MiiPhy::ANAR << 18) >> (32 - cut), cut);
    for (unsigned n = 0; n < 32; ++n) m.clock_out(true);  // ends whatever had begun
    CHECK((m.mdio_read(MiiRig::address, MiiPhy::PHYID2) & 0xFFFF) == 0x5C01);
  }
  for (unsigned operation : {0u, 3u}) {
    m.write(MiiPhy::ANAR, 0x01E1);
    for (unsigned n = 0; n < 32; ++n) m.clock_out(true);
    m.shift_out(0x40020000u | operation << 28 | MiiRig::address << 23 | MiiPhy::ANAR << 18, 32);
    CHECK(m.read(MiiPhy::ANAR) == 0x01E1);
  }
  std::uint32_t noise = 0x1234567;
  for (int n = 0; n < 20'000; ++n) {
    noise = noise * 1664525 + 1013904223;
    m.mdio.pins(noise >> 31, noise >> 30 & 1, noise >> 29 & 1, m.now);
  }
  for (unsigned n = 0; n < 64; ++n) m.clock_out(true);
  CHECK((m.mdio_read(MiiRig::address, MiiPhy::PHYID1) & 0xFFFF) == 0x2000);
}

TEST_CASE("MDIO: a read continues after a snapshot in its middle; a damaged one is refused", "[mii][mdio]") {
  MiiRig m, other;
  for (unsigned n = 0; n < 32; ++n) m.clock_out(true);
  m.shift_out(0xF6u << 10 | MiiRig::address << 5 | MiiPhy::PHYID2, 16);
  for (unsigned n = 0; n < 7; ++n) m.clock_in();
  const auto saved = saved_state(m);
  restore_state(other, saved);
  for (unsigned n = 0; n < 12; ++n) CHECK(m.clock_in() == other.clock_in());
  MiiRig e;
  e.mdio = MdioPort{};  // no PHY at the address that is being read
  CHECK_THROWS_AS(restore_state(e, saved), Error);
}
