// SPDX-License-Identifier: GPL-2.0-or-later
// The SONIC beyond what one healthy driver sees: lists and their ends, errors, tallies, filter, loopback, timer, 16-bit
// mode, malformed structures.
#include "core/random.hpp"
#include "tests/devices/ethernet/bench.hpp"

#include "devices/ethernet/sonic.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::Sonic;
using ethernet::SonicConfig;

namespace {

constexpr MacAddress own{0x08, 0x00, 0x5A, 0x12, 0x34, 0x56};

// 64 KB of memory, the chip, a station at the other end, and lists as drivers build them: buffers of `words` 16-bit words
// each, descriptors in a chain whose last link ends the list.
struct Chip final : ethernet::SonicBoard {
  static constexpr std::uint16_t cda = 0x0000, rra = 0x0100, rda = 0x0200, tda = 0x0600, data = 0x1000, buffers = 0x4000;

  explicit Chip(unsigned bytes_a_field = 4, bool plugged = true)
      : width(bytes_a_field), chip(scheduler, "sonic", *this, config(), 5), other(scheduler, &segment, "other", 77) {
    if (plugged) chip.port().attach(segment);
    segment.add_observer(log);
  }
  static SonicConfig config() {
    SonicConfig c;
    c.address_mask = 0xFFFF;
    return c;
  }

  std::uint8_t memory_read(std::uint32_t a) const override { return ram.at(a); }
  void memory_write(std::uint32_t a, std::uint8_t v) override { ram.at(a) = v; }
  void interrupt(bool level, Time) override { line = level; }

  void step(Time t) {
    now += t;
    scheduler.advance(now);
  }
  std::uint16_t in(unsigned reg) { return chip.read(reg, now); }
  void out(unsigned reg, unsigned value) {
    chip.write(reg, static_cast<std::uint16_t>(value), now);
    step(1_us);
  }
  std::uint16_t get(unsigned address, unsigned field = 0) const {
    return static_cast<std::uint16_t>(ram.at(address + field * width) | ram.at(address + field * width + 1) << 8);
  }
  void put(unsigned address, std::initializer_list<unsigned> fields) {
    for (const unsigned f : fields)
      for (unsigned i = 0; i < width; ++i) ram.at(address++) = static_cast<std::uint8_t>(i < 2 ? f >> (8 * i) : 0);
  }

  void start(unsigned rcr = Sonic::BRD, unsigned descriptors = 4, unsigned resources = 4, unsigned words = 760,
             unsigned eobc = 760) {
    out(Sonic::CR, Sonic::RST);
    out(Sonic::DCR, 0x0340 | (width == 4 ? unsigned{Sonic::DW} : 0u));
    out(Sonic::CR, 0);
    put(cda, {0, 0x0008, 0x125A, 0x5634, 1});
    out(Sonic::URRA, 0);
    out(Sonic::CDP, cda);
    out(Sonic::CDC, 1);
    out(Sonic::CR, Sonic::LCAM);
    step(10_us);
    for (unsigned n = 0; n < resources; ++n)
      put(rra + n * 4 * width, {buffers + n * 0x800, 0, words, 0});
    for (unsigned n = 0; n < descriptors; ++n)
      put(receive(n), {0, 0, 0, 0, 0, n + 1 < descriptors ? receive(n + 1) : 1, 1});
    out(Sonic::RSA, rra);
    out(Sonic::REA, rra + resources * 4 * width);
    out(Sonic::RRP, rra);
    out(Sonic::RWP, rra);
    out(Sonic::EOBC, eobc);
    out(Sonic::CR, Sonic::RRRA);
    step(10_us);
    out(Sonic::URDA, 0);
    out(Sonic::CRDA, rda);
    out(Sonic::UTDA, 0);
    out(Sonic::RCR, rcr);
    out(Sonic::ISR, 0x7FFF);
    out(Sonic::IMR, 0x7FFF);
    out(Sonic::CR, Sonic::RXEN);
  }
  unsigned receive(unsigned n) const { return rda + n * 7 * width; }

  void hear(const Bytes& frame) {
    const std::size_t before = other.outcomes.size();
    other.port.transmit(frame, now);
    while (other.outcomes.size() == before) step(10_us);
    step(20_us);
  }
  Bytes for_us(std::size_t bytes, std::uint8_t fill = 0) { return make_frame(bytes, own, fill); }
  Bytes stored(unsigned descriptor) const {
    const unsigned d = receive(descriptor);
    const auto begin = ram.begin() + get(d, 2);
    return Bytes(begin, begin + get(d, 1));
  }
  /// One descriptor with its data in one piece; `link` 1 ends the list.
  void descriptor(unsigned at, unsigned bytes, unsigned from, unsigned link = 1, unsigned config = 0) {
    put(at, {0, config, bytes, 1, from, 0, bytes, link});
  }
  void fill(unsigned at, const Bytes& b) { std::copy(b.begin(), b.end(), ram.begin() + at); }
  void transmit(unsigned at) {
    out(Sonic::CTDA, at);
    out(Sonic::CR, Sonic::TXP);
  }

  Scheduler scheduler;
  EthernetSegment segment;
  Log log;
  std::vector<std::uint8_t> ram = std::vector<std::uint8_t>(0x10000, 0);
  bool line = false;
  Time now{};
  unsigned width;
  Sonic chip;
  Recorder other;
};

}  // namespace

// ---- registers ----

TEST_CASE("reset values, and what can be written where", "[sonic]") {
  Chip c;
  CHECK(c.in(Sonic::CR) == (Sonic::RST | Sonic::STP | Sonic::RXDIS));
  CHECK(c.in(Sonic::TCR) == (Sonic::NCRS | Sonic::PTX));
  CHECK(c.in(Sonic::EOBC) == 0x02F8);
  c.out(Sonic::DCR, 0xFFFF);
  CHECK(c.in(Sonic::DCR) == 0xBFFF);
  c.out(Sonic::DCR, 0x0360);
  c.out(Sonic::CR, Sonic::RXEN | Sonic::RRRA);  // RST left by its 0; nothing else happens in that write
  CHECK(c.in(Sonic::CR) == (Sonic::STP | Sonic::RXDIS));
  c.out(Sonic::DCR, 0);
  CHECK(c.in(Sonic::DCR) == 0x0360);  // in reset only
  c.out(Sonic::DCR2, 0x0001);
  CHECK(c.in(Sonic::DCR2) == 0);
  c.out(Sonic::RRP, 0x1237);
  CHECK(c.in(Sonic::RRP) == 0x1234);  // doublewords in 32-bit mode
  c.out(Sonic::SR, 0xFFFF);
  CHECK(c.in(Sonic::SR) == 0x0101);
  c.out(Sonic::CRCT, 0xFFFF);  // written inverted
  CHECK(c.in(Sonic::CRCT) == 0);
  c.out(Sonic::RCR, 0xFFFF);
  CHECK(c.in(Sonic::RCR) == 0xFE00);
  c.out(0x30, 0xFFFF);
  CHECK(c.in(0x30) == 0);
}

TEST_CASE("the software reset keeps registers, causes and the timer, but ends commands and reception", "[sonic]") {
  Chip c;
  c.start();
  c.out(Sonic::CR, Sonic::ST);
  c.hear(c.for_us(100));
  const auto causes = c.in(Sonic::ISR);
  CHECK((causes & Sonic::PKTRX) != 0);
  c.out(Sonic::CR, Sonic::RST);
  CHECK(c.in(Sonic::CR) == (Sonic::RST | Sonic::ST | Sonic::RXDIS));
  CHECK(c.in(Sonic::ISR) == causes);
  CHECK(c.in(Sonic::IMR) == 0x7FFF);
  CHECK(c.in(Sonic::CRBA0) == Chip::buffers + 0x800);
  c.out(Sonic::CR, Sonic::TXP);
  CHECK((c.in(Sonic::CR) & Sonic::TXP) == 0);
  c.hear(c.for_us(100));
  CHECK(c.get(c.receive(1), 6) == 1);
}

TEST_CASE("sixteen CAM entries load by their own numbers and can be read back in reset", "[sonic][cam]") {
  Chip c;
  c.out(Sonic::DCR, 0x0360);
  c.out(Sonic::CR, 0);
  for (unsigned n = 0; n < 16; ++n) c.put(Chip::cda + 16 * n, {15 - n, 0x100 * n, 0x200 + n, 0x300 + n});
  c.put(Chip::cda + 256, {0xA5A5});
  c.out(Sonic::CDP, Chip::cda);
  c.out(Sonic::CDC, 16);
  c.chip.write(Sonic::CR, Sonic::LCAM, c.now);
  CHECK((c.in(Sonic::CR) & Sonic::LCAM) != 0);
  CHECK((c.in(Sonic::ISR) & Sonic::LCD) == 0);
  c.step(14_us);  // 65 words of 200 ns
  CHECK((c.in(Sonic::CR) & Sonic::LCAM) == 0);
  CHECK((c.in(Sonic::ISR) & Sonic::LCD) != 0);
  CHECK(c.in(Sonic::CE) == 0xA5A5);
  CHECK(c.in(Sonic::CDC) == 0);
  CHECK(c.in(Sonic::CDP) == Chip::cda + 256);
  CHECK(c.in(Sonic::CAP0) == 0);
  c.out(Sonic::CR, Sonic::RST);
  for (unsigned n = 0; n < 16; ++n) {
    c.out(Sonic::CEP, 15 - n);
    CHECK(c.in(Sonic::CAP0) == 0x100 * n);
    CHECK(c.in(Sonic::CAP1) == 0x200 + n);
    CHECK(c.in(Sonic::CAP2) == 0x300 + n);
  }
}

TEST_CASE("the watchdog timer counts down at 5 MHz and TC comes when it rolls over", "[sonic][timer]") {
  Chip c;
  c.start();
  c.out(Sonic::WT0, 4999);
  c.out(Sonic::WT1, 0);
  c.step(10_ms);
  CHECK(c.in(Sonic::WT0) == 4999);
  c.out(Sonic::CR, Sonic::ST);
  CHECK((c.in(Sonic::CR) & (Sonic::ST | Sonic::STP)) == Sonic::ST);
  c.step(499_us);
  CHECK(c.in(Sonic::WT0) == 4999 - 2500);
  CHECK((c.in(Sonic::ISR) & Sonic::TC) == 0);
  c.step(501_us);
  CHECK((c.in(Sonic::ISR) & Sonic::TC) != 0);
  CHECK(c.line);
  CHECK(c.in(Sonic::WT1) == 0xFFFF);
  c.out(Sonic::CR, Sonic::STP);
  const auto value = c.in(Sonic::WT0);
  c.step(1_ms);
  CHECK(c.in(Sonic::WT0) == value);
}

TEST_CASE("SONIC: IMR masks causes without clearing them; the line is a level", "[sonic]") {
  Chip c;
  c.start();
  c.out(Sonic::IMR, 0);
  c.hear(c.for_us(100));
  CHECK_FALSE(c.line);
  c.out(Sonic::IMR, Sonic::PKTRX);
  CHECK(c.line);
  c.out(Sonic::ISR, 0);
  CHECK(c.line);
  c.out(Sonic::ISR, Sonic::PKTRX);
  CHECK_FALSE(c.line);
}

// ---- receiver ----

TEST_CASE("a receive descriptor gets status, count, address and sequence; the upper halves repeat", "[sonic][receive]") {
  Chip c;
  c.start();
  c.hear(c.for_us(61));
  const unsigned d = c.receive(0);
  CHECK(c.get(d, 0) == (Sonic::BRD | Sonic::PRX | Sonic::LPKT));
  CHECK(c.get(d, 1) == 65);  // with the check sequence
  CHECK(c.get(d, 2) == Chip::buffers);
  CHECK(c.get(d, 3) == 0);
  CHECK(c.get(d, 4) == 0);
  CHECK(c.get(d, 6) == 0);
  CHECK(c.get(d + 2, 1) == 65);
  CHECK(c.get(d + 2, 6) == 0);
  CHECK(c.stored(0) == c.for_us(61));
  CHECK(c.ram[Chip::buffers + 65] == 0xFF);  // filled up to a doubleword
  CHECK(c.ram[Chip::buffers + 68] == 0x00);
  CHECK(c.in(Sonic::CRDA) == c.receive(1));
  CHECK(c.in(Sonic::LLFA) == d + 5 * 4);
  CHECK(c.in(Sonic::CRBA0) == Chip::buffers + 0x800);
  CHECK(c.in(Sonic::RSC) == 0x0100);
}

TEST_CASE("several frames share a buffer until less than EOBC is left", "[sonic][receive]") {
  Chip c;
  c.start(Sonic::BRD, 8, 4, 400, 100);  // 800 bytes; the last may begin when 200 are left
  for (std::uint8_t n = 0; n < 7; ++n) c.hear(c.for_us(196 + (n & 1), n));
  // 200 and 204 bytes of doublewords: after three 604 are used and less than 200 are left.
  const unsigned at[] = {0x4000, 0x40C8, 0x4194, 0x4800, 0x48CC, 0x4994, 0x5000};
  for (unsigned n = 0; n < 7; ++n) {
    CHECK(c.get(c.receive(n), 2) == at[n]);
    CHECK(((c.get(c.receive(n), 0) & Sonic::LPKT) != 0) == (n == 2 || n == 5));
    CHECK(c.get(c.receive(n), 4) == ((n / 3) << 8 | n % 3));
    CHECK(c.stored(n) == c.for_us(196 + (n & 1), static_cast<std::uint8_t>(n)));
  }
}

TEST_CASE("RBE warns of the last resource; without an answer the receiver stops after it", "[sonic][receive]") {
  Chip c;
  c.start(Sonic::BRD, 8, 3);
  for (std::uint8_t n = 0; n < 2; ++n) c.hear(c.for_us(100, n));
  CHECK((c.in(Sonic::ISR) & Sonic::RBE) != 0);
  CHECK(c.in(Sonic::RRP) == c.in(Sonic::RWP));
  c.hear(c.for_us(100, 2));
  CHECK(c.get(c.receive(2), 6) == 0);  // the warning was no end
  c.hear(c.for_us(100, 3));
  c.hear(c.for_us(100, 4));
  CHECK(c.get(c.receive(3), 6) == 1);
  CHECK(c.in(Sonic::MPT) == 2);
  c.out(Sonic::ISR, Sonic::RBE);
  c.step(5_us);
  c.hear(c.for_us(100, 5));
  CHECK(c.stored(3) == c.for_us(100, 5));
  CHECK(c.get(c.receive(3), 2) == Chip::buffers);
}

TEST_CASE("RBE cleared in the middle of a frame: it keeps its buffer, and one resource is read", "[sonic][receive]") {
  Chip c;
  c.start(Sonic::BRD, 8, 3);
  for (std::uint8_t n = 0; n < 2; ++n) c.hear(c.for_us(100, n));
  c.other.port.transmit(c.for_us(1000, 2), c.now);
  c.step(400_us);
  c.out(Sonic::ISR, Sonic::RBE);
  c.step(2_ms);
  CHECK(c.stored(2) == c.for_us(1000, 2));
  CHECK(c.get(c.receive(2), 2) == Chip::buffers + 0x1000);
  CHECK(c.in(Sonic::CRBA0) == Chip::buffers);
}

TEST_CASE("the end of the descriptor list: RDE, the last one kept, released when the list goes on", "[sonic][receive]") {
  Chip c;
  c.start(Sonic::BRD, 2, 8);
  c.hear(c.for_us(100, 0));
  CHECK((c.in(Sonic::ISR) & Sonic::RDE) == 0);
  c.hear(c.for_us(100, 1));
  CHECK((c.in(Sonic::ISR) & (Sonic::RDE | Sonic::PKTRX)) == (Sonic::RDE | Sonic::PKTRX));
  CHECK(c.get(c.receive(1), 1) == 104);
  CHECK(c.get(c.receive(1), 6) == 1);
  c.hear(c.for_us(100, 2));  // still no more: missed
  CHECK(c.in(Sonic::MPT) == 1);
  c.put(c.receive(0), {0, 0, 0, 0, 0, 1, 1});
  c.put(c.receive(1) + 5 * 4, {c.receive(0)});
  c.hear(c.for_us(100, 3));
  CHECK(c.get(c.receive(1), 6) == 0);
  CHECK(c.stored(0) == c.for_us(100, 3));
  CHECK(c.stored(1) == c.for_us(100, 1));
}

TEST_CASE("a frame that does not fit its buffer is given up with RBAE", "[sonic][receive]") {
  Chip c;
  c.start(Sonic::BRD, 4, 4, 100, 50);
  c.hear(c.for_us(300));
  CHECK((c.in(Sonic::ISR) & (Sonic::RBAE | Sonic::PKTRX)) == Sonic::RBAE);
  CHECK(c.get(c.receive(0), 6) == 1);
  CHECK(c.ram[Chip::buffers + 199] == c.for_us(300)[199]);
  CHECK(c.ram[Chip::buffers + 200] == 0);
  c.hear(c.for_us(150));
  CHECK(c.stored(0) == c.for_us(150));
  CHECK(c.get(c.receive(0), 2) == Chip::buffers + 0x800);
}

TEST_CASE("SONIC: CRC and alignment errors are tallied apart; RCR.ERR keeps such frames", "[sonic][receive]") {
  Chip c;
  c.start();
  c.hear(damaged(c.for_us(100)));
  CHECK(c.in(Sonic::CRCT) == 1);
  CHECK(c.in(Sonic::FAET) == 0);
  c.other.port.transmit(c.for_us(1000), c.now);
  c.step(300'350_ns);
  c.other.port.set_plugged(false, c.now);
  c.step(1_ms);
  c.other.port.set_plugged(true, c.now);
  c.step(1_ms);
  CHECK(c.in(Sonic::FAET) == 1);
  CHECK(c.in(Sonic::CRCT) == 1);
  CHECK((c.in(Sonic::ISR) & Sonic::PKTRX) == 0);
  CHECK(c.in(Sonic::CRBA0) == Chip::buffers);  // taken back
  c.out(Sonic::RCR, Sonic::ERR | Sonic::BRD);
  c.hear(damaged(c.for_us(100)));
  CHECK((c.get(c.receive(0), 0) & (Sonic::PRX | Sonic::CRCR | Sonic::FAER)) == Sonic::CRCR);
  CHECK(c.stored(0) == damaged(c.for_us(100)));
  c.out(Sonic::CRCT, 0x0000);  // inverted: FFFFh, the next one rolls over
  c.hear(damaged(c.for_us(100)));
  CHECK(c.in(Sonic::CRCT) == 0);
  CHECK((c.in(Sonic::ISR) & Sonic::CRC) != 0);
}

TEST_CASE("SONIC: runts are ignored unless RCR.RNT accepts them; a giant is received if it fits", "[sonic][receive]") {
  Chip c;
  c.start(Sonic::BRD, 4, 4, 1024);
  c.hear(c.for_us(40));
  CHECK(c.in(Sonic::ISR) == 0);
  c.out(Sonic::RCR, Sonic::BRD | Sonic::RNT);
  c.hear(c.for_us(40));
  CHECK(c.stored(0) == c.for_us(40));
  c.hear(c.for_us(2000));
  CHECK(c.stored(1) == c.for_us(2000));
}

TEST_CASE("SONIC: the address filter: CAM, broadcast, all multicasts, all physical addresses", "[sonic][receive]") {
  Chip c;
  c.start(0, 64, 60, 760);
  unsigned n = 0;
  const auto status = [&](const MacAddress& to) -> int {
    c.hear(make_frame(60, to));
    c.out(Sonic::ISR, Sonic::RBE);
    if (c.get(c.receive(n), 6)) return -1;
    return c.get(c.receive(n++), 0) & (Sonic::PRX | Sonic::BC | Sonic::MC);
  };
  const MacAddress stranger{0x08, 0x00, 0x5A, 0x99, 0x99, 0x99}, group{0x01, 0x00, 0x5E, 0x00, 0x00, 0x01};
  CHECK(status(own) == Sonic::PRX);
  CHECK(status(broadcast_mac) == -1);
  CHECK(status(group) == -1);
  CHECK(status(stranger) == -1);
  c.out(Sonic::RCR, Sonic::BRD);
  CHECK(status(broadcast_mac) == (Sonic::PRX | Sonic::BC));
  CHECK(status(group) == -1);
  c.out(Sonic::RCR, Sonic::AMC);
  CHECK(status(group) == (Sonic::PRX | Sonic::MC));
  CHECK(status(stranger) == -1);
  c.out(Sonic::RCR, Sonic::PRO);
  CHECK(status(stranger) == Sonic::PRX);
  CHECK(status(group) == -1);
  // A group address in the CAM.
  c.out(Sonic::RCR, 0);
  c.put(Chip::cda, {3, 0x0001, 0x005E, 0x0100, 0x0009});
  c.out(Sonic::CDP, Chip::cda);
  c.out(Sonic::CDC, 1);
  c.out(Sonic::CR, Sonic::LCAM);
  c.step(10_us);
  CHECK(status(group) == (Sonic::PRX | Sonic::MC));
  CHECK(status(own) == Sonic::PRX);
}

TEST_CASE("RXDIS in the middle of a frame lets it finish and takes no other", "[sonic][receive]") {
  Chip c;
  c.start();
  c.other.port.transmit(c.for_us(1000), c.now);
  c.step(300_us);
  c.out(Sonic::CR, Sonic::RXDIS);
  c.step(1_ms);
  CHECK(c.stored(0) == c.for_us(1000));
  c.hear(c.for_us(100));
  CHECK(c.get(c.receive(1), 6) == 1);
  c.out(Sonic::CR, Sonic::RXEN);
  CHECK((c.in(Sonic::CR) & (Sonic::RXEN | Sonic::RXDIS)) == Sonic::RXEN);
  c.hear(c.for_us(100));
  CHECK(c.get(c.receive(1), 6) == 0);
}

TEST_CASE("in 16-bit mode fields are words", "[sonic]") {
  Chip c(2);
  c.start();
  c.hear(c.for_us(61));
  CHECK(c.stored(0) == c.for_us(61));
  CHECK(c.get(c.receive(0), 6) == 0);
  CHECK(c.ram[Chip::buffers + 65] == 0xFF);
  CHECK(c.ram[Chip::buffers + 66] == 0x00);
  c.fill(Chip::data, without_fcs(make_frame(100)));
  c.descriptor(Chip::tda, 100, Chip::data);
  c.transmit(Chip::tda);
  c.step(1_ms);
  CHECK(c.get(Chip::tda) == Sonic::PTX);
  CHECK(c.log.entries.back().good);
}

// ---- transmitter ----

TEST_CASE("a list of frames goes out gap by gap; TXDN comes at its end", "[sonic][transmit]") {
  Chip c;
  c.start();
  for (unsigned n = 0; n < 3; ++n) {
    c.fill(Chip::data + n * 0x600, without_fcs(make_frame(200, broadcast_mac, static_cast<std::uint8_t>(n))));
    c.descriptor(Chip::tda + n * 32, 200, Chip::data + n * 0x600, n == 2 ? 1 : Chip::tda + (n + 1) * 32);
  }
  c.transmit(Chip::tda);
  c.step(200_us);
  CHECK((c.in(Sonic::CR) & Sonic::TXP) != 0);
  CHECK((c.in(Sonic::ISR) & Sonic::TXDN) == 0);
  CHECK(c.in(Sonic::TTDA) == Chip::tda + 32);
  c.step(1_ms);
  CHECK((c.in(Sonic::CR) & Sonic::TXP) == 0);
  CHECK((c.in(Sonic::ISR) & (Sonic::TXDN | Sonic::TXER)) == Sonic::TXDN);
  REQUIRE(c.log.entries.size() == 3);
  for (unsigned n = 0; n < 3; ++n) CHECK((c.get(Chip::tda + n * 32) & ~Sonic::DEF) == Sonic::PTX);
  for (unsigned n = 1; n < 3; ++n) CHECK(c.log.entries[n].start - c.log.entries[n - 1].end == 9'600_ns);
}

TEST_CASE("a driver that appends to the list starts the chip again where it stopped", "[sonic][transmit]") {
  Chip c;
  c.start();
  c.descriptor(Chip::tda, 100, Chip::data, Chip::tda + 32 + 1);  // the place of the next one, and EOL
  c.transmit(Chip::tda);
  c.step(1_ms);
  CHECK(c.in(Sonic::CTDA) == Chip::tda + 33);
  c.descriptor(Chip::tda + 32, 100, Chip::data, 1);
  c.out(Sonic::CR, Sonic::TXP);  // CTDA as it is
  c.step(1_ms);
  CHECK(c.log.entries.size() == 2);
  CHECK(c.get(Chip::tda + 32) == Sonic::PTX);
}

TEST_CASE("fragments of any length and alignment make one frame", "[sonic][transmit]") {
  Chip c;
  c.start();
  const Bytes frame = without_fcs(make_frame(300));
  const unsigned parts[] = {1, 13, 2, 200, 84};
  unsigned offset = 0, from = 0x1001;
  std::vector<unsigned> fields{0, 0, 300, 5};
  for (const unsigned bytes : parts) {
    c.fill(from, Bytes(frame.begin() + offset, frame.begin() + offset + bytes));
    for (const unsigned v : {from, 0u, bytes}) fields.push_back(v);
    offset += bytes;
    from += bytes + 37;
  }
  fields.push_back(1);
  for (unsigned n = 0; n < fields.size(); ++n) c.put(Chip::tda + 4 * n, {fields[n]});
  c.transmit(Chip::tda);
  c.step(1_ms);
  REQUIRE(c.log.entries.size() == 1);
  CHECK(without_fcs(c.log.entries[0].bytes) == frame);
  CHECK(c.in(Sonic::TFC) == 5);
}

TEST_CASE("a byte count that does not match the fragments: BCM, TXER, and no good frame", "[sonic][transmit]") {
  for (const unsigned fragment : {80u, 120u, 0u}) {
    Chip c;
    c.start();
    c.put(Chip::tda, {0, 0, 100, 1, Chip::data, 0, fragment, 1});
    c.transmit(Chip::tda);
    c.step(1_ms);
    CHECK((c.get(Chip::tda) & (Sonic::PTX | Sonic::BCM)) == Sonic::BCM);
    CHECK((c.in(Sonic::ISR) & (Sonic::TXER | Sonic::TXDN)) == (Sonic::TXER | Sonic::TXDN));
    CHECK((c.in(Sonic::CR) & Sonic::TXP) == 0);
    CHECK(c.in(Sonic::CTDA) == Chip::tda);
    for (const auto& e : c.log.entries) CHECK_FALSE(e.good);
  }
}

TEST_CASE("HTX stops after the frame on the wire, TXP goes on from there", "[sonic][transmit]") {
  Chip c;
  c.start();
  for (unsigned n = 0; n < 2; ++n) c.descriptor(Chip::tda + n * 32, 500, Chip::data, n ? 1 : Chip::tda + 32);
  c.transmit(Chip::tda);
  c.step(100_us);
  c.out(Sonic::CR, Sonic::HTX);
  c.step(2_ms);
  CHECK(c.log.entries.size() == 1);
  CHECK((c.in(Sonic::CR) & (Sonic::TXP | Sonic::HTX)) == Sonic::HTX);
  CHECK((c.in(Sonic::ISR) & Sonic::TXDN) != 0);
  CHECK(c.in(Sonic::CTDA) == Chip::tda);  // the last one sent
  c.transmit(Chip::tda + 32);
  c.step(2_ms);
  CHECK(c.log.entries.size() == 2);
}

TEST_CASE("PINT comes when a descriptor that has it is read; CRCI sends the frame's own check", "[sonic][transmit]") {
  Chip c;
  c.start();
  c.fill(Chip::data, make_frame(96));
  c.descriptor(Chip::tda, 100, Chip::data, 1, Sonic::TCR_PINT | Sonic::CRCI);
  c.out(Sonic::CTDA, Chip::tda);
  c.chip.write(Sonic::CR, Sonic::TXP, c.now);
  c.step(5_us);
  CHECK((c.in(Sonic::ISR) & (Sonic::PINT | Sonic::TXDN)) == Sonic::PINT);
  c.step(1_ms);
  REQUIRE(c.log.entries.size() == 1);
  CHECK(c.log.entries[0].good);
  CHECK(c.log.entries[0].bytes.size() == 100);
  CHECK((c.in(Sonic::TCR) & 0xF000) == (Sonic::TCR_PINT | Sonic::CRCI));
  c.out(Sonic::ISR, 0x7FFF);
  c.transmit(Chip::tda);
  c.step(1_ms);
  CHECK((c.in(Sonic::ISR) & Sonic::PINT) == 0);
}

TEST_CASE("the first bit leaves when the descriptor and eight bytes have been read", "[sonic][transmit][timing]") {
  Chip c;
  c.start();
  c.descriptor(Chip::tda, 100, Chip::data);
  c.out(Sonic::CTDA, Chip::tda);
  const Time command = c.now;
  c.chip.write(Sonic::CR, Sonic::TXP, c.now);
  c.step(1_ms);
  // Four clocks each for the command and the bus, then eight accesses of four clocks.
  CHECK(c.log.entries.at(0).start - command == 50_ns * (4 + 4 + 8 * 4));
}

TEST_CASE("SONIC: collisions are counted in the status and the frame still gets out", "[sonic][transmit]") {
  Chip c;
  c.start();
  c.descriptor(Chip::tda, 1000, Chip::data);
  // Both wait for the end of a third station's frame.
  Recorder third(c.scheduler, &c.segment, "third", 4);
  third.port.transmit(make_frame(500, {0x00, 1, 2, 3, 4, 5}), c.now);
  c.step(50_us);
  c.other.port.transmit(make_frame(200, {0x00, 1, 2, 3, 4, 6}), c.now);
  c.transmit(Chip::tda);
  c.step(100_ms);
  const unsigned status = c.get(Chip::tda);
  CHECK(status >> 11 >= 1);
  CHECK((status & 0x07FF) == (Sonic::PTX | Sonic::DEF));
  CHECK(c.chip.counters().collisions == status >> 11);
}

TEST_CASE("SONIC: after sixteen collisions EXC, and both TXER and TXDN", "[sonic][transmit]") {
  Chip c;
  c.start();
  c.descriptor(Chip::tda, 1000, Chip::data);
  RelentlessSender other(c.scheduler, c.segment);
  other.port.transmit(make_frame(1514), c.now);
  c.step(100_us);
  c.transmit(Chip::tda);
  c.step(10_s);
  CHECK(c.get(Chip::tda) >> 11 == 16);
  CHECK((c.get(Chip::tda) & (Sonic::EXC | Sonic::PTX)) == Sonic::EXC);
  CHECK((c.in(Sonic::ISR) & (Sonic::TXER | Sonic::TXDN)) == (Sonic::TXER | Sonic::TXDN));
  CHECK((c.in(Sonic::CR) & Sonic::TXP) == 0);
  CHECK(c.in(Sonic::CTDA) == Chip::tda);
}

TEST_CASE("SONIC: without a cable the frame takes its time and the status says so", "[sonic][transmit]") {
  Chip c(4, false);
  c.start();
  c.descriptor(Chip::tda, 1000, Chip::data);
  c.transmit(Chip::tda);
  c.step(700_us);
  CHECK((c.in(Sonic::CR) & Sonic::TXP) != 0);
  c.step(200_us);
  CHECK(c.get(Chip::tda) == (Sonic::PTX | Sonic::NCRS | Sonic::CRSL));
  CHECK((c.in(Sonic::ISR) & (Sonic::TXDN | Sonic::TXER)) == Sonic::TXDN);
}

TEST_CASE("the cable pulled in mid-frame: carrier lost, the frame cut for the others", "[sonic][transmit]") {
  Chip c;
  c.start();
  c.descriptor(Chip::tda, 1000, Chip::data);
  c.transmit(Chip::tda);
  c.step(300_us);
  c.chip.port().set_plugged(false, c.now);
  c.step(1_ms);
  CHECK(c.get(Chip::tda) == (Sonic::PTX | Sonic::CRSL));
  REQUIRE(c.other.arrivals.size() == 1);
  CHECK_FALSE(c.other.arrivals[0].ok);
}

TEST_CASE("SONIC: a late collision is reported and the frame sent again", "[sonic][transmit]") {
  Chip c;
  c.start();
  c.descriptor(Chip::tda, 1500, Chip::data);
  c.transmit(Chip::tda);
  c.step(500_us);
  Recorder deaf(c.scheduler, nullptr, "deaf", 9);
  deaf.port.attach(c.segment);
  deaf.port.transmit(make_frame(60, {0x00, 1, 2, 3, 4, 5}), c.now);
  c.step(100_ms);
  CHECK((c.get(Chip::tda) & (Sonic::OWC | Sonic::PTX)) == (Sonic::OWC | Sonic::PTX));
  CHECK(c.get(Chip::tda) >> 11 == 1);
}

TEST_CASE("deferring for more than 3.2 ms gives the frame up, unless EXDIS is set", "[sonic][transmit]") {
  for (const unsigned config : {0u, unsigned{Sonic::EXDIS}}) {
    Chip c;
    c.start(0);
    c.other.port.transmit(Bytes(8000, 0x55), c.now);  // carrier for 6.4 ms
    c.step(100_us);
    c.descriptor(Chip::tda, 100, Chip::data, 1, config);
    c.transmit(Chip::tda);
    c.step(3_ms);
    CHECK((c.in(Sonic::CR) & Sonic::TXP) != 0);
    c.step(500_us);
    CHECK(((c.in(Sonic::ISR) & Sonic::TXER) != 0) == (config == 0));
    c.step(10_ms);
    CHECK(((c.get(Chip::tda) & Sonic::EXD) != 0) == (config == 0));
    CHECK(((c.get(Chip::tda) & Sonic::DEF) != 0));
    CHECK(((c.get(Chip::tda) & Sonic::PTX) != 0) == (config != 0));
  }
}

TEST_CASE("SONIC: the bus denied for too long: FIFO overrun and underrun", "[sonic]") {
  Chip c;
  c.start();
  c.other.port.transmit(c.for_us(1000), c.now);
  c.step(300_us);
  c.chip.bus_denied(c.now - 22_us, c.now);  // 28 bytes beyond the threshold of 4: 22.4 us
  c.step(1_ms);
  CHECK(c.get(c.receive(0), 6) == 0);
  c.other.port.transmit(c.for_us(1000), c.now);
  c.step(300_us);
  c.chip.bus_denied(c.now - 23_us, c.now);
  c.step(1_ms);
  CHECK((c.in(Sonic::ISR) & Sonic::RFO) != 0);
  CHECK(c.get(c.receive(1), 6) == 1);
  CHECK(c.chip.counters().overruns == 1);
  c.descriptor(Chip::tda, 1000, Chip::data);
  c.transmit(Chip::tda);
  c.step(300_us);
  c.chip.bus_denied(c.now - 7_us, c.now);
  CHECK((c.in(Sonic::CR) & Sonic::TXP) != 0);
  c.step(2_us);
  c.chip.bus_denied(c.now - 7_us, c.now);
  c.step(2_us);
  c.chip.bus_denied(c.now - 9_us, c.now);
  c.step(1_ms);
  CHECK((c.get(Chip::tda) & (Sonic::FU | Sonic::PTX)) == Sonic::FU);
  CHECK((c.in(Sonic::ISR) & Sonic::TXER) != 0);
  CHECK_FALSE(c.log.entries.back().good);
}

TEST_CASE("SONIC: a reset in the middle of a frame cuts it and the next frame is sound", "[sonic]") {
  Chip c;
  c.start();
  c.descriptor(Chip::tda, 1000, Chip::data);
  c.transmit(Chip::tda);
  c.step(300_us);
  c.chip.reset(c.now);
  c.start();
  c.transmit(Chip::tda);
  c.step(2_ms);
  REQUIRE(c.log.entries.size() == 2);
  CHECK_FALSE(c.log.entries[0].good);
  CHECK(c.log.entries[1].good);
  CHECK(c.get(Chip::tda) == Sonic::PTX);
}

TEST_CASE("memory that changes before the chip has fetched it changes the frame", "[sonic][transmit]") {
  Chip c;
  c.start();
  c.descriptor(Chip::tda, 1000, Chip::data);
  c.transmit(Chip::tda);
  c.step(300_us);
  for (const unsigned at : {100u, 900u}) {
    c.ram[Chip::data + at] = 0x77;
    c.chip.memory_written(Chip::data + at, 0x77, c.now);
  }
  c.step(2_ms);
  CHECK(c.log.entries.at(0).bytes[100] == 0);
  CHECK(c.log.entries.at(0).bytes[900] == 0x77);
  CHECK(c.log.entries.at(0).good);
}

// ---- loopback ----

TEST_CASE("loopback brings a whole frame back through the receiver, on the wire only through the transceiver",
          "[sonic][loopback]") {
  for (unsigned mode = 1; mode <= 3; ++mode) {
    Chip c;
    c.start(mode << 9 | Sonic::BRD);
    const Bytes frame = make_frame(120, own);
    c.fill(Chip::data, without_fcs(frame));
    c.descriptor(Chip::tda, 120, Chip::data);
    c.transmit(Chip::tda);
    c.step(1_ms);
    CHECK((c.in(Sonic::ISR) & (Sonic::TXDN | Sonic::PKTRX)) == (Sonic::TXDN | Sonic::PKTRX));
    CHECK((c.get(c.receive(0), 0) & (Sonic::PRX | Sonic::LBK)) == (Sonic::PRX | Sonic::LBK));
    CHECK(c.stored(0) == frame);
    CHECK(c.log.entries.size() == (mode == 3 ? 1 : 0));
    c.hear(c.for_us(100));
    CHECK(c.get(c.receive(1), 6) == 1);  // the wire is not listened to
  }
}

// ---- malformed structures ----

TEST_CASE("structures that point anywhere, and lists without an end, harm nobody", "[sonic][malformed]") {
  Chip c;
  c.start();
  // A descriptor that links to itself sends for ever, at the pace of the wire.
  c.descriptor(Chip::tda, 60, 0xFFFE, Chip::tda);
  c.transmit(Chip::tda);
  c.step(5_ms);
  CHECK(c.log.entries.size() > 60);
  CHECK(c.log.entries.size() < 5'000 / 67 + 2);
  c.out(Sonic::CR, Sonic::HTX);
  c.step(1_ms);
  // 65535 fragments, with addresses beyond memory.
  c.put(Chip::tda, {0, 0, 0xFFFF, 0xFFFF});
  c.transmit(Chip::tda);
  c.step(100_ms);
  CHECK((c.in(Sonic::CR) & Sonic::TXP) == 0);
  // No resource at all, and one of no bytes.
  c.start(Sonic::BRD, 4, 4, 0);
  c.hear(c.for_us(100));
  CHECK((c.in(Sonic::ISR) & Sonic::RBAE) != 0);
  // A resource list whose end is never met, descriptors in the last bytes of a page.
  c.out(Sonic::REA, 0x0002);
  c.out(Sonic::CRDA, 0xFFF4);
  for (int n = 0; n < 20; ++n) c.hear(c.for_us(1000));
  SUCCEED();
}

TEST_CASE("random registers and random memory: nothing hangs, nothing leaves the memory", "[sonic][malformed]") {
  Random random(20260101);
  for (int run = 0; run < 20; ++run) {
    Chip c(random.below(2) ? 4 : 2);
    c.start();
    for (auto& byte : c.ram) byte = static_cast<std::uint8_t>(random.next());
    for (int i = 0; i < 400; ++i) {
      const auto reg = static_cast<unsigned>(random.below(4) ? random.below(64) : random.below(6));
      c.out(reg, static_cast<unsigned>(random.next() & 0xFFFF));
      if (random.below(3) == 0) c.out(Sonic::CR, random.below(2) ? 0u : unsigned{Sonic::TXP | Sonic::RXEN});
      if (random.below(4) == 0 && !c.other.port.busy())
        c.other.port.transmit(make_frame(1 + random.below(1600), random.below(2) ? own : broadcast_mac), c.now);
      c.step(Time{static_cast<std::int64_t>(random.below(300'000'000))});
      c.in(static_cast<unsigned>(random.below(64)));
    }
  }
  SUCCEED();
}

TEST_CASE("SONIC: peeking changes nothing", "[sonic]") {
  Chip c;
  c.start();
  c.hear(c.for_us(100));
  Archive before = Archive::saver(), after = Archive::saver();
  c.chip.archive(before);
  for (unsigned reg = 0; reg < 64; ++reg) c.chip.peek(reg);
  c.chip.archive(after);
  CHECK(before.stream() == after.stream());
}
