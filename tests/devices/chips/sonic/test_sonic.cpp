// SPDX-License-Identifier: GPL-2.0-or-later
// The SONIC beyond what a correct driver sees: registers, timer, 16-bit mode, the bus, loopback, malformed structures.
#include "core/common/random.hpp"
#include "tests/devices/chips/sonic/sonic_bench.hpp"

using namespace planar;
using namespace planar::test;

// ---- registers ----

TEST_CASE("registers have their reset values and writable bits", "[sonic]") {
  SonicBench c;
  CHECK(c.in(Sonic::CR) == (Sonic::RST | Sonic::STP | Sonic::RXDIS));
  CHECK(c.in(Sonic::TCR) == (Sonic::NCRS | Sonic::PTX));
  CHECK(c.in(Sonic::EOBC) == 0x02F8);
  c.out(Sonic::DCR, 0xFFFF);
  CHECK(c.in(Sonic::DCR) == 0xBFFF);
  c.out(Sonic::DCR, 0x0360);
  c.out(Sonic::CR, Sonic::RXEN | Sonic::RRRA);  // RST is left by writing 0; the write has no other effect
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

TEST_CASE("a software reset keeps registers, causes and the timer, but ends commands and reception", "[sonic]") {
  SonicBench c;
  c.start();
  c.out(Sonic::CR, Sonic::ST);
  c.hear(c.for_us(100));
  const auto causes = c.in(Sonic::ISR);
  CHECK((causes & Sonic::PKTRX) != 0);
  c.out(Sonic::CR, Sonic::RST);
  CHECK(c.in(Sonic::CR) == (Sonic::RST | Sonic::ST | Sonic::RXDIS));
  CHECK(c.in(Sonic::ISR) == causes);
  CHECK(c.in(Sonic::IMR) == 0x7FFF);
  CHECK(c.in(Sonic::CRBA0) == SonicBench::buffers + 0x800);
  c.out(Sonic::CR, Sonic::TXP);
  CHECK((c.in(Sonic::CR)&Sonic::TXP) == 0);
  c.hear(c.for_us(100));
  CHECK(c.get(c.receive(1), 6) == 1);
}

TEST_CASE("sixteen CAM entries are loaded by number and can be read back in reset", "[sonic][cam]") {
  SonicBench c;
  c.out(Sonic::DCR, 0x0360);
  c.out(Sonic::CR, 0);
  for (unsigned n = 0; n < 16; ++n) c.put(SonicBench::cda + 16 * n, {15 - n, 0x100 * n, 0x200 + n, 0x300 + n});
  c.put(SonicBench::cda + 256, {0xA5A5});
  c.out(Sonic::CDP, SonicBench::cda);
  c.out(Sonic::CDC, 16);
  c.chip.write(Sonic::CR, Sonic::LCAM, c.now);
  CHECK((c.in(Sonic::CR)&Sonic::LCAM) != 0);
  CHECK((c.in(Sonic::ISR)&Sonic::LCD) == 0);
  c.step(14_us);  // 65 words of 200 ns
  CHECK((c.in(Sonic::CR)&Sonic::LCAM) == 0);
  CHECK((c.in(Sonic::ISR)&Sonic::LCD) != 0);
  CHECK(c.in(Sonic::CE) == 0xA5A5);
  CHECK(c.in(Sonic::CDC) == 0);
  CHECK(c.in(Sonic::CDP) == SonicBench::cda + 256);
  CHECK(c.in(Sonic::CAP0) == 0);
  c.out(Sonic::CR, Sonic::RST);
  for (unsigned n = 0; n < 16; ++n) {
    c.out(Sonic::CEP, 15 - n);
    CHECK(c.in(Sonic::CAP0) == 0x100 * n);
    CHECK(c.in(Sonic::CAP1) == 0x200 + n);
    CHECK(c.in(Sonic::CAP2) == 0x300 + n);
  }
}

TEST_CASE("the watchdog timer counts down at 5 MHz and sets TC when it wraps", "[sonic][timer]") {
  SonicBench c;
  c.start();
  c.out(Sonic::WT0, 4999);
  c.out(Sonic::WT1, 0);
  c.step(10_ms);
  CHECK(c.in(Sonic::WT0) == 4999);
  c.out(Sonic::CR, Sonic::ST);
  CHECK((c.in(Sonic::CR) & (Sonic::ST | Sonic::STP)) == Sonic::ST);
  c.step(499_us);
  CHECK(c.in(Sonic::WT0) == 4999 - 2500);
  CHECK((c.in(Sonic::ISR)&Sonic::TC) == 0);
  c.step(501_us);
  CHECK((c.in(Sonic::ISR)&Sonic::TC) != 0);
  CHECK(c.line);
  CHECK(c.in(Sonic::WT1) == 0xFFFF);
  c.out(Sonic::CR, Sonic::STP);
  const auto value = c.in(Sonic::WT0);
  c.step(1_ms);
  CHECK(c.in(Sonic::WT0) == value);
}

TEST_CASE("SONIC: IMR masks causes without clearing them; the line is a level", "[sonic]") {
  SonicBench c;
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

TEST_CASE("in 16-bit mode fields are words", "[sonic]") {
  SonicBench c(2);
  c.start();
  c.hear(c.for_us(61));
  CHECK(c.stored(0) == c.for_us(61));
  CHECK(c.get(c.receive(0), 6) == 0);
  CHECK(c.ram[SonicBench::buffers + 65] == 0xFF);
  CHECK(c.ram[SonicBench::buffers + 66] == 0x00);
  c.fill(SonicBench::data, without_fcs(make_frame(100)));
  c.descriptor(SonicBench::tda, 100, SonicBench::data);
  c.transmit(SonicBench::tda);
  c.step(1_ms);
  CHECK(c.get(SonicBench::tda) == Sonic::PTX);
  CHECK(c.log.entries.back().good);
}

TEST_CASE("SONIC: a bus denied for too long causes FIFO overrun or underrun", "[sonic]") {
  SonicBench c;
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
  CHECK((c.in(Sonic::ISR)&Sonic::RFO) != 0);
  CHECK(c.get(c.receive(1), 6) == 1);
  CHECK(c.chip.counters().overruns == 1);
  c.descriptor(SonicBench::tda, 1000, SonicBench::data);
  c.transmit(SonicBench::tda);
  c.step(300_us);
  c.chip.bus_denied(c.now - 7_us, c.now);
  CHECK((c.in(Sonic::CR)&Sonic::TXP) != 0);
  c.step(2_us);
  c.chip.bus_denied(c.now - 7_us, c.now);
  c.step(2_us);
  c.chip.bus_denied(c.now - 9_us, c.now);
  c.step(1_ms);
  CHECK((c.get(SonicBench::tda) & (Sonic::FU | Sonic::PTX)) == Sonic::FU);
  CHECK((c.in(Sonic::ISR)&Sonic::TXER) != 0);
  CHECK_FALSE(c.log.entries.back().good);
}

TEST_CASE("SONIC: a reset in mid-frame truncates the frame, and the next one is sound", "[sonic]") {
  SonicBench c;
  c.start();
  c.descriptor(SonicBench::tda, 1000, SonicBench::data);
  c.transmit(SonicBench::tda);
  c.step(300_us);
  c.chip.reset(c.now);
  c.start();
  c.transmit(SonicBench::tda);
  c.step(2_ms);
  REQUIRE(c.log.entries.size() == 2);
  CHECK_FALSE(c.log.entries[0].good);
  CHECK(c.log.entries[1].good);
  CHECK(c.get(SonicBench::tda) == Sonic::PTX);
}

// ---- loopback ----

TEST_CASE("loopback returns a whole frame to the receiver, and only transceiver loopback uses the wire",
          "[sonic][loopback]") {
  for (unsigned mode = 1; mode <= 3; ++mode) {
    SonicBench c;
    c.start(mode << 9 | Sonic::BRD);
    const Bytes frame = make_frame(120, SonicBench::own);
    c.fill(SonicBench::data, without_fcs(frame));
    c.descriptor(SonicBench::tda, 120, SonicBench::data);
    c.transmit(SonicBench::tda);
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

namespace {

/// After a reset and a driver's start the chip receives and sends like a new one.
void check_works_after_reset(SonicBench& c) {
  c.out(Sonic::CR, Sonic::RST);
  c.out(Sonic::DCR2, 0);  // preserved by the software reset; RJCM would invert the address filter
  c.out(Sonic::DCR, 0);   // if DW is set the low bits of the resource pointers keep their value
  for (const unsigned pointer : {Sonic::RSA, Sonic::REA, Sonic::RRP, Sonic::RWP}) c.out(pointer, 0);
  c.start();
  const Bytes frame = c.for_us(100, 0x5A);
  c.hear(frame);
  CHECK(c.get(c.receive(0), 6) == 0);
  CHECK(c.stored(0) == frame);
  const std::size_t sent = c.log.entries.size();
  c.descriptor(SonicBench::tda, 100, SonicBench::data);
  c.transmit(SonicBench::tda);
  c.step(1_ms);
  CHECK(c.log.entries.size() == sent + 1);
  CHECK((c.get(SonicBench::tda) & ~Sonic::DEF) == Sonic::PTX);
}

}  // namespace

TEST_CASE("arbitrary pointers and endless lists do no harm", "[sonic][malformed]") {
  SonicBench c;
  c.start();
  // A descriptor that links to itself is sent for ever, at wire speed.
  c.descriptor(SonicBench::tda, 60, 0xFFFE, SonicBench::tda);
  c.transmit(SonicBench::tda);
  c.step(5_ms);
  CHECK(c.log.entries.size() > 60);
  CHECK(c.log.entries.size() < 5'000 / 67 + 2);
  c.out(Sonic::CR, Sonic::HTX);
  c.step(1_ms);
  // 65535 fragments, with addresses beyond memory.
  c.put(SonicBench::tda, {0, 0, 0xFFFF, 0xFFFF});
  c.transmit(SonicBench::tda);
  c.step(100_ms);
  CHECK((c.in(Sonic::CR)&Sonic::TXP) == 0);
  // No resource at all, and an empty one.
  c.start(Sonic::BRD, 4, 4, 0);
  c.hear(c.for_us(100));
  CHECK((c.in(Sonic::ISR)&Sonic::RBAE) != 0);
  // A resource list whose end is never reached, and descriptors in the last bytes of a page.
  c.out(Sonic::REA, 0x0002);
  c.out(Sonic::CRDA, 0xFFF4);
  for (int n = 0; n < 20; ++n) c.hear(c.for_us(1000));
  check_works_after_reset(c);
}

TEST_CASE("random registers and memory neither hang the chip nor reach beyond memory", "[sonic][malformed]") {
  Random random(20260101);
  for (int run = 0; run < 20; ++run) {
    SonicBench c(random.below(2) ? 4 : 2);
    c.start();
    for (auto& byte : c.ram) byte = static_cast<std::uint8_t>(random.next());
    for (int i = 0; i < 400; ++i) {
      const auto reg = static_cast<unsigned>(random.below(4) ? random.below(64) : random.below(6));
      c.out(reg, static_cast<unsigned>(random.next() & 0xFFFF));
      if (random.below(3) == 0) c.out(Sonic::CR, random.below(2) ? 0u : unsigned{Sonic::TXP | Sonic::RXEN});
      if (random.below(4) == 0 && !c.other.port.busy())
        c.other.port.transmit(make_frame(1 + random.below(1600), random.below(2) ? SonicBench::own : broadcast_mac),
                              c.now);
      c.step(Time{static_cast<std::int64_t>(random.below(300'000'000))});
      c.in(static_cast<unsigned>(random.below(64)));
    }
    c.step(100_ms);  // frames on the wire end
    check_works_after_reset(c);
  }
}

TEST_CASE("SONIC: peeking has no side effects", "[sonic]") {
  SonicBench c;
  c.start();
  c.hear(c.for_us(100));
  Archive before = Archive::saver(), after = Archive::saver();
  c.chip.archive(before);
  for (unsigned reg = 0; reg < 64; ++reg) c.chip.peek(reg);
  c.chip.archive(after);
  CHECK(before.stream() == after.stream());
}
