// SPDX-License-Identifier: GPL-2.0-or-later
// The 82586: start-up, commands, the self-linked NOP, loopback, reset, snapshots, invalid requests.
#include "core/common/random.hpp"
#include "tests/devices/chips/i82586/i82586_bench.hpp"

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

TEST_CASE("BUSY clears within 32 us although the SCB overlaps it", "[i82586]") {
  // 3c523's check586: the ISCP at offset 0, its SCB offset and base zero: the status is written next to the BUSY byte.
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

TEST_CASE("the whole command word is cleared when the chip has accepted it", "[i82586]") {
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

TEST_CASE("S suspends the CU after the block; resume continues at its link", "[i82586]") {
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
  b.scb_command(0xF200);  // resume has no effect when idle
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

TEST_CASE("the CU leaves a NOP that links to itself when the link changes, without channel attention",
          "[i82586][nop]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.start_nop_loop();
  CHECK(b.chip.parked());
  CHECK(b.cu() == 2);
  const Bytes frame = without_fcs(make_frame(60));
  b.send_after(0x40, 0x80, 0xC0, frame, 0x3000);
  const Time patched = b.now();
  b.step(200_us);
  REQUIRE(b.log.entries.size() == 1);
  CHECK(without_fcs(b.log.entries[0].bytes) == frame);
  // Within one iteration of the NOP, plus the fetch of the block, descriptor and first word.
  CHECK(b.log.entries[0].start - patched < b.chip.nop_time() + 10_us);
  CHECK(b.r16(0x80) == (I82586::C | I82586::OK));
  CHECK((b.status() & 0xF000) == I82586::CX);  // and no CNA
  CHECK(b.chip.parked());                      // on the NOP after the block
  b.send_after(0xC0, 0x100, 0x40, frame, 0x3000);
  b.step(200_us);
  CHECK(b.log.entries.size() == 2);
}

TEST_CASE("a looping NOP costs no events, and continues after a write that does not change it", "[i82586][nop]") {
  I82586Bench b;
  b.start_up();
  b.start_nop_loop();
  b.acknowledge();
  CHECK(b.scheduler.pending().empty());
  b.step(1_s);
  b.w16(0x40, 0);  // its status: written again in the next iteration
  b.step(b.chip.nop_time() * 2);
  CHECK(b.r16(0x40) == 0xA000);
  CHECK(b.chip.parked());
}

TEST_CASE("the chip's bus cycles in the NOP loop follow from the time", "[i82586][nop]") {
  I82586Bench b;
  b.start_up();
  b.start_nop_loop();
  const Time word = b.chip.word_time(), turn = b.chip.nop_time();
  CHECK(word == 500_ns);  // four clocks at 8 MHz
  // Over one iteration, sampled every 10 ns: five words are transferred, a wait is at most one word, and the next
  // iterations are the same.
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

// ---- loopback ----

TEST_CASE("a looped-back frame is received and does not reach the wire", "[i82586][loopback]") {
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
    b.hear(b.for_us(60));  // does not hear the wire
    CHECK(b.rfd(1) == 0);
  }
}

TEST_CASE("external loopback sends on the wire and receives the frame", "[i82586][loopback]") {
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

TEST_CASE("a reset in mid-frame truncates the frame and clears all state", "[i82586]") {
  for (const bool by_command : {false, true}) {
    I82586Bench b;
    b.begin_frame();
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

TEST_CASE("a cable pulled in mid-frame gives a CRC or alignment error", "[i82586]") {
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

TEST_CASE("a snapshot in the middle of both directions does not affect the run", "[i82586][archive]") {
  const auto prepare = [](I82586Bench& b) {
    b.start_up();
    b.configure();
    b.receive_area();
    b.start_nop_loop();
    b.other.to_send = {b.for_us(700, 2)};
    b.other.port.transmit(b.for_us(1200, 1), b.now());
    b.send_after(0x40, 0x80, 0xC0, without_fcs(make_frame(800)), 0x3000);
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

TEST_CASE("random memory and commands do not hang the chip", "[i82586][malformed]") {
  Random random(0x586);
  for (int round = 0; round < 200; ++round) {
    I82586Bench b;
    b.start_up();
    for (auto& byte : b.memory) byte = static_cast<std::uint8_t>(random.next() >> 13);
    for (int i = 0; i < 30; ++i) {
      b.w16(2, static_cast<unsigned>(random.next() >> 20) & 0xF77F);
      b.attention();
      if (random.below(4) == 0 && !b.other.port.busy())
        b.other.port.transmit(b.for_us(60 + random.below(1500)), b.now());
      b.step(Time{static_cast<std::int64_t>(random.below(300'000'000))});
      b.w16(static_cast<unsigned>(random.below(0x4000)), static_cast<unsigned>(random.next() & 0xFFFF));
    }
    b.chip.hold_reset(true, b.now());
    b.step(50_ms);
    CHECK_FALSE(b.pin);
  }
}
