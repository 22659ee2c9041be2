// SPDX-License-Identifier: GPL-2.0-or-later
// The 3C905B as seen by Linux 2.2.17's driver: probe, open, normal transmission and reception.
#include "core/common/error.hpp"
#include "tests/devices/ethernet/3c905b/3c905b_bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::Cyclone;

namespace {
std::uint16_t folded(unsigned word) { return static_cast<std::uint16_t>((word ^ word >> 8) & 0xFF); }
}  // namespace

TEST_CASE("3C905B: configuration header, and 128-byte base addresses") {
  XlBench b;
  CHECK(b.rig.config(b.device, 0) == 0x905510B7);
  CHECK(b.rig.config(b.device, 8) == 0x02000030);
  CHECK(b.rig.config(b.device, 0x2C) == 0x905510B7);
  CHECK(b.rig.config(b.device, 0x3C) == 0x0A0A0100);
  CHECK((b.rig.config(b.device, 0xE0, 2) & 3) == 0);  // not powered down
  CHECK(b.rig.config(b.device, pci::STATUS, 2) == 0x0290);
  CHECK(b.rig.config(b.device, b.rig.config(b.device, 0x34, 1)) == 0x7E010001);
  CHECK(b.rig.config(b.device, 0xE0) == 0);
  b.rig.set_config(b.device, 0xE0, 0xFFFFFFFF);  // state and PME# enable, which have no effect
  CHECK(b.rig.config(b.device, 0xE0) == 0x0103);
  b.rig.set_config(b.device, 0xE0, 0);
  for (const unsigned bar : {0x10u, 0x14u}) {
    b.rig.set_config(b.device, bar, 0xFFFFFFFF);
    CHECK((b.rig.config(b.device, bar) & ~15u) == (0xFFFFFFFF & ~127u));
  }
}

TEST_CASE("3C905B: the FIFO sizes follow the profile") {
  XlBench b(true, true, XlBench::fast, {{"fifo.transmit", "4096bytes"}, {"fifo.receive", "3072bytes"}});
  b.open();
  b.window(3);
  CHECK(b.in(0x0C, 2) == 4096);
  CHECK(b.in(0x0A, 2) == 3072);
  // Both frames fit, and no part of a third one.
  b.rig.set_config(b.device, pci::COMMAND, pci::IO_SPACE | pci::MEMORY_SPACE, 2);
  for (unsigned n = 0; n < 3; ++n) b.hear(make_frame(1500, b.own, static_cast<std::uint8_t>(n)));
  CHECK(b.in(0x0A, 2) < 100);
  b.rig.set_config(b.device, pci::COMMAND, pci::IO_SPACE | pci::MEMORY_SPACE | pci::BUS_MASTER, 2);
  b.rig.step(300_us);
  b.handle();
  CHECK(b.received.size() == 2);
}

TEST_CASE("3C905B: the probe reads address, capabilities and a correct checksum from the EEPROM") {
  XlBench b;
  std::array<std::uint16_t, 64> words{};
  for (unsigned n = 0; n < words.size(); ++n) words[n] = b.eeprom(n);
  unsigned checksum = 0;
  for (unsigned n = 0; n < 0x18; ++n) checksum ^= words[n];
  checksum = folded(checksum);
  if (checksum)
    for (unsigned n = 0x18; n < 0x21; ++n) checksum ^= words[n];
  CHECK(folded(checksum) == 0);
  for (unsigned n = 0; n < 3; ++n) {
    CHECK(words[n + 10] >> 8 == b.own[2 * n]);
    CHECK((words[n + 10] & 0xFF) == b.own[2 * n + 1]);
  }
  CHECK((words[16] & 0x20) == 0x20);
  CHECK((words[15] & 1) == 0);
  CHECK((words[13] & 0x8000) == 0);
  // One read takes some time, and a command given too early does no harm.
  b.window(0);
  b.out(0x0A, 0x80 + 3, 2);
  CHECK(b.in(0x0A, 2) & 0x8000);
  b.out(0x0A, 0x80 + 7, 2);
  b.rig.step(162_us);
  CHECK(b.in(0x0C, 2) == 0x9055);
  // 8K byte-wide RAM 5:3 Rx:Tx split, autoselect/Autonegotiate
  b.window(3);
  CHECK(b.in(0, 4) == 0x01800000);
  CHECK((b.in(8, 2) & 0xFF) == 0x0A);
}

TEST_CASE("3C905B: the only PHY is at address 24, also without a preamble") {
  XlBench b;
  b.window(4);
  b.mdio_read(24, 1);
  for (unsigned phy = 1; phy <= 32; ++phy) {
    const std::uint16_t value = b.mdio_read(phy & 31, 1);
    CHECK(value == (phy == 24 ? 0x786D : 0xFFFF));
  }
  CHECK(b.mdio_read(24, 5, false) == 0x41E1);
  b.mdio_write(24, 4, 0x0081);
  CHECK(b.mdio_read(24, 4) == 0x0081);
  CHECK(b.in(0x0A, 2) & Cyclone::LinkDetect);
}

TEST_CASE("3C905B: the opened card raises no interrupt; the receiver's reset renegotiates the link") {
  XlBench b;
  b.open(false);
  CHECK(b.tx_reset_polls > 0);
  CHECK(b.rx_reset_polls > 0);
  CHECK(b.rx_reset_polls < 10);
  CHECK(b.status() == 0xE000);
  CHECK_FALSE(b.interrupt());
  b.window(4);
  CHECK_FALSE(b.in(0x0A, 2) & Cyclone::LinkDetect);
  b.rig.step(2_s);
  CHECK(b.in(0x0A, 2) & Cyclone::LinkDetect);
  CHECK(b.in(0x24, 4) == 0);
  CHECK(b.in(0x38, 4) == b.rx_ring);
  b.window(3);
  CHECK(b.in(6, 2) == 0x20);
  CHECK(b.in(0x0C, 2) == XlBench::fifo_bytes);
  b.window(5);
  CHECK(b.in(0, 2) == Cyclone::whole_frame);
  CHECK(b.in(6, 2) == 1536);
  CHECK(b.in(0x0A, 2) == 0x06CF);
  CHECK(b.in(0x0C, 2) == 0x06C6);
  b.window(2);
  for (unsigned n = 0; n < 6; ++n) CHECK(b.in(n, 1) == b.own[n]);
}

TEST_CASE("3C905B: a frame linked into an idle list is sent and padded by the hardware") {
  XlBench b;
  b.open();
  unsigned sent = 0;
  for (const std::size_t n : {1u, 59u, 60u, 61u, 62u, 63u, 1513u, 1514u}) {
    const Bytes frame = body(n, static_cast<std::uint8_t>(n));
    REQUIRE(b.send(frame));
    b.rig.step(200_us);
    REQUIRE(b.other.arrivals.size() == ++sent);
    CHECK(b.other.arrivals.back().ok);
    Bytes padded = frame;
    padded.resize(std::max<std::size_t>(n, 60));
    CHECK(without_fcs(b.other.arrivals.back().bytes) == padded);
    CHECK(b.in(XlBench::DN_LIST, 4) == 0);  // the last descriptor is done
    CHECK(b.rig.get32(b.tx(b.cur_tx - 1) + 4) & Cyclone::DnCompleteBit);
    CHECK(b.interrupt());
    b.handle();
    CHECK(b.dirty_tx == b.cur_tx);
    CHECK_FALSE(b.interrupt());
  }
  CHECK(b.in(XlBench::TX_STATUS, 1) == 0);  // good frames leave no status
  CHECK(b.queued == 8);
}

TEST_CASE("3C905B: sixteen frames are sent back to back while the FIFO prefetches the next one") {
  XlBench b;
  b.open();
  unsigned given = 0;
  for (; given < 60; ++given) {
    while (!b.send(body(1514, static_cast<std::uint8_t>(given)))) {
      b.rig.step(20_us);
      if (b.interrupt()) b.handle();
    }
  }
  b.rig.step(3_ms);
  b.handle();
  REQUIRE(b.other.arrivals.size() == given);
  for (unsigned n = 0; n < given; ++n) {
    CHECK(without_fcs(b.other.arrivals[n].bytes) == body(1514, static_cast<std::uint8_t>(n)));
    // 1526 bytes of 80 ns and the gap: only the interframe gap between two frames once another one is in the FIFO
    if (n > 1) CHECK(b.other.begins[n] - b.other.begins[n - 1] <= 123'040_ns + 300_ns);
  }
  CHECK(b.dirty_tx == b.cur_tx);
  CHECK(b.handled < static_cast<int>(given));  // only the last one linked interrupts
}

TEST_CASE("3C905B: DownStall completes on an idle list and in mid-burst; a pointer written then is kept") {
  XlBench b;
  b.open();
  CHECK(b.wait_command(XlBench::DN_STALL) == 0);
  CHECK(b.in(XlBench::DMA, 4) & Cyclone::DnStalled);
  b.descriptor(b.tx(0), 0, 60, b.tx_buffers, 60 | XlBench::last);
  b.rig.put(b.tx_buffers, body(60));
  b.out(XlBench::DN_LIST, b.tx(0), 4);
  b.rig.step(100_us);
  CHECK(b.in(XlBench::DN_LIST, 4) == b.tx(0));
  CHECK(b.other.arrivals.empty());
  b.command(XlBench::DN_UNSTALL);
  b.rig.step(50_us);
  CHECK(b.other.arrivals.size() == 1);
  CHECK(b.in(XlBench::DN_LIST, 4) == 0);

  b.send(body(1514));  // its descriptor and data are being transferred
  b.command(XlBench::DN_STALL);
  CHECK(b.status() & Cyclone::CmdInProgress);
  b.rig.step(30_us);
  CHECK_FALSE(b.status() & Cyclone::CmdInProgress);
  b.rig.step(500_us);
  CHECK(b.other.arrivals.size() == 1);
  CHECK(b.in(XlBench::DN_LIST, 4) == b.tx(b.cur_tx - 1));
  b.command(XlBench::DN_UNSTALL);
  b.rig.step(500_us);
  CHECK(b.other.arrivals.size() == 2);
}

TEST_CASE("3C905B: no frame is lost whenever the driver stalls the list to link the next one") {
  XlBench b;
  b.open();
  std::size_t sent = 0;
  for (Time after{}; after < 12_us; after += 30_ns) {
    INFO(after / 1_ns << " ns after the first of two");
    REQUIRE(b.send(body(60)));
    b.rig.step(after);
    REQUIRE(b.send(body(60)));
    sent += 2;
    b.rig.step(60_us);
    b.handle();
    REQUIRE(b.other.arrivals.size() == sent);
    REQUIRE(b.in(XlBench::DN_LIST, 4) == 0);
  }
}

TEST_CASE("3C905B: received frames are stored in the ring's buffers with length and status") {
  XlBench b;
  b.open();
  for (unsigned n = 0; n < 40; ++n) {
    b.hear(make_frame(60 + 37 * n, n % 2 ? b.own : broadcast_mac, static_cast<std::uint8_t>(n)));
    CHECK(b.interrupt());
    b.handle();
    CHECK_FALSE(b.interrupt());
    REQUIRE(b.received.size() == n + 1);
    CHECK(b.received[n] ==
          without_fcs(make_frame(60 + 37 * n, n % 2 ? b.own : broadcast_mac, static_cast<std::uint8_t>(n))));
    CHECK((b.statuses[n] & 0xFFFFE000) == Cyclone::UpCompleteBit);
  }
  b.hear(make_frame(100, {0, 1, 2, 3, 4, 5}));
  b.hear(make_frame(100, {1, 0, 0x5E, 0, 0, 1}));
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("3C905B: a frame is uploaded while it arrives; its end takes one burst") {
  XlBench b;
  b.open();
  b.other.port.transmit(make_frame(1514, b.own), b.rig.now);
  b.rig.step(100_us);  // of 121
  CHECK(b.rig.get(b.rx_buffers, 1024) == Bytes([&] {
          Bytes frame = make_frame(1514, b.own);
          frame.resize(1024);
          return frame;
        }()));
  CHECK((b.in(XlBench::UP_STATUS, 4) & 0x1FFF) == 1024);
  b.window(3);
  CHECK(b.in(0x0A, 2) > XlBench::fifo_bytes - 256);
  while (b.other.outcomes.empty()) b.rig.step(100_ns);
  b.rig.step(15_us);
  CHECK(b.interrupt());
  CHECK(b.in(XlBench::UP_LIST, 4) == b.rx(1));
}

TEST_CASE("3C905B: a full ring stalls the upload; UpUnStall resumes at a descriptor with a clear complete bit") {
  XlBench b;
  b.open();
  b.refills = false;
  for (unsigned n = 0; n < 35; ++n) b.hear(make_frame(80, b.own, static_cast<std::uint8_t>(n)));
  CHECK(b.in(XlBench::UP_STATUS, 4) & Cyclone::UpStalled);
  b.handle();
  CHECK(b.received.size() == 32);
  CHECK(b.in(XlBench::UP_LIST, 4) == b.rx(0));
  b.command(XlBench::UP_UNSTALL);  // the descriptor is still complete: nothing changes
  b.rig.step(20_us);
  CHECK(b.in(XlBench::UP_STATUS, 4) & Cyclone::UpStalled);
  b.refills = true;
  b.receive();
  b.rig.step(20_us);
  b.handle();
  REQUIRE(b.received.size() == 35);
  for (unsigned n = 0; n < 35; ++n)
    CHECK(b.received[n] == without_fcs(make_frame(80, b.own, static_cast<std::uint8_t>(n))));
}

TEST_CASE("3C905B: status bits follow the indication enable, the latch follows the interrupt enable") {
  XlBench b;
  b.open();
  b.command(XlBench::STATUS_ENABLE);
  b.hear(make_frame(60, b.own));
  CHECK((b.status() & 0x1FFF) == 0);
  CHECK_FALSE(b.interrupt());
  b.command(XlBench::INT_ENABLE | 0x0200);
  b.command(XlBench::STATUS_ENABLE | 0x0400);
  CHECK((b.status() & 0x1FFF) == Cyclone::UpComplete);
  CHECK_FALSE(b.interrupt());
  b.command(XlBench::INT_ENABLE | 0x0400);
  CHECK((b.status() & 0x1FFF) == (Cyclone::UpComplete | Cyclone::InterruptLatch));
  CHECK(b.interrupt());
  b.command(XlBench::ACK | 1);  // its cause is still there
  CHECK(b.interrupt());
  b.command(XlBench::ACK | 0x0400);
  CHECK((b.status() & 0x1FFF) == Cyclone::InterruptLatch);
  CHECK(b.interrupt());
  b.command(XlBench::ACK | 1);
  CHECK_FALSE(b.interrupt());
  CHECK((b.status() & 0x1FFF) == 0);
  // FakeIntr
  b.command(XlBench::STATUS_ENABLE | 0x0040);
  b.command(XlBench::INT_ENABLE | 0x0041);
  b.command(0x6000);
  CHECK((b.status() & 0x1FFF) == 0x41);
  // IntStatusAuto acknowledges and disables.
  CHECK((b.in(0x1E, 2) & 0x1FFF) == 0x41);
  CHECK((b.status() & 0x1FFF) == 0);
  CHECK_FALSE(b.interrupt());
  b.command(0x6000);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("3C905B: a snapshot in the middle of both directions does not affect the run") {
  const auto start = [](XlBench& b) {
    b.open();
    for (unsigned n = 0; n < 8; ++n) b.send(body(1514, static_cast<std::uint8_t>(n)));
    b.other.port.transmit(make_frame(1514, b.own), b.rig.now);
  };
  const auto finish = [](XlBench& b) {
    b.rig.step(2_ms);
    Archive end = Archive::saver();
    b.archive(end);
    return end.stream();
  };
  for (const Time at : {1_us, 4_us, 11_us, 55_us, 118_us, 122_us, 130_us, 444_us}) {
    XlBench whole;
    start(whole);
    whole.rig.step(at);
    Archive saved = Archive::saver();
    whole.archive(saved);
    XlBench resumed(true, false);
    Archive loader = Archive::loader(saved.stream());
    resumed.archive(loader);
    loader.expect_end();
    CHECK(finish(resumed) == finish(whole));
  }
}

TEST_CASE("3C905B: a damaged snapshot is refused or does no harm") {
  XlBench b;
  b.open();
  for (unsigned n = 0; n < 4; ++n) b.send(body(1514));
  b.other.port.transmit(make_frame(1514, b.own), b.rig.now);
  b.rig.step(60_us);
  Archive saved = Archive::saver();
  b.card->archive(saved);
  const std::vector<std::uint8_t> good = saved.stream();
  std::uint64_t random = 12345;
  unsigned refused = 0;
  for (unsigned n = 0; n < 400; ++n) {
    std::vector<std::uint8_t> bad = good;
    random = random * 6364136223846793005u + 1442695040888963407u;
    bad[(random >> 33) % bad.size()] ^= static_cast<std::uint8_t>(1 + (random >> 20) % 255);
    XlBench other(true, false);
    if (!loads(*other.card, bad)) {
      ++refused;
      continue;
    }
    other.rig.step(300_us);
  }
  CHECK(refused > 0);
}
