// SPDX-License-Identifier: GPL-2.0-or-later
// The EtherStreamer's declared interface as used by its driver: reset and self-test, requests, both rings, interrupts;
// its bursts competing with others on the channel; invalid descriptors.
#include <functional>

#include "devices/ethernet/etherstreamer/etherstreamer.hpp"
#include "tests/devices/ethernet/card_bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::EtherStreamer;
using ethernet::Streamer;

namespace {

struct StreamerBench : CardBench {
  static constexpr std::uint16_t base = 0x4000;
  static constexpr unsigned irq = 9;
  static constexpr std::uint32_t rx_ring = 0x8000, tx_ring = 0x9000, rx_buffers = 0x10000, tx_buffers = 0x2000;

  explicit StreamerBench(Settings settings = {}, unsigned width = 32, EthernetConfig medium = {})
      : CardBench(EtherStreamer::entry, "08:00:5a:12:34:56", std::move(settings), true, width, medium) {
    card->pos_write(3, 9 | 0x10, rig.now);
    card->pos_write(2, 0x01 | 1 << 1 | 4 << 4, rig.now);
  }

  Streamer& chip() { return static_cast<EtherStreamer&>(*card).chip(); }
  unsigned in(unsigned reg) { return rig.in(static_cast<std::uint16_t>(base + reg), 2); }
  void out(unsigned reg, unsigned value) { rig.out(static_cast<std::uint16_t>(base + reg), value & 0xFFFF, 2); }
  void out32(unsigned reg, std::uint32_t value) { rig.out(static_cast<std::uint16_t>(base + reg), value, 4); }
  bool interrupt() const { return rig.irqs.level[irq]; }
  std::uint32_t word(std::uint32_t at) const {
    return rig.ram[at] | std::uint32_t{rig.ram[at + 1]} << 8 | std::uint32_t{rig.ram[at + 2]} << 16 |
           std::uint32_t{rig.ram[at + 3]} << 24;
  }
  void put(std::uint32_t at, std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) rig.ram[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }

  unsigned local(unsigned at) {
    out(Streamer::LAPA, at);
    return in(Streamer::LAPD);
  }
  void reset() {
    out(Streamer::BCTL, Streamer::SOFTRESET);
    rig.step(1_ms);
    out(Streamer::BCTL, 0);
    int polls = 0;
    while (!(in(Streamer::SISR)&Streamer::SRB_REPLY)) {
      REQUIRE(++polls < 4000);
      rig.step(100_us);
    }
    CHECK(polls > 100);
    out(Streamer::SISR_RUM, ~unsigned{Streamer::SRB_REPLY});
    CHECK(in(Streamer::SISR) == 0);
  }
  /// Issues an SRB command; returns the answer. The reply must not come at once, and until then the return code is FEh.
  unsigned request(unsigned command, const Bytes& data = {}) {
    const unsigned srb = in(Streamer::LAPWWO);
    out(Streamer::LAPA, srb);
    Bytes block{static_cast<std::uint8_t>(command), 0, 0xFE, 0};
    block.insert(block.end(), data.begin(), data.end());
    block.resize(20);
    for (std::size_t i = 0; i < block.size(); i += 2) out(Streamer::LAPDINC, block[i] | block[i + 1] << 8);
    out(Streamer::LISR_SUM, Streamer::SRB_CMD);
    CHECK((local(srb + 2) & 0xFF) == 0xFE);
    for (int n = 0; !(in(Streamer::SISR)&Streamer::SRB_REPLY); ++n) {
      REQUIRE(n < 1000);
      rig.step(10_us);
    }
    CHECK_FALSE(in(Streamer::LISR)&Streamer::SRB_CMD);
    out(Streamer::SISR_RUM, ~unsigned{Streamer::SRB_REPLY});
    return local(srb + 2) & 0xFF;
  }
  void rings(unsigned rx = 16, std::uint32_t buffer = 1536) {
    for (unsigned i = 0; i < rx; ++i) {
      put(rx_ring + 16 * i, rx_ring + 16 * ((i + 1) % rx));
      put(rx_ring + 16 * i + 4, 0);
      put(rx_ring + 16 * i + 8, rx_buffers + i * 0x600);
      put(rx_ring + 16 * i + 12, buffer);
    }
    for (unsigned i = 0; i < 8; ++i) {
      for (unsigned k = 0; k < 8; ++k) put(tx_ring + 32 * i + 4 * k, 0);
      put(tx_ring + 32 * i, tx_ring + 32 * ((i + 1) % 8));
    }
    out32(Streamer::RXBDA, rx_ring);
    out32(Streamer::RXLBDA, rx_ring + 16 * (rx - 1));
  }
  void open(unsigned rx = 16, std::uint32_t buffer = 1536) {
    reset();
    CHECK(request(Streamer::SRB_OPEN) == 0);
    rings(rx, buffer);
    out(Streamer::MISR_MASK, Streamer::TX2_EOF | Streamer::TX2_HALT | Streamer::RX_NOBUF | Streamer::RX_EOF);
    out(Streamer::SISR_MASK, Streamer::MI | Streamer::SRB_REPLY);
    out(Streamer::BMCTL_RUM, ~unsigned{Streamer::TX2_DIS | Streamer::RX_DIS});
    CHECK(in(Streamer::BMCTL_RUM) == Streamer::RX_ENAB);
  }
  /// Describes a frame in descriptor `n`; returns the descriptor's address.
  std::uint32_t describe(unsigned n, const Bytes& frame) {
    const std::uint32_t d = tx_ring + 32 * n, buffer = tx_buffers + 0x600 * n;
    std::copy(frame.begin(), frame.end(), rig.ram.begin() + buffer);
    put(d + 4, 0);
    put(d + 8, 1u << 16 | static_cast<std::uint32_t>(frame.size()));
    put(d + 12, buffer);
    put(d + 16, static_cast<std::uint32_t>(frame.size()));
    return d;
  }
  void send(unsigned n, const Bytes& frame) { out32(Streamer::TX2LFDA, describe(n, frame)); }
  unsigned acknowledge() {
    const unsigned misr = in(Streamer::MISR_RUM);
    out(Streamer::MISR_RUM, ~misr);
    return misr;
  }
  void hear(const Bytes& frame) {
    const std::size_t before = other.outcomes.size();
    other.port.transmit(frame, rig.now);
    while (other.outcomes.size() == before) rig.step(10_us);
    rig.step(30_us);
  }
  Bytes buffer(unsigned n, std::size_t length) const {
    const auto at = rig.ram.begin() + rx_buffers + n * 0x600;
    return {at, at + static_cast<std::ptrdiff_t>(length)};
  }
  std::uint32_t rx_status(unsigned n) const { return word(rx_ring + 16 * n + 4); }
  std::uint32_t rx_lengths(unsigned n) const { return word(rx_ring + 16 * n + 12); }
  std::uint32_t tx_status(unsigned n) const { return word(tx_ring + 32 * n + 4); }

  MacAddress mac{0x08, 0x00, 0x5A, 0x12, 0x34, 0x56};
};

/// A master that repeatedly takes the channel for `hold`, at a level with priority over the card's.
struct Hog final : bus::BusMaster {
  Hog(Rig& rig, Time hold) : BusMaster(rig.channel, "hog", false), rig_(rig), hold_(hold) {
    request_channel(1, rig.now);
  }
  void granted(Time now) override {
    channel().occupy(now, now + hold_);
    release_channel(now + hold_);
    request_channel(1, now);
  }
  Rig& rig_;
  Time hold_;
};

constexpr std::uint32_t good = Streamer::RX_PROCESSED | Streamer::RX_LAST;

}  // namespace

TEST_CASE("EtherStreamer: its interface is declared hypothetical", "[etherstreamer]") {
  CHECK(EtherStreamer::entry.hypothetical);
  CHECK(ethernet_rate(EtherStreamer::entry.medium) == 10'000'000);
  CHECK(EtherStreamer::entry.limits[0].find("HYPOTHETICAL") == 0);
  for (const TimingValue& v : EtherStreamer::entry.timing()) CHECK(v.confidence == "inferred");
}

TEST_CASE("EtherStreamer: after the self-test local memory holds the station address; requests are answered",
          "[etherstreamer][srb]") {
  StreamerBench b;
  CHECK(b.card->pos_peek(0) == 0xA7);
  CHECK(b.card->pos_peek(1) == 0x8F);
  b.reset();
  const unsigned srb = b.in(Streamer::LAPWWO);
  CHECK((b.local(srb + 6) & 0xFF) == 0);
  const unsigned swapped = b.local(srb + 8), at = swapped << 8 | swapped >> 8;
  for (unsigned i = 0; i < 3; ++i)
    CHECK(b.local((at & 0xFFFF) + 2 * i) == static_cast<unsigned>(b.mac[2 * i] | b.mac[2 * i + 1] << 8));
  CHECK(b.request(Streamer::SRB_CLOSE) == Streamer::RC_CLOSED);
  CHECK(b.request(0x55) == Streamer::RC_UNKNOWN);
  CHECK(b.request(Streamer::SRB_OPEN) == Streamer::RC_GOOD);
  CHECK(b.request(Streamer::SRB_OPEN) == Streamer::RC_OPEN);
  const Bytes group{0, 0, 0x01, 0x00, 0x5E, 0, 0, 1};
  CHECK(b.request(Streamer::SRB_REMOVE_GROUP, group) == Streamer::RC_NO_GROUP);
  for (std::uint8_t n = 0; n < 8; ++n) CHECK(b.request(Streamer::SRB_ADD_GROUP, {0, 0, 1, 0, 0x5E, 0, 0, n}) == 0);
  CHECK(b.request(Streamer::SRB_ADD_GROUP, group) == 0);  // is there already
  CHECK(b.request(Streamer::SRB_ADD_GROUP, {0, 0, 1, 0, 0x5E, 0, 0, 99}) == Streamer::RC_GROUPS_FULL);
  CHECK(b.request(Streamer::SRB_REMOVE_GROUP, group) == 0);
  CHECK(b.request(Streamer::SRB_CLOSE) == 0);
  CHECK(b.in(Streamer::BMCTL_SUM) == (Streamer::TX2_DIS | Streamer::RX_DIS));
}

TEST_CASE("EtherStreamer: _SUM sets bits, _RUM clears bits; the mask gates the interrupt line", "[etherstreamer]") {
  StreamerBench b;
  b.reset();
  b.out(Streamer::SISR_MASK, 0x0001);
  b.out(Streamer::SISR_MASK_SUM, 0x0020);
  CHECK(b.in(Streamer::SISR_MASK) == 0x0021);
  b.out(Streamer::SISR_MASK_RUM, ~1u);
  CHECK(b.in(Streamer::SISR_MASK_SUM) == 0x0020);
  b.out(Streamer::SISR_SUM, Streamer::SRB_REPLY);
  CHECK_FALSE(b.interrupt());  // bit 15 of the mask enables interrupts
  b.out(Streamer::SISR_MASK_SUM, Streamer::MI);
  CHECK(b.interrupt());
  b.out(Streamer::SISR_RUM, ~unsigned{Streamer::SRB_REPLY});
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("EtherStreamer: frames are sent from their place in memory, also in 16-bit slots",
          "[etherstreamer][transmit]") {
  for (const unsigned width : {16u, 32u}) {
    StreamerBench b({}, width);
    b.open();
    unsigned n = 0;
    for (const std::size_t length : {std::size_t{1514}, std::size_t{61}, std::size_t{14}, std::size_t{60}}) {
      b.log.entries.clear();
      b.send(n, body(length, static_cast<std::uint8_t>(n)));
      const Time rung = b.rig.now;
      b.rig.step(2_ms);
      REQUIRE(b.log.entries.size() == 1);
      CHECK(b.log.entries[0].good);
      CHECK(b.log.entries[0].start - rung < 15_us);  // does not wait for the whole frame
      Bytes sent = b.log.entries[0].bytes;
      CHECK(sent.size() == std::max<std::size_t>(length, 60) + 4);
      sent.resize(length);
      CHECK(sent == body(length, static_cast<std::uint8_t>(n)));
      CHECK(b.tx_status(n) == Streamer::TX_DONE);
      CHECK(b.interrupt());
      CHECK((b.in(Streamer::SISR)&Streamer::MI) != 0);
      CHECK(b.acknowledge() == (Streamer::TX2_EOF | Streamer::TX2_IDLE));
      CHECK_FALSE(b.interrupt());
      ++n;
    }
  }
}

TEST_CASE("EtherStreamer: a ring of frames is sent back to back", "[etherstreamer][transmit]") {
  StreamerBench b;
  b.open();
  for (unsigned n = 0; n < 6; ++n) b.describe(n, body(1514, static_cast<std::uint8_t>(n)));
  b.out32(Streamer::TX2LFDA, StreamerBench::tx_ring);  // the first one after enabling: this is the start
  b.out32(Streamer::TX2LFDA, StreamerBench::tx_ring + 32 * 5);
  b.rig.step(10_ms);
  REQUIRE(b.log.entries.size() == 6);
  for (unsigned n = 1; n < 6; ++n) CHECK(b.log.entries[n].start - b.log.entries[n - 1].end == 9600_ns);
  // After an end, it continues where it stopped.
  for (unsigned n = 6; n < 9; ++n) b.send(n % 8, body(100, static_cast<std::uint8_t>(n)));
  b.rig.step(10_ms);
  REQUIRE(b.log.entries.size() == 9);
  CHECK(without_fcs(b.log.entries[8].bytes) == body(100, 8));
}

TEST_CASE("EtherStreamer: after a collision the frame is retransmitted from the FIFO", "[etherstreamer][transmit]") {
  StreamerBench b;
  b.open();
  // A third station's frame makes both wait, and both begin when it has ended.
  Recorder third(b.rig.scheduler, &b.segment, "third", 99);
  third.port.transmit(make_frame(200), b.rig.now);
  b.rig.step(20_us);
  b.other.port.transmit(make_frame(600), b.rig.now);
  b.send(0, body(1514, 5));
  b.rig.step(5_ms);
  CHECK(b.chip().counters().collisions >= 1);
  const auto sent =
      std::find_if(b.log.entries.begin(), b.log.entries.end(), [](const auto& e) { return e.bytes.size() == 1518; });
  REQUIRE(sent != b.log.entries.end());
  CHECK(sent->good);
  CHECK(without_fcs(sent->bytes) == body(1514, 5));
  CHECK((b.tx_status(0) & ~0x1F00u) == Streamer::TX_DONE);
  CHECK((b.tx_status(0) >> 8 & 0x1F) >= 1);
}

TEST_CASE("EtherStreamer: without the channel in time the frame underruns; the next one is complete",
          "[etherstreamer][transmit]") {
  StreamerBench b;
  b.open();
  b.send(0, body(1514));
  b.rig.step(30_us);  // on the wire, with the bytes that the FIFO holds
  {
    Hog hog(b.rig, 7_us);
    b.rig.step(3_ms);
  }
  REQUIRE(b.log.entries.size() == 1);
  CHECK_FALSE(b.log.entries[0].good);
  b.rig.step(1_ms);
  CHECK(b.tx_status(0) == (Streamer::TX_DONE | Streamer::TX_BAD | Streamer::TX_UNDERRUN));
  CHECK(b.chip().counters().underruns == 1);
  b.send(1, body(1514, 1));
  b.rig.step(3_ms);
  REQUIRE(b.log.entries.size() == 2);
  CHECK(b.log.entries[1].good);
}

TEST_CASE("EtherStreamer: the status reports sixteen collisions or no cable, and the channel continues",
          "[etherstreamer][transmit]") {
  StreamerBench b;
  b.open();
  b.chip().port().set_plugged(false, b.rig.now);
  b.send(0, body(100));
  b.rig.step(1_ms);
  CHECK(b.tx_status(0) == (Streamer::TX_DONE | Streamer::TX_BAD | Streamer::TX_CARRIER));
  b.chip().port().set_plugged(true, b.rig.now);
  RelentlessSender bully(b.rig.scheduler, b.segment);
  bully.port.transmit(make_frame(1514), b.rig.now);
  b.send(1, body(100));
  for (int n = 0; n < 20000 && !b.tx_status(1); ++n) b.rig.step(100_us);
  CHECK(b.tx_status(1) == (Streamer::TX_DONE | Streamer::TX_BAD | Streamer::TX_EXCESSIVE | 16u << 8));
  CHECK(b.request(Streamer::SRB_READ_LOG) == 0);
  const unsigned srb = b.in(Streamer::LAPWWO);
  CHECK(b.local(srb + 6 + 2 * Streamer::log_collisions) == 0x0100);  // big-endian
  CHECK(b.local(srb + 6 + 2 * Streamer::log_carrier) == 0x0100);
  b.request(Streamer::SRB_READ_LOG);
  CHECK(b.local(srb + 6 + 2 * Streamer::log_carrier) == 0);
}

TEST_CASE("EtherStreamer: a malformed descriptor halts the channel until it is re-enabled",
          "[etherstreamer][malformed]") {
  const auto halted = [](const std::function<void(StreamerBench&, std::uint32_t)>& spoil) {
    StreamerBench b;
    b.open();
    const std::uint32_t d = b.describe(0, body(100));
    spoil(b, d);
    b.out32(Streamer::TX2LFDA, d);
    b.rig.step(1_ms);
    CHECK(b.log.entries.empty());
    CHECK(b.tx_status(0) == (Streamer::TX_DONE | Streamer::TX_BAD | Streamer::TX_MALFORMED));
    CHECK((b.acknowledge() & Streamer::TX2_HALT) != 0);
    CHECK((b.in(Streamer::BMCTL_SUM)&Streamer::TX2_DIS) != 0);
    b.send(1, body(100));
    b.rig.step(1_ms);
    CHECK(b.log.entries.empty());
    b.out(Streamer::BMCTL_RUM, ~unsigned{Streamer::TX2_DIS});
    b.send(1, body(100));
    b.rig.step(1_ms);
    CHECK(b.log.entries.size() == 1);
  };
  halted([](auto& b, auto d) { b.put(d + 8, 2u << 16 | 100); });
  halted([](auto& b, auto d) { b.put(d + 8, 1u << 16 | 13); });
  halted([](auto& b, auto d) { b.put(d + 8, 1u << 16 | 1515); });
  halted([](auto& b, auto d) { b.put(d + 16, 99); });
}

TEST_CASE("EtherStreamer: addresses beyond memory and rings that point nowhere do no harm",
          "[etherstreamer][malformed]") {
  StreamerBench b;
  b.open();
  b.put(b.describe(0, body(100)) + 12, 0xFFFFFFF0);
  b.out32(Streamer::TX2LFDA, StreamerBench::tx_ring);
  b.rig.step(1_ms);
  CHECK(b.log.entries.size() == 1);
  b.put(StreamerBench::tx_ring, 0xFFFFFFF0);
  b.out32(Streamer::TX2LFDA, 0xDEAD0000);
  b.rig.step(1_ms);
  // A descriptor that is its own successor and never the last.
  b.out(Streamer::BMCTL_SUM, Streamer::TX2_DIS);
  b.out(Streamer::BMCTL_RUM, ~unsigned{Streamer::TX2_DIS});
  b.put(b.describe(2, body(60)), StreamerBench::tx_ring + 64);
  b.out32(Streamer::TX2LFDA, StreamerBench::tx_ring + 64);
  b.out32(Streamer::TX2LFDA, StreamerBench::tx_ring + 96);
  b.rig.step(10_ms);
  CHECK(b.log.entries.size() > 50);
  // An unusable receive buffer: the frame is truncated, reception continues.
  b.reset();
  b.open(4);
  b.put(StreamerBench::rx_ring + 16 + 12, 0);
  b.put(StreamerBench::rx_ring + 32 + 8, 0xFFFFFF00);
  for (unsigned n = 0; n < 4; ++n) b.hear(make_frame(200, b.mac, static_cast<std::uint8_t>(n)));
  CHECK(b.rx_status(0) == good);
  CHECK(b.rx_status(1) == (good | Streamer::RX_CUT));
  CHECK(b.rx_status(2) == good);
  CHECK(b.rx_status(3) == good);
  CHECK(b.buffer(3, 200) == without_fcs(make_frame(200, b.mac, 3)));
}

TEST_CASE("EtherStreamer: received frames are stored in the ring's buffers, without FCS", "[etherstreamer][receive]") {
  for (const unsigned width : {16u, 32u}) {
    StreamerBench b({}, width);
    b.open();
    b.hear(make_frame(60, b.mac, 1));
    CHECK(b.interrupt());
    CHECK(b.acknowledge() == Streamer::RX_EOF);
    b.hear(make_frame(1514, broadcast_mac, 2));
    b.hear(make_frame(100, {0x02, 0, 0, 0, 0, 9}));  // for another station
    CHECK(b.rx_status(0) == good);
    CHECK(b.rx_lengths(0) == (60u << 16 | 60));
    CHECK(b.buffer(0, 60) == without_fcs(make_frame(60, b.mac, 1)));
    CHECK(b.rx_status(1) == good);
    CHECK(b.rx_lengths(1) == (1514u << 16 | 1514));
    CHECK(b.buffer(1, 1514) == without_fcs(make_frame(1514, broadcast_mac, 2)));
    CHECK(b.rx_status(2) == 0);
    CHECK(b.chip().counters().received == 2);
  }
}

TEST_CASE("EtherStreamer: a frame may span buffers; only the last is marked", "[etherstreamer][receive]") {
  StreamerBench b;
  b.open(16, 400);
  const Bytes frame = make_frame(1000, b.mac, 7);
  b.hear(frame);
  CHECK(b.rx_status(0) == Streamer::RX_PROCESSED);
  CHECK(b.rx_status(1) == Streamer::RX_PROCESSED);
  CHECK(b.rx_status(2) == good);
  CHECK(b.rx_lengths(0) == 400);
  CHECK(b.rx_lengths(2) == (1000u << 16 | 200));
  Bytes got = b.buffer(0, 400);
  for (const auto& part : {b.buffer(1, 400), b.buffer(2, 200)}) got.insert(got.end(), part.begin(), part.end());
  CHECK(got == without_fcs(frame));
}

TEST_CASE("EtherStreamer: after the last buffer frames are lost until RXLBDA moves", "[etherstreamer][receive]") {
  StreamerBench b;
  b.open(4);
  for (unsigned n = 0; n < 6; ++n) b.hear(make_frame(100, b.mac, static_cast<std::uint8_t>(n)));
  CHECK((b.acknowledge() & Streamer::RX_NOBUF) != 0);
  CHECK(b.chip().counters().received == 4);
  CHECK(b.chip().counters().overruns == 2);
  b.put(StreamerBench::rx_ring + 4, 0);
  b.put(StreamerBench::rx_ring + 12, 1536);
  b.out32(Streamer::RXLBDA, StreamerBench::rx_ring);
  b.hear(make_frame(100, b.mac, 9));
  CHECK(b.rx_status(0) == good);
  CHECK(b.buffer(0, 100) == without_fcs(make_frame(100, b.mac, 9)));
  // A frame too long for the last buffer is truncated there.
  StreamerBench small;
  small.open(2, 400);
  small.hear(make_frame(1000, small.mac));
  CHECK(small.rx_status(1) == (good | Streamer::RX_CUT));
  CHECK(small.rx_lengths(1) == (800u << 16 | 400));
}

TEST_CASE("EtherStreamer: bad frames that reached memory have their error status, short ones never reach it",
          "[etherstreamer][receive]") {
  StreamerBench b;
  b.open();
  Bytes bad = make_frame(500, b.mac), giant = make_frame(1600, b.mac), runt(40, 0);
  bad.back() ^= 1;
  std::copy(b.mac.begin(), b.mac.end(), runt.begin());
  append_fcs(runt);
  for (const auto& f : {bad, giant, runt}) b.hear(f);
  CHECK(b.rx_status(0) == (good | Streamer::RX_CRC));
  CHECK(b.rx_status(1) == (good | Streamer::RX_LONG));
  CHECK(b.rx_status(2) == 0);
  CHECK(b.request(Streamer::SRB_READ_LOG) == 0);
  CHECK(b.local(b.in(Streamer::LAPWWO) + 6 + 2 * Streamer::log_crc) == 0x0100);
}

TEST_CASE("EtherStreamer: a FIFO that is not emptied in time overruns, and the next frame is received",
          "[etherstreamer][receive]") {
  StreamerBench b;
  b.open();
  {
    Hog hog(b.rig, 7_us);
    b.hear(make_frame(1514, b.mac));
  }
  b.rig.step(1_ms);
  CHECK(b.chip().counters().overruns == 1);
  CHECK(b.rx_status(0) == (good | Streamer::RX_OVER));  // its first burst had been waiting for the channel
  b.hear(make_frame(1514, b.mac, 3));
  CHECK(b.rx_status(1) == good);
  // If the frame is cut off, its buffer is returned with the error.
  b.other.port.transmit(make_frame(1514, b.mac), b.rig.now);
  b.rig.step(400_us);
  {
    Hog hog(b.rig, 7_us);
    b.rig.step(1_ms);
  }
  b.rig.step(1_ms);
  CHECK(b.rx_status(2) == (good | Streamer::RX_OVER));
  CHECK(b.rx_lengths(2) >> 16 >= 400);
}

TEST_CASE("EtherStreamer: multicast groups and promiscuous mode on request", "[etherstreamer][receive]") {
  StreamerBench b;
  b.open();
  const MacAddress group{0x01, 0x00, 0x5E, 0, 0, 1};
  b.hear(make_frame(64, group));
  CHECK(b.chip().counters().received == 0);
  b.request(Streamer::SRB_ADD_GROUP, {0, 0, 0x01, 0x00, 0x5E, 0, 0, 1});
  b.hear(make_frame(64, group));
  CHECK(b.chip().counters().received == 1);
  b.request(Streamer::SRB_RECEIVE_OPTIONS, {0, 1});
  b.hear(make_frame(64, {0x02, 1, 2, 3, 4, 5}));
  CHECK(b.chip().counters().received == 2);
}

TEST_CASE("EtherStreamer: full duplex sends and receives simultaneously", "[etherstreamer]") {
  StreamerBench b({}, 32, {.full_duplex = true});
  b.open();
  for (unsigned n = 0; n < 4; ++n) {
    b.send(n, body(1514, static_cast<std::uint8_t>(n)));
    b.hear(make_frame(1514, b.mac, static_cast<std::uint8_t>(n)));
  }
  b.rig.step(2_ms);
  CHECK(b.chip().counters().sent == 4);
  CHECK(b.chip().counters().received == 4);
  CHECK(b.chip().counters().collisions == 0);
  for (unsigned n = 0; n < 4; ++n)
    CHECK(b.buffer(n, 1514) == without_fcs(make_frame(1514, b.mac, static_cast<std::uint8_t>(n))));
}

TEST_CASE("EtherStreamer: bursts are basic or streaming, in slots of both widths", "[etherstreamer][master]") {
  const auto held = [](unsigned width, bool streaming) {
    StreamerBench b({}, width);
    b.card->pos_write(3, static_cast<std::uint8_t>(9 | 0x10 | (streaming ? 0x20 : 0)), b.rig.now);
    b.open();
    b.rig.step(100_us);
    Time sum{};
    b.rig.channel.set_steal([&](Time from, Time to) { sum = sum + (to - from); });
    b.send(0, body(1024));
    b.rig.step(3_ms);
    return sum;
  };
  const Rig rig;
  const Time cycle = rig.channel.timing().memory_cycle, phase = rig.channel.timing().arbitration.phase;
  // Descriptor of 32 bytes, sixteen bursts, a status of 4 bytes: eighteen tenures with a phase before and after each,
  // but the phase after one is also the one before the next if that is already waiting.
  const Time wide = cycle * (8 + 16 * 16 + 1), narrow = cycle * (16 + 16 * 32 + 2);
  CHECK(held(32, false) > wide + phase * 18);
  CHECK(held(32, false) <= wide + phase * 36);
  CHECK(held(16, false) > narrow + phase * 18);
  CHECK(held(16, false) == held(16, true));  // no streaming in a 16-bit slot
  CHECK(held(32, false) - held(32, true) == 100_ns * (7 + 16 * 15));
}
