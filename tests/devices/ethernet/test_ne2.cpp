// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/common/error.hpp"
#include "tests/devices/ethernet/bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("the driver's probe finds a stopped chip after the reset sequence", "[ne2]") {
  Ne2Bench b;
  CHECK(b.probe());
  CHECK((b.in(7) & Dp8390::RST) != 0);
  // Also after the card has been in use (a warm start of the machine).
  b.init(true);
  CHECK(b.in(0) == 0x22);
  CHECK(b.probe());
}

TEST_CASE("six byte reads of the data port give the station address, as in Linux", "[ne2]") {
  Ne2Bench b;
  REQUIRE(b.probe());
  CHECK(b.read_prom() == Bytes(b.mac.begin(), b.mac.end()));
}

TEST_CASE("three word reads at 0400h give the packed station address, as in NetBSD", "[ne2]") {
  Ne2Bench b;
  REQUIRE(b.probe());
  b.out(0xE, 0x01);
  const Bytes mac = b.block_input(6, 0x0400);
  CHECK(mac == Bytes(b.mac.begin(), b.mac.end()));
}

TEST_CASE("the run-time reset sets RST immediately and stops the chip", "[ne2]") {
  Ne2Bench b;
  b.init(true);
  CHECK_FALSE(b.in(7) & Dp8390::RST);
  b.out(0x20, b.in(0x20));
  CHECK((b.in(7) & Dp8390::RST) != 0);
  b.out(7, 0x80);
  CHECK((b.in(7) & Dp8390::RST) != 0);  // a status bit: writing does not clear it
  CHECK(b.in(0) == 0x21);
  b.init(true);
  CHECK(b.in(7) == 0);
}

TEST_CASE("POS 2 selects enable, I/O base and interrupt", "[ne2][pos]") {
  Ne2Bench b;
  CHECK(b.card->pos_peek(0) == 0x54);
  CHECK(b.card->pos_peek(1) == 0x71);
  CHECK(b.card->pos_peek(5) == 0xFF);
  const std::uint16_t bases[] = {0x1000, 0x2020, 0x8020, 0xA0A0, 0xB0B0, 0xC0C0, 0xC3D0};
  for (unsigned i = 0; i < 7; ++i) {
    b.card->pos_write(2, static_cast<std::uint8_t>(0x01 | (i + 1) << 1), b.now());
    CHECK(b.rig.bus.io().find(bases[i]) != nullptr);
    CHECK(b.rig.bus.io().find(bases[i] + 0x2F) != nullptr);
    CHECK(b.rig.bus.io().find(bases[i] + 0x30) == nullptr);
    for (const auto other : bases) CHECK((b.rig.bus.io().find(other) != nullptr) == (other == bases[i]));
  }
  b.card->pos_write(2, 0x01, b.now());  // choice 0 is not an address
  for (const auto base : bases) CHECK(b.rig.bus.io().find(base) == nullptr);
  b.card->pos_write(2, 0x02, b.now());  // not enabled
  CHECK(b.rig.bus.io().find(0x1000) == nullptr);
}

TEST_CASE("the interrupt follows the level in POS 2 and is removed with the card", "[ne2][pos]") {
  Ne2Bench b;
  b.init(true);
  b.hear(b.for_us(60));
  CHECK(b.rig.irqs.level[5]);
  b.card->pos_write(2, 0x01 | 1 << 1 | 3 << 5, b.now());
  CHECK_FALSE(b.rig.irqs.level[5]);
  CHECK(b.rig.irqs.level[9]);
  b.card->pos_write(2, 0x00, b.now());
  CHECK_FALSE(b.rig.irqs.level[9]);
  b.card->channel_reset(b.now());
  CHECK(b.card->pos_peek(2) == 0);
}

TEST_CASE("other makers' IDs use the same card", "[ne2]") {
  Ne2Bench b(Settings{{"adapter_id", "6354"}});
  CHECK(b.card->adapter_id() == 0x6354);
  CHECK_THROWS_WITH(Ne2Bench(Settings{{"adapter_id", "1234"}}), Catch::Contains("use 7154"));
}

TEST_CASE("the station address registers read back what was written", "[ne2]") {
  Ne2Bench b;
  CHECK(b.probe());
  CHECK(b.init(false));
}

TEST_CASE("with two buffers the second frame starts from the interrupt of the first", "[ne2][transmit]") {
  Ne2Bench b;
  b.probe();
  b.init(true);
  const Bytes one = without_fcs(make_frame(1514, broadcast_mac, 1)),
              two = without_fcs(make_frame(1514, broadcast_mac, 2));
  CHECK(b.block_output(one, 0x40) <= 3);
  b.trigger_send(1514, 0x40);
  b.block_output(two, 0x46);  // while the first is on the wire
  CHECK_FALSE(b.interrupt());
  while (!b.interrupt()) b.step(100_ns);
  const Time done = b.now();
  b.out(0, 0x20);
  CHECK(b.in(7) == Dp8390::PTX);
  CHECK((b.in(4) & Dp8390::TSR_PTX) != 0);
  b.out(7, 0x0A);
  CHECK_FALSE(b.interrupt());
  b.trigger_send(1514, 0x46);
  const Time triggered = b.now();
  b.step(2_ms);
  REQUIRE(b.log.entries.size() == 2);
  CHECK(without_fcs(b.log.entries[0].bytes) == one);
  CHECK(without_fcs(b.log.entries[1].bytes) == two);
  CHECK(b.log.entries[0].good);
  // The next frame starts a few clocks after its command, if the gap has passed.
  CHECK(done - b.log.entries[0].end >= 6'400_ns);  // the heartbeat's window
  CHECK(done - b.log.entries[0].end <= 6'600_ns);
  CHECK(b.log.entries[1].start == std::max(triggered + 400_ns, b.log.entries[0].end + 9'600_ns));
  CHECK(b.other.arrivals.size() == 2);
  CHECK(b.made.network->counters().sent == 2);
}

TEST_CASE("a frame shorter than 60 bytes is sent without padding", "[ne2][transmit]") {
  Ne2Bench b;
  b.init(true);
  b.block_output(Bytes(20, 0x11), 0x40);
  b.trigger_send(20, 0x40);
  b.step(1_ms);
  CHECK(b.log.entries.at(0).bytes.size() == 24);
  CHECK(b.log.entries.at(0).good);
}

TEST_CASE("an odd frame length moves a whole last word and sends the odd byte count", "[ne2][transmit]") {
  Ne2Bench b;
  b.init(true);
  const Bytes frame = without_fcs(make_frame(61));
  b.block_output(frame, 0x40);
  b.trigger_send(61, 0x40);
  b.step(1_ms);
  CHECK(without_fcs(b.log.entries.at(0).bytes) == frame);
}

TEST_CASE("A15 is not decoded: the DOS packet driver loads a frame at 4000h and sends it from page C0h",
          "[ne2][transmit]") {
  Ne2Bench b;
  REQUIRE(b.probe());
  CHECK(b.block_input(12, 0x8000) == b.block_input(12, 0x0000));
  b.init(true);
  const Bytes frame = without_fcs(make_frame(300, broadcast_mac, 3)),
              other = without_fcs(make_frame(300, broadcast_mac, 4));
  b.block_output(frame, 0x40);
  b.trigger_send(300, 0xC0);
  b.step(1_ms);
  CHECK(without_fcs(b.log.entries.at(0).bytes) == frame);
  b.block_output(other, 0xC0);
  CHECK(b.block_input(300, 0x4000) == other);
}

// The packet driver passes the next frame without waiting for the previous one (devices/ethernet/ne2/ne2.md).
TEST_CASE("data written over a frame being sent goes out in its place, at both addresses of the RAM",
          "[ne2][transmit]") {
  const Bytes one = body(1514, 1), two = body(1514, 2);
  for (const unsigned page : {0x40u, 0xC0u}) {
    Ne2Bench b;
    REQUIRE(b.probe());
    b.init(true);
    b.block_output(one, 0x40);
    b.trigger_send(1514, page);
    b.step(200_us);
    b.block_output(two, 0x40);
    b.step(2_ms);
    REQUIRE(b.log.entries.size() == 1);
    CHECK(b.log.entries[0].good);
    const Bytes sent = without_fcs(b.log.entries[0].bytes);
    CHECK(std::equal(sent.begin(), sent.begin() + 200, one.begin()));
    CHECK(std::equal(sent.end() - 200, sent.end(), two.end() - 200));
  }
}

TEST_CASE("received frames are stored in the ring as the driver expects, across its end", "[ne2][receive]") {
  Ne2Bench b;
  b.init(true);
  // 52 pages: sizes that end within a page, at its end and one byte beyond, several times round the ring.
  const std::size_t sizes[] = {60, 61, 244, 248, 249, 500, 504, 505, 1000, 1514, 1513, 252};
  unsigned wrapped = 0;
  for (unsigned n = 0; n < 90; ++n) {
    const Bytes frame = b.for_us(sizes[n % std::size(sizes)], static_cast<std::uint8_t>(n));
    b.hear(frame);
    REQUIRE(b.interrupt());
    CHECK((b.in(7) & 0x3F) == Dp8390::PRX);
    const std::uint8_t page = b.current_page;
    const auto got = b.receive();
    REQUIRE(got.size() == 1);
    CHECK(got[0].status == Dp8390::RSR_PRX);
    CHECK(got[0].bytes == without_fcs(frame));
    CHECK_FALSE(b.interrupt());
    if (b.current_page < page) ++wrapped;
  }
  CHECK(wrapped >= 3);
  CHECK(b.made.network->counters().received == 90);
}

TEST_CASE("the address filter: own, broadcast, multicast hash, promiscuous", "[ne2][receive]") {
  Ne2Bench b;
  b.init(true);
  const MacAddress other_station{0x00, 0x00, 0xD8, 0x99, 0x99, 0x99}, all_hosts{0x01, 0x00, 0x5E, 0x00, 0x00, 0x01};
  const auto accepted = [&](const MacAddress& to) {
    b.hear(make_frame(60, to));
    const auto frames = b.receive();
    CHECK(frames.size() <= 1);
    return frames.empty() ? -1 : int{frames[0].status};
  };
  CHECK(accepted(b.mac) == 0x01);
  CHECK(accepted(broadcast_mac) == 0x21);
  CHECK(accepted(other_station) == -1);
  CHECK(accepted(all_hosts) == -1);
  // Linux's own formula: top six bits of the CRC index the filter.
  std::uint32_t crc = 0xFFFFFFFF;
  for (std::uint8_t byte : all_hosts)
    for (int bit = 0; bit < 8; ++bit, byte >>= 1) crc = (crc << 1) ^ ((crc >> 31 ^ (byte & 1)) ? 0x04C11DB7 : 0);
  std::array<std::uint8_t, 8> filter{};
  filter[crc >> 29] |= 1 << (crc >> 26 & 7);
  b.load_multicast(filter, 0x0C);
  CHECK(accepted(all_hosts) == 0x21);
  CHECK(accepted({0x01, 0x00, 0x5E, 0x00, 0x00, 0x02}) == -1);
  b.load_multicast({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, 0x1C);
  CHECK(accepted(other_station) == 0x01);
  CHECK(accepted({0x01, 0x00, 0x5E, 0x00, 0x00, 0x02}) == 0x21);
  b.out(0xC, 0x00);
  CHECK(accepted(broadcast_mac) == -1);
}

TEST_CASE("writing 20h or 60h to CR, neither start nor stop, has no effect", "[ne2]") {
  Ne2Bench b;
  b.init(true);
  b.out(0, 0x20);
  CHECK(b.in(0) == 0x22);
  b.hear(b.for_us(60));
  CHECK(b.receive().size() == 1);
  b.out(0, 0x60);
  b.out(0, 0x20);
  b.out(0, 0x21);
  b.out(0, 0x20);  // once stopped, it stays stopped
  b.hear(b.for_us(60));
  b.out(0, 0x60);
  CHECK(b.in(7) == b.current_page);  // CURR: nothing was received
}

TEST_CASE("ring overflow sets OVW, and the driver's recovery loses only what did not fit", "[ne2][overflow]") {
  Ne2Bench b;
  b.init(true);
  // 52 pages, one always free: a 1514-byte frame takes 6, so 8 fit in 51 pages and the ninth runs into BNRY.
  for (unsigned n = 0; n < 8; ++n) b.hear(b.for_us(1514, static_cast<std::uint8_t>(n)));
  CHECK_FALSE(b.in(7) & Dp8390::OVW);
  const Time sent = b.now();
  b.other.port.transmit(b.for_us(1514, 8), sent);
  b.step(600_us);
  CHECK_FALSE(b.in(7) & Dp8390::OVW);  // three pages are left: 764 bytes fit
  b.step(50_us);
  CHECK((b.in(7) & (Dp8390::OVW | Dp8390::RST)) == (Dp8390::OVW | Dp8390::RST));
  b.step(2_ms);
  CHECK(b.interrupt());

  // Until the restart the receiver is off and counts the missed frames.
  b.hear(b.for_us(60));
  // A transmission that the driver must repeat.
  b.block_output(without_fcs(make_frame(60)), 0x40);
  b.trigger_send(60, 0x40);
  b.step(1_ms);

  const std::uint8_t was_sending = b.in(0) & 0x04;
  CHECK(was_sending == 0);
  b.out(0, 0x21);
  b.step(10_ms);
  CHECK((b.in(7) & Dp8390::RST) != 0);
  CHECK((b.in(7) & Dp8390::PTX) != 0);  // causes survive the stop
  b.out(0xA, 0);
  b.out(0xB, 0);
  b.out(0xD, 0x02);
  b.out(0, 0x22);
  const auto frames = b.receive();
  REQUIRE(frames.size() == 8);
  for (unsigned n = 0; n < 8; ++n) CHECK(frames[n].bytes == without_fcs(b.for_us(1514, static_cast<std::uint8_t>(n))));
  b.out(7, 0x10);
  b.out(0xD, 0);
  CHECK_FALSE(b.in(7) & (Dp8390::OVW | Dp8390::RST));
  CHECK(b.in(0xF) == 2);  // missed: the truncated one and the one while the receiver was off
  CHECK(b.in(0xF) == 0);
  b.hear(b.for_us(100));
  CHECK(b.receive().size() == 1);
  CHECK(b.made.network->counters().overruns == 2);  // both count as lost for want of room
}

TEST_CASE("a ring filled to its last page refuses the next frame and preserves its contents", "[ne2][overflow]") {
  Ne2Bench b;
  b.init(true);
  // 51 one-page frames fill the ring exactly: CURR reaches BNRY.
  for (unsigned n = 0; n < 51; ++n) b.hear(b.for_us(60, static_cast<std::uint8_t>(n)));
  CHECK_FALSE(b.in(7) & Dp8390::OVW);
  b.out(0, 0x60);
  CHECK(b.in(7) == Ne2Bench::stop_page - 1);
  b.out(0, 0x20);
  b.hear(b.for_us(60, 99));
  CHECK((b.in(7) & Dp8390::OVW) != 0);
  b.out(0, 0x21);
  b.out(0xD, 0x02);
  b.out(0, 0x22);
  unsigned n = 0;
  for (int pass = 0; pass < 7; ++pass)
    for (const auto& f : b.receive()) CHECK(f.bytes == without_fcs(b.for_us(60, static_cast<std::uint8_t>(n++))));
  CHECK(n == 51);
}

TEST_CASE("a driver that frees pages in time lets a long frame continue past the old boundary", "[ne2][overflow]") {
  Ne2Bench b;
  b.init(true);
  for (unsigned n = 0; n < 8; ++n) b.hear(b.for_us(1514, static_cast<std::uint8_t>(n)));
  const auto first = b.header(b.current_page);
  CHECK(b.block_input(first.count - 4, b.current_page << 8 | 4) == without_fcs(b.for_us(1514, 0)));
  b.other.port.transmit(b.for_us(1514, 8), b.now());
  b.step(300_us);
  b.out(3, first.next - 1);
  b.current_page = first.next;
  b.step(2_ms);
  CHECK_FALSE(b.in(7) & Dp8390::OVW);
  const auto rest = b.receive();
  REQUIRE(rest.size() == 8);
  CHECK(rest[7].bytes == without_fcs(b.for_us(1514, 8)));
}

TEST_CASE("the word latch takes 950 ns per word, whatever the host does meanwhile", "[ne2][timing]") {
  const auto words = [](Ne2Bench& b, Time pause) {
    b.init(true);
    b.out(0, 0x22);
    b.remote(1514, 0x4000);
    b.out(0, 0x12);
    const Time start = b.now();
    for (int i = 0; i < 757; ++i) {
      if (i) b.step(pause);
      b.data_out(0x1234);
    }
    return b.now() - start;
  };
  // Back-to-back accesses are held until the latch is ready; the first finds it empty.
  Ne2Bench hurried;
  CHECK(words(hurried, Time{}) == 300_ns + 950_ns * 756);
  // The processor's work between two accesses is hidden in the same time,
  Ne2Bench busy;
  CHECK(words(busy, 500_ns) == 300_ns + 950_ns * 756);
  // and a later access finds the latch ready.
  Ne2Bench late;
  CHECK(words(late, 1_us) == 300_ns + (1_us + 300_ns) * 756);
  late.step(1_us);
  CHECK((late.in(7) & 0x40) != 0);
}

TEST_CASE("a ready delay of the data port and a faster handshake can be configured", "[ne2][timing]") {
  Ne2Bench b(Settings{{"data_port.ready_delay", "368 ns"}, {"chip.remote_handshake", "3"}});
  b.init(true);
  b.out(0, 0x22);
  b.remote(1514, 0x4000);
  b.out(0, 0x12);
  const Time start = b.now();
  for (int i = 0; i < 757; ++i) b.data_out(0x1234);
  CHECK(b.now() - start == (300_ns + 368_ns) * 757);
}

TEST_CASE("remote DMA waits for the local bursts of a frame that is being sent", "[ne2][timing]") {
  const Settings quick{{"chip.remote_handshake", "3"}};
  Ne2Bench idle(quick), busy(quick);
  const auto load = [](Ne2Bench& b, bool sending) {
    b.init(true);
    if (sending) {
      b.block_output(without_fcs(make_frame(1514)), 0x40);
      b.trigger_send(1514, 0x40);
      b.step(20_us);
    }
    b.out(0, 0x22);
    b.remote(1514, 0x4600);
    b.out(0, 0x12);
    const Time start = b.now();
    for (int i = 0; i < 757; ++i) b.data_out(0x1234);
    return b.now() - start;
  };
  const Time alone = load(idle, false), shared = load(busy, true);
  // 4 words of 200 ns every 6.4 us: an eighth of the local bus is taken.
  CHECK(shared > alone + Time{alone.ps * 5 / 100});
  CHECK(shared < alone + Time{alone.ps * 20 / 100});
}

TEST_CASE("the registry lists the NE/2 with timing and limits", "[ne2][registry]") {
  const McaEntry& row = *find_mca("ne2");
  CHECK(row.title == "Novell NE/2");
  CHECK(row.adapter_id == 0x7154);
  CHECK_FALSE(row.limits.empty());
  const auto values = row.timing();
  REQUIRE(values.size() == 7);
  for (const auto& v : values) {
    CHECK_FALSE(v.source.empty());
    CHECK_FALSE(v.confidence.empty());
  }
  CHECK_THROWS_WITH(find_adapter("ne3"), Catch::Contains("did you mean 'ne2'"));
}

TEST_CASE("an unknown timing value is refused with a list of the existing ones", "[ne2][registry]") {
  CHECK_THROWS_WITH(Ne2Bench(Settings{{"data_port.delay", "1"}}), Catch::Contains("data_port.ready_delay"));
  CHECK_THROWS_WITH(Ne2Bench(Settings{{"data_port.ready_delay", "fast"}}),
                    Catch::Contains("in ns") && Catch::Contains("ms, s"));
  CHECK_THROWS_WITH(Ne2Bench(Settings{{"data_port.ready_delay", "-5"}}), Catch::Contains("0 or more"));
  CHECK_THROWS_WITH(Ne2Bench(Settings{{"chip.bus_clock", "0"}}),
                    Catch::Contains("ne2.chip.bus_clock is set to 0") && Catch::Contains("out of range"));
  CHECK_THROWS_WITH(Ne2Bench(Settings{{"data_port.ready_delay", "0.1234567 us"}}), Catch::Contains("is not a value"));
  CHECK_THROWS_WITH(Ne2Bench(Settings{{"data_port.ready_delay", "1 MHz"}}), Catch::Contains("is not a value"));
  CHECK_NOTHROW(Ne2Bench(Settings{{"data_port.ready_delay", "0.001 ms"}, {"chip.bus_clock", "20 MHz"}}));
  CHECK_NOTHROW(Ne2Bench(Settings{{"data_port.ready_delay", "0.4 us"}}));
  CHECK_THROWS_WITH(TimingProfile::parse("[a]\nvalue = 1\nunit = \"ns\"\n", "x.toml"), Catch::Contains("x.toml:1"));
  CHECK_THROWS_WITH(TimingProfile::parse("[a\n", "x.toml"), Catch::Contains("x.toml:1"));
  CHECK_THROWS_WITH(
      TimingProfile::parse("[a]\nvalue = 1\nunit = \"ells\"\nsource = \"\"\nconfidence = \"measured\"\n", "x.toml"),
      Catch::Contains("ells"));
}
