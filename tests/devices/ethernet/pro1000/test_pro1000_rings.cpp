// SPDX-License-Identifier: GPL-2.0-or-later
// PRO/1000: interrupt delays, thresholds, overrun and recovery, flow control, and the rings' cost on the bus.
#include "tests/devices/ethernet/pro1000/pro1000_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

constexpr Time unit = 1'024_ns;

/// Time until the interrupt, but at most `most`.
Time until_interrupt(Pro1000Bench& b, Time most = 2'000_us) {
  const Time begun = b.rig.now;
  while (!b.interrupt() && b.rig.now - begun < most) b.rig.step(100_ns);
  return b.rig.now - begun;
}

/// The card's bursts, by length; negative: writes.
struct Bursts final : bus::BusObserver {
  explicit Bursts(Pro1000Bench& b) : bench(b) { bench.rig.segment.add_observer(*this); }
  ~Bursts() { bench.rig.segment.remove_observer(*this); }
  void transferred(const std::string&, const bus::Transfer& t, Time, Time) override {
    log.push_back(t.direction == Direction::write ? -static_cast<int>(t.bytes) : static_cast<int>(t.bytes));
    widths.push_back(t.width);
  }
  int count(int bytes) const { return static_cast<int>(std::count(log.begin(), log.end(), bytes)); }
  Pro1000Bench& bench;
  std::vector<int> log;
  std::vector<unsigned> widths;
};

}  // namespace

TEST_CASE("PRO/1000: with RDTR 0 each frame interrupts immediately") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open(0);
  b.other.port.transmit(make_frame(60, b.own), b.rig.now);
  CHECK(until_interrupt(b) < 5_us);
  CHECK(b.get(e1000::ICR) == e1000::RXT0);
}

TEST_CASE("PRO/1000: each frame restarts RDTR, which interrupts after a pause") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open(64);  // 65.5 us
  for (unsigned n = 0; n < 5; ++n) {
    b.other.port.transmit(make_frame(60, b.own), b.rig.now);
    b.rig.step(60_us);
    CHECK_FALSE(b.interrupt());
  }
  b.other.port.transmit(make_frame(60, b.own), b.rig.now);
  const Time waited = until_interrupt(b);
  CHECK(waited > unit * 64);
  CHECK(waited < unit * 64 + 5_us);
  CHECK(b.handle() == e1000::RXT0);
  CHECK(b.received.size() == 6);
  SECTION("used descriptors are written back by then, or earlier if software flushes them") {
    b.other.port.transmit(make_frame(60, b.own), b.rig.now);
    b.rig.step(10_us);
    CHECK_FALSE(b.interrupt());
    b.put(e1000::RDTR, 64 | 0x80000000);
    CHECK(b.interrupt());
    b.handle();
    CHECK(b.received.size() == 7);
  }
}

TEST_CASE("PRO/1000: under load RDTR does not interrupt, and RXDMT0 does when half of the ring is used") {
  const unsigned rdmts = GENERATE(0u, 1u, 2u);
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open(128, 128, rdmts << 8);
  const std::size_t free_at = Pro1000Bench::descriptors / (2u << rdmts);
  const std::vector<Bytes> frames(79 - free_at - 1, make_frame(60, b.own));
  b.hear_all(frames);
  b.rig.step(10_us);
  CHECK_FALSE(b.interrupt());
  b.hear_all({make_frame(60, b.own)});
  b.rig.step(10_us);
  CHECK(b.interrupt());
  CHECK(b.get(e1000::ICR) == e1000::RXDMT0);
}

TEST_CASE("PRO/1000: each descriptor with IDE restarts TIDV; one without IDE interrupts immediately") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open(0, 64);
  for (unsigned n = 0; n < 5; ++n) {
    b.send(body(60));
    b.rig.step(60_us);
    CHECK_FALSE(b.interrupt());
  }
  SECTION("after a pause") {
    b.send(body(60));
    const Time waited = until_interrupt(b);
    CHECK(waited > unit * 64);
    CHECK(waited < unit * 64 + 5_us);
  }
  SECTION("immediately, and the timer is cleared") {
    b.queue(body(60), b.eop | b.ifcs | b.rs);
    b.set(e1000::TDT, b.next_tx);
    CHECK(until_interrupt(b) < 5_us);
    CHECK(b.handle() & e1000::TXDW);
    b.rig.step(200_us);
    CHECK_FALSE(b.interrupt());
  }
  SECTION("an empty ring waits for the timer") {
    b.rig.step(200_us);
    b.handle();
    unsigned last = 0;
    for (unsigned n = 0; n < 78; ++n) last = b.send(body(60));
    while (!b.sent(last)) b.rig.step(100_ns);
    CHECK_FALSE(b.interrupt());
    const Time waited = until_interrupt(b);
    CHECK(waited > unit * 64 - 200_ns);
    CHECK(waited < unit * 64 + 200_ns);
    b.handle();
    CHECK(b.oldest_tx == b.next_tx);
  }
}

TEST_CASE("PRO/1000: TXQE is raised when head and tail meet") {
  Pro1000Bench b;
  b.open();
  b.set(e1000::IMS, e1000::TXQE);
  b.send(body(60));
  CHECK(until_interrupt(b) < 5_us);
  CHECK(b.get(e1000::ICR) & e1000::TXQE);
  CHECK(b.get(e1000::TDH) == b.next_tx);
}

TEST_CASE("PRO/1000: RPS reports when the frame has been sent, RS when it has been read") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open();
  const auto reported = [&](std::uint32_t how) {
    const unsigned n = b.queue(body(1000), b.eop | b.ifcs | how);
    b.set(e1000::TDT, b.next_tx);
    const std::size_t before = b.other.arrivals.size();
    while (!b.sent(n)) b.rig.step(100_ns);
    const bool left = b.other.arrivals.size() > before;
    b.rig.step(30_us);
    return left;
  };
  CHECK_FALSE(reported(b.rs));
  CHECK(reported(b.rps));
}

TEST_CASE("PRO/1000: ICS sets causes, IMS and IMC mask them, reading ICR clears them") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open();
  b.put(e1000::ICS, e1000::RXO | e1000::TXDW);
  CHECK(b.interrupt());
  b.put(e1000::IMC, e1000::TXDW);
  CHECK_FALSE(b.interrupt());  // RXO is not among the driver's
  b.put(e1000::IMS, e1000::RXO);
  CHECK(b.interrupt());
  CHECK(b.get(e1000::IMS) == (e1000::ims_enable & ~e1000::TXDW | e1000::RXO));
  CHECK(b.rig.load(b.at(e1000::ICR), 1) == (e1000::RXO | e1000::TXDW));
  CHECK_FALSE(b.interrupt());
  CHECK(b.get(e1000::ICR) == 0);

  // A byte written to ICR acknowledges only causes in that byte.
  b.put(e1000::ICS, e1000::TXDW | 1u << 8);
  b.rig.store(b.at(e1000::ICR), e1000::TXDW, 1);
  b.rig.step(1_us);
  CHECK(b.get(e1000::ICR) == 1u << 8);
}

TEST_CASE("PRO/1000: without descriptors the packet buffer fills, then frames are missed; a refilled ring resumes") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open();
  b.set(e1000::IMC, ~0u);
  constexpr std::size_t in_ring = 79, in_buffer = 48 * 1024 / 80;  // 64 bytes and a header of 16
  b.hear_all(std::vector<Bytes>(in_ring, make_frame(60, b.own)));
  b.rig.step(100_us);
  CHECK(b.get(e1000::RNBC) == 0);
  b.hear_all(std::vector<Bytes>(in_buffer, make_frame(60, b.own)));
  b.rig.step(100_us);
  CHECK(b.get(e1000::MPC) == 0);
  CHECK(b.get(e1000::RNBC) == in_buffer);
  CHECK_FALSE(b.get(e1000::ICR) & e1000::RXO);
  b.hear_all(std::vector<Bytes>(10, make_frame(60, b.own)));
  b.rig.step(10_us);
  CHECK(b.get(e1000::MPC) == 10);
  CHECK(b.get(e1000::GPRC) == in_ring + in_buffer);  // excluding the lost ones
  CHECK(b.get(e1000::ICR) & e1000::RXO);
  for (int n = 0; n < 20; ++n) {
    b.receive();
    b.rig.step(200_us);
  }
  CHECK(b.received.size() == in_ring + in_buffer);
  b.hear(make_frame(100, b.own, 7));
  b.receive();
  CHECK(b.received.back() == without_fcs(make_frame(100, b.own, 7)));
}

TEST_CASE("PRO/1000: PBA divides the packet buffer") {
  Pro1000Bench b;
  b.open();
  CHECK(b.get(e1000::PBA) == 0x00100030);
  b.put(e1000::PBA, 8);
  CHECK(b.get(e1000::PBA) == 0x00380008);
  b.set(e1000::IMC, ~0u);
  b.hear_all(std::vector<Bytes>(79 + 102 + 5, make_frame(60, b.own)));
  b.rig.step(50_us);
  CHECK(b.get(e1000::MPC) == 5);
}

TEST_CASE("PRO/1000: a pause frame stops the transmitter for its duration") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.other.port.restore_pcs({true, Pcs::full_duplex | Pcs::pause | Pcs::asm_dir});
  b.open();
  CHECK((b.get(e1000::CTRL) >> 27 & 3) == 3);
  const auto pause = [&](std::uint16_t quanta) {
    Bytes f(60);
    const Bytes head{0x01,
                     0x80,
                     0xC2,
                     0,
                     0,
                     1,
                     2,
                     0,
                     0,
                     0,
                     0,
                     1,
                     0x88,
                     0x08,
                     0,
                     1,
                     static_cast<std::uint8_t>(quanta >> 8),
                     static_cast<std::uint8_t>(quanta)};
    std::copy(head.begin(), head.end(), f.begin());
    append_fcs(f);
    b.other.port.transmit(f, b.rig.now);
    b.rig.step(1_us);
  };
  pause(200);  // 102.4 us
  CHECK(b.get(e1000::STATUS) & 16);
  b.send(body(60));
  b.rig.step(95_us);
  CHECK(b.other.arrivals.empty());
  b.rig.step(10_us);
  CHECK(b.other.arrivals.size() == 1);
  pause(0xFFFF);
  b.send(body(60));
  b.rig.step(100_us);
  CHECK(b.other.arrivals.size() == 1);
  pause(0);
  b.rig.step(5_us);
  CHECK(b.other.arrivals.size() == 2);
  CHECK(b.get(e1000::XOFFRXC) == 2);
}

TEST_CASE("PRO/1000: a packet buffer sends XOFF when it fills and XON when it empties") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.other.port.restore_pcs({true, Pcs::full_duplex | Pcs::pause});
  b.open();
  b.set(e1000::IMC, ~0u);
  b.hear_all(std::vector<Bytes>(79 + 32768 / 80, make_frame(60, b.own)));
  b.rig.step(20_us);
  CHECK(b.other.arrivals.empty());
  b.hear_all(std::vector<Bytes>(3, make_frame(60, b.own)));
  b.rig.step(20_us);
  REQUIRE(b.other.arrivals.size() == 1);
  const Bytes& xoff = b.other.arrivals[0].bytes;
  CHECK(b.other.arrivals[0].ok);
  CHECK(Bytes(xoff.begin(), xoff.begin() + 18) ==
        Bytes{0x01, 0x80, 0xC2, 0, 0, 1, 0x00, 0x03, 0x47, 1, 2, 3, 0x88, 0x08, 0, 1, 1, 0});
  for (int n = 0; n < 20; ++n) {
    b.receive();
    b.rig.step(200_us);
  }
  REQUIRE(b.other.arrivals.size() == 2);
  CHECK(b.other.arrivals[1].bytes[16] == 0);
  CHECK(b.get(e1000::XOFFTXC) == 1);
  CHECK(b.get(0x404C) == 1);
}

TEST_CASE("PRO/1000: the 82543 fetches descriptors in bursts, the 82542 transmit descriptors one at a time") {
  const bool is_82543 = GENERATE(false, true);
  Pro1000Bench b({.is_82543 = is_82543, .width = 64});
  Bursts bursts(b);
  b.open();
  CHECK(bursts.count(is_82543 ? 1024 : 128) == 1);  // receive descriptors: 64 or 8
  bursts.log.clear();
  bursts.widths.clear();
  for (unsigned n = 0; n < 10; ++n) b.queue(body(60), b.eop | b.ifcs | b.rs | b.ide);
  b.set(e1000::TDT, b.next_tx);
  b.rig.step(50_us);
  CHECK(b.other.arrivals.size() == 10);
  CHECK(bursts.count(is_82543 ? 160 : 16) == (is_82543 ? 1 : 10));
  CHECK(bursts.count(60) == 10);
  CHECK(bursts.count(-8) == 10);
  CHECK(std::all_of(bursts.widths.begin(), bursts.widths.end(), [](unsigned w) { return w == 64; }));
}

TEST_CASE("PRO/1000: TXDCTL and RXDCTL batch write-backs, and prefetch") {
  Pro1000Bench b;
  b.open(64, 64);
  Bursts bursts(b);
  b.put(e1000::TXDCTL, 1u << 24 | 4u << 16);
  for (unsigned n = 0; n < 10; ++n) b.queue(body(60), b.eop | b.ifcs | b.rs | b.ide);
  b.set(e1000::TDT, b.next_tx);
  b.rig.step(30_us);
  CHECK(bursts.count(-64) == 2);
  CHECK(b.clean() == 8);
  CHECK_FALSE(b.interrupt());
  b.rig.step(60_us);  // the timer brings the rest
  CHECK(bursts.count(-32) == 1);
  CHECK(b.clean() == 2);
  CHECK(b.interrupt());
  b.get(e1000::ICR);

  b.put(e1000::RXDCTL, 1u << 24 | 3u << 16 | 4 << 8 | 32);
  bursts.log.clear();
  b.hear_all(std::vector<Bytes>(7, make_frame(60, b.own)));
  b.rig.step(10_us);
  CHECK(bursts.count(-48) == 2);
  b.receive();
  CHECK(b.received.size() == 6);
  b.rig.step(80_us);
  b.receive();
  CHECK(b.received.size() == 7);
  CHECK(bursts.count(-8) == 1);
}

namespace {

/// Transmitted frames per second while the driver keeps the ring full, with one descriptor in 60 without IDE and one
/// TDT write per frame.
double send_rate(Pro1000Bench& b) {
  b.open();
  b.set(e1000::IMC, ~0u);
  const Bytes frame = body(60);
  std::size_t at_start = 0;
  Time begun{};
  for (unsigned sent = 0; sent < 3000;) {
    if ((b.next_tx + 1) % b.descriptors == b.oldest_tx) {
      b.rig.step(500_ns);
      b.clean();
      continue;
    }
    b.queue(frame, b.eop | b.ifcs | b.rs | (sent % 60 ? b.ide : 0));
    b.set(e1000::TDT, b.next_tx);
    if (++sent == 500) begun = b.rig.now, at_start = b.other.arrivals.size();
  }
  return static_cast<double>(b.other.arrivals.size() - at_start) * 1e12 / static_cast<double>((b.rig.now - begun).ps);
}

/// Frames per second that reach memory from a wire without idle time, with software refilling the ring eight at a time.
double receive_rate(Pro1000Bench& b) {
  b.open();
  b.set(e1000::IMC, ~0u);
  b.other.to_send.assign(6000, make_frame(60, b.own));
  b.other.sent_next = 1;
  b.other.port.transmit(b.other.to_send[0], b.rig.now);
  Time begun{};
  std::size_t at_start = 0;
  while (b.other.sent_next < 6000) {
    b.rig.step(2_us);
    b.receive(false);
    b.set(e1000::RDT, (b.next_rx + b.descriptors - 1) % b.descriptors);
    if (begun == Time{} && b.received.size() > 1000) begun = b.rig.now, at_start = b.received.size();
  }
  return static_cast<double>(b.received.size() - at_start) * 1e12 / static_cast<double>((b.rig.now - begun).ps);
}

}  // namespace

TEST_CASE("PRO/1000: minimum frames are sent and received as fast as bus and host bridge allow") {
  // Two reads of the host's memory per frame, each 234 ns in addition to the bus clocks.
  Pro1000Bench sends_82542({.is_82543 = false, .width = 64, .access = 234_ns});
  Pro1000Bench sends_82543({.width = 64, .clock = 15_ns, .access = 234_ns});
  Pro1000Bench in_a_narrow_slot;
  constexpr double wire = 1e9 / 672;
  const double old = send_rate(sends_82542), fast = send_rate(sends_82543), narrow = send_rate(in_a_narrow_slot);
  CAPTURE(old, fast, narrow);
  CHECK(old < 0.6 * wire);
  CHECK(fast > 1.25 * old);
  CHECK(fast < wire);
  CHECK(narrow < 0.6 * wire);
  Pro1000Bench receives_82542({.is_82543 = false, .width = 64, .access = 234_ns});
  Pro1000Bench receives_narrow;
  const double to_82542 = receive_rate(receives_82542), to_narrow = receive_rate(receives_narrow);
  CAPTURE(to_82542, to_narrow);
  CHECK(to_82542 > old);  // one read for eight frames
  CHECK(to_narrow < to_82542);
}
