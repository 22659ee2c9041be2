// SPDX-License-Identifier: GPL-2.0-or-later
// Fast path transmission of the 1994 board as used by NetBSD's driver (tropic.c: tr_config, tr_start, tr_xint), and the
// accesses of that driver's reset and interrupt handler.
#include "tests/devices/tokenring/tropic_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

constexpr unsigned buffer_bytes = 536, header = 22, next_link = 16;

struct FastBench : TropicBench {
  FastBench() : TropicBench({.entry = &TropicCard::tr16_4a_1994}) {}

  /// tr_reset(): polls for the first response.
  bool reset_and_poll() {
    rig.out(ports + 1, 0);
    step(50_ms);
    rig.out(ports + 2, 0);
    aca_or(ISRP_e, 0x40);
    for (int n = 0; n < 35000 && !(aca(ISRP_o) & 0x20); ++n) step(100_us);
    if (!(aca(ISRP_o) & 0x20)) return false;
    aca_and(ISRP_o, ~0x20u);
    aca(0, window >> 12);
    offset = rw(mmio + 0x1E02);
    CHECK(rb(window + offset) == 0x80);
    CHECK(rb(window + offset + 6) == 0);
    status = rb(window + offset + 1);
    return true;
  }
  /// tr_config()
  std::uint8_t configure(unsigned buffers) {
    for (unsigned i = 0; i < 12; ++i) wb(window + offset + i, 0);
    wb(window + offset, 0x12);
    ww(window + offset + 8, 16 + buffers * buffer_bytes / 8);
    ww(window + offset + 10, buffer_bytes);
    command();
    for (int n = 0; n < 30000 && !(aca(ISRP_o) & 0x20); ++n) step(100_us);
    aca_and(ISRP_o, ~0x20u);
    const std::uint8_t code = rb(window + offset + 2);
    control = window + rw(window + offset + 8);
    offset = rw(window + offset + 10);
    return code;
  }
  /// tr_init() and the response to it
  bool open_without_saps(unsigned receive_buffers) {
    for (unsigned i = 0; i < 60; ++i) wb(window + offset + i, 0);
    wb(window + offset, 3);
    ww(window + offset + 8, 0x0100);
    ww(window + offset + 28, 512);
    wb(window + offset + 30, 1);
    ww(window + offset + 26, 520);
    ww(window + offset + 24, receive_buffers);
    command();
    if (!wait(20_s)) return false;
    const bool good = rb(window + offset + 2) == 0;
    ssb = place(rw(window + offset + 14));
    arb = place(rw(window + offset + 12));
    srb = place(rw(window + offset + 10));
    asb = place(rw(window + offset + 8));
    aca_and(ISRP_o, ~0x20u);
    free_buffers = rw(control);
    all_buffers = free_buffers;
    return good;
  }
  std::uint32_t buffer(std::uint32_t pointer) const { return window + pointer - next_link; }
  /// tr_start() for one frame
  void start(const Bytes& frame) {
    const std::uint32_t first = buffer(rw(control + 2));
    std::uint32_t at = first;
    for (std::size_t done = 0; done < frame.size();) {
      const std::size_t n = std::min<std::size_t>(buffer_bytes - header, frame.size() - done);
      if (done) at = buffer(rw(at + next_link));
      copy_to(at + header, Bytes(frame.begin() + static_cast<long>(done), frame.begin() + static_cast<long>(done + n)));
      ww(at + 20, static_cast<unsigned>(n));
      --free_buffers;
      done += n;
    }
    wb(first + 2, 0xFE);
    ww(first + 6, static_cast<unsigned>(frame.size()));
    ww(first + 12, at - window + next_link);
    wb(first, 0x0A);
    ww(first + 4, 0);
    wb(first + 1, correlator++ & 0x7F);
    ww(control + 2, 1);
    ww(control + 2, rw(at + next_link));
    aca_or(ISRA_o, 0x40);
  }
  /// tr_intr(): one cause per iteration until none is left; tr_xint() for fast path.
  void serve_all() {
    while (const std::uint8_t causes_now = aca(ISRP_o)) {
      causes |= causes_now;
      if (causes_now & 0x40) {
        check_reason = rw(mmio + 0x1E06);
        aca_and(ISRP_o, ~0x40u);
        return;
      }
      if (causes_now & 0x02) {
        aca_and(ISRP_o, ~0x02u);
        complete();
      } else if (causes_now & 0x08) {
        serve_arb();
      } else {
        FAIL("unexpected cause " << unsigned{causes_now});
      }
    }
    rig.out(ports + 3, 0);
  }
  void complete() {
    std::uint16_t tail = rw(control + 10);
    while (tail != rw(control + 4)) {
      const std::uint32_t at = buffer(rw(buffer(rw(control + 4)) + next_link));
      codes.push_back(rb(at + 2));
      free_buffers += (rw(at + 6) + 513u) / 514u;
      ww(control + 4, rw(at + 12));
      tail = rw(control + 10);
    }
  }

  std::uint16_t offset = 0;
  std::uint8_t status = 0, correlator = 0;
  std::uint32_t control = 0;
  unsigned free_buffers = 0, all_buffers = 0;
  Bytes codes;
};

}  // namespace

TEST_CASE("fast path: frames of several buffers are sent in order, and their buffers are returned", "[tropic][fast]") {
  FastBench b;
  REQUIRE(b.reset_and_poll());
  CHECK((b.status & 0x21) == 0x21);
  REQUIRE(b.configure(58) == 0);
  REQUIRE(b.open_without_saps(58));
  CHECK(b.all_buffers == 58);
  std::vector<Bytes> sent;
  for (unsigned n = 0; n < 60; ++n) {
    sent.push_back(b.from_us(50 + 61 * n % 4400));
    b.start(sent.back());
    if (n % 3 == 2)
      while (b.free_buffers != b.all_buffers) {
        REQUIRE(b.wait());
        b.serve_all();
      }
  }
  CHECK(b.codes == Bytes(60, 0));
  REQUIRE(b.other.arrivals.size() == 60);
  for (unsigned n = 0; n < 60; ++n)
    CHECK(Bytes(b.other.arrivals[n].bytes.begin() + 1, b.other.arrivals[n].bytes.end() - 4) ==
          Bytes(sent[n].begin() + 1, sent[n].end()));
  b.hear(b.for_us(1500));
  REQUIRE(b.wait());
  b.serve_all();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0].station == 0);  // no SAP is open
}

TEST_CASE("the fast path needs fewer steps of the microprocessor than a request", "[tropic][fast]") {
  const auto time_of = [](auto&& send) {
    FastBench b;
    b.probe();
    REQUIRE(b.reset_and_poll());
    return send(b);
  };
  const Time fast = time_of([](FastBench& b) {
    REQUIRE(b.configure(20) == 0);
    REQUIRE(b.open_without_saps(10));
    const Time begun = b.now();
    b.start(b.from_us(1500));
    REQUIRE(b.wait());
    b.serve_all();
    return b.now() - begun;
  });
  const Time asked = time_of([](FastBench& b) {
    b.sixteen = true;
    b.first_srb = b.place(b.offset);
    REQUIRE(b.open());
    const Time begun = b.now();
    b.ask_to_send(b.from_us(1500));
    while (b.results.empty()) {
      REQUIRE(b.wait());
      b.serve();
    }
    return b.now() - begun;
  });
  CHECK(asked - fast > 100_us);
}

TEST_CASE("the fast path is offered only by the 1994 board, and only before OPEN", "[tropic][fast]") {
  FastBench b;
  REQUIRE(b.reset_and_poll());
  CHECK(b.configure(200) == 0x46);  // more than 64 KB
  b.offset = b.rw(TropicBench::mmio + 0x1E02);
  REQUIRE(b.configure(5) == 0);
  REQUIRE(b.open_without_saps(5));
  b.offset = static_cast<std::uint16_t>(b.srb.at - TropicBench::window);
  CHECK(b.configure(5) == 0x03);
}

TEST_CASE("invalid fast path buffers give a return code or an adapter check", "[tropic][fast]") {
  FastBench b;
  REQUIRE(b.reset_and_poll());
  REQUIRE(b.configure(10) == 0);
  REQUIRE(b.open_without_saps(5));
  const auto broken = [&](auto&& change) {
    const std::uint32_t first = b.buffer(b.rw(b.control + 2));
    const Bytes frame = b.from_us(400);
    b.copy_to(first + header, frame);
    b.ww(first + 20, static_cast<unsigned>(frame.size()));
    b.wb(first, 0x0A);
    b.ww(first + 6, static_cast<unsigned>(frame.size()));
    b.ww(first + 12, first - TropicBench::window + next_link);
    change(first);
    b.ww(b.control + 2, b.rw(first + next_link));
    b.aca_or(TropicBench::ISRA_o, 0x40);
    REQUIRE(b.wait());
    b.serve_all();
  };
  broken([&](std::uint32_t first) { b.ww(first + 6, 401); });
  broken([&](std::uint32_t first) { b.wb(first, 0x55); });
  broken([&](std::uint32_t first) { b.ww(first + 20, 600); });
  broken([&](std::uint32_t first) { b.wb(first + header + 1, 0); });  // a MAC frame
  CHECK(b.codes == Bytes{0x28, 0x01, 0x28, 0x24});
  CHECK(b.other.arrivals.empty());
  broken([&](std::uint32_t first) { b.ww(first + 12, 0xFFFF); });
  CHECK(b.check_reason != 0);
  CHECK(b.rw(TropicBench::window + b.check_reason) == 0x8000);
  CHECK_FALSE(b.card->chip().port().inserted());
  b.aca_or(TropicBench::ISRA_o, 0x7F);  // nothing works until a reset
  b.step(10_ms);
  CHECK(b.aca(TropicBench::ISRP_o) == 0);
  REQUIRE(b.reset_and_poll());
}

TEST_CASE("the adapter stops when the host announces a head change, until the next doorbell", "[tropic][fast]") {
  FastBench b;
  REQUIRE(b.reset_and_poll());
  REQUIRE(b.configure(10) == 0);
  REQUIRE(b.open_without_saps(5));
  b.ww(b.control + 2, 1);
  b.aca_or(TropicBench::ISRA_o, 0x40);
  b.step(10_ms);
  CHECK_FALSE(b.interrupt());
  b.ww(b.control + 2, b.rw(b.control + 6));
  b.start(b.from_us(300));
  REQUIRE(b.wait());
  b.serve_all();
  CHECK(b.codes == Bytes{0});
}
