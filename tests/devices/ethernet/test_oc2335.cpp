// SPDX-License-Identifier: GPL-2.0-or-later
// The OC-2335's declared interface as used by its driver: reset, transmission through the FIFO, reception, tallies,
// errors of the wire and of the driver, at 100 Mbit/s.
#include "core/common/error.hpp"
#include "devices/ethernet/oc2335/oc2335.hpp"
#include "tests/devices/ethernet/card_bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::Dp83800;
using ethernet::Oc2335;

namespace {

struct Oc2335Bench : CardBench {
  static constexpr std::uint16_t base = 0x3000;
  static constexpr unsigned irq = 10;

  explicit Oc2335Bench(Settings settings = {}, bool plugged = true)
      : CardBench(Oc2335::entry, "00:00:24:12:34:56", std::move(settings), plugged, 16,
                  {.bits_per_second = 100'000'000}) {
    card->pos_write(2, 0x01 | 2 << 1 | 3 << 4, rig.now);
  }

  Dp83800& chip() { return static_cast<Oc2335&>(*card).chip(); }
  unsigned in(unsigned reg) { return rig.in(static_cast<std::uint16_t>(base + reg), 2); }
  void out(unsigned reg, unsigned value) { rig.out(static_cast<std::uint16_t>(base + reg), value, 2); }
  bool interrupt() const { return rig.irqs.level[irq]; }

  void open(unsigned rcr = Dp83800::BRD) {
    out(Dp83800::CR, Dp83800::RST);
    for (int n = 0; in(Dp83800::CR)&Dp83800::RST; ++n) {
      REQUIRE(n < 1000);
      rig.step(10_us);
    }
    for (unsigned i = 0; i < 3; ++i) out(Dp83800::PAR0 + 2 * i, mac[2 * i] | mac[2 * i + 1] << 8);
    for (unsigned i = 0; i < 4; ++i) out(Dp83800::MAR0 + 2 * i, 0);
    out(Dp83800::RCR, rcr);
    out(Dp83800::TCR, 0);
    out(Dp83800::ISR, 0xFFFF);
    out(Dp83800::IMR, Dp83800::causes);
    out(Dp83800::CR, Dp83800::RXEN | Dp83800::TXEN);
  }
  void fill(const Bytes& frame) {
    for (std::size_t i = 0; i < frame.size(); i += 2)
      out(Dp83800::DATA, frame[i] | (i + 1 < frame.size() ? frame[i + 1] : 0u) << 8);
  }
  void send(const Bytes& frame) {
    out(Dp83800::TLR, static_cast<unsigned>(frame.size()));
    fill(frame);
  }
  unsigned acknowledge() {
    const unsigned causes = in(Dp83800::ISR);
    out(Dp83800::ISR, causes);
    return causes;
  }
  /// Reads the oldest received frame, which is dropped after the last word.
  Bytes take() {
    const unsigned status = in(Dp83800::RSR);
    REQUIRE((status & Dp83800::RDONE) != 0);
    Bytes frame;
    while (frame.size() < (status & Dp83800::RLEN)) {
      const unsigned word = in(Dp83800::DATA);
      frame.push_back(static_cast<std::uint8_t>(word));
      frame.push_back(static_cast<std::uint8_t>(word >> 8));
    }
    frame.resize(status & Dp83800::RLEN);
    out(Dp83800::CR, Dp83800::RDISC);
    return frame;
  }
  void hear(const Bytes& frame) {
    const std::size_t before = other.outcomes.size();
    other.port.transmit(frame, rig.now);
    while (other.outcomes.size() == before) rig.step(2_us);
    rig.step(1_us);
  }

  MacAddress mac{0x00, 0x00, 0x24, 0x12, 0x34, 0x56};
};

}  // namespace

TEST_CASE("OC-2335: its interface is declared hypothetical and its medium is 100 Mbit/s", "[oc2335]") {
  CHECK(Oc2335::entry.hypothetical);
  CHECK(ethernet_rate(Oc2335::entry.medium) == 100'000'000);
  CHECK(Oc2335::entry.limits[0].find("HYPOTHETICAL") == 0);
  for (const TimingValue& v : Oc2335::entry.timing()) CHECK(v.confidence == "inferred");
}

TEST_CASE("OC-2335: POS selects the ports, and disabling removes ports and interrupt", "[oc2335][pos]") {
  Oc2335Bench b;
  CHECK(b.card->pos_peek(0) == 0x35);
  CHECK(b.card->pos_peek(1) == 0x6F);
  CHECK(b.card->pos_peek(2) == 0x35);
  CHECK(b.card->pos_peek(5) == 0xFF);
  for (unsigned n = 1; n < 16; ++n) {
    b.card->pos_write(2, static_cast<std::uint8_t>(1 | n << 4), b.rig.now);
    CHECK(b.rig.bus.io().find(static_cast<std::uint16_t>(n << 12)) != nullptr);
    CHECK(b.rig.bus.io().find(static_cast<std::uint16_t>((n << 12) + 0x2F)) != nullptr);
    CHECK(b.rig.bus.io().find(static_cast<std::uint16_t>((n << 12) + 0x30)) == nullptr);
  }
  const unsigned lines[] = {5, 9, 10, 11};
  b.card->pos_write(2, 0x01 | 3 << 4, b.rig.now);
  b.open();
  b.hear(make_frame(100, b.mac));
  for (unsigned n = 0; n < 4; ++n) {
    b.card->pos_write(2, static_cast<std::uint8_t>(1 | n << 1 | 3 << 4), b.rig.now);
    for (unsigned k = 0; k < 4; ++k) CHECK(b.rig.irqs.level[lines[k]] == (k == n));
  }
  b.card->pos_write(2, 0x30, b.rig.now);
  for (const unsigned line : lines) CHECK_FALSE(b.rig.irqs.level[line]);
  CHECK(b.rig.bus.io().find(0x3000) == nullptr);
}

TEST_CASE("OC-2335: after reset PAR holds the card's address and everything else is off", "[oc2335]") {
  Oc2335Bench b;
  b.open(Dp83800::BRD | Dp83800::PRO);
  b.out(Dp83800::PAR0, 0xFFFF);
  b.hear(make_frame(100, broadcast_mac));
  b.out(Dp83800::CR, Dp83800::RST);
  CHECK((b.in(Dp83800::CR)&Dp83800::RST) != 0);
  b.out(Dp83800::IMR, 0xFFFF);  // not received during the reset
  CHECK_FALSE(b.interrupt());
  b.rig.step(20_us);
  CHECK(b.in(Dp83800::CR) == 0);
  CHECK(b.in(Dp83800::PAR0) == 0x0000);
  CHECK(b.in(Dp83800::PAR0 + 2) == 0x1224);
  CHECK(b.in(Dp83800::PAR0 + 4) == 0x5634);
  for (const unsigned reg : {Dp83800::ISR, Dp83800::IMR, Dp83800::RCR, Dp83800::TCR, Dp83800::RSR, Dp83800::TSR})
    CHECK(b.in(reg) == 0);
  CHECK(b.in(Dp83800::TFR) == 8192);
}

TEST_CASE("OC-2335: a frame is sent at 100 Mbit/s when its last word is written, padded, with its FCS",
          "[oc2335][transmit]") {
  Oc2335Bench b;
  b.open();
  for (const std::size_t length : {std::size_t{1514}, std::size_t{61}, std::size_t{20}}) {
    b.log.entries.clear();
    b.send(body(length));
    const Time last_word = b.rig.now;
    CHECK(b.in(Dp83800::TLR) == 0);
    b.rig.step(200_us);
    REQUIRE(b.log.entries.size() == 1);
    const auto& e = b.log.entries[0];
    CHECK(e.good);
    CHECK(e.start == last_word + 400_ns);
    const std::size_t on_wire = std::max<std::size_t>(length, 60) + 4;
    CHECK(e.bytes.size() == on_wire);
    CHECK(e.end - e.start == 80_ns * static_cast<std::int64_t>(8 + on_wire));
    CHECK(Bytes(e.bytes.begin(), e.bytes.begin() + static_cast<std::ptrdiff_t>(length)) == body(length));
    CHECK(b.interrupt());
    CHECK(b.acknowledge() == Dp83800::PTX);
    CHECK_FALSE(b.interrupt());
    CHECK(b.in(Dp83800::TSR) == Dp83800::TDONE);
    CHECK(b.in(Dp83800::TSR) == 0);
    CHECK(b.in(Dp83800::TFR) == 8192);
  }
}

TEST_CASE("OC-2335: a word takes an extended cycle and the port's ready delay", "[oc2335][transmit]") {
  Oc2335Bench b;
  b.in(Dp83800::ISR);
  CHECK(b.rig.took == 380_ns);
  Oc2335Bench slow(Settings{{"port.ready_delay", "200 ns"}});
  slow.in(Dp83800::ISR);
  CHECK(slow.rig.took == 500_ns);
}

TEST_CASE("OC-2335: the FIFO takes five full frames, sends them back to back and frees space frame by frame",
          "[oc2335][transmit]") {
  Oc2335Bench b;
  b.open();
  b.out(Dp83800::CR, Dp83800::TXDIS);
  for (unsigned i = 0; i < 5; ++i) b.send(body(1514, static_cast<std::uint8_t>(i)));
  CHECK(b.in(Dp83800::TFR) == 8192 - 5 * 1518);
  b.out(Dp83800::TLR, 1514);  // a sixth does not fit
  CHECK(b.acknowledge() == Dp83800::TFE);
  CHECK(b.log.entries.empty());
  b.out(Dp83800::CR, Dp83800::TXEN);
  b.rig.step(130_us);
  CHECK(b.in(Dp83800::TFR) == 8192 - 4 * 1518);
  b.rig.step(1_ms);
  REQUIRE(b.log.entries.size() == 5);
  for (unsigned i = 1; i < 5; ++i) {
    CHECK(b.log.entries[i].start - b.log.entries[i - 1].end == 960_ns);
    CHECK(without_fcs(b.log.entries[i].bytes) == body(1514, static_cast<std::uint8_t>(i)));
  }
  for (unsigned i = 0; i < 5; ++i) CHECK((b.in(Dp83800::TSR)&Dp83800::TDONE) != 0);
  CHECK(b.in(Dp83800::TSR) == 0);
}

TEST_CASE("OC-2335: sixteen unread statuses stop the transmitter", "[oc2335][transmit]") {
  Oc2335Bench b;
  b.open();
  for (unsigned i = 0; i < 18; ++i) {
    b.send(body(60));
    b.rig.step(20_us);
  }
  CHECK(b.log.entries.size() == 16);
  b.in(Dp83800::TSR);
  b.rig.step(20_us);
  CHECK(b.log.entries.size() == 17);
}

TEST_CASE("OC-2335: driver errors raise TFE and send nothing", "[oc2335][malformed]") {
  Oc2335Bench b;
  b.open();
  for (const unsigned length : {0u, 0x0800u, 0x7FFFu}) {
    b.out(Dp83800::TLR, length);
    CHECK(b.acknowledge() == Dp83800::TFE);
  }
  b.out(Dp83800::DATA, 0x1234);  // no frame is open
  CHECK(b.acknowledge() == Dp83800::TFE);
  b.out(Dp83800::TLR, 100);
  b.out(Dp83800::DATA, 0);
  CHECK(b.in(Dp83800::TLR) == 98);
  b.out(Dp83800::TLR, 60);  // drops the frame that is open
  CHECK(b.acknowledge() == Dp83800::TFE);
  b.fill(body(60));
  b.rig.step(50_us);
  REQUIRE(b.log.entries.size() == 1);
  CHECK(without_fcs(b.log.entries[0].bytes) == body(60));
  CHECK(b.in(Dp83800::TFR) == 8192);
  // Byte accesses: a read returns its half, a write has no effect.
  b.rig.out(Oc2335Bench::base + Dp83800::IMR, 0, 1);
  CHECK(b.in(Dp83800::IMR) == Dp83800::causes);
  CHECK(b.rig.in(Oc2335Bench::base + Dp83800::PAR0 + 5, 1) == 0x56);
}

TEST_CASE("OC-2335: a flush truncates the frame on the wire, and the next one is complete", "[oc2335][transmit]") {
  Oc2335Bench b;
  b.open();
  b.send(body(1514));
  b.rig.step(20_us);
  b.out(Dp83800::CR, Dp83800::TFLUSH);
  CHECK(b.in(Dp83800::TFR) == 8192);
  b.send(body(64, 9));
  b.rig.step(300_us);
  REQUIRE(b.log.entries.size() == 2);
  CHECK_FALSE(b.log.entries[0].good);
  CHECK(b.log.entries[1].good);
  CHECK(without_fcs(b.log.entries[1].bytes) == body(64, 9));
  CHECK((b.in(Dp83800::TSR)&Dp83800::TDONE) != 0);
  CHECK(b.in(Dp83800::TSR) == 0);
}

TEST_CASE("OC-2335: without a cable carrier is lost; sixteen collisions abandon the frame", "[oc2335][transmit]") {
  Oc2335Bench lost;
  lost.open();
  lost.chip().port().set_plugged(false, lost.rig.now);
  lost.send(body(60));
  lost.rig.step(50_us);
  CHECK(lost.acknowledge() == Dp83800::TXER);
  CHECK(lost.in(Dp83800::TSR) == (Dp83800::TDONE | Dp83800::CRS));

  Oc2335Bench b;
  b.open(0);
  RelentlessSender bully(b.rig.scheduler, b.segment);
  bully.port.transmit(make_frame(1514), b.rig.now);
  b.send(body(60));
  for (int n = 0; n < 4000 && !b.interrupt(); ++n) b.rig.step(100_us);
  const unsigned status = b.in(Dp83800::TSR);
  CHECK((status & Dp83800::EXC) != 0);
  CHECK((status & Dp83800::NC) == 16);
  CHECK((b.in(Dp83800::ISR)&Dp83800::TXER) != 0);
}

TEST_CASE("OC-2335: received frames are in the FIFO in order, without FCS, until they are dropped",
          "[oc2335][receive]") {
  Oc2335Bench b;
  b.open();
  const Bytes first = make_frame(101, b.mac, 1), second = make_frame(1514, broadcast_mac, 2);
  b.hear(first);
  CHECK(b.interrupt());
  CHECK(b.acknowledge() == Dp83800::PRX);
  b.hear(second);
  b.hear(make_frame(100, {0x02, 0, 0, 0, 0, 9}));  // for another station
  CHECK(b.in(Dp83800::RSR) == (Dp83800::RDONE | 101));
  CHECK(b.take() == without_fcs(first));
  CHECK(b.in(Dp83800::RSR) == (Dp83800::RDONE | Dp83800::MC | 1514));
  b.in(Dp83800::DATA);
  b.out(Dp83800::CR, Dp83800::RDISC);  // read or not
  CHECK(b.in(Dp83800::RSR) == 0);
  CHECK(b.in(Dp83800::DATA) == 0);
  CHECK(b.chip().counters().received == 2);
}

TEST_CASE("OC-2335: address filter: multicast hash, all multicast, broadcasts, promiscuous", "[oc2335][receive]") {
  Oc2335Bench b;
  b.open(0);
  const MacAddress group{0x01, 0x00, 0x5E, 0, 0, 1}, stranger{0x02, 1, 2, 3, 4, 5};
  const auto heard = [&](const MacAddress& to) {
    b.hear(make_frame(64, to));
    const bool there = b.in(Dp83800::RSR) != 0;
    if (there) b.take();
    return there;
  };
  CHECK(heard(b.mac));
  CHECK_FALSE(heard(broadcast_mac));
  CHECK_FALSE(heard(group));
  CHECK_FALSE(heard(stranger));
  b.out(Dp83800::RCR, Dp83800::BRD);
  CHECK(heard(broadcast_mac));
  const std::uint32_t bit = crc32_remainder(group) >> 26;
  b.out(Dp83800::MAR0 + bit / 16 * 2, 1u << (bit % 16));
  CHECK(heard(group));
  b.out(Dp83800::MAR0 + bit / 16 * 2, 0);
  b.out(Dp83800::RCR, Dp83800::AMC);
  CHECK(heard(group));
  CHECK_FALSE(heard(stranger));
  b.out(Dp83800::RCR, Dp83800::PRO);
  CHECK(heard(stranger));
}

TEST_CASE("OC-2335: bad frames are counted, and kept on request; a counter at 8000h interrupts once",
          "[oc2335][receive]") {
  Oc2335Bench b;
  b.open();
  Bytes bad = make_frame(100, b.mac);
  bad.back() ^= 1;
  Bytes runt(40, 0), giant = make_frame(5000, b.mac);
  std::copy(b.mac.begin(), b.mac.end(), runt.begin());
  append_fcs(runt);
  b.hear(bad);
  b.hear(runt);
  CHECK(b.in(Dp83800::RSR) == 0);
  CHECK(b.in(Dp83800::CRCT) == 1);
  CHECK(b.in(Dp83800::CRCT) == 0);
  b.hear(giant);  // longer than RSR can express
  CHECK(b.in(Dp83800::MPT) == 1);
  b.out(Dp83800::RCR, Dp83800::ERR | Dp83800::RNT);
  b.hear(bad);
  b.hear(runt);
  CHECK(b.in(Dp83800::RSR) == (Dp83800::RDONE | Dp83800::CRCE | 100));
  b.take();
  CHECK(b.take() == without_fcs(runt));
  b.acknowledge();
  b.out(Dp83800::RCR, 0);
  b.in(Dp83800::CRCT);
  for (unsigned n = 0; n < 0x8000; ++n) {
    b.other.port.transmit(bad, b.rig.now);
    b.rig.step(20_us);
  }
  CHECK(b.acknowledge() == Dp83800::CTO);
  CHECK(b.in(Dp83800::CRCT) == 0x8000);
}

TEST_CASE("OC-2335: a full receive FIFO loses the frame unless the host reads in time", "[oc2335][receive]") {
  Oc2335Bench b;
  b.open();
  for (unsigned i = 0; i < 5; ++i) b.hear(make_frame(1514, b.mac, static_cast<std::uint8_t>(i)));
  CHECK(b.acknowledge() == Dp83800::PRX);
  b.hear(make_frame(1514, b.mac, 5));
  CHECK(b.acknowledge() == Dp83800::RFO);
  CHECK(b.in(Dp83800::MPT) == 1);
  CHECK(b.chip().counters().overruns == 1);
  for (unsigned i = 0; i < 5; ++i)
    CHECK(b.take() == without_fcs(make_frame(1514, b.mac, static_cast<std::uint8_t>(i))));
  // A frame that would not have fitted when it began fits if another one is dropped while it arrives.
  for (unsigned i = 0; i < 5; ++i) b.hear(make_frame(1514, b.mac));
  b.acknowledge();
  b.other.port.transmit(make_frame(1514, b.mac, 7), b.rig.now);
  b.rig.step(30_us);
  b.out(Dp83800::CR, Dp83800::RDISC);
  b.rig.step(200_us);
  CHECK(b.acknowledge() == Dp83800::PRX);
  CHECK(b.in(Dp83800::MPT) == 0);
}

TEST_CASE("OC-2335: loopback returns a frame without sending it", "[oc2335][loopback]") {
  Oc2335Bench b;
  b.open();
  b.out(Dp83800::TCR, Dp83800::LBK);
  Bytes own = body(200);
  std::copy(b.mac.begin(), b.mac.end(), own.begin());
  b.send(own);
  b.hear(make_frame(100, b.mac));  // not received
  b.rig.step(50_us);
  CHECK(b.log.entries.size() == 1);
  CHECK(b.take() == own);
  CHECK(b.in(Dp83800::RSR) == 0);
  CHECK(b.in(Dp83800::TSR) == Dp83800::TDONE);
}
