// SPDX-License-Identifier: GPL-2.0-or-later
// Damaged snapshots of the PCI cards, their DMA engines and their bus, with frames under way in both directions: each
// is refused, or the card runs on with it.
#include <algorithm>
#include <iterator>

#include "tests/archived.hpp"
#include "tests/damage.hpp"
#include "tests/devices/ethernet/3c905b/3c905b_bench.hpp"
#include "tests/devices/ethernet/eepro100_bench.hpp"
#include "tests/devices/ethernet/lne100tx/lne100tx_bench.hpp"
#include "tests/devices/ethernet/pro1000/pro1000_bench.hpp"
#include "tests/devices/ethernet/rtl8139/rtl8139_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

void come_up(Rtl8139Bench& b) { b.start(); }
void come_up(Lne100txBench& b) { b.up(); }
void come_up(XlBench& b) { b.open(); }
void come_up(EePro100Bench& b) { b.opened(); }
void come_up(Pro1000Bench& b) { b.open(20, 64); }

void send(Rtl8139Bench& b, const Bytes& frame) { b.start_xmit(frame); }
template <class Bench>
void send(Bench& b, const Bytes& frame) {
  b.send(frame);
}

/// Damages `part` of a card that sends and receives, at several moments, `apart` from each other.
template <class Bench>
void damage(std::string_view part, const MacAddress& own, Time apart) {
  Bench b;
  come_up(b);
  b.other.port.transmit(make_frame(1000, own), b.rig.now);
  for (const std::size_t bytes : {300, 900, 200}) send(b, body(bytes));
  Bench other;
  unsigned refused = 0;
  for (int moment = 0; moment < 2; ++moment) {
    b.rig.step(apart);
    refused += refused_of_damaged(saved_state<PciBench>(b), part, [&](const std::vector<std::uint8_t>& state) {
      restore_state<PciBench>(other, state);
      Description d;
      other.card->describe(d);
      other.rig.step(300_us);
    });
  }
  CHECK(refused > 0);
}

}  // namespace

TEST_CASE("RTL8139: a damaged snapshot is refused or runs on", "[rtl8139][snapshot]") {
  for (const char* part : {"rtl8139", "dma engines", "pci"}) damage<Rtl8139Bench>(part, Rtl8139Bench::mac, 37_us);
}

TEST_CASE("LNE100TX: a damaged snapshot is refused or runs on", "[lne100tx][snapshot]") {
  damage<Lne100txBench>("tulip", {0x00, 0xA0, 0xCC, 0x12, 0x34, 0x56}, 37_us);
}

TEST_CASE("3C905B: a damaged snapshot is refused or runs on", "[3c905b][snapshot]") {
  damage<XlBench>("cyclone", XlBench::own, 37_us);
}

TEST_CASE("PRO/100+: a damaged snapshot is refused or runs on", "[eepro100][snapshot]") {
  damage<EePro100Bench>("i8255x", EePro100Bench::own, 37_us);
}

TEST_CASE("PRO/1000: a damaged snapshot is refused or runs on", "[pro1000][snapshot]") {
  damage<Pro1000Bench>("i8254x", Pro1000Bench::own, 4_us);
}

TEST_CASE("PCI: a posted write that does not fit a doubleword is refused", "[pci][snapshot]") {
  Rtl8139Bench b;
  b.start();
  b.rig.store(b.memory_base + 0x5C, 0x12345678);
  auto state = saved_state<PciBench>(b);
  const std::uint8_t posted[] = {0x5C, 0x00, 0xB0, 0xFE, 0x78, 0x56, 0x34, 0x12, 4};  // address, value, bytes
  const auto at = std::search(state.begin(), state.end(), std::begin(posted), std::end(posted));
  REQUIRE(at != state.end());
  Rtl8139Bench other;
  for (const std::uint8_t bytes : {0, 5, 200}) {
    at[8] = bytes;
    CHECK_THROWS_AS(restore_state<PciBench>(other, state), Error);
  }
}
