// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/random.hpp"
#include "tests/devices/ethernet/i82586_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("after a reset the first channel attention reads SCP and ISCP", "[i82586]") {
  I82586Bench b;
  b.attention();
  b.step(1_ms);
  CHECK(b.r16(0) == 0);  // held in reset
  b.start_up();
  CHECK(b.memory[I82586Bench::top - 20] == 0);  // BUSY
  CHECK(b.status() == (I82586::CX | I82586::CNA));
  CHECK(b.pin);
  b.scb_command(0xF000);
  CHECK(b.status() == 0);
  CHECK_FALSE(b.pin);
}

TEST_CASE("BUSY clears within 32 us although the SCB lies over it", "[i82586]") {
  // 3c523's check586: the ISCP at offset 0, its SCB offset and base zero: status lands beside the BUSY byte.
  I82586Bench b;
  b.w24(I82586Bench::top - 12 + 8, I82586Bench::base);
  b.w16(0, 1);
  b.chip.hold_reset(false, b.now());
  b.attention();
  b.step(16_us);
  b.attention();
  b.step(16_us);
  CHECK(b.memory[0] == 0);
  CHECK(b.memory[1] == 0xA0);
}

TEST_CASE("the command word is cleared whole when the chip has accepted it", "[i82586]") {
  I82586Bench b;
  b.start_up();
  CHECK(b.scb_command(0xF000) <= 10_us);
  CHECK(b.scb_command(0x0808) <= 10_us);  // undefined bits as well
}

TEST_CASE("commands report C and OK; EL leaves the CU idle with CNA", "[i82586]") {
  I82586Bench b;
  b.start_up();
  b.scb_command(0xF000);
  for (unsigned op : {I82586::nop, I82586::ia_setup, I82586::configure, I82586::mc_setup, I82586::diagnose}) {
    CHECK(b.run(op, {0x080A, 0x2E40, 0x6000, 0xF200, 0}) == (I82586::C | I82586::OK));
    CHECK(b.cu() == 0);
    CHECK((b.status() & 0xF000) == I82586::CNA);
    b.acknowledge();
  }
  CHECK(b.run(I82586::nop | I82586::I) == (I82586::C | I82586::OK));
  CHECK((b.status() & 0xF000) == (I82586::CX | I82586::CNA));
}

TEST_CASE("S suspends the CU behind the block; resume goes on at its link", "[i82586]") {
  I82586Bench b;
  b.start_up();
  b.scb_command(0xF000);
  b.block(0x40, I82586::nop | I82586::S, 0x60);
  b.block(0x60, I82586::nop | I82586::EL | I82586::I, 0xFFFF);
  b.w16(4, 0x40);
  b.scb_command(0x0100);
  b.step(50_us);
  CHECK(b.cu() == 1);
  CHECK(b.r16(0x40) == 0xA000);
  CHECK(b.r16(0x60) == 0);
  CHECK((b.status() & 0xF000) == I82586::CNA);
  b.acknowledge();
  b.scb_command(0x0200);
  b.step(50_us);
  CHECK(b.cu() == 0);
  CHECK(b.r16(0x60) == 0xA000);
  b.scb_command(0xF200);  // resume when idle is nothing
  b.step(50_us);
  CHECK(b.status() == 0);
}

TEST_CASE("TDR tells a good link from an open one", "[i82586]") {
  I82586Bench b;
  b.start_up();
  CHECK(b.run(I82586::tdr, {0}) == (I82586::C | I82586::OK));
  CHECK(b.r16(0x46) == I82586::LINK_OK);
  I82586Bench open({}, false);
  open.start_up();
  open.run(I82586::tdr, {0});
  CHECK(open.r16(0x46) == I82586::ET_OPEN);
}

TEST_CASE("DUMP writes 170 bytes, with configuration, address and filter", "[i82586]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.fill(0x1000, Bytes(172, 0x77));
  CHECK(b.run(I82586::dump, {0x1000}) == 0xA000);
  const Bytes d = b.bytes(0x1000, 171);
  CHECK(d[1] == 8);
  CHECK(d[3] == 0x2E);
  CHECK(Bytes(d.begin() + 0x0C, d.begin() + 0x12) == Bytes(b.mac.begin(), b.mac.end()));
  CHECK(d[169] == 0);
  CHECK(d[170] == 0x77);
}

// ---- the self-linked NOP ----

TEST_CASE("a NOP that links to itself is left when its link word changes, without channel attention", "[i82586][nop]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.start_nop_loop();
  CHECK(b.chip.parked());
  CHECK(b.cu() == 2);
  const Bytes frame = without_fcs(make_frame(60));
  b.send_behind(0x40, 0x80, 0xC0, frame, 0x3000);
  const Time patched = b.now();
  b.step(200_us);
  REQUIRE(b.log.entries.size() == 1);
  CHECK(without_fcs(b.log.entries[0].bytes) == frame);
  // Within a turn, and the fetch of block, descriptor and first word.
  CHECK(b.log.entries[0].start - patched < b.chip.nop_time() + 10_us);
  CHECK(b.r16(0x80) == (I82586::C | I82586::OK));
  CHECK((b.status() & 0xF000) == I82586::CX);  // and no CNA
  CHECK(b.chip.parked());                      // on the NOP behind
  b.send_behind(0xC0, 0x100, 0x40, frame, 0x3000);
  b.step(200_us);
  CHECK(b.log.entries.size() == 2);
}

TEST_CASE("a spinning NOP costs no events, and a write that changes nothing keeps it spinning", "[i82586][nop]") {
  I82586Bench b;
  b.start_up();
  b.start_nop_loop();
  b.acknowledge();
  CHECK(b.scheduler.pending().empty());
  b.step(1_s);
  b.w16(0x40, 0);  // its status: written again by the next turn
  b.step(b.chip.nop_time() * 2);
  CHECK(b.r16(0x40) == 0xA000);
  CHECK(b.chip.parked());
}

TEST_CASE("the chip's turns on the memory follow from the time", "[i82586][nop]") {
  I82586Bench b;
  b.start_up();
  b.start_nop_loop();
  const Time word = b.chip.word_time(), turn = b.chip.nop_time();
  CHECK(word == 500_ns);  // four clocks of 8 MHz
  // Over one turn, sampled every 10 ns: five words taken, at most one word's wait, the same in the next turn.
  Time busy{};
  for (Time t{}; t < turn; t += 10_ns) {
    const Time at = b.now() + t, wait = b.chip.bus_free(at) - at;
    CHECK(wait <= word);
    if (wait > Time{}) busy += 10_ns;
    CHECK(b.chip.bus_free(at + turn * 1000) - (at + turn * 1000) == wait);
  }
  CHECK(busy >= word * 5 - 50_ns);
  CHECK(busy <= word * 5 + 50_ns);
}

TEST_CASE("suspend and abort take the CU out of the NOP loop", "[i82586][nop]") {
  I82586Bench b;
  b.start_up();
  b.acknowledge();
  b.start_nop_loop();
  b.scb_command(0x0300);
  b.step(20_us);
  CHECK(b.cu() == 1);
  CHECK((b.status() & 0xF000) == I82586::CNA);
  b.acknowledge();
  b.scb_command(0x0200);
  b.step(20_us);
  CHECK(b.cu() == 2);
  b.scb_command(0x0400);
  b.step(20_us);
  CHECK(b.cu() == 0);
  b.acknowledge();
  b.start_nop_loop();
  CHECK(b.chip.parked());
}

// ---- transmit ----

TEST_CASE("chained frames follow each other without the host", "[i82586][transmit]") {
  ethernet::I82586Timing fast;
  fast.clock_hz = 10'000'000;
  for (const auto& timing : {ethernet::I82586Timing{}, fast}) {
    I82586Bench b(timing);
    b.start_up();
    b.configure();
    b.start_nop_loop();
    const Bytes one = without_fcs(make_frame(1514, broadcast_mac, 1)), two = without_fcs(make_frame(1514, broadcast_mac, 2));
    b.send_behind(0x40, 0x80, 0xC0, one, 0x3000);
    b.send_behind(0xC0, 0x100, 0x140, two, 0x2800);
    b.step(3_ms);
    REQUIRE(b.log.entries.size() == 2);
    CHECK(without_fcs(b.log.entries[0].bytes) == one);
    CHECK(without_fcs(b.log.entries[1].bytes) == two);
    // The 10 MHz part is ready again within the interframe gap, the 8 MHz part 2 us too late.
    const Time gap = b.log.entries[1].start - b.log.entries[0].end;
    if (timing.clock_hz == 10'000'000) CHECK(gap == 9'600_ns);
    else CHECK((gap > 10_us && gap < 13_us));
  }
}

// The 8 MHz part begins 11.5 us behind its own frame. The other station begins 9.6 us after it has heard that frame's end,
// and is heard one way later: with a short way it comes first, with a long one both begin.
TEST_CASE("a station that waited for a frame's end goes before the chained one, from afar it meets it", "[i82586][transmit]") {
  for (const Time way : {100_ns, 500_ns, 900_ns, 1'000_ns, 2'000_ns}) {
    net::EthernetConfig wire;
    wire.propagation = way;
    I82586Bench b({}, true, wire);
    b.start_up();
    b.configure();
    b.start_nop_loop();
    b.send_behind(0x40, 0x80, 0xC0, without_fcs(make_frame(1514, broadcast_mac, 1)), 0x3000);
    b.send_behind(0xC0, 0x100, 0x140, without_fcs(make_frame(1514, broadcast_mac, 2)), 0x2800);
    b.step(300_us);
    b.other.port.transmit(b.for_us(66), b.now());  // an acknowledgement, ready in the middle of the first frame
    b.step(10_ms);
    const bool meet = b.segment.counters().collisions > 0;
    CHECK(meet == (way > 950_ns));
    CHECK(b.segment.counters().frames == 3);
    if (meet) continue;
    CHECK(b.log.entries.at(1).bytes.size() < 100);
    CHECK(b.log.entries.at(1).start == b.log.entries.at(0).end + way + 9'600_ns);
  }
}

TEST_CASE("a frame in several buffers, odd addresses and lengths included", "[i82586][transmit]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  const Bytes frame = without_fcs(make_frame(301));
  b.fill(0x3001, Bytes(frame.begin(), frame.begin() + 101));
  b.fill(0x2800, Bytes(frame.begin() + 101, frame.end()));
  b.w16(0x100, 101);
  b.w16(0x102, 0x110);
  b.w24(0x104, I82586Bench::base + 0x3001);
  b.w16(0x110, 0);  // an empty one between
  b.w16(0x112, 0x120);
  b.w16(0x120, 0x8000 | 200);
  b.w24(0x124, I82586Bench::base + 0x2800);
  CHECK(b.run(I82586::transmit, {0x100}) == 0xA000);
  REQUIRE(b.log.entries.size() == 1);
  CHECK(without_fcs(b.log.entries[0].bytes) == frame);
}

TEST_CASE("with addresses in the command block the chip inserts its own", "[i82586][transmit]") {
  I82586Bench b;
  b.start_up();
  b.configure(0, 0x40, 0x26);
  b.fill(0x3000, Bytes(50, 0xAB));
  b.w16(0x100, 0x8000 | 50);
  b.w24(0x104, I82586Bench::base + 0x3000);
  CHECK(b.run(I82586::transmit, {0x100, 0x0201, 0x0403, 0x0605, 0x0008}) == 0xA000);
  Bytes expected{1, 2, 3, 4, 5, 6};
  for (const std::uint8_t byte : b.mac) expected.push_back(byte);
  expected.push_back(8);
  expected.push_back(0);
  expected.insert(expected.end(), 50, 0xAB);
  CHECK(without_fcs(b.log.entries.at(0).bytes) == expected);
}

TEST_CASE("deferral, lost carrier and the heartbeat show in the status", "[i82586][transmit]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  const Bytes frame = without_fcs(make_frame(60));
  CHECK(b.send(frame) == 0xA000);  // after a reset nothing has been heard yet
  CHECK(b.send(frame) == (0xA000 | I82586::HRT_BEAT));
  b.other.port.transmit(make_frame(1000), b.now());
  b.step(100_us);
  CHECK(b.send(frame) == (0xA000 | I82586::HRT_BEAT | I82586::DEFERRED));
  b.chip.port().set_plugged(false, b.now());
  b.step(20_us);
  CHECK(b.send(frame) == (I82586::C | I82586::HRT_BEAT | I82586::NO_CRS));
}

TEST_CASE("collisions are counted in the low bits; sixteen end the frame", "[i82586][transmit]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  const Bytes frame = without_fcs(make_frame(60));
  // Both wait for the end of the same frame and start at the end of the gap.
  b.other.to_send = {make_frame(60), make_frame(60)};
  b.other.port.transmit(make_frame(1514), b.now());
  b.step(100_us);
  const std::uint16_t status = b.send(frame);
  CHECK((status & I82586::OK) != 0);
  const unsigned collisions = status & 15;
  CHECK(collisions >= 1);
  CHECK(b.chip.counters().collisions == collisions);

  // CONFIGURE with retry number 0: the first collision is one too many.
  b.run(I82586::configure, {0x080C, 0x2E40, 0x6000, 0x0200, 0, 0x0040});
  b.other.sent_next = 0;
  b.other.port.transmit(make_frame(1514), b.now());
  b.step(100_us);
  CHECK((b.send(frame) & (I82586::OK | I82586::MAX_COLL | 15)) == (I82586::MAX_COLL | 1));
}

TEST_CASE("a collision after the slot time is late and ends the frame", "[i82586][transmit]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.start_nop_loop();
  b.send_behind(0x40, 0x80, 0xC0, without_fcs(make_frame(1514)), 0x3000);
  b.step(500_us);
  Recorder deaf(b.scheduler, nullptr, "deaf", 9);
  deaf.port.attach(b.segment);
  deaf.port.transmit(make_frame(60), b.now());
  b.step(2_ms);
  CHECK((b.r16(0x80) & (I82586::C | I82586::OK | I82586::LATE_COLL)) == (I82586::C | I82586::LATE_COLL));
  CHECK(b.chip.parked());
  CHECK(b.chip.counters().transmit_errors == 1);
}

TEST_CASE("buffers too small for the DMA run the FIFO dry: underrun", "[i82586][transmit]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  // One byte a descriptor: five words of bus for 0.8 us of wire.
  for (unsigned i = 0; i < 100; ++i) {
    const unsigned tbd = 0x1000 + 8 * i;
    b.w16(tbd, (i == 99 ? 0x8000 : 0) | 1);
    b.w16(tbd + 2, tbd + 8);
    b.w24(tbd + 4, I82586Bench::base + 0x3000 + i);
  }
  const std::uint16_t status = b.run(I82586::transmit, {0x1000});
  CHECK((status & (I82586::OK | I82586::UNDERRUN)) == I82586::UNDERRUN);
  REQUIRE(b.log.entries.size() == 1);
  CHECK_FALSE(b.log.entries[0].good);
  CHECK(b.log.entries[0].bytes.size() < 40);
}

TEST_CASE("empty buffers in front cost the preamble's time: nothing of the long one behind them leaves", "[i82586][malformed]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  for (unsigned i = 0; i < 5; ++i) {
    b.w16(0x100 + 8 * i, i == 4 ? 0x3FFF : 0);
    b.w16(0x102 + 8 * i, i == 4 ? 0x120 : 0x108 + 8 * i);
    b.w24(0x104 + 8 * i, I82586Bench::base + 0x3000);
  }
  const std::uint16_t status = b.run(I82586::transmit, {0x100});
  CHECK((status & (I82586::OK | I82586::UNDERRUN)) == I82586::UNDERRUN);
  REQUIRE(b.log.entries.size() == 1);
  CHECK(b.log.entries[0].bytes.empty());
  CHECK(b.log.entries[0].end - b.log.entries[0].start == 6'400_ns);
}

TEST_CASE("a chain of full buffers without an end is cut by the serial interface's watchdog", "[i82586][malformed]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.w16(0x100, 1000);
  b.w16(0x102, 0x100);
  b.w24(0x104, I82586Bench::base + 0x3000);
  b.block(0x40, I82586::transmit | I82586::EL, 0xFFFF, {0x100});
  b.w16(4, 0x40);
  b.scb_command(0x0100);
  b.step(24_ms);
  CHECK(b.cu() == 2);
  b.step(2_ms);
  CHECK(b.cu() == 0);
  CHECK((b.r16(0x40) & (I82586::OK | I82586::UNDERRUN)) == I82586::UNDERRUN);
}

TEST_CASE("a chain of empty buffers keeps the CU busy until it is aborted", "[i82586][malformed]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.w16(0x100, 0);
  b.w16(0x102, 0x100);
  b.block(0x40, I82586::transmit | I82586::EL, 0xFFFF, {0x100});
  b.w16(4, 0x40);
  b.scb_command(0x0100);
  b.step(10_ms);
  CHECK(b.cu() == 2);
  CHECK(b.r16(0x40) == I82586::B);
  b.scb_command(0x0400);
  CHECK(b.cu() == 0);
  CHECK(b.r16(0x40) == (I82586::C | I82586::A));
  CHECK(b.send(without_fcs(make_frame(60))) == 0xA000);
}

TEST_CASE("abort cuts the frame on the wire; the next one waits for its end", "[i82586][transmit]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.start_nop_loop();
  b.send_behind(0x40, 0x80, 0xC0, without_fcs(make_frame(1514)), 0x3000);
  b.step(500_us);
  b.scb_command(0x0400);
  CHECK(b.r16(0x80) == (I82586::C | I82586::A));
  CHECK((b.status() & 0xF000) == I82586::CNA);
  b.step(2_ms);
  REQUIRE(b.log.entries.size() == 1);
  CHECK_FALSE(b.log.entries[0].good);
  CHECK(b.send(without_fcs(make_frame(60))) == 0xA000);
}

// ---- receive ----

TEST_CASE("the chip writes the buffer descriptor's offset into every frame descriptor it uses", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area();
  CHECK(b.ru() == 4);
  for (unsigned i = 0; i < 5; ++i) {
    const Bytes frame = b.for_us(i % 2 ? 1514 : 61, static_cast<std::uint8_t>(i));
    b.hear(frame);
    CHECK(b.rfd(i) == (I82586::C | I82586::OK));
    CHECK(b.rfd(i, 6) == I82586Bench::rbds + 12 * i);
    CHECK(b.rbd(i) == (0xC000 | (frame.size() - 4)));  // no FCS
    CHECK(b.buffer(i, frame.size() - 4) == without_fcs(frame));
    CHECK((b.status() & 0xF000) == I82586::FR);
    b.acknowledge();
    CHECK_FALSE(b.pin);
  }
  CHECK(b.chip.counters().received == 5);
}

TEST_CASE("bytes are in memory as they arrive, without the four that may be the FCS", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area();
  const Bytes frame = b.for_us(1000);
  const Time sent = b.now();
  b.other.port.transmit(frame, sent);
  b.step(506'400_ns);
  const std::size_t arrived = static_cast<std::size_t>((b.now() - sent - ethernet_propagation) / 800_ns) - 8;
  CHECK(b.rfd(0) == I82586::B);
  const Bytes got = b.buffer(0, arrived + 1);
  CHECK(Bytes(got.begin(), got.begin() + static_cast<int>(arrived) - 4) ==
        Bytes(frame.begin(), frame.begin() + static_cast<int>(arrived) - 4));
  CHECK(got[arrived - 3] == 0);
  CHECK(got[arrived] == 0);
}

TEST_CASE("S on a frame descriptor suspends the RU with RNR; resume goes on", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(2);
  b.hear(b.for_us(60, 1));
  b.hear(b.for_us(60, 2));
  CHECK(b.ru() == 1);
  CHECK((b.status() & 0xF000) == (I82586::FR | I82586::RNR));
  b.hear(b.for_us(60, 3));  // lost, and not counted: the RU is not out of resources
  CHECK(b.r16(0x0C) == 0);
  b.acknowledge();
  b.w16(I82586Bench::rfds, 0);
  b.scb_command(0x0020);
  CHECK(b.ru() == 4);
  b.hear(b.for_us(60, 4));
  CHECK(b.rfd(0) == 0xA000);
  CHECK(b.rfd(0, 6) == I82586Bench::rbds);
  CHECK(b.buffer(0, 60) == without_fcs(b.for_us(60, 4)));
}

TEST_CASE("EL ends the area: no resources, RNR, and what is lost is counted", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(2, I82586::EL);
  b.hear(b.for_us(60, 1));
  b.hear(b.for_us(60, 2));
  CHECK(b.ru() == 2);
  CHECK((b.status() & 0xF000) == (I82586::FR | I82586::RNR));
  b.hear(b.for_us(60));
  b.hear(b.for_us(60));
  b.hear(make_frame(60, MacAddress{2, 2, 2, 2, 2, 2}));
  CHECK(b.r16(0x0C) == 2);
  b.scb_command(0x0040);
  CHECK(b.ru() == 0);
  b.receive_area(2, I82586::EL);
  b.hear(b.for_us(60, 9));
  CHECK(b.rfd(0) == 0xA000);
}

TEST_CASE("an endless ring is overwritten, as eexpress wants it", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(3, 0);
  for (unsigned i = 0; i < 7; ++i) b.hear(b.for_us(60, static_cast<std::uint8_t>(i)));
  CHECK(b.ru() == 4);
  CHECK(b.buffer(0, 60) == without_fcs(b.for_us(60, 6)));
  CHECK(b.buffer(1, 60) == without_fcs(b.for_us(60, 4)));
}

TEST_CASE("a frame over several buffers: F on each, EOF on the last", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(6, I82586::S, 128);
  const Bytes frame = b.for_us(300);
  b.hear(frame);
  CHECK(b.rbd(0) == (0x4000 | 128));
  CHECK(b.rbd(1) == (0x4000 | 128));
  CHECK(b.rbd(2) == (0xC000 | 44));
  CHECK(b.bytes(I82586Bench::buffers, 300) == without_fcs(frame));
  b.hear(b.for_us(60));
  CHECK(b.rfd(1, 6) == I82586Bench::rbds + 12 * 3);
}

TEST_CASE("a frame that finds no more buffers is dropped, counted, and the RU out of resources", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(2, 0, 128, I82586::EL);
  b.hear(b.for_us(300));
  CHECK(b.ru() == 2);
  CHECK(b.r16(0x0C) == 1);
  CHECK((b.status() & 0xF000) == I82586::RNR);
  CHECK(b.rfd(0) == 0);
  // With bad frames saved it is kept, and says why it is short.
  I82586Bench s;
  s.start_up();
  s.configure(0, 0xC0);
  s.receive_area(2, 0, 128, I82586::EL);
  s.hear(s.for_us(300));
  CHECK(s.rfd(0) == (I82586::C | I82586::NO_BUFFERS));
  CHECK((s.status() & 0xF000) == (I82586::FR | I82586::RNR));
}

TEST_CASE("errors: counted in the SCB, dropped unless bad frames are saved", "[i82586][receive]") {
  for (const bool save : {false, true}) {
    I82586Bench b;
    b.start_up();
    b.configure(0, save ? 0xC0 : 0x40);
    b.receive_area();
    Bytes broken = b.for_us(100);
    broken[40] ^= 1;
    b.hear(broken);
    CHECK(b.r16(0x08) == 1);
    CHECK(b.rfd(0) == (save ? I82586::C | I82586::CRC : 0));
    CHECK(((b.status() & I82586::FR) != 0) == save);
    // Cut between two bytes.
    b.other.port.transmit(b.for_us(1000), b.now());
    b.step(300'350_ns);
    b.other.port.set_plugged(false, b.now());
    b.step(100_us);
    b.other.port.set_plugged(true, b.now());
    b.step(2_ms);
    CHECK(b.r16(0x0A) == 1);
    CHECK(b.r16(0x08) == 1);
    CHECK(b.rfd(save ? 1 : 0) == (save ? I82586::C | I82586::ALN : 0));
    // Shorter than the configured 64 bytes.
    b.hear(b.for_us(50));
    CHECK(b.rfd(save ? 2 : 0) == (save ? I82586::C | I82586::SHORT : 0));
    CHECK(b.r16(0x08) == 1);
    // What was dropped has used nothing up.
    b.hear(b.for_us(100, 7));
    const unsigned next = save ? 3 : 0;
    CHECK(b.rfd(next) == 0xA000);
    CHECK(b.rfd(next, 6) == I82586Bench::rbds + 12 * next);
    CHECK(b.buffer(next, 100) == without_fcs(b.for_us(100, 7)));
  }
}

TEST_CASE("the address filter: own, broadcast, hash, promiscuous", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(2, 0);
  const MacAddress group{0x01, 0x00, 0x5E, 0x00, 0x00, 0x01}, another{0x02, 0x60, 0x8C, 0x99, 0x99, 0x99};
  const auto accepted = [&](const MacAddress& to) {
    b.scb_command(0x0040);
    b.receive_area(2, 0);
    b.hear(make_frame(60, to));
    return b.rfd(0);
  };
  CHECK(accepted(b.mac) == 0xA000);
  CHECK(accepted(broadcast_mac) == (0xA000 | I82586::NO_IA_MATCH));
  CHECK(accepted(group) == 0);
  CHECK(accepted(another) == 0);
  b.run(I82586::mc_setup, {6, 0x0001, 0x005E, 0x0100});
  CHECK(accepted(group) == (0xA000 | I82586::NO_IA_MATCH));
  // A count of addresses instead of bytes (eexpress writes that) is no list.
  b.run(I82586::mc_setup, {1, 0x0001, 0x005E, 0x0100});
  CHECK(accepted(group) == 0);
  b.configure(0x01);
  CHECK(accepted(another) == (0xA000 | I82586::NO_IA_MATCH));
  b.configure(0x02);
  CHECK(accepted(broadcast_mac) == 0);
}

TEST_CASE("with addresses apart the descriptor holds them and the buffer the data", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure(0, 0x40, 0x26);
  b.receive_area();
  const Bytes frame = b.for_us(100);
  b.hear(frame);
  CHECK(b.bytes(I82586Bench::rfds + 8, 14) == Bytes(frame.begin(), frame.begin() + 14));
  CHECK(b.rbd(0) == (0xC000 | 86));
  CHECK(b.buffer(0, 86) == Bytes(frame.begin() + 14, frame.begin() + 100));
}

TEST_CASE("buffers too small for the DMA overrun the FIFO", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(6, I82586::S, 1);
  b.hear(b.for_us(100));
  CHECK(b.r16(0x0E) == 1);
  CHECK(b.rfd(0) == 0);
  CHECK(b.chip.counters().overruns == 1);
}

TEST_CASE("a ring of buffers without size ends as an overrun, not in a hang", "[i82586][malformed]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(1, 0, 0);
  b.hear(b.for_us(1514));
  CHECK(b.r16(0x0E) == 1);
}

TEST_CASE("a frame of a slow chip's neighbour: what the FIFO cannot hold is an overrun", "[i82586][receive]") {
  ethernet::I82586Timing slow;
  slow.command_clocks = 400;  // 50 us to close a frame: the next one begins within 10
  I82586Bench b(slow);
  b.start_up();
  b.configure();
  b.receive_area();
  b.other.to_send = {b.for_us(100, 2)};
  b.hear(b.for_us(100, 1));
  b.step(1_ms);
  CHECK(b.rfd(0) == 0xA000);
  CHECK(b.rfd(1) == 0);
  CHECK(b.r16(0x0E) == 1);
  b.hear(b.for_us(100, 3));
  b.step(1_ms);
  CHECK(b.rfd(1) == 0xA000);
  CHECK(b.buffer(1, 100) == without_fcs(b.for_us(100, 3)));
}

TEST_CASE("back-to-back frames are all kept by a chip of ordinary speed", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(6, 0);
  b.other.to_send = {b.for_us(60, 2), b.for_us(60, 3), b.for_us(60, 4)};
  b.hear(b.for_us(60, 1));
  b.step(1_ms);
  for (unsigned i = 0; i < 4; ++i) CHECK(b.buffer(i, 60) == without_fcs(b.for_us(60, static_cast<std::uint8_t>(i + 1))));
  CHECK(b.r16(0x0E) == 0);
}

TEST_CASE("RU suspend lets the frame in progress end; abort drops it", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area();
  b.other.port.transmit(b.for_us(1000, 1), b.now());
  b.step(300_us);
  b.scb_command(0x0030);
  CHECK(b.ru() == 4);
  b.step(1_ms);
  CHECK(b.rfd(0) == 0xA000);
  CHECK(b.ru() == 1);
  b.scb_command(0xF020);
  b.other.port.transmit(b.for_us(1000, 2), b.now());
  b.step(300_us);
  b.scb_command(0x0040);
  CHECK(b.ru() == 0);
  b.step(1_ms);
  CHECK((b.rfd(1) & I82586::C) == 0);
  CHECK((b.status() & 0xF000) == I82586::RNR);
}

// ---- loopback ----

TEST_CASE("a looped frame comes back and does not reach the wire", "[i82586][loopback]") {
  for (const bool serial : {false, true}) {
    I82586Bench b;
    b.start_up();
    b.configure(0, 0x40, serial ? 0x2E : 0x6E);
    b.chip.set_serial_loopback(serial);
    b.receive_area();
    const Bytes frame = without_fcs(b.for_us(100));
    CHECK(b.send(frame) == 0xA000);
    b.step(100_us);
    CHECK(b.log.entries.empty());
    CHECK(b.rfd(0) == 0xA000);
    CHECK(b.buffer(0, 100) == frame);
    b.hear(b.for_us(60));  // deaf to the wire
    CHECK(b.rfd(1) == 0);
  }
}

TEST_CASE("external loopback goes over the wire and comes back as well", "[i82586][loopback]") {
  I82586Bench b;
  b.start_up();
  b.configure(0, 0x40, 0xAE);
  b.receive_area();
  const Bytes frame = without_fcs(b.for_us(100));
  CHECK(b.send(frame) == 0xA000);
  b.step(100_us);
  CHECK(b.log.entries.size() == 1);
  CHECK(b.rfd(0) == 0xA000);
  CHECK(b.buffer(0, 100) == frame);
}

// ---- reset, unplugging, snapshots, nonsense ----

TEST_CASE("a reset in mid-frame cuts it and forgets everything", "[i82586]") {
  for (const bool by_command : {false, true}) {
    I82586Bench b;
    b.start_up();
    b.configure();
    b.start_nop_loop();
    b.send_behind(0x40, 0x80, 0xC0, without_fcs(make_frame(1514)), 0x3000);
    b.step(500_us);
    if (by_command) {
      b.w16(2, 0x80);
      b.attention();
    } else {
      b.chip.hold_reset(true, b.now());
      b.chip.hold_reset(false, b.now());
    }
    b.step(2_ms);
    REQUIRE(b.log.entries.size() == 1);
    CHECK_FALSE(b.log.entries[0].good);
    CHECK_FALSE(b.pin);
    b.start_up();
    CHECK(b.status() == (I82586::CX | I82586::CNA));
    b.configure();
    CHECK((b.send(without_fcs(make_frame(60))) & I82586::OK) != 0);
  }
}

TEST_CASE("a cable pulled in mid-frame ends the frame with a CRC or alignment error", "[i82586]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area();
  b.other.port.transmit(b.for_us(1000), b.now());
  b.step(400_us);
  b.chip.port().set_plugged(false, b.now());
  b.step(2_ms);
  CHECK(b.r16(0x08) + b.r16(0x0A) == 1);
  CHECK(b.ru() == 4);
  b.chip.port().set_plugged(true, b.now());
  b.step(2_ms);
  b.hear(b.for_us(60));
  CHECK(b.rfd(0) == 0xA000);
}

TEST_CASE("a snapshot in the middle of both directions goes on as if nothing had been", "[i82586][archive]") {
  const auto prepare = [](I82586Bench& b) {
    b.start_up();
    b.configure();
    b.receive_area();
    b.start_nop_loop();
    b.other.to_send = {b.for_us(700, 2)};
    b.other.port.transmit(b.for_us(1200, 1), b.now());
    b.send_behind(0x40, 0x80, 0xC0, without_fcs(make_frame(800)), 0x3000);
    b.step(700_us);
  };
  const auto finish = [](I82586Bench& b) {
    b.step(10_ms);
    CHECK((b.r16(0x80) & I82586::OK) != 0);
    CHECK(b.rfd(0) == 0xA000);
    Archive a = Archive::saver();
    b.archive(a);
    return sha256_hex(a.stream());
  };
  I82586Bench whole, first, second;
  prepare(whole);
  prepare(first);
  Archive saved = Archive::saver();
  first.archive(saved);
  Archive loaded = Archive::loader(saved.stream());
  second.other.to_send = first.other.to_send;
  second.other.sent_next = first.other.sent_next;
  second.archive(loaded);
  loaded.expect_end();
  CHECK(finish(whole) == finish(second));
}

TEST_CASE("random memory under random commands never hangs the chip", "[i82586][malformed]") {
  Random random(0x586);
  for (int round = 0; round < 200; ++round) {
    I82586Bench b;
    b.start_up();
    for (auto& byte : b.memory) byte = static_cast<std::uint8_t>(random.next() >> 13);
    for (int i = 0; i < 30; ++i) {
      b.w16(2, static_cast<unsigned>(random.next() >> 20) & 0xF77F);
      b.attention();
      if (random.below(4) == 0 && !b.other.port.busy()) b.other.port.transmit(b.for_us(60 + random.below(1500)), b.now());
      b.step(Time{static_cast<std::int64_t>(random.below(300'000'000))});
      b.w16(static_cast<unsigned>(random.below(0x4000)), static_cast<unsigned>(random.next() & 0xFFFF));
    }
    b.chip.hold_reset(true, b.now());
    b.step(50_ms);
    CHECK_FALSE(b.pin);
  }
}
