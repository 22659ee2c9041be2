// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/ports/ns16550.hpp"

#include "tests/catch.hpp"
#include "tests/devices/board/bench.hpp"

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
  CHECK((s.in(lsr)&0x60) == 0x20);  // already in the shift register: there is room for another one
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

TEST_CASE("16550: the FIFO takes sixteen characters besides the one being sent", "[planar][ns16550]") {
  Serial s;
  s.speed(1);
  s.out(iir, 0x07);
  for (char c = 'a'; c < 'a' + 18; ++c) s.out(rbr, static_cast<std::uint8_t>(c));
  s.step(5_ms);
  CHECK(s.sent == "abcdefghijklmnopq");  // the eighteenth was lost
}

TEST_CASE("16550: reception at line speed, and overrun without FIFO", "[planar][ns16550]") {
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
  CHECK(s.in(rbr) == 'y');  // the older one is lost
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

TEST_CASE("16550: a full FIFO keeps its sixteen characters and reports the overrun", "[planar][ns16550]") {
  Serial s;
  s.speed(1);
  s.out(iir, 0x01);
  for (unsigned i = 0; i < 18; ++i) s.uart.receive(static_cast<std::uint8_t>(i), s.now);
  s.step(10_ms);
  CHECK((s.in(lsr)&0x02) != 0);
  for (unsigned i = 0; i < 16; ++i) CHECK(s.in(rbr) == i);
  CHECK((s.in(lsr)&0x01) == 0);
}

TEST_CASE("16550: loopback returns characters and leaves the line idle", "[planar][ns16550]") {
  Serial s;
  s.speed(1);
  s.out(mcr, 0x1B);
  s.out(ier, 0x01);
  s.out(rbr, 0x5A);
  s.step(1_ms);
  CHECK(s.in(rbr) == 0x5A);
  CHECK(s.sent.empty());
  CHECK_FALSE(s.irq.level);  // OUT 2 stays inside the loop
  s.out(lcr, 0x43);          // break
  s.out(rbr, 0x41);
  s.step(1_ms);
  CHECK((s.in(lsr)&0x19) == 0x19);
  CHECK(s.in(rbr) == 0x00);
}

namespace {

constexpr std::uint8_t loop_back = 0x10, break_on = 0x40;
constexpr std::uint8_t DR = 1, OE = 2, PE = 4, FE = 8, BI = 16, THRE = 32, TEMT = 64, fifo_error = 128;

/// In loop-back mode at 115200 bit/s.
struct Loop : Serial {
  explicit Loop(std::uint8_t format = 0x03) : format_(format) {
    speed(1, format);
    out(mcr, loop_back);
    in(msr);
  }
  void set_break(bool on) { out(lcr, static_cast<std::uint8_t>(format_ | (on ? break_on : 0))); }
  void bits(unsigned tenths) { step(Time{character(1, 1).ps * tenths / 10}); }

 private:
  std::uint8_t format_;
};

}  // namespace

TEST_CASE("16550: a break in loop-back is received without sending a character", "[planar][ns16550]") {
  Loop s;
  s.out(ier, 0x04);
  s.set_break(true);
  const Time begun = s.now;
  REQUIRE(s.wait([&] { return s.peek(lsr) & BI; }, 1_ms));
  CHECK(s.now - begun >= character(1, 9));
  CHECK(s.now - begun <= character(1, 10) + 1_us);
  CHECK((s.in(iir)&0x0F) == 0x06);
  CHECK(s.in(lsr) == (TEMT | THRE | BI | FE | DR));
  CHECK(s.in(lsr) == (TEMT | THRE | DR));
  CHECK(s.in(rbr) == 0);
  s.step(10_ms);  // one character, however long the break lasts
  CHECK(s.in(lsr) == (TEMT | THRE));
  s.set_break(false);
  s.step(1_ms);
  CHECK(s.in(lsr) == (TEMT | THRE));
  s.out(rbr, 0x5A);
  s.step(1_ms);
  CHECK(s.in(lsr) == (TEMT | THRE | DR));
  CHECK(s.in(rbr) == 0x5A);
  s.set_break(true);  // and again
  s.step(1_ms);
  CHECK((s.in(lsr)&BI) != 0);
  CHECK(s.sent.empty());  // SOUT is marking
}

TEST_CASE("16550: in loop-back each line status bit has its cause", "[planar][ns16550]") {
  SECTION("every format is received as it was sent") {
    for (unsigned format = 0; format < 0x40; ++format) {
      Loop s(static_cast<std::uint8_t>(format));
      s.out(iir, 0x01);
      for (const unsigned byte : {0x00u, 0xFFu, 0xA5u, 0x01u}) s.out(rbr, static_cast<std::uint8_t>(byte));
      s.step(2_ms);
      const unsigned mask = 0xFFu >> (3 - (format & 3));
      for (const unsigned byte : {0x00u, 0xFFu, 0xA5u, 0x01u}) {
        INFO("LCR " << format << " byte " << byte);
        CHECK(s.in(lsr) == (TEMT | THRE | DR));
        CHECK(s.in(rbr) == (byte & mask));
      }
      CHECK(s.in(lsr) == (TEMT | THRE));
    }
  }
  SECTION("THRE and TEMT while characters are sent") {
    Loop s;
    s.out(rbr, 1);
    CHECK(s.in(lsr) == THRE);
    s.out(rbr, 2);
    CHECK(s.in(lsr) == 0);
    s.step(character(1));
    CHECK(s.in(lsr) == (THRE | DR));
    s.step(character(1));
    CHECK(s.in(lsr) == (TEMT | THRE | OE | DR));
    CHECK(s.in(lsr) == (TEMT | THRE | DR));
    CHECK(s.in(rbr) == 2);
  }
  SECTION("a break has a parity error with odd parity, but not with even") {
    Loop even(0x1B), odd(0x0B), space(0x3B), mark(0x2B);
    for (Loop* s : {&even, &odd, &space, &mark}) {
      s->set_break(true);
      s->step(1_ms);
    }
    CHECK(even.in(lsr) == (TEMT | THRE | BI | FE | DR));
    CHECK(odd.in(lsr) == (TEMT | THRE | BI | FE | PE | DR));
    CHECK(space.in(lsr) == (TEMT | THRE | BI | FE | DR));
    CHECK(mark.in(lsr) == (TEMT | THRE | BI | FE | PE | DR));
  }
  SECTION("a break during only the parity bit is a parity error") {
    Loop s(0x0B);  // 8 bits, odd
    s.out(rbr, 0xFF);
    s.bits(92);
    s.set_break(true);
    s.bits(4);
    s.set_break(false);
    s.step(1_ms);
    CHECK(s.in(lsr) == (TEMT | THRE | PE | DR));
    CHECK(s.in(rbr) == 0xFF);
  }
  SECTION("a break during only the stop bit is a framing error and the next start bit") {
    Loop s;
    s.out(iir, 0x01);
    s.out(rbr, 0xFF);
    s.bits(90);
    s.set_break(true);
    s.bits(10);
    s.set_break(false);
    s.step(1_ms);
    CHECK(s.in(lsr) == (fifo_error | TEMT | THRE | FE | DR));
    CHECK(s.in(rbr) == 0xFF);
    CHECK(s.in(lsr) == (TEMT | THRE | DR));
    CHECK(s.in(rbr) == 0xFF);
    CHECK(s.in(lsr) == (TEMT | THRE));
  }
  SECTION("a break from mid-character ends the character with zeros, then is a break") {
    Loop s;
    s.out(iir, 0x01);
    s.out(rbr, 0xFF);
    s.bits(52);  // start bit, four bits
    s.set_break(true);
    s.step(1_ms);
    CHECK(s.in(rbr) == 0x0F);
    CHECK(s.in(lsr) == (fifo_error | TEMT | THRE | BI | FE | DR));
    CHECK(s.in(rbr) == 0);
    CHECK(s.in(lsr) == (TEMT | THRE));
  }
  SECTION("a break shorter than a character is not a break; one shorter than half a bit is ignored") {
    Loop s;
    s.set_break(true);
    s.bits(52);
    s.set_break(false);
    s.step(1_ms);
    CHECK(s.in(lsr) == (TEMT | THRE | DR));
    CHECK(s.in(rbr) == 0xF0);
    s.set_break(true);
    s.bits(2);
    s.set_break(false);
    s.step(1_ms);
    CHECK(s.in(lsr) == (TEMT | THRE));
  }
  SECTION("an overrun preserves the FIFO") {
    Loop s;
    s.out(iir, 0x01);
    for (unsigned i = 0; i < 17; ++i) s.out(rbr, static_cast<std::uint8_t>(i));
    s.step(2_ms);
    CHECK(s.in(lsr) == (TEMT | THRE | OE | DR));
    for (unsigned i = 0; i < 16; ++i) CHECK(s.in(rbr) == i);
    CHECK(s.in(lsr) == (TEMT | THRE));
  }
}

TEST_CASE("16550: in loop-back each modem control bit drives one modem input", "[planar][ns16550]") {
  struct {
    std::uint8_t output, input, delta;
  } const lines[] = {{1, 0x20, 0x02}, {2, 0x10, 0x01}, {4, 0x40, 0x00}, {8, 0x80, 0x08}};
  for (const auto& line : lines) {
    INFO("MCR " << int{line.output});
    Serial s;
    s.uart.set_modem(true, true, true, true, s.now);
    s.in(msr);
    s.out(ier, 0x08);
    s.out(mcr, loop_back);  // the four pins are disconnected
    CHECK(s.in(msr) == 0x0F);
    s.uart.set_modem(false, false, false, false, s.now);
    CHECK(s.in(msr) == 0);
    CHECK((s.in(iir)&0x0F) == 0x01);
    s.out(mcr, static_cast<std::uint8_t>(loop_back | line.output));
    CHECK((s.in(iir)&0x0F) == (line.delta ? 0x00 : 0x01));
    CHECK_FALSE(s.irq.level);  // OUT 2's pin is inactive
    CHECK(s.in(msr) == (line.input | line.delta));
    CHECK(s.in(msr) == line.input);
    s.out(mcr, loop_back);
    CHECK((s.in(iir)&0x0F) == 0x00);
    CHECK(s.in(msr) == (line.delta ? line.delta : 0x04));  // only the end of RI is reported
    s.out(mcr, 0x0F);                                      // the pins are connected again
    CHECK((s.in(msr)&0xF0) == 0);
  }
}

TEST_CASE("16550: in loop-back the pins are not used", "[planar][ns16550]") {
  Loop s;
  s.uart.receive('x', s.now);
  s.step(1_ms);
  CHECK(s.in(lsr) == (TEMT | THRE));
  s.out(rbr, 'y');
  s.bits(30);
  s.out(mcr, 0x00);  // loop-back is left in the middle of a character, which is not received
  s.step(1_ms);
  CHECK(s.in(lsr) == (TEMT | THRE));
}

TEST_CASE("16550: modem lines, their deltas and the interrupt", "[planar][ns16550]") {
  Serial s;
  s.out(mcr, 0x0B);
  s.out(ier, 0x08);
  CHECK(s.in(msr) == 0xB0);
  s.uart.set_modem(false, true, true, true, s.now);
  CHECK(s.irq.level);
  CHECK(s.in(msr) == 0xE1);  // CTS went inactive; RI is reported when it ends
  CHECK_FALSE(s.irq.level);
  s.uart.set_modem(false, true, false, true, s.now);
  CHECK(s.in(msr) == 0xA4);
  CHECK(s.in(msr) == 0xA0);
}

TEST_CASE("16550: a snapshot between two bits does not affect the transfer", "[planar][ns16550]") {
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

TEST_CASE("16550: a snapshot within a looped-back break does not affect it", "[planar][ns16550]") {
  Loop s;
  Serial t;
  s.out(rbr, 0x33);
  s.bits(33);
  s.set_break(true);
  s.bits(21);
  t.until(s.now);
  REQUIRE(tests::survives_snapshot(s.uart, t.uart));
  for (int i = 0; i < 400; ++i) {
    s.step(1_us);
    t.step(1_us);
    REQUIRE(s.peek(lsr) == t.peek(lsr));
  }
  CHECK((s.in(lsr)&BI) != 0);
}
