// SPDX-License-Identifier: GPL-2.0-or-later
// The DE210 under the accesses of Linux 2.2 depca.c: order, width and values are the driver's, the code is our own.
#include <algorithm>

#include "core/common/error.hpp"
#include "devices/ethernet/de210/de210.hpp"
#include "tests/devices/chips/am7990/lance_bench.hpp"
#include "tests/devices/ethernet/card_bench.hpp"

using namespace planar;
using namespace planar::test;
using L = Am7990;
using ethernet::De210;

namespace {

struct DepcaBench : CardBench {
  static constexpr std::uint16_t io = 0x2C10;
  enum Nicsr : unsigned { LED = 1, IEN = 2, IM = 4, AAC = 8, RBE = 16, BUF = 32, BS = 64, SHE = 128 };

  explicit DepcaBench(bool half = false, Settings settings = {})
      : CardBench(De210::entry, "08:00:2b:12:34:56", std::move(settings)) {
    card->pos_write(3, 0x04, rig.now);  // interrupt 10
    card->pos_write(2, static_cast<std::uint8_t>(0x01 | 1 << 1 | 1 << 3 | (half ? 0x20 : 0)), rig.now);
  }
  De210& de210() { return static_cast<De210&>(*card); }
  unsigned nicsr() { return rig.in(io); }
  void nicsr(unsigned v) { rig.out(io, v); }
  void addr(unsigned v) { rig.out(io + 6, v, 2); }
  unsigned data() { return rig.in(io + 4, 2); }
  void data(unsigned v) { rig.out(io + 4, v, 2); }
  unsigned prom() { return rig.in(io + 0xC); }
  unsigned readl(std::uint32_t at) { return rig.load(at, 4); }
  void writel(std::uint32_t at, unsigned v) { rig.store(at, v, 4); }
  void writew(std::uint32_t at, unsigned v) { rig.store(at, v, 2); }
  bool interrupt() const { return rig.irqs.level[10]; }

  // ---- depca.c ----
  bool device_present() {
    prom();
    if (prom() == 0x08) nicsr(nicsr() | AAC);
    const unsigned pattern[] = {0xFF, 0x00, 0x55, 0xAA};
    unsigned found = 0;
    for (int i = 0; i < 39 && found < 8; ++i) {
      const unsigned v = prom();
      if (v == pattern[found & 3])
        ++found;
      else
        found = v == 0xFF ? 1 : 0;
    }
    return found == 8;
  }
  bool stopped() {
    addr(0);
    data(L::STOP);
    nicsr((nicsr() & ~unsigned{SHE | RBE | IEN}) | IM);
    return data() == L::STOP;
  }
  std::string signature() {
    std::string text;
    for (unsigned i = 0; i < 16; ++i) text += static_cast<char>(rig.load(0xD0000 + 0xC000 + i, 1));
    return text;
  }
  bool address() {
    unsigned k = 0;
    for (unsigned j = 0; j < 3; ++j) {
      k <<= 1;
      if (k > 0xFFFF) k -= 0xFFFF;
      mac[2 * j] = static_cast<std::uint8_t>(prom());
      mac[2 * j + 1] = static_cast<std::uint8_t>(prom());
      k += mac[2 * j] | mac[2 * j + 1] << 8;
      if (k > 0xFFFF) k -= 0xFFFF;
    }
    if (k == 0xFFFF) k = 0;
    const unsigned low = prom();
    return k == (low | prom() << 8);
  }
  void probe() {
    REQUIRE(device_present());
    REQUIRE(stopped());
    REQUIRE(signature().find("DE210") != std::string::npos);
    REQUIRE(address());
    base = 0xD0000 + (nicsr() & BUF ? 0x8000 : 0);
    nicsr(nicsr() | SHE);
    rx_ring = (base + 24 + 7) & ~7u;
    tx_ring = rx_ring + 64;
    buffers = (tx_ring + 64) & 0xFFFF;
  }
  void init_ring() {
    rx_new = tx_new = tx_old = 0;
    for (unsigned i = 0; i < 8; ++i) {
      writel(rx_ring + 8 * i, (buffers + 1536 * i) | 0x8000'0000);
      writew(rx_ring + 8 * i + 4, 0x10000 - 1536);
    }
    for (unsigned i = 0; i < 8; ++i) writel(tx_ring + 8 * i, buffers + 1536 * (i + 8));
  }
  void load_csrs() {
    for (const auto& [reg, value] : {std::pair{1u, base & 0xFFFF}, {2u, 0u}, {3u, 2u}}) {
      addr(reg);
      data(value);
    }
    addr(0);
  }
  /// Returns the number of polls until IDON, at most 100.
  int init_restart(unsigned mode = 0) {
    const auto pair = [&](unsigned i) { return mac[i] | unsigned{mac[i + 1]} << 8; };
    const unsigned block[] = {mode | pair(0) << 16,          pair(2) | pair(4) << 16,      0, 0,
                              (rx_ring & 0xFFFF) | 3u << 29, (tx_ring & 0xFFFF) | 3u << 29};
    for (unsigned i = 0; i < 6; ++i) writel(base + 4 * i, block[i]);
    addr(0);
    data(L::INIT);
    int polls = 0;
    while (polls < 100 && !(data() & L::IDON)) ++polls;
    if (polls < 100) data(L::IDON | L::INEA | L::STRT);
    return polls;
  }
  void open() {
    addr(0);
    data(L::STOP);
    nicsr(nicsr() | SHE);
    init_ring();
    load_csrs();
    nicsr((nicsr() & ~unsigned{IM | LED}) | IEN);
    addr(0);
    REQUIRE(init_restart() < 100);
  }
  bool send(const Bytes& frame) {
    const std::uint32_t d = tx_ring + 8 * tx_new, at = (base & 0xFFFF0000) + buffers + 1536 * (tx_new + 8);
    if (((tx_new - tx_old) & 7) == 7 || readl(d) & 0x8000'0000) return false;
    for (std::size_t i = 0; i < frame.size(); i += 4) {
      unsigned v = 0;
      for (std::size_t k = 0; k < 4 && i + k < frame.size(); ++k) v |= unsigned{frame[i + k]} << 8 * k;
      writel(at + static_cast<std::uint32_t>(i), v);
    }
    writel(d, readl(d) & 0x00FF'FFFF);
    writew(d + 6, 0);
    writew(d + 4, 0x10000 - static_cast<unsigned>(frame.size()));
    writel(d, readl(d) | 0x0200'0000);
    writel(d, readl(d) | 0x0100'0000);
    writel(d, readl(d) | 0x8000'0000);
    tx_new = (tx_new + 1) & 7;
    addr(0);
    data(L::INEA | L::TDMD);
    return true;
  }
  void service() {
    unsigned n = nicsr() | IM | LED;
    nicsr(n);
    CHECK_FALSE(interrupt());  // masked on the board
    addr(0);
    const unsigned csr0 = data();
    data(csr0 & 0xFFF0);
    if (csr0 & L::RINT) {
      while (!(readl(rx_ring + 8 * rx_new) & 0x8000'0000)) {
        const unsigned status = readl(rx_ring + 8 * rx_new) >> 16;
        if (status & L::MD1_ERR) {
          ++rx_errors;
        } else {
          const unsigned count = rig.load(rx_ring + 8 * rx_new + 6, 2) - 4;
          Bytes b;
          for (unsigned i = 0; i < count; ++i)
            b.push_back(static_cast<std::uint8_t>(rig.load((base & 0xFFFF0000) + buffers + 1536 * rx_new + i, 1)));
          frames.push_back(b);
        }
        writel(rx_ring + 8 * rx_new, readl(rx_ring + 8 * rx_new) | 0x8000'0000);
        rx_new = (rx_new + 1) & 7;
      }
    }
    if (csr0 & L::TINT) {
      while (tx_old != tx_new) {
        const unsigned status = readl(tx_ring + 8 * tx_old) >> 16;
        if (status & 0x8000) break;
        if (status & L::MD1_ERR) {
          tx_status = readl(tx_ring + 8 * tx_old + 6);
          if (tx_status & (L::BUFF | L::UFLO)) {
            addr(0);
            data(L::INEA | L::TDMD);
          }
        } else {
          ++tx_packets;
        }
        tx_old = (tx_old + 1) & 7;
      }
    }
    nicsr(n & ~unsigned{IM | LED});
  }
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

  MacAddress mac{};
  std::uint32_t base = 0, rx_ring = 0, tx_ring = 0, buffers = 0;
  std::vector<Bytes> frames;
  unsigned rx_new = 0, tx_new = 0, tx_old = 0, rx_errors = 0, tx_packets = 0, tx_status = 0;
};

}  // namespace

TEST_CASE("the probe finds the pattern, a stopped LANCE, the ROM signature, the address and its checksum", "[de210]") {
  for (const bool half : {false, true}) {
    DepcaBench b(half);
    for (int i = 0; i < 13; ++i) b.prom();  // the PROM's counter has an arbitrary value
    b.probe();
    CHECK(b.mac == MacAddress{0x08, 0x00, 0x2B, 0x12, 0x34, 0x56});
    CHECK(b.base == (half ? 0xD8000u : 0xD0000u));
  }
}

TEST_CASE("the checksum is correct for any address", "[de210]") {
  for (const char* mac : {"08:00:2b:ff:ff:ff", "fe:ff:ff:ff:ff:ff", "00:00:00:00:00:00", "aa:00:04:00:12:fc"}) {
    Rig rig;
    bus::Slot slot(0, 16, rig.wiring());
    const auto made = De210::entry.make({slot, nullptr, mac, {}, 1});
    made.card->pos_write(2, 0x01 | 1 << 1, Time{});
    std::array<unsigned, 32> prom{};
    for (unsigned& v : prom) v = rig.in(DepcaBench::io + 0xC);
    unsigned k = 0;
    for (unsigned j = 0; j < 3; ++j) {
      k <<= 1;
      if (k > 0xFFFF) k -= 0xFFFF;
      k += prom[2 * j] | prom[2 * j + 1] << 8;
      if (k > 0xFFFF) k -= 0xFFFF;
    }
    CHECK((k == 0xFFFF ? 0 : k) == (prom[6] | prom[7] << 8));
    CHECK(rig.in(DepcaBench::io + 0xC) == prom[0]);  // a ring of 32
  }
}

TEST_CASE("POS selects ports, memory and interrupt", "[de210][pos]") {
  DepcaBench b;
  CHECK(b.card->adapter_id() == 0x6DEF);
  CHECK(DepcaBench(false, {{"adapter_id", "628d"}}).card->adapter_id() == 0x628D);
  for (unsigned n = 0; n < 4; ++n) {
    b.card->pos_write(2, static_cast<std::uint8_t>(0x01 | n << 1), b.rig.now);
    for (unsigned k = 0; k < 4; ++k)
      CHECK((b.rig.bus.io().find(static_cast<std::uint16_t>(0x2C00 + 16 * k)) != nullptr) == (k == n));
  }
  struct Choice {
    unsigned pos;
    std::uint32_t first, last;
  };
  for (const auto& [pos, first, last] :
       {Choice{0x00, 0xC0000, 0xCFFFF}, Choice{0x20, 0xC8000, 0xCFFFF}, Choice{0x08, 0xD0000, 0xDFFFF},
        Choice{0x28, 0xD8000, 0xDFFFF}, Choice{0x10, 0xE0000, 0xEFFFF}, Choice{0x30, 0xE8000, 0xEFFFF}}) {
    b.card->pos_write(2, static_cast<std::uint8_t>(1 | pos), b.rig.now);
    CHECK(b.rig.memory.find(first));
    CHECK(b.rig.memory.find(last));
    CHECK_FALSE(b.rig.memory.find(first - 1));
    CHECK_FALSE(b.rig.memory.find(last + 1));
    CHECK((b.rig.in(0x2C00) & DepcaBench::BUF) == (pos & 0x20));  // NICSR agrees with POS
  }
  for (const auto& [code, line] : {std::pair{1u, 9u}, {2u, 5u}, {4u, 10u}, {8u, 11u}, {3u, 0u}, {0u, 0u}}) {
    DepcaBench c;
    c.card->pos_write(3, static_cast<std::uint8_t>(code), c.rig.now);
    c.probe();
    c.open();
    c.other.port.transmit(make_frame(60, c.mac), c.rig.now);
    c.rig.step(1_ms);
    for (unsigned i = 0; i < 16; ++i) CHECK(c.rig.irqs.level[i] == (line != 0 && i == line));
  }
}

TEST_CASE("the ROM's address range shows RAM when the shadow is enabled", "[de210]") {
  DepcaBench b;
  b.nicsr(DepcaBench::SHE);
  b.rig.store(0xDC000, 0x1234, 2);
  CHECK(b.rig.load(0xDC000, 2) == 0x1234);
  b.nicsr(0);
  CHECK(b.signature().find("DE210") != std::string::npos);
  b.rig.store(0xDC000, 0xFFFF, 2);  // ROM
  b.rig.store(0xDBFFE, 0x5678, 2);  // RAM
  b.nicsr(DepcaBench::SHE);
  CHECK(b.rig.load(0xDC000, 2) == 0x1234);
  CHECK(b.rig.load(0xDBFFE, 2) == 0x5678);
}

TEST_CASE("IDON is set within the driver's hundred reads", "[de210]") {
  DepcaBench b;
  b.probe();
  b.init_ring();
  b.load_csrs();
  const int polls = b.init_restart();
  CHECK(polls < 100);
}

TEST_CASE("each frame is demanded and sent immediately", "[de210][transmit]") {
  for (const bool half : {false, true}) {
    DepcaBench b(half);
    b.probe();
    b.open();
    b.run(1_ms);
    for (unsigned n = 0; n < 20; ++n) {
      REQUIRE(b.send(body(1514, static_cast<std::uint8_t>(n))));
      const Time at = b.rig.now;
      b.run(1'500_us);
      REQUIRE(b.log.entries.size() == n + 1);
      CHECK(b.log.entries.back().start - at < 5_us);
      Bytes sent = b.log.entries.back().bytes;
      sent.resize(1514);
      CHECK(sent == body(1514, static_cast<std::uint8_t>(n)));
    }
    CHECK(b.tx_packets == 20);
  }
}

TEST_CASE("the driver fills seven of eight descriptors, which are sent back to back", "[de210][transmit]") {
  DepcaBench b;
  b.probe();
  b.open();
  int taken = 0;
  while (taken < 20 && b.send(body(1514))) ++taken;
  CHECK(taken == 7);
  b.run(30_ms);
  CHECK(b.tx_packets == 7);
  CHECK(b.log.entries.size() == 7);
  CHECK(b.log.entries[6].start - b.log.entries[5].end == 9'600_ns);
}

TEST_CASE("received frames have MCNT less four bytes, and the ring wraps", "[de210][receive]") {
  DepcaBench b;
  b.probe();
  b.open();
  for (unsigned n = 0; n < 20; ++n) {
    Bytes frame = make_frame(n & 1 ? 60 : 1514, b.mac, static_cast<std::uint8_t>(n));
    b.other.port.transmit(frame, b.rig.now);
    b.run(5_ms);
    frame.resize(frame.size() - 4);
    REQUIRE(b.frames.size() == n + 1);
    CHECK(b.frames.back() == frame);
  }
}

TEST_CASE("NICSR masks the interrupt without clearing it", "[de210]") {
  DepcaBench b;
  b.probe();
  b.open();
  b.other.port.transmit(make_frame(60, b.mac), b.rig.now);
  b.rig.step(1_ms);
  CHECK(b.interrupt());
  b.nicsr(b.nicsr() | DepcaBench::IM);
  CHECK_FALSE(b.interrupt());
  b.nicsr(b.nicsr() & ~unsigned{DepcaBench::IM});
  CHECK(b.interrupt());
  b.nicsr(b.nicsr() & ~unsigned{DepcaBench::IEN});
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("after an underrun nothing is sent until the driver's time-out restarts the chip", "[de210]") {
  DepcaBench b;
  b.probe();
  b.open();
  b.send(body(1514));
  b.rig.step(300_us);
  b.de210().chip().local_bus_denied(b.rig.now - 30_us, b.rig.now);
  b.run(1_ms);
  CHECK((b.tx_status & L::UFLO) != 0);
  b.send(body(60));
  b.run(20_ms);
  CHECK(b.tx_packets == 0);
  b.addr(0);
  b.data(L::STOP);  // depca_start_xmit after a second
  b.init_ring();
  b.load_csrs();
  CHECK(b.init_restart() < 100);
  b.send(body(60));
  b.run(1_ms);
  CHECK(b.tx_packets == 1);
}

TEST_CASE("a doubleword takes two cycles, and both wait for the LANCE's bursts", "[de210][timing]") {
  DepcaBench b;
  b.probe();
  b.open();
  b.rig.step(1_ms);
  b.readl(b.base + 0x7000);
  const Time quiet = b.rig.took;
  CHECK(quiet == (300_ns + 346_ns) * 2);
  b.send(body(1514));
  b.rig.step(100_us);
  Time total{};
  for (int i = 0; i < 500; ++i) {
    b.readl(b.base + 0x7000);
    total += b.rig.took;
  }
  // The LANCE uses the RAM for 4.8 us of 12.8.
  CHECK(total > quiet * 700);
  CHECK(total < quiet * 950);
}

TEST_CASE("closing stops the LANCE and restores the ROM", "[de210]") {
  DepcaBench b;
  b.probe();
  b.open();
  b.addr(0);
  b.data(L::STOP);
  b.nicsr(b.nicsr() & ~unsigned{DepcaBench::SHE});
  CHECK(b.signature().find("DE210") != std::string::npos);
  b.card->channel_reset(b.rig.now);
  CHECK(b.card->pos_peek(2) == 0);
  CHECK_FALSE(b.rig.memory.find(0xD0000));
}

TEST_CASE("peeking does not advance the PROM counter", "[de210][archive]") {
  DepcaBench b;
  b.probe();
  b.open();
  b.send(body(1514));
  b.rig.step(400_us);
  Archive saved = Archive::saver();
  b.archive(saved);
  for (std::uint16_t port = 0; port < 16; ++port) b.rig.bus.io().peek(DepcaBench::io + port, b.rig.now);
  for (std::uint32_t at = 0; at < 0x10000; at += 7) b.rig.memory.peek(0xD0000 + at, b.rig.now);
  Archive again = Archive::saver();
  b.archive(again);
  CHECK(std::ranges::equal(saved.stream(), again.stream()));
}

TEST_CASE("random accesses to ports and memory do no harm", "[de210][malformed]") {
  Random random(5);
  DepcaBench b;
  for (int round = 0; round < 3000; ++round) {
    const auto port = static_cast<std::uint16_t>(DepcaBench::io + random.below(16));
    b.rig.out(port, static_cast<unsigned>(random.below(0x10000)), random.below(2) && !(port & 1) ? 2 : 1);
    b.rig.in(port, 1);
    b.rig.store(0xD0000 + static_cast<std::uint32_t>(random.below(0x10000)), static_cast<unsigned>(random.below(256)),
                1);
    if (random.below(60) == 0) b.rig.step(Time{static_cast<std::int64_t>(random.below(3'000'000'000))});
    if (random.below(60) == 0) b.other.port.transmit(make_frame(60, broadcast_mac), b.rig.now);
  }
  b.probe();
  b.open();
  b.other.port.transmit(make_frame(60, b.mac), b.rig.now);
  b.run(10_ms);
  CHECK(b.frames.size() >= 1);
}
