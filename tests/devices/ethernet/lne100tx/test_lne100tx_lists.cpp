// SPDX-License-Identifier: GPL-2.0-or-later
// The LNE100TX with descriptor lists that drivers should not make, a late bus, resets and snapshots.
#include "tests/devices/ethernet/lne100tx/lne100tx_bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::Tulip;

namespace {

using Bench = Lne100txBench;

/// Another master that holds the bus for as long as its latency timer allows: bursts of `bytes`, one after another.
struct BusHog final : MasterPlace, pci::Master {
  BusHog(PciRig& rig, unsigned device, std::uint32_t bytes)
      : MasterPlace(rig.wiring(), device), Master(function, "hog"), buffer(bytes) {
    set_latency_timer(0xF8);
    again(rig.now);
  }
  void again(Time now) { start(BurstCommand::write, 0x80000, static_cast<std::uint32_t>(buffer.size()), now); }
  std::span<std::uint8_t> burst_data() override { return buffer; }
  void burst_ended(pci::BurstEnd, Time now) override { again(now); }
  Bytes buffer;
};

void descriptor(Bench& b, std::uint32_t at, std::uint32_t control, std::uint32_t buffer1, std::uint32_t buffer2 = 0) {
  b.rig.put32(at + 4, control);
  b.rig.put32(at + 8, buffer1);
  b.rig.put32(at + 12, buffer2);
  b.rig.put32(at, Tulip::OWN);
}

/// Stops both processes and restarts them with the test's own lists.
void lists(Bench& b, std::uint32_t rx, std::uint32_t tx) {
  b.out(7, 0);
  b.out(6, b.csr6);
  b.rig.step(300_us);
  CHECK((b.in(5) >> 17 & 0x3F) == 0);
  CHECK((b.in(5) & (Tulip::TPS | Tulip::RPS)) == (Tulip::TPS | Tulip::RPS));
  b.out(3, rx);
  b.out(4, tx);
  b.out(5, ~0u);
}

constexpr std::uint32_t whole = Tulip::T_FS | Tulip::T_LS | Tulip::T_IC;

}  // namespace

TEST_CASE("LNE100TX: a late bus causes underflows, and the driver raises its threshold up to store and forward",
          "[lne100tx][bus]") {
  Bench b;
  b.up();
  std::array<std::unique_ptr<BusHog>, 8> hogs;  // 2000 clocks between two turns of the chip
  for (unsigned n = 0; n < hogs.size(); ++n) hogs[n] = std::make_unique<BusHog>(b.rig, 20 + n, 4096);
  unsigned good = 0, sent = 0;
  for (unsigned n = 0; n < 40; ++n) {
    if (b.send(body(1514, static_cast<std::uint8_t>(n)))) ++sent;
    b.run(400_us);
  }
  b.run(20_ms, 50_us);
  for (const auto& a : b.other.arrivals) good += a.ok;
  CHECK((b.seen & Tulip::UNF) != 0);
  CHECK(b.chip().counters().underflows >= 1);
  CHECK((b.csr6 & 0x20C000) != 0);
  CHECK(good + b.chip().counters().underflows == sent);
  CHECK(good > sent / 2);
  unsigned failed = 0;
  for (const std::uint32_t s : b.tx_statuses)
    if (s != Tulip::setup_done && s & Tulip::T_UF) ++failed;
  CHECK(failed == b.chip().counters().underflows);
  b.out(6, b.csr6 | 0x2002 | Tulip::SF);
  const auto underflows = b.chip().counters().underflows;
  for (unsigned n = 0; n < 10; ++n) {
    b.send(body(1514));
    b.run(1_ms, 20_us);
  }
  CHECK(b.chip().counters().underflows == underflows);
}

TEST_CASE("LNE100TX: a bus that is never granted makes the receive FIFO overflow", "[lne100tx][bus]") {
  Bench b;
  b.up();
  b.rig.set_config(b.device, pci::COMMAND, pci::IO_SPACE, 2);  // no longer a master
  for (unsigned n = 0; n < 3; ++n) b.hear(make_frame(1514, b.mac, static_cast<std::uint8_t>(n)));
  CHECK((b.in(8) >> 17) == 2);
  CHECK(b.made.network->counters().overruns == 2);
  CHECK(b.made.network->counters().fifo == 2);
  b.rig.set_config(b.device, pci::COMMAND, pci::IO_SPACE | pci::BUS_MASTER, 2);
  b.run(100_us);
  b.hear(make_frame(1514, b.mac, 9));
  b.run(100_us);
  REQUIRE(b.frames.size() == 2);
  CHECK(same(b.frames[0], without_fcs(make_frame(1514, b.mac, 0))));
  CHECK(same(b.frames[1], without_fcs(make_frame(1514, b.mac, 9))));
}

TEST_CASE("LNE100TX: a frame that overflows after its start is discarded and its descriptor reused",
          "[lne100tx][bus]") {
  Bench b({.bits_per_second = 100'000'000, .full_duplex = true}, {{"fifo.receive", "512"}});
  b.up();
  const unsigned entry = b.cur_rx;
  b.other.port.transmit(make_frame(1514, b.mac), b.rig.now);
  b.rig.step(40_us);
  b.rig.set_config(b.device, pci::COMMAND, pci::IO_SPACE, 2);
  b.rig.step(200_us);
  b.rig.set_config(b.device, pci::COMMAND, pci::IO_SPACE | pci::BUS_MASTER, 2);
  b.run(50_us);
  CHECK((b.rx_status(entry) & Tulip::OWN) != 0);
  CHECK(b.frames.empty());
  b.hear(make_frame(100, b.mac, 5));
  b.run(50_us);
  REQUIRE(b.frames.size() == 1);
  CHECK(same(b.frames[0], without_fcs(make_frame(100, b.mac, 5))));
  CHECK((b.in(8) & 0x1FFFF) == 0);
}

TEST_CASE("LNE100TX: chained descriptors, two buffers, any byte address", "[lne100tx][lists]") {
  Bench b;
  b.up();
  lists(b, 0x5000, 0x6000);
  // A frame in three descriptors with five buffers, chained with gaps.
  Bytes frame = body(700);
  std::uint32_t at = 0;
  const auto put = [&](std::uint32_t where, std::uint32_t bytes) {
    b.rig.put(where, Bytes(frame.begin() + at, frame.begin() + at + bytes));
    at += bytes;
  };
  put(0x20001, 33);
  descriptor(b, 0x6000, Tulip::T_FS | Tulip::T_CHAINED | 33, 0x20001, 0x6100);
  put(0x21003, 1);
  descriptor(b, 0x6100, Tulip::T_CHAINED | 1, 0x21003, 0x6200);
  put(0x22002, 400);
  put(0x23007, 266);
  descriptor(b, 0x6200, Tulip::T_LS | Tulip::T_IC | Tulip::T_END | 400 | 266 << 11, 0x22002, 0x23007);
  // Reception: 64 bytes in each of two buffers, then chained ones.
  descriptor(b, 0x5000, 64 | 64 << 11, 0x30000, 0x31000);
  descriptor(b, 0x5010, Tulip::T_CHAINED | 128, 0x32000, 0x5400);
  descriptor(b, 0x5400, 1024, 0x33000);
  b.out(6, b.csr6 | 0x2002);
  b.rig.step(200_us);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(same(without_fcs(b.other.arrivals[0].bytes), frame));
  CHECK(b.rig.get32(0x6000) == 0);
  CHECK(b.rig.get32(0x6100) == 0);
  CHECK(b.rig.get32(0x6200) == 0);
  const Bytes heard = make_frame(400, b.mac, 3);
  b.hear(heard);
  CHECK(b.rig.get32(0x5000) == Tulip::R_FS);
  CHECK(b.rig.get32(0x5010) == 0);
  CHECK(b.rig.get32(0x5400) >> 16 == 404);
  CHECK((b.rig.get32(0x5400) & (Tulip::R_LS | Tulip::R_FS | Tulip::R_ES)) == Tulip::R_LS);
  Bytes got = b.rig.get(0x30000, 64);
  for (const auto& [where, bytes] : {std::pair{0x31000u, 64u}, {0x32000u, 128u}, {0x33000u, 148u}}) {
    const Bytes part = b.rig.get(where, bytes);
    got.insert(got.end(), part.begin(), part.end());
  }
  CHECK(same(got, heard));
}

TEST_CASE("LNE100TX: doublewords between descriptors are skipped", "[lne100tx][lists]") {
  Bench b;
  b.up();
  lists(b, 0x5000, 0x6000);
  b.out(0, Bench::bus_mode | 3 << 2);
  for (unsigned n = 0; n < 3; ++n) {
    b.rig.put(0x20000 + 0x800 * n, body(100 + n));
    descriptor(b, 0x6000 + 28 * n, whole | (100 + n) | (n == 2 ? Tulip::T_END : 0u), 0x20000 + 0x800 * n);
  }
  b.out(6, b.csr6 | 0x2000);
  b.rig.step(100_us);
  REQUIRE(b.other.arrivals.size() == 3);
  CHECK(b.other.arrivals[2].length == 106);
}

TEST_CASE("LNE100TX: a frame that runs out of descriptors is truncated and marked so", "[lne100tx][lists]") {
  Bench b;
  b.up();
  lists(b, 0x5000, 0x6000);
  descriptor(b, 0x5000, 512, 0x30000);
  b.rig.put32(0x5010, 0);
  b.out(6, b.csr6 | 0x2002);
  b.hear(make_frame(1514, b.mac));
  const std::uint32_t status = b.rig.get32(0x5000);
  CHECK(status >> 16 == 512);
  CHECK((status & 0xC300) == (Tulip::R_ES | Tulip::R_DE | Tulip::R_FS | Tulip::R_LS));
  CHECK((b.in(5) & (Tulip::RI | Tulip::RU)) == (Tulip::RI | Tulip::RU));
}

TEST_CASE("LNE100TX: damaged frames, runts and overlong frames", "[lne100tx][lists]") {
  Bench b;
  b.up();
  b.hear(damaged(make_frame(100, b.mac)));
  b.run(50_us);
  CHECK((b.rx_statuses.back() & (Tulip::R_CE | Tulip::R_ES)) == (Tulip::R_CE | Tulip::R_ES));
  b.hear(make_frame(40, b.mac));
  CHECK(b.rx_statuses.size() == 1);
  b.out(6, b.csr6 | 0x2002 | Tulip::PB);
  b.hear(make_frame(40, b.mac));
  b.run(50_us);
  CHECK((b.rx_statuses.back() & (Tulip::R_RF | Tulip::R_ES)) == (Tulip::R_RF | Tulip::R_ES));
  CHECK(b.rx_statuses.back() >> 16 == 44);
  b.seen = 0;
  b.hear(make_frame(2000, b.mac));  // two buffers
  b.run(50_us);
  CHECK((b.rx_statuses.back() & Tulip::R_TL) != 0);
  CHECK(b.rx_statuses.back() >> 16 == 2004);
  CHECK((b.seen & Tulip::RWT) == 0);
  b.hear(make_frame(9000, b.mac));
  b.run(50_us);
  CHECK((b.rx_statuses.back() & Tulip::R_RW) != 0);
  CHECK(b.rx_statuses.back() >> 16 == Tulip::longest_received);
  CHECK((b.seen & Tulip::RWT) != 0);
}

TEST_CASE("LNE100TX: transmit lengths of zero and of two full buffers", "[lne100tx][lists]") {
  Bench b;
  b.up();
  lists(b, 0x5000, 0x6000);
  b.rig.put(0x20000, body(4094));
  descriptor(b, 0x6000, whole, 0x20000);                                      // nothing
  descriptor(b, 0x6010, whole | 2047 | 2047 << 11, 0x20000, 0x20000 + 2047);  // more than the FIFO
  descriptor(b, 0x6020, Tulip::T_FS | 2047 | 2047 << 11, 0x20000, 0x20000);   // no end of it
  descriptor(b, 0x6030, 2047 | 2047 << 11, 0x20000, 0x20000);
  descriptor(b, 0x6040, Tulip::T_LS | 100, 0x20000);                         // no start
  descriptor(b, 0x6050, whole | Tulip::T_AC | Tulip::T_DPD | 100, 0x20000);  // its own FCS
  b.out(6, b.csr6 | 0x2000);
  b.rig.step(2_ms);
  REQUIRE(b.other.arrivals.size() == 2);
  CHECK(b.other.arrivals[0].ok);
  CHECK(same(without_fcs(b.other.arrivals[0].bytes), body(4094)));
  CHECK_FALSE(b.other.arrivals[1].ok);
  CHECK(b.other.arrivals[1].length == 100);
  CHECK(b.rig.get32(0x6000) == 0);
  CHECK(b.rig.get32(0x6010) == 0);
  CHECK(b.rig.get32(0x6020) == (Tulip::T_TO | Tulip::T_ES));
  CHECK(b.rig.get32(0x6030) == 0);
  CHECK(b.rig.get32(0x6040) == 0);
  CHECK((b.in(5) & Tulip::TJT) != 0);
  SECTION("with store and forward the overlong frame is sent, too") {
    descriptor(b, 0x6060, whole | 2047 | 2047 << 11, 0x20000, 0x20000 + 2047);
    b.out(6, b.csr6 | 0x2000 | Tulip::SF);
    b.out(1, 0);
    b.rig.step(1_ms);
    CHECK(b.other.arrivals.size() == 3);
  }
}

TEST_CASE("LNE100TX: rings of one descriptor, and endless rings", "[lne100tx][lists]") {
  Bench b;
  b.up();
  lists(b, 0x5000, 0x6000);
  // A descriptor without data that is its own successor; it is returned again and again.
  descriptor(b, 0x6000, Tulip::T_CHAINED, 0, 0x6000);
  descriptor(b, 0x5000, Tulip::T_CHAINED, 0, 0x5000);
  b.out(6, b.csr6 | 0x2002);
  for (unsigned n = 0; n < 50; ++n) {
    b.rig.put32(0x6000, Tulip::OWN);
    b.rig.put32(0x5000, Tulip::OWN);
    b.out(1, 0);
    b.out(2, 0);
    b.rig.step(3_us);
  }
  b.hear(make_frame(100, b.mac));
  // A buffer that overlaps the list itself.
  lists(b, 0x5000, 0x6000);
  descriptor(b, 0x5000, Tulip::T_CHAINED | 1024, 0x5000, 0x5000);
  descriptor(b, 0x6000, whole | Tulip::T_END | 64, 0x6000);
  b.out(6, b.csr6 | 0x2002);
  b.hear(make_frame(100, b.mac));
  b.rig.step(100_us);
  CHECK(b.other.arrivals.size() == 2);  // prefetched before its status was written
  CHECK((b.in(5) & Tulip::FBE) == 0);
}

TEST_CASE("LNE100TX: lists and buffers outside memory cause a bus error until reset", "[lne100tx][lists]") {
  Bench b;
  b.up();
  lists(b, 0xF0000000, 0xE0000003);
  CHECK(b.in(4) == 0xE0000000);
  b.out(7, Bench::wanted_interrupts);
  b.out(6, b.csr6 | 0x2002);
  b.rig.step(10_us);
  CHECK((b.in(5) & (Tulip::FBE | Tulip::AIS | 0x3800000)) == (Tulip::FBE | Tulip::AIS | Tulip::MASTER_ABORT));
  CHECK((b.rig.config(b.device, pci::STATUS, 2) & pci::RECEIVED_MASTER_ABORT) != 0);
  CHECK(b.interrupt());
  b.hear(make_frame(100, b.mac));
  b.out(1, 0);
  b.out(2, 0);
  b.rig.step(10_us);
  b.out(7, 0);
  b.up();
  b.hear(make_frame(100, b.mac));
  b.run(50_us);
  CHECK(b.frames.size() == 1);
  SECTION("a buffer that extends beyond memory") {
    lists(b, 0x5000, 0x6000);
    descriptor(b, 0x6000, whole | 1024, 0xFFFC0);
    b.out(6, b.csr6 | 0x2000);
    b.rig.step(50_us);
    CHECK((b.in(5) & Tulip::FBE) != 0);
  }
}

TEST_CASE("LNE100TX: stop waits for the frame, start continues at the same descriptor", "[lne100tx][lists]") {
  Bench b;
  b.up();
  b.out(7, 0);
  b.out(5, ~0u);
  for (unsigned n = 0; n < 3; ++n) b.send(body(1000, static_cast<std::uint8_t>(n)));
  b.rig.step(10_us);
  b.out(6, b.csr6 | 2);
  CHECK((b.in(5) & Tulip::TPS) == 0);
  b.rig.step(400_us);
  CHECK((b.in(5) & Tulip::TPS) != 0);
  CHECK(b.other.arrivals.size() == 2);  // the one on the wire, and the one in the FIFO
  b.out(6, b.csr6 | 0x2002);
  b.rig.step(200_us);
  CHECK(b.other.arrivals.size() == 3);
  // The same for reception.
  b.other.port.transmit(make_frame(1000, b.mac), b.rig.now);
  b.rig.step(30_us);
  b.out(6, b.csr6 | 0x2000);
  b.rig.step(100_us);
  CHECK((b.in(5) & (Tulip::RPS | Tulip::RI)) == (Tulip::RPS | Tulip::RI));
  b.hear(make_frame(100, b.mac));
  b.out(6, b.csr6 | 0x2002);
  b.hear(make_frame(200, b.mac));
  b.take();
  REQUIRE(b.frames.size() == 2);
  CHECK(b.frames[0].size() == 1000);
  CHECK(b.frames[1].size() == 200);
}

TEST_CASE("LNE100TX: a poll demand while a descriptor is being fetched is not lost", "[lne100tx][lists]") {
  Bench b;
  b.up();
  b.rig.put(0x20000, body(100));
  BusHog hog(b.rig, 20, 256);
  for (unsigned n = 0; n < 200; ++n) {
    lists(b, 0x5000, 0x6FF8);  // across a page boundary: fetched in two transactions
    b.rig.put32(0x6FF8, 0);
    b.out(6, b.csr6 | 0x2002);
    b.rig.step(Time{std::int64_t{n} * 40'000});
    descriptor(b, 0x6FF8, whole | 100, 0x20000);
    b.out(1, 0);
    b.rig.step(100_us);
    CHECK(b.other.arrivals.size() == n + 1);
  }
}

TEST_CASE("LNE100TX: automatic polling finds a frame without a demand", "[lne100tx][lists]") {
  Bench b;
  b.up();
  lists(b, 0x5000, 0x6000);
  b.rig.put32(0x6000, 0);
  b.out(0, Bench::bus_mode | 1 << 17);
  b.out(6, b.csr6 | 0x2000);
  b.rig.step(20_us);
  b.rig.put(0x20000, body(100));
  descriptor(b, 0x6000, whole | 100, 0x20000);
  b.rig.step(40_us);
  CHECK(b.other.begins.empty());
  b.rig.step(60_us);
  CHECK(b.other.arrivals.size() == 1);
}

TEST_CASE("LNE100TX: half duplex collides, retries and gives up", "[lne100tx]") {
  Bench b({.bits_per_second = 100'000'000, .full_duplex = false});
  b.up();
  b.tx_statuses.clear();
  for (unsigned n = 0; n < 20; ++n) {
    b.other.port.transmit(make_frame(200, b.mac, static_cast<std::uint8_t>(n)), b.rig.now);
    b.send(body(1514, static_cast<std::uint8_t>(n)));
    b.run(400_us);
  }
  CHECK(b.chip().counters().collisions + b.other.outcomes.size() >= 20);
  unsigned good = 0;
  for (const auto& a : b.other.arrivals) good += a.ok;
  CHECK(good == 20);
  CHECK(b.frames.size() == 20);
  RelentlessSender noise(b.rig.scheduler, b.wire);
  noise.port.transmit(make_frame(1514, broadcast_mac), b.rig.now);
  b.rig.step(50_us);
  b.take_sent();
  b.tx_statuses.clear();
  b.send(body(100));
  b.run(20_ms, 20_us);
  b.take_sent();
  REQUIRE(b.tx_statuses.size() == 1);
  CHECK((b.tx_statuses[0] & (Tulip::T_EC | Tulip::T_ES)) == (Tulip::T_EC | Tulip::T_ES));
}

TEST_CASE("LNE100TX: a reset at any time leaves a working card", "[lne100tx]") {
  for (unsigned moment = 0; moment < 40; ++moment) {
    Bench b;
    b.up();
    b.other.port.transmit(make_frame(1514, b.mac), b.rig.now);
    b.rig.step(Time{std::int64_t{moment} * 4'370'000});
    b.send(body(1514));
    b.rig.step(Time{std::int64_t{moment % 7} * 430'000});
    if (moment % 2)
      b.out(0, 1);
    else
      b.rig.segment.reset(b.rig.now);
    b.rig.step(200_us);
    CHECK_FALSE(b.interrupt());
    if (moment % 2 == 0) {
      b.rig.set_config(b.device, pci::BAR0, b.io_base);
      b.rig.set_config(b.device, pci::COMMAND, pci::IO_SPACE | pci::BUS_MASTER, 2);
    }
    CHECK((b.in(5) & Tulip::causes) == 0);
    CHECK(b.in(0) == 0);
    b.nway_set = false;
    b.up();
    b.frames.clear();
    b.other.arrivals.clear();
    b.send(body(300));
    b.hear(make_frame(400, b.mac));
    b.run(100_us);
    CHECK(b.frames.size() == 1);
    REQUIRE(b.other.arrivals.size() == 1);
    CHECK(same(without_fcs(b.other.arrivals[0].bytes), body(300)));
  }
}

TEST_CASE("LNE100TX: a snapshot at any time does not affect the run", "[lne100tx]") {
  const auto run = [](std::optional<Time> taken) {
    auto b = std::make_unique<Bench>();
    b->up();
    for (unsigned n = 0; n < 5; ++n) b->send(body(1514, static_cast<std::uint8_t>(n)));
    for (unsigned n = 0; n < 4; ++n) b->other.to_send.push_back(make_frame(900, b->mac, static_cast<std::uint8_t>(n)));
    b->other.port.transmit(make_frame(1200, b->mac), b->rig.now);
    if (taken) {
      b->rig.step(*taken);
      Archive save = Archive::saver();
      b->archive(save);
      auto again = std::make_unique<Bench>();
      again->other.to_send = b->other.to_send;
      again->other.sent_next = b->other.sent_next;
      Archive load = Archive::loader(save.stream());
      again->archive(load);
      load.expect_end();
      Archive compare = Archive::saver();
      again->archive(compare);
      CHECK(compare.stream() == save.stream());
      b = std::move(again);
      b->rig.step(2_ms - *taken);
    } else {
      b->rig.step(2_ms);
    }
    Archive end = Archive::saver();
    b->archive(end);
    return sha256_hex(end.stream());
  };
  const std::string undisturbed = run(std::nullopt);
  for (unsigned n = 0; n < 24; ++n) CHECK(run(Time{std::int64_t{n} * 23'170'000 + 1}) == undisturbed);
}

TEST_CASE("LNE100TX: a damaged snapshot is refused or runs", "[lne100tx]") {
  Bench b;
  b.up();
  for (unsigned n = 0; n < 4; ++n) b.send(body(1514, static_cast<std::uint8_t>(n)));
  b.other.port.transmit(make_frame(1200, b.mac), b.rig.now);
  b.rig.step(40_us);
  Archive save = Archive::saver();
  b.card->archive(save);
  Random random(7);
  unsigned refused = 0;
  for (unsigned n = 0; n < 300; ++n) {
    std::vector<std::uint8_t> stream = save.stream();
    for (unsigned k = 0; k < 1 + n % 3; ++k)
      stream[static_cast<std::size_t>(random.below(stream.size()))] = static_cast<std::uint8_t>(random.next());
    Bench again;
    if (!loads(*again.card, stream)) {
      ++refused;
      continue;
    }
    again.rig.step(500_us);
  }
  CHECK(refused > 10);
  CHECK(refused < 300);
}

TEST_CASE("LNE100TX: random register writes at any time", "[lne100tx]") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Bench b;
    b.up();
    Random random(seed);
    for (unsigned n = 0; n < 1500; ++n) {
      const unsigned bytes = 1u << random.below(3);
      const auto offset = static_cast<std::uint16_t>(random.below(256) & ~std::uint64_t{bytes - 1});
      auto value = static_cast<std::uint32_t>(random.next());
      if (random.below(2)) value &= 0x000FFFFC;  // in memory
      if (random.below(8) == 0)
        b.rig.put32(static_cast<std::uint32_t>(random.below(0x3FFFF)) << 2, static_cast<std::uint32_t>(random.next()));
      if (random.below(3) == 0)
        b.rig.in(static_cast<std::uint16_t>(b.io_base + offset), bytes);
      else
        b.rig.out(static_cast<std::uint16_t>(b.io_base + offset), value, bytes);
      if (random.below(16) == 0) b.other.port.transmit(make_frame(60 + random.below(1500), broadcast_mac), b.rig.now);
      if (random.below(4) == 0) b.rig.step(Time{static_cast<std::int64_t>(random.below(20'000'000))});
    }
    b.out(6, 0);
    b.rig.step(10_ms);
    b.nway_set = false;
    b.frames.clear();
    b.up();
    b.hear(make_frame(60, b.mac));
    b.run(50_us);
    CHECK(b.frames.size() == 1);
  }
}
