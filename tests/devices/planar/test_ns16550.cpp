// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/planar/ports/ns16550.hpp"

#include "tests/catch.hpp"
#include "tests/devices/planar/bench.hpp"

using namespace planar;
using planar::tests::PlanarBench;
using planar::tests::Probe;

namespace {

constexpr std::uint16_t base = 0x3F8;
constexpr std::uint16_t rbr = base, ier = base + 1, iir = base + 2, lcr = base + 3, mcr = base + 4, lsr = base + 5,
                        msr = base + 6, scr = base + 7;

struct Serial : PlanarBench {
  Ns16550 uart{scheduler, trace, "com1"};
  Probe irq;
  std::string sent;
  std::vector<Time> times;
  Serial() {
    uart.claim_ports(io, base);
    uart.irq.connect(irq);
    uart.on_output([this](std::uint8_t byte, Time when) {
      sent += static_cast<char>(byte);
      times.push_back(when);
    });
  }
  void speed(unsigned divisor, std::uint8_t format = 0x03) {
    out(lcr, 0x80);
    out(rbr, static_cast<std::uint8_t>(divisor));
    out(ier, static_cast<std::uint8_t>(divisor >> 8));
    out(lcr, format);
  }
};

/// One character of `bits` bits at the divisor.
Time character(unsigned divisor, unsigned bits = 10) { return Time{(1_s).ps * 16 * divisor * bits / 1'843'200}; }

}  // namespace

TEST_CASE("16550: the kernel's detection sequence finds a 16550A", "[planar][ns16550]") {
  Serial s;
  const std::uint8_t saved = s.in(ier);
  s.out(ier, 0);
  CHECK(s.in(ier) == 0);
  s.out(ier, saved);
  s.out(mcr, 0x1A);  // loopback, OUT 2, RTS
  CHECK((s.in(msr)&0xF0) == 0x90);
  s.out(mcr, 0x00);
  s.out(scr, 0xA5);
  CHECK(s.in(scr) == 0xA5);
  s.out(iir, 0x01);
  CHECK(s.in(iir) >> 6 == 3);
  s.out(iir, 0x00);
  CHECK(s.in(iir) >> 6 == 0);
  s.speed(0x1234);
  s.out(lcr, 0x83);
  CHECK(s.in(rbr) == 0x34);
  CHECK(s.in(ier) == 0x12);
}

TEST_CASE("16550: characters are sent at the time of their last bit", "[planar][ns16550]") {
  Serial s;
  s.speed(3);  // 38400 8N1
  s.out(rbr, 'a');
  const Time first = s.now;
  CHECK((s.in(lsr)&0x60) == 0x20);  // already in the shift register: room for another
  s.out(rbr, 'b');
  CHECK((s.in(lsr)&0x60) == 0x00);
  s.step(3_ms);
  REQUIRE(s.sent == "ab");
  CHECK(s.times[0] - first >= character(3));
  CHECK(s.times[0] - first < character(3) + 1_us);
  CHECK(s.times[1] - s.times[0] <= character(3) + 1_us);
  CHECK(s.times[1] - s.times[0] >= character(3) - 1_us);
  CHECK((s.in(lsr)&0x60) == 0x60);
}

TEST_CASE("16550: character formats have the right lengths", "[planar][ns16550]") {
  struct {
    std::uint8_t lcr;
    unsigned halves;
  } const formats[] = {{0x00, 14}, {0x04, 15}, {0x03, 20}, {0x07, 22}, {0x1F, 24}, {0x0A, 20}, {0x06, 20}};
  for (const auto& f : formats) {
    Serial s;
    s.speed(12, f.lcr);
    s.out(rbr, 0xFF);
    const Time start = s.now;
    s.step(20_ms);
    REQUIRE(s.times.size() == 1);
    const Time expected = Time{(1_s).ps * 8 * 12 * f.halves / 1'843'200};
    CHECK(s.times[0] - start >= expected);
    CHECK(s.times[0] - start < expected + 1_us);
    CHECK(static_cast<std::uint8_t>(s.sent[0]) == (0xFF >> (3 - (f.lcr & 3))));
  }
}

TEST_CASE("16550: transmitter-empty interrupt, as drivers use it", "[planar][ns16550]") {
  Serial s;
  s.speed(3);
  s.out(mcr, 0x0B);
  CHECK((s.in(iir)&0x0F) == 0x01);
  s.out(ier, 0x02);  // the holding register is empty: immediate interrupt
  CHECK(s.irq.level);
  CHECK((s.in(iir)&0x0F) == 0x02);
  CHECK_FALSE(s.irq.level);  // reading IIR acknowledged it
  s.out(rbr, 'x');
  CHECK(s.irq.level);  // went straight into the shift register
  s.out(rbr, 'y');
  CHECK_FALSE(s.irq.level);
  s.step(400_us);
  CHECK(s.irq.level);
  s.out(mcr, 0x03);  // OUT 2 gates the line
  CHECK_FALSE(s.irq.level);
}

TEST_CASE("16550: sixteen characters fit into the FIFO in addition to the one being sent", "[planar][ns16550]") {
  Serial s;
  s.speed(1);
  s.out(iir, 0x07);
  for (char c = 'a'; c < 'a' + 18; ++c) s.out(rbr, static_cast<std::uint8_t>(c));
  s.step(5_ms);
  CHECK(s.sent == "abcdefghijklmnopq");  // the eighteenth was lost
}

TEST_CASE("16550: reception at line speed, overrun without FIFO", "[planar][ns16550]") {
  Serial s;
  s.speed(12);  // 9600
  s.out(mcr, 0x0B);
  s.out(ier, 0x05);
  const Time start = s.now;
  for (const char c : {'h', 'e', 'y'}) s.uart.receive(static_cast<std::uint8_t>(c), s.now);
  REQUIRE(s.wait([&] { return s.irq.level; }, 5_ms));
  CHECK(s.now - start >= character(12));
  CHECK(s.now - start < character(12) + 3_us);
  CHECK((s.in(iir)&0x0F) == 0x04);
  CHECK(s.in(rbr) == 'h');
  CHECK_FALSE(s.irq.level);
  s.step(3 * character(12));
  CHECK((s.in(iir)&0x0F) == 0x06);  // line status comes first
  CHECK((s.in(lsr)&0x03) == 0x03);
  CHECK((s.in(lsr)&0x02) == 0x00);
  CHECK((s.in(iir)&0x0F) == 0x04);
  CHECK(s.in(rbr) == 'y');  // the older one is gone
  CHECK((s.in(lsr)&0x01) == 0);
}

TEST_CASE("16550: FIFO trigger level and character time-out", "[planar][ns16550]") {
  Serial s;
  s.speed(1);        // 115200
  s.out(iir, 0x81);  // trigger at 8
  s.out(mcr, 0x0B);
  s.out(ier, 0x01);
  for (unsigned i = 0; i < 11; ++i) s.uart.receive(static_cast<std::uint8_t>(i), s.now);
  REQUIRE(s.wait([&] { return s.irq.level; }, 5_ms));
  CHECK((s.in(iir)&0x0F) == 0x04);
  for (unsigned i = 0; i < 8; ++i) CHECK(s.in(rbr) == i);
  CHECK_FALSE(s.irq.level);
  const Time arrived = s.now + 3 * character(1);
  REQUIRE(s.wait([&] { return s.irq.level; }, 5_ms));
  CHECK((s.in(iir)&0x0F) == 0x0C);
  CHECK(s.now > arrived);
  CHECK(s.in(rbr) == 8);
  CHECK_FALSE(s.irq.level);
  CHECK(s.in(rbr) == 9);
  CHECK(s.in(rbr) == 10);
  CHECK((s.in(iir)&0x0F) == 0x01);
}

TEST_CASE("16550: a full FIFO keeps its sixteen and reports the overrun", "[planar][ns16550]") {
  Serial s;
  s.speed(1);
  s.out(iir, 0x01);
  for (unsigned i = 0; i < 18; ++i) s.uart.receive(static_cast<std::uint8_t>(i), s.now);
  s.step(10_ms);
  CHECK((s.in(lsr)&0x02) != 0);
  for (unsigned i = 0; i < 16; ++i) CHECK(s.in(rbr) == i);
  CHECK((s.in(lsr)&0x01) == 0);
}

TEST_CASE("16550: loopback sends to itself and leaves the line idle", "[planar][ns16550]") {
  Serial s;
  s.speed(1);
  s.out(mcr, 0x1B);
  s.out(ier, 0x01);
  s.out(rbr, 0x5A);
  s.step(1_ms);
  CHECK(s.in(rbr) == 0x5A);
  CHECK(s.sent.empty());
  CHECK_FALSE(s.irq.level);  // OUT 2 is inside the loop
  s.out(lcr, 0x43);          // break
  s.out(rbr, 0x41);
  s.step(1_ms);
  CHECK((s.in(lsr)&0x19) == 0x19);
  CHECK(s.in(rbr) == 0x00);
}

TEST_CASE("16550: modem lines, their deltas and the interrupt", "[planar][ns16550]") {
  Serial s;
  s.out(mcr, 0x0B);
  s.out(ier, 0x08);
  CHECK(s.in(msr) == 0xB0);
  s.uart.set_modem(false, true, true, true, s.now);
  CHECK(s.irq.level);
  CHECK(s.in(msr) == 0xE1);  // CTS went; RI counts when it ends
  CHECK_FALSE(s.irq.level);
  s.uart.set_modem(false, true, false, true, s.now);
  CHECK(s.in(msr) == 0xA4);
  CHECK(s.in(msr) == 0xA0);
}

TEST_CASE("16550: a snapshot between two bits", "[planar][ns16550]") {
  Serial s, t;
  s.speed(3);
  s.out(iir, 0x01);
  for (const char c : {'1', '2', '3'}) s.out(rbr, static_cast<std::uint8_t>(c));
  s.uart.receive('z', s.now);
  s.step(100_us);
  t.until(s.now);
  REQUIRE(tests::survives_snapshot(s.uart, t.uart));
  s.step(2_ms);
  t.step(2_ms);
  CHECK(t.sent == "123");
  CHECK(t.times == s.times);
  CHECK(t.in(rbr) == 'z');
}
