// SPDX-License-Identifier: GPL-2.0-or-later
// The 3C529 as seen by its driver: POS, probe, normal transmission and reception, timing.
#include "core/common/error.hpp"
#include "tests/devices/chips/etherlink3/etherlink3_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("the probe reads the station address from the EEPROM", "[3c529]") {
  El3Bench b;
  CHECK(b.probe() == Bytes(b.mac.begin(), b.mac.end()));
  CHECK(b.inw(0) == 0x6D50);
  CHECK(b.read_eeprom(7) == 0x6D50);
  // Checksum: upper byte over the fixed words, lower byte over 8, 9 and 0Dh.
  unsigned fixed = 0, chosen = 0;
  for (unsigned i = 0; i < 0xF; ++i) (i == 8 || i == 9 || i == 0xD ? chosen : fixed) ^= b.read_eeprom(i);
  CHECK(b.read_eeprom(0xF) == (((fixed ^ fixed >> 8) & 0xFF) << 8 | ((chosen ^ chosen >> 8) & 0xFF)));
}

TEST_CASE("POS 4 selects ports and transceiver, POS 5 selects the interrupt", "[3c529][pos]") {
  El3Bench b;
  CHECK(b.card->pos_peek(0) == 0x7C);
  CHECK(b.card->pos_peek(1) == 0x62);
  const auto claimed = [&](unsigned port) { return b.rig.bus.io().find(static_cast<std::uint16_t>(port)) != nullptr; };
  for (unsigned n = 0; n < 64; ++n) {
    b.card->pos_write(4, static_cast<std::uint8_t>(n << 2), b.now());
    CHECK(claimed(0x200 + n * 0x400));
    CHECK(claimed(0x20F + n * 0x400));
    CHECK_FALSE(claimed(0x210 + n * 0x400));
    CHECK_FALSE(claimed(0x200 + ((n + 1) & 63) * 0x400));
  }
  CHECK_FALSE(claimed(0x110));  // the ISA card's ID port
  b.card->pos_write(5, 0x0A, b.now());
  CHECK(b.card->pos_peek(5) == 0x8A);  // no channel check
  b.card->pos_write(2, 0x00, b.now());
  CHECK_FALSE(claimed(0xFE00));
}

TEST_CASE("the setup window reads POS's transceiver and cannot change the interrupt", "[3c529][pos]") {
  El3Bench b;
  b.window(0);
  CHECK(b.inw(6) >> 14 == EtherLink3::Coax);
  CHECK((b.inw(4) & 0x3200) == 0x3000);  // coax and AUI
  b.open();
  b.window(0);
  b.outw(8, 11 << 12 | 0x0F00);
  CHECK(b.inw(8) == (11u << 12 | 0x0F00));
  b.window(1);
  b.hear(b.for_us(60));
  CHECK(b.rig.irqs.level[5]);
  CHECK_FALSE(b.rig.irqs.level[11]);
  b.card->pos_write(5, 0xFB, b.now());
  CHECK_FALSE(b.rig.irqs.level[5]);
  CHECK(b.rig.irqs.level[11]);
  b.card->channel_reset(b.now());
  CHECK_FALSE(b.rig.irqs.level[11]);
  CHECK(b.card->pos_peek(2) == 0);
}

TEST_CASE("sister boards have other transceivers", "[3c529]") {
  const auto media = [](const char* id) {
    El3Bench b(Settings{{"adapter_id", id}});
    b.window(0);
    return b.inw(4) & 0x3200;
  };
  CHECK(media("627c") == 0x3000);
  CHECK(media("627d") == 0x2200);
  CHECK(media("62db") == 0x3200);
  CHECK(media("62f6") == 0x1200);
  CHECK(media("62f7") == 0x0200);
  CHECK_THROWS_WITH(El3Bench(Settings{{"adapter_id", "1234"}}), Catch::Contains("627"));
}

TEST_CASE("the opened card is idle and ready", "[3c529]") {
  El3Bench b;
  b.probe();
  b.open();
  CHECK(b.status() == 0x2000);
  CHECK(b.tx_free() == El3Bench::room);
  CHECK(b.rx_status() == 0x8000);
  CHECK(b.in(0xB) == 0);
  CHECK_FALSE(b.interrupt());
  b.window(2);
  for (unsigned i = 0; i < 6; ++i) CHECK(b.in(i) == b.mac[i]);
}

TEST_CASE("a frame is sent when its last doubleword is written, without an interrupt", "[3c529][transmit]") {
  El3Bench b;
  b.open();
  for (std::size_t n : {60u, 61u, 62u, 63u, 1513u, 1514u}) {
    const Bytes frame = El3Bench::data(n, static_cast<std::uint8_t>(n));
    const std::size_t before = b.log.entries.size();
    b.fill(frame);
    const Time last = b.now();
    b.step(2_ms);
    REQUIRE(b.log.entries.size() == before + 1);
    CHECK(without_fcs(b.log.entries.back().bytes) == frame);
    CHECK(b.log.entries.back().good);
    CHECK(b.log.entries.back().start == last + 400_ns);
  }
  CHECK(b.in(0xB) == 0);
  CHECK_FALSE(b.interrupt());
  CHECK(b.made.network->counters().sent == 6);
}

TEST_CASE("the FIFO holds one full frame, and its space is freed at the frame's end", "[3c529][transmit]") {
  El3Bench b;
  b.open();
  const Bytes frame = El3Bench::data(1514);
  CHECK_FALSE(b.start_xmit(frame));
  CHECK(b.tx_free() == El3Bench::room - 1520);
  b.step(1'200_us);
  CHECK(b.tx_free() == El3Bench::room - 1520);  // nearly all of it has been sent
  CHECK_FALSE(b.interrupt());
  while (!b.interrupt()) b.step(100_ns);
  CHECK(b.now() - b.log.entries.at(0).end <= 100_ns);
  CHECK(b.tx_free() == El3Bench::room);
  CHECK((b.status() & 0xFF) == (EtherLink3::InterruptLatch | EtherLink3::TxAvailable));
  b.serve();
  CHECK(b.wakes == 1);
  CHECK_FALSE(b.interrupt());
  // The next one: all the time it takes to fill the FIFO is between the two frames on the wire.
  const Time filling = b.now();
  CHECK_FALSE(b.start_xmit(frame));
  b.step(2_ms);
  REQUIRE(b.log.entries.size() == 2);
  CHECK(b.log.entries[1].start - filling >= 200_ns * 759);
  b.serve();
  CHECK(b.wakes == 2);
}

TEST_CASE("small frames queue in the FIFO and are sent at the minimum gap", "[3c529][transmit]") {
  El3Bench b;
  b.open();
  for (std::uint8_t n = 0; n < 6; ++n) CHECK(b.start_xmit(El3Bench::data(66, n)));
  CHECK(b.tx_free() == El3Bench::room - 6 * 72);
  b.step(2_ms);
  REQUIRE(b.log.entries.size() == 6);
  for (std::uint8_t n = 0; n < 6; ++n) CHECK(without_fcs(b.log.entries[n].bytes) == El3Bench::data(66, n));
  for (unsigned n = 1; n < 6; ++n) CHECK(b.log.entries[n].start - b.log.entries[n - 1].end <= 10'000_ns);
  CHECK(b.tx_free() == El3Bench::room);
  CHECK_FALSE(b.interrupt());  // no threshold was set
}

TEST_CASE("received frames are read unchanged, without FCS", "[3c529][receive]") {
  El3Bench b;
  b.open();
  for (std::size_t n : {60u, 61u, 62u, 63u, 64u, 999u, 1514u}) {
    b.hear(b.for_us(n));
    REQUIRE(b.interrupt());
    CHECK((b.status() & 0xFF) == (EtherLink3::InterruptLatch | EtherLink3::RxComplete));
    CHECK(b.rx_status() == n);
    b.serve();
    CHECK_FALSE(b.interrupt());
    CHECK(b.received.back().bytes == without_fcs(b.for_us(n)));
    CHECK(b.rx_status() == 0x8000);
  }
  CHECK(b.waits == 0);
}

TEST_CASE("after a discard RX Status is the next packet's immediately: Linux does not wait", "[3c529][receive]") {
  El3Bench b;
  b.open();
  for (std::uint8_t n = 0; n < 5; ++n) b.hear(b.for_us(100 + n, n));
  b.rx();  // one pass of the driver's loop
  REQUIRE(b.received.size() == 5);
  for (std::uint8_t n = 0; n < 5; ++n) CHECK(b.received[n].bytes == without_fcs(b.for_us(100 + n, n)));
  CHECK_FALSE(b.status() & EtherLink3::RxComplete);
}

TEST_CASE("frames are received while one is being sent from the other FIFO", "[3c529]") {
  El3Bench b;
  b.open();
  b.hear(b.for_us(1514, 1));
  b.start_xmit(El3Bench::data(1514));
  b.serve();
  b.step(2_ms);
  b.serve();
  CHECK(b.received.size() == 1);
  CHECK(b.wakes == 1);
  CHECK(b.log.entries.size() == 2);
}

TEST_CASE("a word takes one default cycle, a doubleword two; the profile can change this", "[3c529][timing]") {
  const auto per_word = [](Settings settings) {
    El3Bench b(std::move(settings));
    b.open();
    const Time start = b.now();
    b.fill(El3Bench::data(1512));
    return Time{(b.now() - start).ps / 758};
  };
  CHECK(per_word({}) == 200_ns);
  CHECK(per_word({{"port.cycle", "260ns"}}) == 300_ns);
  CHECK(per_word({{"port.cycle", "450ns"}}) == 450_ns);
}

TEST_CASE("the registry lists the 3C529 with its timing, limits and page", "[3c529][registry]") {
  const McaEntry& row = *find_mca("3c529");
  CHECK(row.adapter_id == 0x627C);
  CHECK(row.bus_width == 16);
  CHECK_FALSE(row.limits.empty());
  CHECK(row.timing().size() == 6);
  CHECK(adapter_page("3c529").find("EtherLink III") != std::string_view::npos);
  CHECK_THROWS_WITH(El3Bench(Settings{{"port.width", "32"}}), Catch::Contains("port.cycle"));
}
