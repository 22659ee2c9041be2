// SPDX-License-Identifier: GPL-2.0-or-later
// 3C905B: a bus that is late or does not answer, collisions, no link, resets and writes at any time.
#include "tests/devices/ethernet/3c905b/3c905b_bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::Cyclone;

namespace {

constexpr std::uint32_t no_memory = 0xD0000000, list_at = 0x8000, frame_at = 0x20000;

void let_master(XlBench& b, bool on) {
  const unsigned spaces = pci::IO_SPACE | pci::MEMORY_SPACE;
  b.rig.set_config(XlBench::device, pci::COMMAND, on ? spaces | pci::BUS_MASTER : spaces, 2);
}
std::uint32_t statistic(XlBench& b, unsigned reg) {
  b.window(6);
  return b.in(reg, 1);
}
/// After any fault: TotalReset, and the card is in its initial state.
void works(XlBench& b) {
  let_master(b, true);
  b.command(0);
  b.rig.step(1_ms);
  CHECK_FALSE(b.status() & Cyclone::CmdInProgress);
  CHECK_FALSE(b.interrupt());
  b.open();
  b.received.clear();
  const std::size_t before = b.other.arrivals.size();
  for (unsigned n = 0; n < 3; ++n) {
    CHECK(b.send(body(1000, static_cast<std::uint8_t>(n))));
    b.hear(make_frame(900, b.own, static_cast<std::uint8_t>(n)));
    b.rig.step(200_us);
    b.handle();
  }
  CHECK(b.other.arrivals.size() == before + 3);
  CHECK(b.received.size() == 3);
  CHECK(b.host_errors == 0);
}

}  // namespace

TEST_CASE("3C905B: a late bus causes an underrun, which only TxReset clears") {
  XlBench b;
  b.open();
  b.rig.put(frame_at, body(3000));
  b.descriptor(list_at, 0, 0, frame_at, 3000 | XlBench::last);
  b.out(XlBench::DN_LIST, list_at, 4);
  b.rig.step(40_us);  // transmission has begun
  let_master(b, false);
  b.rig.step(500_us);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK_FALSE(b.other.arrivals[0].ok);
  CHECK(b.status() & Cyclone::TxComplete);
  CHECK(b.in(XlBench::TX_STATUS, 1) == 0x90);
  b.window(4);
  CHECK(b.in(6, 2) & Cyclone::TxFatalError);
  b.command(XlBench::TX_ENABLE);
  CHECK_FALSE(b.in(6, 2) & Cyclone::TxEnabled);
  let_master(b, true);
  b.rig.step(200_us);
  CHECK(b.other.arrivals.size() == 1);
  b.handle();  // the driver resets the transmitter
  CHECK(b.tx_errors == std::vector<std::uint8_t>{0x90});
  CHECK(b.send(body(100)));
  b.rig.step(100_us);
  CHECK(b.other.arrivals.size() == 2);
}

TEST_CASE("3C905B: frames without room in the FIFO are lost, or uploaded as overruns if enabled") {
  const bool keep = GENERATE(false, true);
  XlBench b;
  b.open();
  if (keep) b.out(XlBench::DMA, Cyclone::UpOverDiscDisable, 4);
  let_master(b, false);
  for (unsigned n = 0; n < 4; ++n) b.hear(make_frame(1514, b.own, static_cast<std::uint8_t>(n)));
  CHECK(statistic(b, 5) == 3);
  let_master(b, true);
  b.rig.step(100_us);
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0] == without_fcs(make_frame(1514, b.own)));
  REQUIRE(b.statuses.size() == (keep ? 2 : 1));
  if (keep) CHECK((b.statuses[1] & 0xFFFF0000) == Cyclone::UpOverrun);
  b.hear(make_frame(1514, b.own, 9));
  b.handle();
  CHECK(b.received.size() == 2);
  CHECK(b.made.network->counters().overruns == 3);
}

// set_8021q_mode() of Linux's 3c59x.c: the MTU and 14 bytes, and 4 for a tag.
TEST_CASE("3C905B: MaxPktSize does not count the FCS") {
  XlBench b;
  b.open();
  b.window(3);
  CHECK(b.in(4, 2) == 1514);
  b.out(4, 1500 + 14 + 4, 2);
  b.window(7);
  b.hear(make_frame(1518, b.own));
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0] == without_fcs(make_frame(1518, b.own)));
  b.hear(make_frame(1519, b.own));
  b.handle();
  CHECK(b.received.size() == 1);
  REQUIRE(b.statuses.size() == 2);
  CHECK((b.statuses[1] & 0xFFFF0000) == Cyclone::OversizedFrame);
}

TEST_CASE("3C905B: an overrun in the middle of an upload ends the frame with its status") {
  XlBench b;
  b.open();
  b.other.port.transmit(make_frame(4000, b.own), b.rig.now);
  b.rig.step(40_us);
  let_master(b, false);
  b.rig.step(330_us);
  let_master(b, true);
  b.rig.step(50_us);
  b.handle();
  REQUIRE(b.statuses.size() == 1);
  CHECK(b.statuses[0] & Cyclone::UpOverrun);
  CHECK(b.statuses[0] & Cyclone::UpError);
  b.hear(make_frame(100, b.own));
  b.handle();
  CHECK(b.received.size() == 1);
}

TEST_CASE("3C905B: a master abort is a host error, which stops both engines until a TotalReset") {
  const int what = GENERATE(0, 1, 2, 3);
  XlBench b;
  b.open();
  if (what == 0) b.out(XlBench::DN_LIST, no_memory, 4);
  if (what == 1) {
    b.descriptor(list_at, 0, 0, no_memory, 100 | XlBench::last);
    b.out(XlBench::DN_LIST, list_at, 4);
  }
  if (what == 2) b.out(XlBench::UP_LIST, no_memory, 4);
  if (what == 3) b.rig.put32(b.rx(0) + 8, no_memory);
  if (what >= 2) b.hear(make_frame(800, b.own));
  b.rig.step(50_us);
  CHECK((b.status() & 0x1FFF) == (Cyclone::HostError | Cyclone::InterruptLatch));
  CHECK(b.interrupt());
  CHECK(b.in(XlBench::DMA, 4) & Cyclone::MasterAbort);
  CHECK(b.rig.config(b.device, pci::STATUS, 2) & pci::RECEIVED_MASTER_ABORT);
  b.hear(make_frame(100, b.own));
  b.command(XlBench::DN_UNSTALL);
  b.rig.step(100_us);
  CHECK(b.other.arrivals.empty());
  CHECK(b.rig.get32(b.rx(1) + 4) == 0);
  b.handle();  // TotalReset with FFh does not affect the lists: it encounters the same again
  CHECK(b.host_errors >= 1);
  b.host_errors = 0;
  works(b);
}

TEST_CASE("3C905B: sixteen collisions give a status; the driver resets the transmitter and continues") {
  XlBench b(true, true, {.bits_per_second = 100'000'000, .full_duplex = false});
  b.open();
  {
    RelentlessSender noise(b.rig.scheduler, b.wire, {2, 2, 2, 2, 2, 2});
    noise.port.transmit(make_frame(1514, {2, 2, 2, 2, 2, 2}), b.rig.now);
    b.send(body(200));
    for (int n = 0; n < 200 && !(b.status() & Cyclone::TxComplete); ++n) b.rig.step(1_ms);
    CHECK(b.in(XlBench::TX_STATUS, 1) == 0x88);
    noise.port.detach();
  }
  b.handle();
  CHECK(b.tx_errors == std::vector<std::uint8_t>{0x88});
  b.rig.step(1_ms);
  const std::size_t before = b.other.arrivals.size();
  b.cur_tx = b.dirty_tx = 0;
  CHECK(b.send(body(300)));
  b.rig.step(1_ms);
  REQUIRE(b.other.arrivals.size() == before + 1);
  CHECK(without_fcs(b.other.arrivals.back().bytes) == body(300));
}

TEST_CASE("3C905B: without a link frames are lost and counted; link changes are events") {
  XlBench b;
  b.open();
  b.window(4);
  b.mdio_read(24, 6);
  b.command(XlBench::STATUS_ENABLE | 0x07C6);
  b.command(XlBench::INT_ENABLE | 0x07CF);
  CHECK_FALSE(b.interrupt());
  b.made.network->port().set_plugged(false, b.rig.now);
  b.rig.step(1_us);
  CHECK((b.status() & 0x1FFF) == (Cyclone::LinkEvent | Cyclone::InterruptLatch));
  b.window(4);
  CHECK_FALSE(b.in(0x0A, 2) & Cyclone::LinkDetect);
  b.mdio_read(24, 6);
  b.command(XlBench::ACK | 1);
  CHECK_FALSE(b.interrupt());
  CHECK(b.send(body(500)));
  b.rig.step(200_us);
  CHECK(b.in(XlBench::DN_LIST, 4) == 0);
  CHECK(statistic(b, 0) == 1);
  CHECK(b.other.arrivals.empty());
  b.handle();
  b.made.network->port().set_plugged(true, b.rig.now);
  b.rig.step(2_s);
  CHECK(b.status() & Cyclone::LinkEvent);
  CHECK(b.send(body(400)));
  b.rig.step(200_us);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(without_fcs(b.other.arrivals[0].bytes) == body(400));

  XlBench alone(false);
  alone.open();
  CHECK(alone.send(body(400)));
  alone.rig.step(2_ms);
  CHECK(alone.in(XlBench::DN_LIST, 4) == 0);
}

TEST_CASE("3C905B: after any reset at any time a TotalReset recovers the card") {
  for (const unsigned reset : {0x0000u, 0x00FFu, 0x0080u, 0x2800u, 0x2804u, 0x2808u, 0x2900u, 0x290Cu, 0x5800u, 0x5804u,
                               0x5808u, 0x5900u, 0x590Cu}) {
    XlBench b;
    b.open();
    unsigned n = 0;
    for (const Time wait : {500_ns, 1_us, 2_us, 5_us, 13_us, 40_us, 90_us, 121_us, 135_us}) {
      b.other.port.transmit(make_frame(1514, b.own), b.rig.now);
      for (unsigned k = 0; k < 3; ++k) b.send(body(1514, static_cast<std::uint8_t>(++n)));
      b.rig.step(wait);
      b.command(reset);
      b.rig.step(7_us * (n % 5));
      b.command(0x2000);
      b.command(XlBench::TX_ENABLE);
      b.command(XlBench::UP_UNSTALL);
      b.rig.step(300_us);
      b.handle();
      b.tx_full = false;
      b.dirty_tx = b.cur_tx;
    }
    INFO(reset);
    b.host_errors = 0;
    works(b);
  }
}

TEST_CASE("3C905B: writes of any width to any port at any time do no harm") {
  XlBench b;
  b.open();
  std::uint64_t random = 4711;
  const auto next = [&](std::uint64_t range) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (random >> 33) % range;
  };
  for (unsigned n = 0; n < 6000; ++n) {
    const unsigned bytes = 1u << next(3), reg = static_cast<unsigned>(next(128)) & ~(bytes - 1);
    const auto value = static_cast<std::uint32_t>(next(3) ? next(0x40000) : next(0x100000000));
    if (next(4) == 0)
      b.in(reg, bytes);
    else
      b.out(reg, value, bytes);
    if (next(8) == 0) b.command(static_cast<unsigned>(next(0x10000)));
    if (next(8) == 0 && !b.other.port.busy()) b.other.port.transmit(make_frame(next(3000) + 1, b.own), b.rig.now);
    if (next(16) == 0)
      b.rig.put32(static_cast<std::uint32_t>(next(0x10000)) & ~3u, static_cast<std::uint32_t>(next(0x100000000)));
    if (next(16) == 0) b.rig.step(Time{static_cast<std::int64_t>(next(200'000'000))});
    if (next(100) == 0) let_master(b, next(4) != 0);
  }
  for (unsigned r = 0; r < b.rig.ram.size(); ++r) b.rig.ram[r] = 0;
  while (b.other.port.busy()) b.rig.step(100_us);
  b.host_errors = 0;
  works(b);
}

TEST_CASE("3C905B: RST# during activity") {
  XlBench b;
  b.open();
  for (unsigned n = 0; n < 4; ++n) b.send(body(1514));
  b.other.port.transmit(make_frame(1514, b.own), b.rig.now);
  b.rig.step(30_us);
  b.rig.segment.reset(b.rig.now);
  b.rig.step(1_ms);
  CHECK_FALSE(b.interrupt());
  CHECK(b.rig.config(b.device, pci::COMMAND, 2) == 0);
  b.rig.set_config(b.device, pci::BAR0, b.io_base);
  works(b);
}
