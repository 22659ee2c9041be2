// SPDX-License-Identifier: GPL-2.0-or-later
// The 82586's receive unit: frame and buffer descriptors, the ends of lists, errors, the address filter.
#include "tests/devices/chips/i82586/i82586_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("the chip writes the buffer descriptor's offset into every frame descriptor that it uses",
          "[i82586][receive]") {
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

TEST_CASE("words are written as their bytes arrive, except the last four bytes, which may be the FCS",
          "[i82586][receive]") {
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

  // A host never sees half a word.
  REQUIRE(arrived % 2 == 0);
  REQUIRE((frame[arrived - 4] != 0 && frame[arrived - 3] != 0));
  b.step(800_ns);
  CHECK(b.buffer(0, arrived)[arrived - 4] == 0);
  b.step(800_ns);
  CHECK(b.buffer(0, arrived)[arrived - 4] == frame[arrived - 4]);
  CHECK(b.buffer(0, arrived)[arrived - 3] == frame[arrived - 3]);
}

TEST_CASE("S on a frame descriptor suspends the RU with RNR; resume continues", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(2);
  b.hear(b.for_us(60, 1));
  b.hear(b.for_us(60, 2));
  CHECK(b.ru() == 1);
  CHECK((b.status() & 0xF000) == (I82586::FR | I82586::RNR));
  b.hear(b.for_us(60, 3));  // lost, but not counted: the RU is not out of resources
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

TEST_CASE("EL ends the receive area: no resources, RNR, and lost frames are counted", "[i82586][receive]") {
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

TEST_CASE("an endless ring is overwritten, as eexpress expects", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(3, 0);
  for (unsigned i = 0; i < 7; ++i) b.hear(b.for_us(60, static_cast<std::uint8_t>(i)));
  CHECK(b.ru() == 4);
  CHECK(b.buffer(0, 60) == without_fcs(b.for_us(60, 6)));
  CHECK(b.buffer(1, 60) == without_fcs(b.for_us(60, 4)));
}

TEST_CASE("a frame in several buffers has F in each and EOF in the last", "[i82586][receive]") {
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

TEST_CASE("a frame that runs out of buffers is dropped and counted, and the RU has no resources", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(2, 0, 128, I82586::EL);
  b.hear(b.for_us(300));
  CHECK(b.ru() == 2);
  CHECK(b.r16(0x0C) == 1);
  CHECK((b.status() & 0xF000) == I82586::RNR);
  CHECK(b.rfd(0) == 0);
  // If bad frames are saved it is kept, with the reason why it is short.
  I82586Bench s;
  s.start_up();
  s.configure(0, 0xC0);
  s.receive_area(2, 0, 128, I82586::EL);
  s.hear(s.for_us(300));
  CHECK(s.rfd(0) == (I82586::C | I82586::NO_BUFFERS));
  CHECK((s.status() & 0xF000) == (I82586::FR | I82586::RNR));
}

TEST_CASE("frames with errors are counted in the SCB and dropped unless bad frames are saved", "[i82586][receive]") {
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
    // The dropped frame has not used any resources.
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
  // A count of addresses instead of bytes, as written by eexpress, is not a list.
  b.run(I82586::mc_setup, {1, 0x0001, 0x005E, 0x0100});
  CHECK(accepted(group) == 0);
  b.configure(0x01);
  CHECK(accepted(another) == (0xA000 | I82586::NO_IA_MATCH));
  b.configure(0x02);
  CHECK(accepted(broadcast_mac) == 0);
}

TEST_CASE("with separate addresses the descriptor holds them and the buffer the data", "[i82586][receive]") {
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

TEST_CASE("buffers too small for the DMA rate overrun the FIFO", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(6, I82586::S, 1);
  b.hear(b.for_us(100));
  CHECK(b.r16(0x0E) == 1);
  CHECK(b.rfd(0) == 0);
  CHECK(b.chip.counters().overruns == 1);
}

TEST_CASE("an endless ring of empty buffers ends in an overrun and does not hang", "[i82586][malformed]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(1, 0, 0);
  b.hear(b.for_us(1514));
  CHECK(b.r16(0x0E) == 1);
}

TEST_CASE("a frame that follows too soon for a slow chip is an overrun", "[i82586][receive]") {
  ethernet::I82586Timing slow;
  slow.command_clocks = 400;  // 50 us to complete a frame: the next one begins within 10 us
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

TEST_CASE("a chip of ordinary speed receives all back-to-back frames", "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area(6, 0);
  b.other.to_send = {b.for_us(60, 2), b.for_us(60, 3), b.for_us(60, 4)};
  b.hear(b.for_us(60, 1));
  b.step(1_ms);
  for (unsigned i = 0; i < 4; ++i)
    CHECK(b.buffer(i, 60) == without_fcs(b.for_us(60, static_cast<std::uint8_t>(i + 1))));
  CHECK(b.r16(0x0E) == 0);
}

TEST_CASE("RU suspend lets the frame in progress finish; abort drops it", "[i82586][receive]") {
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
