// SPDX-License-Identifier: GPL-2.0-or-later
// Both LANStreamers as used by Linux's driver: bring-up, OPEN, requests, frames in both directions, interrupts, full
// duplex.
#include "tests/devices/tokenring/lanstreamer_bench.hpp"

using namespace planar;
using namespace planar::test;
using Chip = LanStreamer;

TEST_CASE("LANStreamer: both cards' interface is declared hypothetical", "[lanstreamer]") {
  for (const McaEntry* e : {&LanStreamerMc32::entry, &LanStreamerMc32::auto_entry}) {
    CHECK(e->hypothetical);
    CHECK(e->medium == MediumKind::token_ring);
    CHECK(e->limits[0].starts_with("HYPOTHETICAL"));
    for (const TimingValue& v : e->timing())  // the behaviour of each driver version was chosen knowing published rows
      CHECK(v.confidence == (v.name == "driver.versions" ? "informed-by-published" : "inferred"));
  }
  CHECK(LanStreamerMc32::entry.adapter_id == 0x8FA0);
  CHECK(LanStreamerMc32::auto_entry.adapter_id == 0x8FA2);
}

TEST_CASE("LANStreamer: bring-up reports the addresses of its tables, through ports and the memory window",
          "[lanstreamer]") {
  for (const bool memory : {false, true}) {
    LanStreamerBench b({.through_memory = memory});
    CHECK(b.card.pos_peek(0) == 0xA2);
    CHECK(b.card.pos_peek(1) == 0x8F);
    b.reset();
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned word = static_cast<unsigned>(b.mac[2 * i] << 8 | b.mac[2 * i + 1]);
      CHECK(b.local(b.universal + 2 * i) == word);
      CHECK(b.local(b.address_table + 2 * i) == word);
    }
    CHECK(b.in(Chip::BMCTL_SUM) == (Chip::TX1_DIS | Chip::TX2_DIS | Chip::RX_DIS));
  }
}

TEST_CASE("LANStreamer: the self-test takes its time, and the card does not respond while reset is held",
          "[lanstreamer]") {
  LanStreamerBench b({.settings = {{"firmware.self_test", "300000us"}}});
  b.out(Chip::BCTL, Chip::SOFTRESET);
  b.out(Chip::LAPA, 0x1234);
  CHECK(b.in(Chip::LAPA) == 0);
  b.out(Chip::BCTL, 0);
  b.rig.step(299_ms);
  CHECK((b.in(Chip::SISR)&Chip::SRB_REPLY) == 0);
  b.rig.step(1_ms);
  CHECK((b.in(Chip::SISR)&Chip::SRB_REPLY) != 0);
}

TEST_CASE("LANStreamer: _SUM sets bits, _RUM clears bits; bit 15 of the mask enables interrupts",
          "[lanstreamer][interrupt]") {
  LanStreamerBench b;
  b.reset();
  b.out(Chip::SISR_MASK, 0x0001);
  b.out(Chip::SISR_MASK_SUM, Chip::SRB_REPLY);
  CHECK(b.in(Chip::SISR_MASK) == (0x0001 | Chip::SRB_REPLY));
  b.out(Chip::SISR_MASK_RUM, ~1u);
  CHECK(b.in(Chip::SISR_MASK_SUM) == Chip::SRB_REPLY);
  b.out(Chip::SISR_SUM, Chip::SRB_REPLY);
  CHECK_FALSE(b.interrupt());
  b.out(Chip::SISR_MASK_SUM, Chip::MI);
  CHECK(b.interrupt());
  b.out(Chip::SISR_RUM, ~unsigned{Chip::SRB_REPLY});
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("LANStreamer: OPEN inserts the station and answers with an interrupt", "[lanstreamer][open]") {
  LanStreamerBench b({.ring = {}});  // with the ring's own phases
  b.reset();
  CHECK(b.request(Chip::SRB_READ_LOG) == Chip::RC_CLOSED);
  b.issue_open(Chip::ENABLE_FDX);
  const Time asked = b.rig.now;
  CHECK(b.await_reply() == Chip::RC_GOOD);
  CHECK(b.rig.now - asked > 500_ms);
  CHECK(b.card.chip().port().inserted());
  CHECK(b.card.chip().port().node() == b.mac);
  CHECK(b.local(b.srb_address() + 18) >> 8 == Chip::OPENED_16MBPS);
  CHECK(b.open() == Chip::RC_OPEN);
  b.start_channels();
  CHECK((b.in(Chip::BMCTL_SUM)&Chip::RX_ENAB) != 0);
  CHECK(b.request(Chip::SRB_CLOSE) == Chip::RC_GOOD);
  CHECK_FALSE(b.card.chip().port().inserted());
  CHECK(b.in(Chip::BMCTL_SUM) == (Chip::TX1_DIS | Chip::TX2_DIS | Chip::RX_DIS));
}

TEST_CASE("LANStreamer: a failed OPEN gives the ring's reason in the driver's codes", "[lanstreamer][open]") {
  const auto error = [](LanStreamerBench::Options o, unsigned speed, const MacAddress& laa = {}) {
    LanStreamerBench b(o);
    b.reset(speed);
    CHECK(b.open(0, laa) == Chip::RC_FAILED);
    CHECK_FALSE(b.card.chip().port().inserted());
    return b.open_error;
  };
  CHECK(error({}, 4) == 0x24);                                                  // ring speed mismatch
  CHECK(error({.ring = {.quick_insertion = true}, .alone = true}, 0) == 0x2D);  // autosense without a monitor
  CHECK(error({.plugged = false}, 16) == 0x11);                                 // no cable
  CHECK(error({}, 16, station_address(7)) == 0x38);                             // another station's address
  LanStreamerBench b;
  b.reset();
  CHECK(b.open(Chip::INTERNAL_WRAP) == Chip::RC_FAILED);
  CHECK(b.open(0, {0x90, 0, 0, 0, 0, 1}) == Chip::RC_BAD_NODE);
  CHECK(b.open(0, {0x40, 0, 0, 0, 0, 1}) == Chip::RC_GOOD);
  CHECK(b.card.chip().port().node() == MacAddress{0x40, 0, 0, 0, 0, 1});
}

TEST_CASE("LANStreamer: the data rate is set by the driver, by POS, or on the Auto by the ring",
          "[lanstreamer][open]") {
  const RingConfig slow{.bits_per_second = 4'000'000, .quick_insertion = true};
  LanStreamerBench sensing({.ring = slow});
  sensing.reset(0);
  CHECK(sensing.open() == 0);
  CHECK(sensing.opened_as == 0);
  LanStreamerBench plain({.automatic = false, .ring = slow});
  plain.reset(0);  // the older card has no autosense: POS says 16
  CHECK(plain.open() == Chip::RC_FAILED);
  CHECK(plain.open_error == 0x24);
  LanStreamerBench by_pos({.automatic = false, .ring = slow, .pos4 = 0x41});
  by_pos.out(Chip::BCTL, Chip::SOFTRESET);
  CHECK(by_pos.in(Chip::GPR) == 0);
  by_pos.card.pos_write(4, 0x42, by_pos.rig.now);
  by_pos.out(Chip::BCTL, Chip::SOFTRESET);
  CHECK(by_pos.in(Chip::GPR) == Chip::MBPS_16);
  LanStreamerBench automatic({.pos4 = 0x42});
  automatic.out(Chip::BCTL, Chip::SOFTRESET);
  CHECK(automatic.in(Chip::GPR) == Chip::AUTOSENSE);
}

TEST_CASE("LANStreamer: requests return their codes; doorbells may be written as 32 bits", "[lanstreamer][srb]") {
  LanStreamerBench b;
  b.bring_up();
  CHECK(b.request(Chip::SRB_NO_OPERATION) == Chip::RC_GOOD);
  CHECK(b.request(0x55) == Chip::RC_UNKNOWN);
  CHECK(b.request(Chip::SRB_SET_FUNCTIONAL, {0, 0x0004, 0x0001}, true) == Chip::RC_GOOD);
  CHECK(b.local(b.address_table + 10) == 0x0004);
  CHECK(b.local(b.address_table + 12) == 0x0001);
  CHECK(b.request(Chip::SRB_RESET_GROUP, {0, 0x8000, 0x0001}) == Chip::RC_NO_GROUP);
  CHECK(b.request(Chip::SRB_SET_GROUP, {0, 0x0000, 0x0001}) == Chip::RC_BAD_GROUP);
  CHECK(b.request(Chip::SRB_SET_GROUP, {0, 0x8000, 0x0001}) == Chip::RC_GOOD);
  CHECK(b.request(Chip::SRB_SET_GROUP, {0, 0x8000, 0x0001}) == Chip::RC_GROUP_SET);
  CHECK(b.request(Chip::SRB_SET_GROUP, {0, 0x8000, 0x0002}) == Chip::RC_GROUPS_FULL);
  const MacAddress functional{0xC0, 0, 0, 0x04, 0, 0}, group{0xC0, 0, 0x80, 0, 0, 1}, foreign{0xC0, 0, 0x80, 0, 0, 2};
  for (const MacAddress& to : {functional, group, foreign, MacAddress{0x10, 0, 0x5A, 9, 9, 9}})
    b.hear(ring_frame(to, station_address(7), 50));
  CHECK(b.card.chip().counters().received == 2);
  CHECK(b.request(Chip::SRB_RESET_GROUP, {0, 0x8000, 0x0001}) == Chip::RC_GOOD);
  b.hear(ring_frame(group, station_address(7), 50));
  CHECK(b.card.chip().counters().received == 2);
  CHECK(b.request(Chip::SRB_MODIFY_RECEIVE_OPTIONS, {0x0060, 0x4A41, 0x4D45, 0x5320, 0x2020}, true) == Chip::RC_GOOD);
  b.hear(ring_frame(foreign, station_address(7), 50));  // now it receives others' frames, without setting A or C
  CHECK(b.card.chip().counters().received == 3);
  CHECK(b.other.outcomes.back().status == 0);
  CHECK(b.request(Chip::SRB_MODIFY_RECEIVE_OPTIONS, {0}) == Chip::RC_GOOD);
  b.hear(ring_frame(foreign, station_address(7), 50));
  CHECK(b.card.chip().counters().received == 3);
  CHECK(b.request(Chip::SRB_MODIFY_OPEN_OPTIONS, {0x0080}) == Chip::RC_GOOD);
}

TEST_CASE("LANStreamer: attention MAC frames arrive through ARB and local buffers, which the ASB returns",
          "[lanstreamer][arb]") {
  LanStreamerBench b;
  b.reset();
  REQUIRE(b.open(Chip::PASS_ATTENTION_MAC) == 0);
  b.start_channels();
  for (int n = 0; n < 3; ++n) {
    for (int polls = 0; !(b.in(Chip::SISR)&Chip::ARB_CMD); ++polls) {
      REQUIRE(polls < 1500);
      b.rig.step(10_ms);
    }
    CHECK(b.interrupt());
    b.service();
    REQUIRE(b.local(b.arb) >> 8 == Chip::ARB_RECEIVE_DATA);
    const unsigned first = b.local(b.arb + 6), length = b.local(b.arb + 10);
    CHECK(b.local(b.arb + 8) >> 8 == ring_header_bytes);
    b.out(Chip::LISR_SUM, Chip::ARB_FREE);
    CHECK(b.local(first) == 0);  // the only one of its chain
    CHECK(b.local(first + 4) == length);
    CHECK((b.local(first + 6) & ring_fc::type) == ring_fc::mac);
    CHECK(b.local(first + 8) == 0xC000);  // for all stations of this ring
    b.put_local(b.asb, {0x8100, 0xFE00, 0, first});
    b.out(Chip::LISR_SUM, Chip::ASB_REPLY | Chip::ASB_FREE_REQ);
    b.rig.step(1_ms);
    CHECK((b.in(Chip::SISR)&Chip::ASB_FREE) != 0);
    CHECK(b.local(b.asb + 2) >> 8 == Chip::RC_ACCEPTED);
    b.out(Chip::SISR_RUM, ~unsigned{Chip::ASB_FREE});
  }
  CHECK(b.card.chip().counters().received == 0);
}

TEST_CASE("LANStreamer: the host cannot write local memory beyond the mailboxes", "[lanstreamer][lap]") {
  LanStreamerBench b;
  b.reset();
  const unsigned first = b.in(Chip::LAPWWO), end = b.in(Chip::LAPWWC);
  CHECK(first < end);
  b.out(Chip::SISR_MASK, Chip::MI | Chip::LAP_ACC_ERR);
  b.put_local(end - 2, {0xA55A});
  CHECK(b.local(end - 2) == 0xA55A);
  CHECK_FALSE(b.interrupt());
  b.put_local(end, {0xA55A});
  CHECK(b.interrupt());
  CHECK(b.local(end) == 0);
  CHECK(b.service().sisr == Chip::LAP_ACC_ERR);
  const unsigned address = b.local(b.universal);
  b.put_local(b.universal, {0});
  CHECK(b.local(b.universal) == address);
  b.service();
  b.out(Chip::LAPA, 0xFFFE);
  CHECK(b.in(Chip::LAPDINC) == 0xFFFF);
  CHECK(b.in(Chip::LAPA) == 0);
  CHECK(b.service().sisr == Chip::LAP_ACC_ERR);
}

TEST_CASE("LANStreamer: frames are sent from their place in memory, also in 16-bit slots", "[lanstreamer][transmit]") {
  for (const unsigned width : {16u, 32u}) {
    LanStreamerBench b({.width = width});
    b.bring_up();
    unsigned n = 0;
    for (const std::size_t data : {std::size_t{1486}, std::size_t{1}, std::size_t{0}, std::size_t{47}}) {
      const Bytes f = b.frame(data, static_cast<std::uint8_t>(n));
      b.send(n, f);
      const Time rung = b.rig.now;
      b.rig.step(2_ms);
      REQUIRE(b.other.arrivals.size() == n + 1);
      const RingRecorder::Arrival& got = b.other.arrivals[n];
      CHECK(got.good);
      CHECK(got.first_bit - rung < 20_us);  // does not wait for the whole frame
      CHECK(Bytes(got.bytes.begin(), got.bytes.end() - 4) == f);
      CHECK(b.transmit_status(n) == (tokenring::transmit_status::done | 0xCCu << 8));  // recognised and copied
      CHECK(b.interrupt());
      CHECK((b.in(Chip::SISR)&Chip::MI) != 0);
      CHECK(b.acknowledge() == (Chip::TX2_EOF | Chip::TX2_IDLE));
      CHECK_FALSE(b.interrupt());
      ++n;
    }
    CHECK(b.card.chip().counters().sent == 4);
  }
}

TEST_CASE("LANStreamer: a ring of frames uses every token", "[lanstreamer][transmit]") {
  LanStreamerBench b;
  b.bring_up();
  for (unsigned n = 0; n < 7; ++n) b.describe(n, b.frame(1486, static_cast<std::uint8_t>(n)));
  b.out32(Chip::TX2LFDA, LanStreamerBench::tx_ring);  // the first one after enabling: this is the start
  b.out32(Chip::TX2LFDA, LanStreamerBench::tx_ring + 32 * 6);
  b.rig.step(10_ms);
  REQUIRE(b.log.entries.size() == 7);
  const Time token = b.ring.gap() + b.ring.byte_time() * 3;
  for (unsigned n = 1; n < 7; ++n) {
    const Time between = b.log.entries[n].start - b.log.entries[n - 1].end;
    CHECK(between >= b.ring.gap() + b.ring.latency());
    CHECK(between <= token + b.ring.latency());
  }
  // After an end, it continues where it stopped.
  for (unsigned n = 7; n < 10; ++n) b.send(n % 8, b.frame(100, static_cast<std::uint8_t>(n)));
  b.rig.step(10_ms);
  REQUIRE(b.log.entries.size() == 10);
  CHECK(b.other.arrivals[9].bytes.size() == b.frame(100).size() + 4);
}

TEST_CASE("LANStreamer: a frame is gathered from two buffers", "[lanstreamer][transmit]") {
  LanStreamerBench b;
  b.bring_up();
  const Bytes f = b.frame(500, 3);
  const std::uint32_t d = b.describe(0, f);
  b.put(d + 8, 2u << 16 | static_cast<std::uint32_t>(f.size()));
  b.put(d + 16, 37);
  b.put(d + 20, LanStreamerBench::tx_buffers + 37);
  b.put(d + 24, static_cast<std::uint32_t>(f.size()) - 37);
  b.out32(Chip::TX2LFDA, d);
  b.rig.step(2_ms);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(Bytes(b.other.arrivals[0].bytes.begin(), b.other.arrivals[0].bytes.end() - 4) == f);
}

TEST_CASE("LANStreamer: channel 1 has priority over channel 2", "[lanstreamer][transmit]") {
  LanStreamerBench b;
  b.bring_up();
  b.out(Chip::BMCTL_RUM, ~unsigned{Chip::TX1_DIS});
  b.out(Chip::MISR_MASK, 0);
  for (unsigned n = 0; n < 4; ++n) {
    b.describe(n, b.frame(1400, static_cast<std::uint8_t>(n)));
    b.describe(n, b.frame(60, static_cast<std::uint8_t>(0x10 + n)), LanStreamerBench::tx1_ring);
  }
  b.out32(Chip::TX2LFDA, LanStreamerBench::tx_ring);
  b.out32(Chip::TX2LFDA, LanStreamerBench::tx_ring + 96);
  b.out32(Chip::TX1LFDA, LanStreamerBench::tx1_ring);
  b.rig.step(500_us);
  b.out32(Chip::TX1LFDA, LanStreamerBench::tx1_ring + 96);
  b.rig.step(20_ms);
  REQUIRE(b.log.entries.size() == 8);
  std::string order;
  for (const RingLog::Entry& e : b.log.entries) order += e.bytes.size() < 200 ? '1' : '2';
  CHECK(order.find("111") < order.find_last_of('2'));  // the three overtake the rest of channel 2
  CHECK((b.acknowledge() & (Chip::TX1_EOF | Chip::TX1_IDLE | Chip::TX2_EOF | Chip::TX2_IDLE)) ==
        (Chip::TX1_EOF | Chip::TX1_IDLE | Chip::TX2_EOF | Chip::TX2_IDLE));
  CHECK(b.transmit_status(3, LanStreamerBench::tx1_ring) != 0);
}

TEST_CASE("LANStreamer: received frames are stored in the ring's buffers from AC to the end of their data",
          "[lanstreamer][receive]") {
  for (const unsigned width : {16u, 32u}) {
    LanStreamerBench b({.width = width});
    b.bring_up();
    b.hear(b.for_us(60, 1));
    CHECK(b.interrupt());
    CHECK(b.service().misr == Chip::RX_EOF);
    b.hear(ring_frame(broadcast_mac, station_address(7), 1486, 2));
    CHECK(b.rx_status(0) == rx_good);
    CHECK(b.rx_lengths(0) == (74u << 16 | 74));
    CHECK(b.buffer(0, 74) == b.for_us(60, 1));
    CHECK(b.rx_lengths(1) == (1500u << 16 | 1500));
    CHECK(b.buffer(1, 1500) == ring_frame(broadcast_mac, station_address(7), 1486, 2));
    CHECK(b.rx_status(2) == 0);
    CHECK(b.other.outcomes[0].status == (ring_fs::recognised | ring_fs::copied));
    // Its descriptor has been returned to the driver: RXLBDA returns the buffer.
    b.put(LanStreamerBench::rx_ring + 4, 0);
    b.put(LanStreamerBench::rx_ring + 12, 4096);
    b.out32(Chip::RXLBDA, LanStreamerBench::rx_ring);
    for (unsigned n = 0; n < 15; ++n) b.hear(b.for_us(20, static_cast<std::uint8_t>(n)));
    CHECK(b.rx_status(0) == rx_good);
    CHECK(b.card.chip().counters().received == 17);
  }
}

TEST_CASE("LANStreamer: bytes are in memory while their frame is still arriving", "[lanstreamer][receive]") {
  LanStreamerBench b;
  b.bring_up();
  b.other.port.transmit(b.for_us(1486, 5), b.rig.now);
  b.rig.step(400_us);
  CHECK(b.rx_status(0) == 0);
  const Bytes expected = b.for_us(1486, 5);
  CHECK(b.buffer(0, 512) == Bytes(expected.begin(), expected.begin() + 512));
  CHECK(b.buffer(0, 1500) != expected);
  b.rig.step(1_ms);
  CHECK(b.buffer(0, 1500) == expected);
}

TEST_CASE("LANStreamer: a frame may span buffers; only the last is marked", "[lanstreamer][receive]") {
  LanStreamerBench b;
  b.reset();
  b.open(0);
  b.start_channels(16, 400);
  const Bytes f = b.for_us(986, 7);
  b.hear(f);
  CHECK(b.rx_status(0) == Chip::RX_PROCESSED);
  CHECK(b.rx_status(1) == Chip::RX_PROCESSED);
  CHECK(b.rx_status(2) == rx_good);
  CHECK(b.rx_lengths(0) == 400);
  CHECK(b.rx_lengths(2) == (1000u << 16 | 200));
  CHECK((b.acknowledge() & (Chip::RX_EOB | Chip::RX_EOF)) == (Chip::RX_EOB | Chip::RX_EOF));
  Bytes got = b.buffer(0, 400);
  for (const auto& part : {b.buffer(1, 400), b.buffer(2, 200)}) got.insert(got.end(), part.begin(), part.end());
  CHECK(got == f);
}

TEST_CASE("LANStreamer: the Auto registers with a dedicated port and sends without a token", "[lanstreamer][duplex]") {
  LanStreamerBench b({.ring = {.full_duplex = true, .quick_insertion = true}});
  b.bring_up();
  CHECK(b.opened_as == (Chip::OPENED_16MBPS | Chip::OPENED_FDX));
  CHECK((b.in(Chip::SISR)&Chip::ARB_CMD) == 0);  // the driver does not know yet where the ARB is
  for (unsigned n = 0; n < 6; ++n) b.describe(n, b.frame(1486, static_cast<std::uint8_t>(n)));
  for (unsigned n = 0; n < 5; ++n) b.other.to_send.push_back(b.for_us(1486, static_cast<std::uint8_t>(n)));
  b.other.port.transmit(b.for_us(1486, 9), b.rig.now);
  b.out32(Chip::TX2LFDA, LanStreamerBench::tx_ring);
  b.out32(Chip::TX2LFDA, LanStreamerBench::tx_ring + 32 * 5);
  b.rig.step(10_ms);
  REQUIRE(b.other.arrivals.size() == 6);
  for (unsigned n = 1; n < 6; ++n)
    CHECK(b.other.arrivals[n].first_bit - b.other.arrivals[n - 1].first_bit ==
          b.ring.byte_time() * (1500 + 4 + 3) + b.ring.gap());
  CHECK(b.card.chip().counters().received == 6);
  CHECK(b.buffer(0, 1500) == b.for_us(1486, 9));
}

TEST_CASE("LANStreamer: half duplex is used unless port, card and driver all want full duplex",
          "[lanstreamer][duplex]") {
  const RingConfig dedicated{.full_duplex = true, .quick_insertion = true};
  LanStreamerBench shared;
  shared.bring_up();
  CHECK(shared.opened_as == Chip::OPENED_16MBPS);
  LanStreamerBench plain({.automatic = false, .ring = dedicated});
  plain.bring_up();
  CHECK(plain.opened_as == Chip::OPENED_16MBPS);
  LanStreamerBench unwilling({.ring = dedicated});
  unwilling.reset();
  CHECK(unwilling.open(0) == 0);
  CHECK(unwilling.opened_as == Chip::OPENED_16MBPS);
}

TEST_CASE("LANStreamer: describing the card has no side effects", "[lanstreamer][describe]") {
  LanStreamerBench b;
  b.bring_up();
  b.send(0, b.frame(1486));
  b.rig.step(300_us);
  const auto saved = [&b] {
    Archive a = Archive::saver();
    b.archive(a);
    return a.stream();
  };
  const auto before = saved();
  Description d;
  static_cast<bus::Adapter&>(b.card).describe(d);
  CHECK(saved() == before);
  REQUIRE(d.parts().size() == 2);
  const Description& chip = d.parts()[0];
  CHECK(chip.name() == "LANStreamer");
  const auto field = [](const Description& in, std::string_view name) {
    const Field* found = in.find_field(name);
    REQUIRE(found);
    return *found;
  };
  CHECK(field(chip, "adapter").text == "open");
  CHECK(field(chip, "node address").value == 0x10005A123456);
  const Description* fifo = chip.find_part("transmit FIFO");
  REQUIRE(fifo);
  CHECK(field(*fifo, "on the ring").value == 1);
  CHECK(field(*fifo, "frame at the port, bytes").value == 1500);
}
