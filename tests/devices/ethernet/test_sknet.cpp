// SPDX-License-Identifier: GPL-2.0-or-later
// The SKnet boards under the accesses of Linux 2.2 sk_mca.c: order, width and values are the driver's, the code is our
// own.
#include <algorithm>

#include "core/common/error.hpp"
#include "devices/ethernet/sknet/sknet.hpp"
#include "tests/devices/chips/am7990/lance_bench.hpp"
#include "tests/devices/ethernet/card_bench.hpp"

using namespace planar;
using namespace planar::test;
using L = Am7990;
using ethernet::SkNet;

namespace {

struct SkBench : CardBench {
  static constexpr std::uint32_t base = 0xD0000, latch = base + 0x3FF0, control = base + 0x3FF2,
                                 command = base + 0x3FF3;
  static constexpr std::uint32_t tx_ring = 24, rx_ring = 56, data = 88, buffer = 1580;

  explicit SkBench(Settings settings = {}) : CardBench(SkNet::entry, "00:00:5a:12:34:56", std::move(settings)) {}
  // The settings left by POST, and the driver's changes to them.
  void configure() {
    card->pos_write(3, 0x34, rig.now);
    card->pos_write(4, 0x04 & 0xFC, rig.now);
    card->pos_write(2, 0x01, rig.now);
  }
  SkNet& sknet() { return static_cast<SkNet&>(*card); }
  unsigned load(std::uint32_t at, unsigned bytes = 2) { return rig.load(base + at, bytes); }
  void store(std::uint32_t at, unsigned value, unsigned bytes = 2) { rig.store(base + at, value, bytes); }

  // ---- sk_mca.c ----
  void reset_board() {
    rig.store(control, 0, 1);
    rig.step(10_us);
    rig.store(control, 8, 1);
  }
  void wait_lance() {
    int n = 0;
    while (rig.load(control, 1) & 0x20) {
      rig.step(1_us);
      REQUIRE(++n < 1000);
    }
  }
  void set_lance(unsigned reg, unsigned value) {
    wait_lance();
    rig.store(control, 0x09, 1);
    rig.store(latch, reg, 2);
    rig.store(command, 0x80, 1);
    rig.step(1_us);
    wait_lance();
    rig.store(control, 0x08, 1);
    rig.store(latch, value, 2);
    rig.store(command, 0x80, 1);
    rig.step(1_us);
    wait_lance();
  }
  unsigned get_lance(unsigned reg) {
    wait_lance();
    rig.store(control, 0x09, 1);
    rig.store(latch, reg, 2);
    rig.store(command, 0x80, 1);
    rig.step(1_us);
    wait_lance();
    rig.store(control, 0x0A, 1);
    rig.store(command, 0x80, 1);
    rig.step(1_us);
    wait_lance();
    return rig.load(latch, 2);
  }
  void init_board(unsigned mode = 0) {
    const auto pair = [&](unsigned i) { return mac[i] | unsigned{mac[i + 1]} << 8; };
    const unsigned block[] = {mode, pair(0), pair(2), pair(4), 0, 0, 0, 0, rx_ring, 2u << 13, tx_ring, 2u << 13};
    for (unsigned i = 0; i < 12; ++i) store(2 * i, block[i]);
    std::uint32_t at = data;
    for (unsigned z = 0; z < 8; ++z, at += buffer) {
      const std::uint32_t d = z < 4 ? tx_ring + 8 * z : rx_ring + 8 * (z - 4);
      store(d, at);
      store(d + 2, z < 4 ? 0 : 0x8000);
      store(d + 4, z < 4 ? 0xF000 : 0x10000 - buffer);
      store(d + 6, 0);
    }
    next_rx = next_put = next_done = busy = 0;
    set_lance(3, 2);
    set_lance(1, 0);
    set_lance(2, 0);
    set_lance(0, L::INEA | L::INIT);
  }
  void open() {
    reset_board();
    init_board();
    for (int i = 0; i < 100 && !interrupt(); ++i) rig.step(1_us);
    REQUIRE(interrupt());
    service();
  }
  void send(const Bytes& frame) {
    REQUIRE(busy < 4);
    const std::uint32_t d = tx_ring + 8 * next_put, at = load(d);
    for (std::size_t i = 0; i < frame.size(); i += 2)
      store(at + static_cast<std::uint32_t>(i), frame[i] | (i + 1 < frame.size() ? frame[i + 1] : 0u) << 8,
            i + 1 < frame.size() ? 2 : 1);
    next_put = (next_put + 1) % 4;
    ++busy;
    store(d, at);
    store(d + 4, 0x10000 - static_cast<unsigned>(frame.size()));
    store(d + 6, 0);
    store(d + 2, 0x8300);
    // No transmit demand: the driver intends to set it if the ring was empty, but tests for that after counting this
    // frame.
  }
  /// The interrupt handler; received frames go to `frames`.
  void service() {
    unsigned csr0 = get_lance(0);
    if (!(csr0 & L::INTR)) {
      ++not_ours;
      return;
    }
    int rounds = 0;
    do {
      REQUIRE(++rounds < 50);
      if (csr0 & L::IDON) csr0 = acknowledge(csr0 | L::IDON | L::STRT);
      if (csr0 & L::RINT) {
        for (;;) {
          const std::uint32_t d = rx_ring + 8 * next_rx;
          const unsigned at = load(d), flags = load(d + 2), count = load(d + 6);
          if (flags & 0x8000) break;
          if (flags & 0x4000) {
            ++rx_errors;
          } else {
            Bytes b;
            for (unsigned i = 0; i < count; ++i) b.push_back(static_cast<std::uint8_t>(load(at + i, 1)));
            frames.push_back(b);
          }
          store(d + 6, 0);
          store(d + 2, flags | 0x8000);
          next_rx = (next_rx + 1) % 4;
        }
        csr0 = acknowledge(csr0 | L::RINT);
      }
      if (csr0 & L::MISS) {
        ++missed;
        csr0 = acknowledge(csr0 | L::MISS);
      }
      if (csr0 & L::TINT) {
        while (busy) {
          const std::uint32_t d = tx_ring + 8 * next_done;
          const unsigned flags = load(d + 2), status = load(d + 6);
          if (flags & 0x8000) break;
          if (!(flags & 0x4000))
            ++tx_packets;
          else if (status & L::UFLO)
            init_board();
          next_done = (next_done + 1) % 4;
          if (busy) --busy;
        }
        csr0 = acknowledge(csr0 | L::TINT);
      }
      if (csr0 & L::MERR) csr0 = acknowledge(csr0 | L::MERR);
      if (csr0 & L::BABL) csr0 = acknowledge(csr0 | L::BABL);
    } while (csr0 & L::INTR);
  }
  unsigned acknowledge(unsigned value) {
    set_lance(0, value);
    return get_lance(0);
  }
  bool interrupt(unsigned line = 5) const { return rig.irqs.level[line]; }
  /// Lets time pass and serves interrupts.
  void run(Time t) {
    const Time end = rig.now + t;
    while (rig.now < end) {
      rig.step(2_us);
      if (interrupt()) service();
    }
  }
  void archive(Archive& a) {
    CardBench::archive(a);
    a(rig.irqs.level);
  }

  MacAddress mac{0x00, 0x00, 0x5A, 0x12, 0x34, 0x56};
  std::vector<Bytes> frames;
  unsigned next_rx = 0, next_put = 0, next_done = 0, busy = 0, rx_errors = 0, missed = 0, tx_packets = 0, not_ours = 0;
};

}  // namespace

TEST_CASE("the driver enables an MC2+ itself during its probe", "[sknet][pos]") {
  SkBench b;
  CHECK(b.card->pos_peek(0) == 0xFD);
  CHECK(b.card->pos_peek(1) == 0x6A);
  b.card->pos_write(3, 0x04, b.rig.now);
  b.card->pos_write(4, 0x07, b.rig.now);  // turned off by a machine with more than 15 MB
  CHECK((b.card->pos_peek(3) & 0xF0) == 0x30);
  CHECK_FALSE(b.rig.memory.find(SkBench::base));
  b.card->pos_write(4, b.card->pos_peek(4) & 0xFC, b.rig.now);
  CHECK_FALSE(b.rig.memory.find(SkBench::base));
  b.card->pos_write(2, b.card->pos_peek(2) | 1, b.rig.now);
  CHECK(b.rig.memory.find(SkBench::base));
  CHECK(b.rig.memory.find(SkBench::base + 0x3FFF));
  CHECK_FALSE(b.rig.memory.find(SkBench::base + 0x4000));
}

TEST_CASE("MC2+ interrupts are 3, 5, 10 and 11, the Junior's 10 and 11", "[sknet][pos]") {
  const unsigned lines[] = {3, 5, 10, 11};
  for (unsigned code = 0; code < 4; ++code) {
    SkBench b;
    b.configure();
    b.card->pos_write(4, static_cast<std::uint8_t>(code << 2), b.rig.now);
    b.reset_board();
    b.init_board();
    b.rig.step(20_us);
    CHECK(b.interrupt(lines[code]));
    b.card->pos_write(2, 0, b.rig.now);
    CHECK_FALSE(b.interrupt(lines[code]));
  }
  SkBench junior(Settings{{"adapter_id", "6be9"}});
  CHECK(junior.card->adapter_id() == 0x6BE9);
  junior.card->pos_write(2, 0x01 | 4 << 1 | 0x10, junior.rig.now);
  CHECK(junior.rig.memory.find(SkBench::base));
  junior.reset_board();
  junior.init_board();
  junior.rig.step(20_us);
  CHECK(junior.interrupt(11));
  CHECK_THROWS_WITH(SkBench(Settings{{"adapter_id", "1234"}}), Catch::Contains("6afd"));
}

TEST_CASE("the station address is at even offsets", "[sknet]") {
  SkBench b;
  b.configure();
  for (unsigned i = 0; i < 6; ++i) CHECK(b.load(0x3FC0 + 2 * i, 1) == b.mac[i]);
}

TEST_CASE("a register transfer goes through the latch and sets busy meanwhile", "[sknet]") {
  SkBench b;
  b.configure();
  CHECK_FALSE(b.rig.load(SkBench::control, 1) & 0x08);  // held in reset since power-on
  b.reset_board();
  CHECK(b.get_lance(0) == L::STOP);
  b.rig.store(SkBench::control, 0x09, 1);
  b.rig.store(SkBench::latch, 3, 2);
  b.rig.store(SkBench::command, 0x80, 1);
  CHECK((b.rig.memory.peek(SkBench::control, b.rig.now) & 0x20) != 0);
  b.rig.step(1_us);
  CHECK_FALSE(b.rig.load(SkBench::control, 1) & 0x20);
  CHECK((b.rig.load(SkBench::control, 1) & 0x10) != 0);  // no interrupt pending
  b.set_lance(3, 2);
  CHECK(b.get_lance(3) == 2);
  b.reset_board();
  CHECK(b.get_lance(3) == 0);
}

TEST_CASE("IDON interrupts and starts the chip; writing back INIT and STRT does no harm", "[sknet]") {
  SkBench b;
  b.configure();
  b.open();
  CHECK((b.get_lance(0) & (L::INEA | L::RXON | L::TXON | L::STRT | L::INIT | L::INTR)) ==
        (L::INEA | L::RXON | L::TXON | L::STRT | L::INIT));
  CHECK((b.rig.load(SkBench::control, 1) & 0x10) != 0);
  b.service();
  CHECK(b.not_ours == 1);  // the line is shared: if INTR is clear it is another card's
}

TEST_CASE("a frame without a demand is sent at the next poll; four together share one", "[sknet][poll]") {
  SkBench b;
  b.configure();
  b.open();
  b.run(5_ms);
  for (unsigned i = 0; i < 4; ++i) b.send(body(1514, static_cast<std::uint8_t>(i)));
  const Time handed = b.rig.now;
  b.run(10_ms);
  REQUIRE(b.log.entries.size() == 4);
  CHECK(b.log.entries[0].start - handed <= 1'610_us);
  for (unsigned i = 1; i < 4; ++i) CHECK(b.log.entries[i].start - b.log.entries[i - 1].end == 9'600_ns);
  for (unsigned i = 0; i < 4; ++i) {
    Bytes sent = b.log.entries[i].bytes;
    sent.resize(1514);
    CHECK(sent == body(1514, static_cast<std::uint8_t>(i)));
  }
  CHECK(b.tx_packets == 4);
  CHECK(b.made.network->counters().sent == 4);
  // Two single frames, some time after the poll: each waits for the next poll.
  for (int i = 0; i < 2; ++i) {
    b.run(500_us);
    const Time at = b.rig.now;
    b.send(body(60));
    b.run(2_ms);
    CHECK(b.log.entries.back().start - at > 50_us);
  }
}

TEST_CASE("with the poll interval at 0 this driver never sends", "[sknet][poll]") {
  SkBench b(Settings{{"chip.poll_interval", "0"}});
  b.configure();
  b.open();
  b.send(body(1514));
  b.run(500_ms);
  CHECK(b.log.entries.empty());
}

TEST_CASE("received frames include their FCS", "[sknet][receive]") {
  SkBench b;
  b.configure();
  b.open();
  for (unsigned n = 0; n < 10; ++n) {
    const Bytes frame = make_frame(n & 1 ? 60 : 1514, b.mac, static_cast<std::uint8_t>(n));
    b.other.port.transmit(frame, b.rig.now);
    b.run(n & 1 ? 10_ms : 20_ms);
    REQUIRE(b.frames.size() == n + 1);
    CHECK(b.frames.back() == frame);
  }
  CHECK(b.made.network->counters().received == 10);
}

TEST_CASE("acknowledging a reception also clears a visible transmit interrupt", "[sknet]") {
  SkBench b;
  b.configure();
  b.open();
  b.send(body(60));
  b.rig.step(3_ms);
  b.other.port.transmit(make_frame(60, b.mac), b.rig.now);
  b.rig.step(1_ms);
  CHECK((b.get_lance(0) & (L::TINT | L::RINT)) == (L::TINT | L::RINT));
  b.service();
  CHECK(b.frames.size() == 1);
  CHECK(b.tx_packets == 0);  // the edge is lost, on the real card too
  CHECK_FALSE(b.interrupt());
  b.send(body(60));
  b.run(5_ms);
  CHECK(b.tx_packets == 2);  // the next one finds both
}

TEST_CASE("more frames than buffers set MISS, which acknowledging the reception clears unseen", "[sknet][receive]") {
  SkBench b;
  b.configure();
  b.open();
  for (int n = 0; n < 6; ++n) {
    b.other.port.transmit(make_frame(60, b.mac), b.rig.now);
    b.rig.step(1_ms);
  }
  CHECK((b.get_lance(0) & (L::ERR | L::MISS)) == (L::ERR | L::MISS));
  b.service();
  CHECK(b.frames.size() == 4);
  CHECK(b.missed == 0);
  CHECK_FALSE(b.get_lance(0) & (L::ERR | L::MISS));
  b.other.port.transmit(make_frame(60, b.mac), b.rig.now);
  b.run(1_ms);
  CHECK(b.frames.size() == 5);
}

// The driver intends to initialise again, but does not stop the chip first: INIT is already set and nothing happens.
TEST_CASE("an underrun turns the transmitter off until the board is closed and reopened", "[sknet]") {
  SkBench b;
  b.configure();
  b.open();
  b.send(body(1514));
  while (!b.sknet().chip().port().transmitting()) b.rig.step(10_us);
  b.rig.step(300_us);
  b.sknet().chip().local_bus_denied(b.rig.now - 30_us, b.rig.now);
  b.run(1_ms);
  CHECK((b.get_lance(0) & (L::TXON | L::RXON)) == L::RXON);
  b.set_lance(0, L::STOP);
  b.open();
  b.send(body(1514));
  b.run(5_ms);
  CHECK(b.tx_packets == 1);
  CHECK(b.log.entries.back().good);
}

TEST_CASE("a RAM access waits for the LANCE's burst, a register access does not", "[sknet][timing]") {
  SkBench b;
  b.configure();
  b.open();
  b.load(0x100);
  CHECK(b.rig.took == 668_ns);
  b.send(body(1514));
  while (!b.sknet().chip().port().transmitting()) b.rig.step(1_us);
  b.rig.step(100_us);
  Time longest{}, shortest = 1_s, total{};
  for (int i = 0; i < 500; ++i) {
    b.load(0x100);
    longest = std::max(longest, b.rig.took);
    shortest = std::min(shortest, b.rig.took);
    total += b.rig.took;
    b.rig.load(SkBench::control, 1);
    CHECK(b.rig.took == 668_ns);
  }
  CHECK(shortest == 668_ns);
  CHECK(longest > 4_us);
  CHECK(longest < 5'600_ns);
  CHECK(total > 500_us);
}

TEST_CASE("closing stops the chip and holds the board in reset", "[sknet]") {
  SkBench b;
  b.configure();
  b.open();
  b.other.port.transmit(make_frame(1514, b.mac), b.rig.now);
  b.rig.step(500_us);
  b.set_lance(0, L::STOP);
  b.rig.store(SkBench::control, 0, 1);
  b.rig.step(5_ms);
  CHECK_FALSE(b.interrupt());
  b.rig.store(SkBench::command, 0x80, 1);
  CHECK_FALSE(b.rig.load(SkBench::control, 1) & 0x20);  // nothing to transfer to
  b.open();
  b.other.port.transmit(make_frame(60, b.mac), b.rig.now);
  b.run(1_ms);
  CHECK(b.frames.size() == 1);
}

TEST_CASE("peeking at the board has no side effects", "[sknet][archive]") {
  SkBench b;
  b.configure();
  b.open();
  for (unsigned i = 0; i < 3; ++i) b.send(body(1000, static_cast<std::uint8_t>(i)));
  b.rig.step(2_ms);
  b.rig.store(SkBench::control, 0x0A, 1);
  b.rig.store(SkBench::command, 0x80, 1);  // a register transfer is under way
  Archive saved = Archive::saver();
  b.archive(saved);
  for (std::uint32_t at = 0; at < 0x4000; ++at) b.rig.memory.peek(SkBench::base + at, b.rig.now);
  Archive again = Archive::saver();
  b.archive(again);
  CHECK(std::ranges::equal(saved.stream(), again.stream()));
}

TEST_CASE("random accesses to the window do no harm", "[sknet][malformed]") {
  Random random(99);
  SkBench b;
  b.configure();
  for (int round = 0; round < 2000; ++round) {
    const auto at = static_cast<std::uint32_t>(random.below(3) ? 0x3FC0 + random.below(0x40) : random.below(0x4000));
    b.store(at, static_cast<unsigned>(random.below(0x10000)), random.below(2) && !(at & 1) ? 2 : 1);
    b.load(at, 1);
    if (random.below(50) == 0) b.rig.step(Time{static_cast<std::int64_t>(random.below(3'000'000'000))});
    if (random.below(50) == 0) b.other.port.transmit(make_frame(60, broadcast_mac), b.rig.now);
  }
  b.open();
  b.other.port.transmit(make_frame(60, b.mac), b.rig.now);
  b.run(10_ms);
  CHECK(b.frames.size() >= 1);
}
