// SPDX-License-Identifier: GPL-2.0-or-later
// The Madge cards as used by Linux's madgemc and tms380tr: identity, reset, download, initialization, OPEN, frames in
// both directions, CLOSE; POS and the board's ports; a snapshot in the middle.
#include "tests/devices/tokenring/madge_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("Madge: Linux's probe finds card type, revision and address, and restores the ports", "[madge]") {
  MadgeBench b;
  const auto id = b.read_rom();
  CHECK(id.manufacturer == 0x4D);
  CHECK(id.type == 0x08);
  CHECK(id.revision == 1);
  CHECK(id.burnt_in == MadgeBench::own);
  CHECK(b.in(0) == 0);
  b.map_sif();
  CHECK(b.in(0) == MadgeMc::SIFSEL);
  CHECK(b.in(2) == 0x83);
  CHECK(b.in(4) == 0xA0);
  b.out(7, 1);
  CHECK(b.in(7) == 1);
  CHECK(b.in(0x10) == 0xFF);

  MadgeBench later(MadgeMc::mc16, {{"board.ram", "262144"}});
  CHECK(later.read_rom().revision == 2);
  MadgeBench wide(MadgeMc::mc32, {}, 32);
  CHECK(wide.card->adapter_id() == 0x0074);
  CHECK(wide.read_rom().type == 0x0D);
  CHECK(MadgeBench(MadgeMc::mc32, {{"adapter_id", "002d"}}, 32).card->adapter_id() == 0x002D);
  CHECK(MadgeMc::mc32.hypothetical);
  CHECK_FALSE(MadgeMc::mc16.hypothetical);
}

TEST_CASE("Madge: POS selects ports and interrupt", "[madge]") {
  MadgeBench b;
  const auto answers = [&](std::uint16_t port) { return b.rig.in(static_cast<std::uint16_t>(port + 2)) != 0xFF; };
  CHECK(answers(0x0A20));
  const std::uint16_t bases[] = {0x0A20, 0x0E20, 0x1A20, 0x1E20, 0x2A20, 0x2E20, 0x3A20, 0x3E20};
  for (unsigned n = 0; n < 8; ++n) {
    b.card->pos_write(4, static_cast<std::uint8_t>(0xA0 | (n & 1 ? 4 : 0)), b.rig.now);
    b.card->pos_write(5, n & 4 ? 0x20 : 0, b.rig.now);
    b.card->pos_write(2, static_cast<std::uint8_t>(0x83 | (n & 2 ? 0x20 : 0)), b.rig.now);
    for (const std::uint16_t port : bases) CHECK(answers(port) == (port == bases[n]));
  }
  b.card->pos_write(2, 0x82, b.rig.now);
  CHECK_FALSE(answers(0x3E20));
}

TEST_CASE("Madge: Linux's driver runs from probe to close", "[madge]") {
  const bool mc32 = GENERATE(false, true);
  MadgeBench b(mc32 ? MadgeMc::mc32 : MadgeMc::mc16, {}, mc32 ? 32 : 16);
  if (mc32) b.pos(0xA0, 1);
  b.start();
  const Bytes scb_test{0x00, 0x00, 0xC1, 0xE2, 0xD4, 0x8B};
  CHECK(std::equal(scb_test.begin(), scb_test.end(), b.rig.ram.begin() + MadgeBench::scb));
  CHECK(b.ram_kilobytes() == (mc32 ? 256 : 128));
  b.open();
  CHECK(b.word(MadgeBench::scb) == 0);
  CHECK(b.chip().port().inserted());
  CHECK(b.chip().port().node() == MadgeBench::own);

  // Transmission: a frame of odd length to one station, with the FS of a copied frame.
  const Bytes frame = MadgeBench::frame(1513);
  const std::uint32_t t = b.send(frame);
  const auto sent = b.await(12);
  CHECK(sent.words == std::array<unsigned, 4>{4, 0x4000, 0, t});
  CHECK((b.word(t + 4) & 0xFF00) == 0x7900);
  CHECK((b.word(t + 4) & 0xCC) == 0xCC);
  REQUIRE(b.other.frames.size() == 1);
  CHECK(std::equal(frame.begin(), frame.end(), b.other.frames[0].begin()));
  CHECK(b.other.frames[0].size() == frame.size() + 4);

  // To a station that does not exist: neither recognised nor copied.
  const std::uint32_t nobody = b.send(MadgeBench::frame(60, {0x40, 0, 0, 0, 0, 9}));
  b.await(12);
  CHECK(b.word(nobody + 4) == 0x7900);

  // Reception.
  const Bytes heard = MadgeBench::frame(700, MadgeBench::own, MadgeBench::peer);
  b.other.port.transmit(heard, b.rig.now);
  const auto received = b.await(10);
  CHECK(received.words == std::array<unsigned, 4>{6, 0x8000, 0, MadgeBench::rpl});
  const auto got = b.take();
  CHECK((got.cstat & 0xFF03) == 0x7801);
  CHECK(got.bytes == heard);
  REQUIRE(b.other.outcomes.size() == 1);
  CHECK((b.other.outcomes[0].status & 0xCC) == 0xCC);

  // More frames than lists, in both directions.
  for (int n = 0; n < 8; ++n) {
    b.send(MadgeBench::frame(200 + 100 * static_cast<std::size_t>(n)));
    CHECK(b.await(12).code == 12);
    b.other.port.transmit(MadgeBench::frame(90 + static_cast<std::size_t>(n), MadgeBench::own, MadgeBench::peer),
                          b.rig.now);
    CHECK(b.await(10).code == 10);
    CHECK(b.take().bytes.size() == 90 + static_cast<std::size_t>(n));
  }
  CHECK(b.counters().sent == 10);
  CHECK(b.counters().received == 9);

  const auto closed = b.run(Tms380::CLOSE, 0);
  CHECK(closed.words == std::array<unsigned, 4>{7, 0x8000, 0, 0});
  CHECK_FALSE(b.chip().port().inserted());
  b.sif(Tms380::SIFACL, 0, 1);
  b.sif(Tms380::SIFCMD, 0xFF00);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("Madge: toggling a bit in control 1 clears the latched interrupt", "[madge]") {
  MadgeBench b;
  b.start();
  b.write_open_block();
  b.execute(Tms380::OPEN, MadgeBench::open_block);
  while (!b.interrupt()) b.rig.step(10_us);
  CHECK((b.in(0) & MadgeMc::SINTR) != 0);
  const unsigned control = b.in(1);
  b.out(1, control ^ MadgeMc::INTERRUPTS);
  CHECK_FALSE(b.interrupt());
  b.out(1, control);
  CHECK_FALSE(b.interrupt());
  CHECK((b.sif(Tms380::SIFSTS) & 0x8F) == 0x86);  // the chip still reports: SCB clear
  b.acknowledge();
  b.rig.step(10_s);
  CHECK(b.interrupt());  // command status: another edge
  CHECK((b.sif(Tms380::SIFSTS) & 0x8F) == 0x88);
}

TEST_CASE("Madge: burst modes differ in grants, not in the data received", "[madge]") {
  struct Result {
    Time took;
    Bytes bytes;
  };
  const auto run = [](const McaEntry& entry, unsigned pos4, unsigned pos3, unsigned width) {
    BusTiming timing = quiet_timing();
    timing.refresh.period = 15'120_ns;
    MadgeBench b(entry, {}, width, {.quick_insertion = true}, timing);
    b.pos(pos4, pos3);
    b.start();
    b.open();
    const std::uint32_t t = b.send(MadgeBench::frame(1514));
    const Time begin = b.rig.now;
    while (b.other.frames.empty() && b.rig.now < begin + 1_s) b.rig.step(1_us);
    const Time took = b.rig.now - begin;
    b.await(12);
    CHECK((b.word(t + 4) & 0xC000) == 0x4000);
    REQUIRE(b.other.frames.size() == 1);
    return Result{took, b.other.frames[0]};
  };
  const Result steal = run(MadgeMc::mc16, 0x20, 0, 16), limited = run(MadgeMc::mc16, 0x60, 0, 16),
               delayed = run(MadgeMc::mc16, 0xA0, 0, 16), immediate = run(MadgeMc::mc16, 0xE0, 0, 16);
  CHECK(steal.took > limited.took + 100_us);  // one arbitration per word
  CHECK(limited.took > immediate.took);
  CHECK(immediate.took > delayed.took);  // one per burst of the chip
  CHECK(immediate.took - delayed.took < 60_us);
  for (const Result* r : {&limited, &delayed, &immediate}) CHECK(r->bytes == steal.bytes);
  const Result streaming = run(MadgeMc::mc32, 0xA0, 1, 32);
  CHECK(streaming.took < delayed.took);
  CHECK(streaming.bytes == steal.bytes);
}

TEST_CASE("Madge: a channel slower than a default cycle costs the 16-bit card whole chip clocks", "[madge]") {
  const auto took = [](const McaEntry& entry, unsigned width, Time memory_cycle) {
    BusTiming timing = quiet_timing();
    timing.memory_cycle = memory_cycle;
    MadgeBench b(entry, {}, width, {.quick_insertion = true}, timing);
    b.pos(0xA0);
    b.start();
    b.open();
    b.send(MadgeBench::frame(1514));
    const Time begin = b.rig.now;
    while (b.other.frames.empty() && b.rig.now < begin + 1_s) b.rig.step(1_us);
    REQUIRE(b.other.frames.size() == 1);
    return b.rig.now - begin;
  };
  const Time normal = took(MadgeMc::mc16, 16, 200_ns), one = took(MadgeMc::mc16, 16, 210_ns),
             still_one = took(MadgeMc::mc16, 16, 325_ns), two = took(MadgeMc::mc16, 16, 415_ns);
  CHECK(took(MadgeMc::mc16, 16, 150_ns) == normal);  // the chip does not get faster
  CHECK(one == still_one);
  const Time clocks = 757 * 137'500_ps;  // one clock per word of the frame, and a few for the list
  for (const Time longer : {one - normal, two - one}) {
    CHECK(longer >= clocks);
    CHECK(longer < clocks + 5_us);
  }
  // The buffered card's chip does not depend on the channel.
  CHECK(took(MadgeMc::mc32, 32, 415_ns) - took(MadgeMc::mc32, 32, 200_ns) < 379 * 215_ns + 10_us);
}

TEST_CASE("Madge: a snapshot at any time of a transfer does not affect it", "[madge]") {
  for (const unsigned mode : {0x00u, 0x20u}) {  // POS 4: as in MadgeBench, and the other mode for releasing the channel
    MadgeBench straight, resumed;
    for (MadgeBench* b : {&straight, &resumed}) {
      b->pos(mode | 0x80);
      b->start();
      b->open();
    }
    straight.send(MadgeBench::frame(301));
    for (int n = 0; n < 1500; ++n) {
      straight.rig.step(300_ns);
      const auto state = straight.saved();
      resumed.restore(state);
      const bool same = resumed.saved() == state;
      REQUIRE(same);
    }
    CHECK(straight.counters().sent == 1);
  }
}

TEST_CASE("Madge: describing the registers has no side effects", "[madge]") {
  MadgeBench b;
  b.start();
  b.open();
  const auto before = b.saved();
  Description d;
  b.card->describe(d);
  const bool same = before == b.saved();
  CHECK(same);
  REQUIRE(d.parts().size() == 2);
  CHECK(d.parts()[0].name() == "TMS380");
  CHECK(d.parts()[0].parts().size() == 3);
}
