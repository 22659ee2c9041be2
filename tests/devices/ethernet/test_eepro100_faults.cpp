// SPDX-License-Identifier: GPL-2.0-or-later
// The EtherExpress PRO/100+ with bad descriptors, a late bus, resets at any time, no link, and snapshots.
#include "core/common/error.hpp"
#include "tests/devices/ethernet/eepro100_bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::I8255x;

namespace {

void allow_master(EePro100Bench& b, bool on) {
  unsigned command = pci::IO_SPACE | pci::MEMORY_SPACE;
  if (on) command |= pci::BUS_MASTER;
  b.rig.set_config(9, pci::COMMAND, command, 2);
}

/// The driver opens the card again and sends and receives one frame.
void check_alive(EePro100Bench& b) {
  b.received.clear();
  b.statuses.clear();
  b.opened();
  const std::size_t before = b.other.arrivals.size();
  const unsigned entry = b.send(body(300, 77));
  b.rig.step(300_us);
  CHECK(b.sent(entry));
  REQUIRE(b.other.arrivals.size() > before);
  CHECK(b.other.arrivals.back().ok);
  CHECK(without_fcs(b.other.arrivals.back().bytes) == body(300, 77));
  b.hear(make_frame(400, b.own, 5));
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0] == without_fcs(make_frame(400, b.own, 5)));
}

/// Starts the command unit on a transmit block at `at` with the buffers in `tbds`.
void start_block(EePro100Bench& b, std::uint32_t at, const std::vector<std::uint32_t>& tbds, std::uint32_t array = 0) {
  b.rig.put32(at, b.end_of_list | b.transmit | b.flexible);
  b.rig.put32(at + 4, at);
  b.rig.put32(at + 8, array ? array : at + 16);
  b.rig.put32(at + 12, array ? 0x03208000 : static_cast<std::uint32_t>(tbds.size() / 2) << 24 | 0x208000);
  for (std::uint32_t n = 0; n < tbds.size(); ++n) b.rig.put32(at + 16 + 4 * n, tbds[n]);
  b.put(I8255x::SCB_POINTER, at, 4);
  b.put(I8255x::SCB_COMMAND, 0x10, 1);
}

bool master_abort(EePro100Bench& b) { return b.rig.config(9, pci::STATUS, 2) & pci::RECEIVED_MASTER_ABORT; }
/// The units' state and the pending causes, which are acknowledged.
std::uint16_t state(EePro100Bench& b) {
  const auto status = static_cast<std::uint16_t>(b.get(I8255x::SCB_STATUS, 2));
  b.put(I8255x::SCB_STATUS, status & 0xFF00u, 2);
  return status;
}

/// Changes the command unit from "suspended" to "idle", as the driver's timeout does.
void idle(EePro100Bench& b) {
  const unsigned entry = b.cur_tx++;
  b.rig.put32(b.tx(entry), b.end_of_list);
  b.resume_after(b.tx(entry));
  b.rig.step(50_us);
  REQUIRE((state(b) & 0xC0) == 0);
}

}  // namespace

TEST_CASE("PRO/100+: a master abort idles the command unit, and nothing unread is sent") {
  constexpr std::uint32_t block = 0x9000, nowhere = 0xE0000000, causes = 0xF000, suspended_ready = 0x50;
  EePro100Bench b;
  b.opened();
  b.rig.step(50_us);
  CHECK((state(b) & 0xFC) == suspended_ready);
  idle(b);
  CHECK_FALSE(master_abort(b));
  b.rig.put(0x8000, body(1000));
  std::size_t heard = 0;
  SECTION("reading the block") {
    b.put(I8255x::SCB_POINTER, nowhere, 4);
    b.put(I8255x::SCB_COMMAND, 0x10, 1);
  }
  SECTION("reading its only buffer") { start_block(b, block, {nowhere, 600}); }
  SECTION("reading a buffer that begins in memory") { start_block(b, block, {0x100000 - 64, 600}); }
  SECTION("reading the second buffer, below the threshold") { start_block(b, block, {0x8000, 100, nowhere, 600}); }
  SECTION("reading the list of buffers") { start_block(b, block, {0x8000, 100, 0x8000, 100}, nowhere); }
  SECTION("reading the second buffer with the frame on the wire, which ends damaged") {
    start_block(b, block, {0x8000, 1000, nowhere, 500});
    heard = 1;
  }
  b.rig.step(500_us);
  CHECK(master_abort(b));
  CHECK((state(b) & (0xC0 | causes)) == std::uint32_t{I8255x::CNA} << 8);
  CHECK((b.rig.get32(block) & 0xFFFF) == 0);
  REQUIRE(b.other.arrivals.size() == heard);
  for (const auto& frame : b.other.arrivals) {
    CHECK_FALSE(frame.ok);
    CHECK(frame.length <= 1000);
  }
  // It stops because of this: the list continues when the driver says where, and only the next abort sets the bit
  // again.
  b.rig.set_config(9, pci::STATUS, pci::RECEIVED_MASTER_ABORT, 2);
  start_block(b, block, {0x8000, 700});
  b.rig.step(200_us);
  CHECK((b.rig.get32(block) & 0xFFFF) == 0xA000);
  REQUIRE(b.other.arrivals.size() == heard + 1);
  CHECK(b.other.arrivals.back().ok);
  CHECK(b.other.arrivals.back().length == 704);
  CHECK_FALSE(master_abort(b));
  check_alive(b);
}

TEST_CASE("PRO/100+: a frame in the FIFO is sent although the next block is outside memory") {
  EePro100Bench b;
  b.opened();
  b.rig.step(50_us);
  const Bytes frame = body(1514, 3);
  const unsigned entry = b.send(frame);
  b.rig.put32(b.tx(entry) + 4, 0xE0000000);
  b.rig.put32(b.tx(entry), b.rig.get32(b.tx(entry)) & ~b.suspend);
  b.rig.step(300_us);
  CHECK(b.sent(entry));
  CHECK(master_abort(b));
  CHECK((state(b) & 0xC0) == 0);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(b.other.arrivals[0].ok);
  CHECK(without_fcs(b.other.arrivals[0].bytes) == frame);
  check_alive(b);
}

TEST_CASE("PRO/100+: a master abort idles the receive unit, and the command unit continues") {
  EePro100Bench b;
  b.opened();
  b.rig.step(50_us);
  state(b);
  std::uint32_t rfd = 0;
  SECTION("reading the descriptor") { rfd = 0xE0000000; }
  SECTION("writing the frame after it") { rfd = 0x100000 - 16; }
  b.put(I8255x::SCB_COMMAND, 0x04, 1);
  b.rig.step(10_us);
  state(b);
  if (rfd < 0x100000) {
    b.rig.put32(rfd, 0);
    b.rig.put32(rfd + 4, rfd);
    b.rig.put32(rfd + 8, 0xFFFFFFFF);
    b.rig.put32(rfd + 12, 1536u << 16);
  }
  b.put(I8255x::SCB_POINTER, rfd, 4);
  b.put(I8255x::SCB_COMMAND, 0x01, 1);
  b.hear(make_frame(500, b.own));
  CHECK(master_abort(b));
  CHECK((state(b) & 0xFC3C) == std::uint32_t{I8255x::RNR} << 8);
  CHECK(b.chip.counters().received == 0);
  if (rfd < 0x100000) CHECK((b.rig.get32(rfd) & 0xFFFF) == 0);
  const unsigned entry = b.send(body(200));
  b.rig.step(100_us);
  CHECK(b.sent(entry));
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(b.other.arrivals[0].ok);
  b.put(I8255x::SCB_POINTER, b.rx(b.cur_rx), 4);
  b.put(I8255x::SCB_COMMAND, 0x01, 1);
  b.hear(make_frame(600, b.own, 9));
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0] == without_fcs(make_frame(600, b.own, 9)));
}

TEST_CASE("PRO/100+: lists outside memory, in ROM, at odd addresses, and loops") {
  EePro100Bench b;
  b.opened();
  std::vector<std::uint8_t> rom(0x1000, 0);
  rom[3] = 0x80;  // a NOP with EL, to which no status can be written
  b.rig.memory.map_rom(0xF0000000, rom);
  std::uint32_t list = 0;
  SECTION("outside memory") { list = 0xE0000000; }
  SECTION("ROM") { list = 0xF0000000; }
  SECTION("odd addresses") { list = 0x8003; }
  SECTION("the end of the address space") { list = 0xFFFFFFF8; }
  SECTION("a loop of NOPs") {
    list = 0x8000;
    b.rig.put32(list + 4, list);
  }
  b.put(I8255x::SCB_POINTER, list, 4);
  b.put(I8255x::SCB_COMMAND, 0x10, 1);
  b.rig.step(1000_us);
  b.put(I8255x::SCB_COMMAND, 0x04, 1);
  b.put(I8255x::SCB_COMMAND, 0x01, 1);
  b.hear(make_frame(1514, b.own));
  check_alive(b);
}

TEST_CASE("PRO/100+: transmit blocks without bytes, with oversized counts and many buffers") {
  EePro100Bench b;
  b.opened();
  const auto block = [&](std::uint32_t count, std::vector<std::uint32_t> tbds) {
    const std::uint32_t at = 0x9000;
    b.rig.put32(at, 0x80000000 | 0xC0000);
    b.rig.put32(at + 4, at);
    b.rig.put32(at + 8, at + 32);
    b.rig.put32(at + 12, count);
    for (std::uint32_t n = 0; n < tbds.size(); ++n) b.rig.put32(at + 16 + 4 * n, tbds[n]);
    b.put(I8255x::SCB_POINTER, at, 4);
    b.put(I8255x::SCB_COMMAND, 0x04, 1);
    b.port_reset();
    b.set_rx_mode(0);  // extended blocks again; the unit is idle, so no command is executed
    b.put(I8255x::SCB_POINTER, b.tx(b.cur_tx - 2), 4);
    b.put(I8255x::SCB_COMMAND, 0x10, 1);
    b.rig.step(50_us);
    b.put(I8255x::SCB_POINTER, at, 4);
    b.put(I8255x::SCB_COMMAND, 0x10, 1);
    b.rig.step(20'000_us);
    CHECK((b.rig.get32(at) & 0x8000) != 0);
  };
  std::vector<std::uint32_t> many;
  SECTION("no buffers") { block(0x00208000, {}); }
  SECTION("empty buffers") { block(0x02208000, {0x8000, 0, 0x8000, 0}); }
  SECTION("16383 bytes: longer than the FIFO") {
    block(0x01208000, {0x8000, 0x3FFF});
    REQUIRE(b.other.arrivals.size() == 1);
    CHECK(b.other.arrivals[0].ok);
    CHECK(b.other.arrivals[0].length == 16383 + 4);
  }
  SECTION("255 oversized buffers: truncated") {
    for (unsigned n = 0; n < 255; ++n) many.insert(many.end(), {0x8000, 0xFFFE3FFF});
    block(0xFF008000, many);
    REQUIRE(b.other.arrivals.size() == 1);
    CHECK(b.other.arrivals[0].length == 16383 + 4);
  }
  check_alive(b);
}

TEST_CASE("PRO/100+: a late bus causes an underrun; the frame is retransmitted, and its block reports it") {
  EePro100Bench b;
  b.opened();
  b.threshold = 0x01048000;  // 32 bytes
  const Bytes frame = body(1514);
  const unsigned entry = b.send(frame);
  while (b.other.begins.empty()) b.rig.step(1_us);
  allow_master(b, false);
  b.rig.step(300_us);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK_FALSE(b.other.arrivals[0].ok);
  CHECK_FALSE(b.sent(entry));
  allow_master(b, true);
  b.rig.step(300_us);
  CHECK((b.rig.get32(b.tx(entry)) & 0xFFFF) == 0xB000);
  REQUIRE(b.other.arrivals.size() == 2);
  CHECK(b.other.arrivals[1].ok);
  CHECK(without_fcs(b.other.arrivals[1].bytes) == frame);
  SECTION("without configured retries the frame is lost, and the next one is sent") {
    b.config_changes = {{7, 0x01}};
    b.set_rx_mode(0);
    b.rig.step(20_us);
    const unsigned lost = b.send(frame);
    while (b.other.begins.size() < 3) b.rig.step(1_us);
    allow_master(b, false);
    b.rig.step(300_us);
    allow_master(b, true);
    b.rig.step(300_us);
    CHECK(b.sent(lost));
    CHECK(b.other.arrivals.size() == 3);
    check_alive(b);
  }
}

TEST_CASE("PRO/100+: a late bus overruns the receive FIFO at 3 KB; what fits is kept") {
  EePro100Bench b;
  b.opened();
  allow_master(b, false);
  for (unsigned n = 0; n < 4; ++n) b.hear(make_frame(1514, b.own, static_cast<std::uint8_t>(n)));
  CHECK(b.chip.counters().overruns == 2);
  CHECK(b.made.network->counters().fifo == 2);
  allow_master(b, true);
  b.rig.step(200_us);
  b.handle();
  REQUIRE(b.received.size() == 2);
  CHECK(b.received[1] == without_fcs(make_frame(1514, b.own, 1)));
  check_alive(b);
}

TEST_CASE("PRO/100+: a reset at any time during sending and receiving leaves a working card") {
  const int when = GENERATE(0, 1, 3, 5, 8, 12, 17, 20, 25, 30, 60, 100, 130, 180);
  const std::uint32_t how = GENERATE(0u, 2u, 9u);
  EePro100Bench b;
  b.opened();
  b.other.port.transmit(make_frame(1514, b.own), b.rig.now);
  b.rig.step(2_us);
  for (unsigned n = 0; n < 3; ++n) b.send(body(1514));
  b.rig.step(1_us * std::int64_t{when});
  if (how == 9) {
    b.made.function->bus_reset(b.rig.now);
    CHECK_FALSE(b.interrupt());
    return;
  }
  b.put(I8255x::PORT, how, 4);
  b.rig.step(10_us);
  CHECK((b.get(I8255x::SCB_STATUS, 1) & 0xFC) == 0);
  check_alive(b);
}

TEST_CASE("PRO/100+: without a link frames are read and lost; after it is restored they are sent") {
  EePro100Bench b;
  b.opened();
  b.made.network->port().set_plugged(false, b.rig.now);
  b.rig.step(10_us);
  CHECK_FALSE(b.get(I8255x::STATUS, 1) & 1);
  const unsigned entry = b.send(body(100));
  b.rig.step(200_us);
  CHECK(b.sent(entry));
  b.set(I8255x::SCB_COMMAND, 0x50, 1);
  b.rig.step(20_us);
  CHECK(b.rig.get32(b.stats + 16) == 1);  // lost carrier
  CHECK(b.rig.get32(b.stats) == 0);
  b.made.network->port().set_plugged(true, b.rig.now);
  b.hear(make_frame(100, b.own));  // before the link is back
  b.handle();
  CHECK(b.received.empty());
  b.rig.step(2'000'000_us);
  check_alive(b);
}

TEST_CASE("PRO/100+: register writes of any width at any time leave a card that can be reset") {
  EePro100Bench b;
  b.opened();
  std::uint32_t state = 12345;
  const auto next = [&] { return state = state * 1664525 + 1013904223; };
  for (int n = 0; n < 3000; ++n) {
    const unsigned bytes = 1u << (next() >> 30) % 3;
    const unsigned reg = (next() >> 20) % 64 & ~(bytes - 1);
    std::uint32_t value = next();
    if (reg <= I8255x::SCB_POINTER && reg + bytes > I8255x::SCB_POINTER) value = (value & 0xFFFF0) >> 1;
    if (reg == I8255x::PORT) value &= n % 5 ? ~15u : UINT32_MAX;
    b.set(reg, value, bytes);
    b.get((next() >> 20) % 60 & ~3u, 4);
    b.rig.step(1_us * std::int64_t{next() >> 28});
    if (n % 50 == 0 && !b.other.port.busy()) b.other.port.transmit(make_frame(100 + n % 1000, b.own), b.rig.now);
  }
  b.put(I8255x::PORT, 0, 4);
  b.rig.step(5000_us);
  check_alive(b);
}

TEST_CASE("PRO/100+: a snapshot during activity does not affect the run") {
  const int when = GENERATE(0, 2, 5, 9, 14, 22, 40, 90, 140);
  const auto prepare = [](EePro100Bench& b) {
    b.opened();
    b.other.port.transmit(make_frame(1514, b.own), b.rig.now);
    for (unsigned n = 0; n < 3; ++n) b.send(body(1514, static_cast<std::uint8_t>(n)));
  };
  const auto finish = [](EePro100Bench& b) {
    b.rig.step(1000_us);
    Archive a = Archive::saver();
    b.archive(a);
    return a.stream();
  };
  EePro100Bench first, second;
  prepare(first);
  first.rig.step(1_us * std::int64_t{when});
  Archive saved = Archive::saver();
  first.archive(saved);
  Archive loaded = Archive::loader(saved.stream());
  second.archive(loaded);
  loaded.expect_end();
  CHECK(second.chip.interrupt() == first.chip.interrupt());
  const std::size_t before = first.other.arrivals.size();
  CHECK(finish(first) == finish(second));
  CHECK(second.other.arrivals.size() == first.other.arrivals.size() - before);
  CHECK(first.other.arrivals.size() == 3);
}

TEST_CASE("PRO/100+: a damaged snapshot is refused or gives a card that can be reset") {
  EePro100Bench first;
  first.opened();
  first.other.port.transmit(make_frame(1514, first.own), first.rig.now);
  for (unsigned n = 0; n < 3; ++n) first.send(body(1514));
  first.rig.step(20_us);
  Archive saved = Archive::saver();
  first.card->archive(saved);
  const auto whole = saved.stream();
  int refused = 0;
  for (std::size_t n = 0; n < whole.size(); n += 97) {
    auto damaged = whole;
    damaged[n] ^= 0x81;
    EePro100Bench b(true, false);
    if (!loads(*b.card, damaged)) {
      ++refused;
      continue;
    }
    b.rig.step(3000_us);
    b.made.function->bus_reset(b.rig.now);
    b.rig.step(10_us);
  }
  CHECK(refused > 0);
}
