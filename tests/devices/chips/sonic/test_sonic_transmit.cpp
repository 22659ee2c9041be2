// SPDX-License-Identifier: GPL-2.0-or-later
// The SONIC's transmitter: lists and their ends, fragments, collisions, errors.
#include "tests/devices/chips/sonic/sonic_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("a list of frames is sent at minimum gaps; TXDN is set at its end", "[sonic][transmit]") {
  SonicBench c;
  c.start();
  for (unsigned n = 0; n < 3; ++n) {
    c.fill(SonicBench::data + n * 0x600, without_fcs(make_frame(200, broadcast_mac, static_cast<std::uint8_t>(n))));
    c.descriptor(SonicBench::tda + n * 32, 200, SonicBench::data + n * 0x600,
                 n == 2 ? 1 : SonicBench::tda + (n + 1) * 32);
  }
  c.transmit(SonicBench::tda);
  c.step(200_us);
  CHECK((c.in(Sonic::CR)&Sonic::TXP) != 0);
  CHECK((c.in(Sonic::ISR)&Sonic::TXDN) == 0);
  CHECK(c.in(Sonic::TTDA) == SonicBench::tda + 32);
  c.step(1_ms);
  CHECK((c.in(Sonic::CR)&Sonic::TXP) == 0);
  CHECK((c.in(Sonic::ISR) & (Sonic::TXDN | Sonic::TXER)) == Sonic::TXDN);
  REQUIRE(c.log.entries.size() == 3);
  for (unsigned n = 0; n < 3; ++n) CHECK((c.get(SonicBench::tda + n * 32) & ~Sonic::DEF) == Sonic::PTX);
  for (unsigned n = 1; n < 3; ++n) CHECK(c.log.entries[n].start - c.log.entries[n - 1].end == 9'600_ns);
}

TEST_CASE("a driver that appends to the list restarts the chip where it stopped", "[sonic][transmit]") {
  SonicBench c;
  c.start();
  c.descriptor(SonicBench::tda, 100, SonicBench::data, SonicBench::tda + 32 + 1);  // the next one's address, and EOL
  c.transmit(SonicBench::tda);
  c.step(1_ms);
  CHECK(c.in(Sonic::CTDA) == SonicBench::tda + 33);
  c.descriptor(SonicBench::tda + 32, 100, SonicBench::data, 1);
  c.out(Sonic::CR, Sonic::TXP);  // CTDA unchanged
  c.step(1_ms);
  CHECK(c.log.entries.size() == 2);
  CHECK(c.get(SonicBench::tda + 32) == Sonic::PTX);
}

TEST_CASE("fragments of any length and alignment make one frame", "[sonic][transmit]") {
  SonicBench c;
  c.start();
  const Bytes frame = without_fcs(make_frame(300));
  const unsigned parts[] = {1, 13, 2, 200, 84};
  unsigned offset = 0, from = 0x1001;
  std::vector<unsigned> fields{0, 0, 300, 5};
  for (const unsigned bytes : parts) {
    c.fill(from, Bytes(frame.begin() + offset, frame.begin() + offset + bytes));
    for (const unsigned v : {from, 0u, bytes}) fields.push_back(v);
    offset += bytes;
    from += bytes + 37;
  }
  fields.push_back(1);
  for (unsigned n = 0; n < fields.size(); ++n) c.put(SonicBench::tda + 4 * n, {fields[n]});
  c.transmit(SonicBench::tda);
  c.step(1_ms);
  REQUIRE(c.log.entries.size() == 1);
  CHECK(without_fcs(c.log.entries[0].bytes) == frame);
  CHECK(c.in(Sonic::TFC) == 5);
}

TEST_CASE("a byte count that does not match the fragments sets BCM and TXER, and no good frame is sent",
          "[sonic][transmit]") {
  for (const unsigned fragment : {80u, 120u, 0u}) {
    SonicBench c;
    c.start();
    c.put(SonicBench::tda, {0, 0, 100, 1, SonicBench::data, 0, fragment, 1});
    c.transmit(SonicBench::tda);
    c.step(1_ms);
    CHECK((c.get(SonicBench::tda) & (Sonic::PTX | Sonic::BCM)) == Sonic::BCM);
    CHECK((c.in(Sonic::ISR) & (Sonic::TXER | Sonic::TXDN)) == (Sonic::TXER | Sonic::TXDN));
    CHECK((c.in(Sonic::CR)&Sonic::TXP) == 0);
    CHECK(c.in(Sonic::CTDA) == SonicBench::tda);
    for (const auto& e : c.log.entries) CHECK_FALSE(e.good);
  }
}

TEST_CASE("HTX stops after the frame on the wire, and TXP can start the next one", "[sonic][transmit]") {
  SonicBench c;
  c.start();
  for (unsigned n = 0; n < 2; ++n)
    c.descriptor(SonicBench::tda + n * 32, 500, SonicBench::data, n ? 1 : SonicBench::tda + 32);
  c.transmit(SonicBench::tda);
  c.step(100_us);
  c.out(Sonic::CR, Sonic::HTX);
  c.step(2_ms);
  CHECK(c.log.entries.size() == 1);
  CHECK((c.in(Sonic::CR) & (Sonic::TXP | Sonic::HTX)) == Sonic::HTX);
  CHECK((c.in(Sonic::ISR)&Sonic::TXDN) != 0);
  CHECK(c.in(Sonic::CTDA) == SonicBench::tda);  // the last one sent
  c.transmit(SonicBench::tda + 32);
  c.step(2_ms);
  CHECK(c.log.entries.size() == 2);
}

TEST_CASE("PINT interrupts when its descriptor is read; CRCI sends the frame's own FCS", "[sonic][transmit]") {
  SonicBench c;
  c.start();
  c.fill(SonicBench::data, make_frame(96));
  c.descriptor(SonicBench::tda, 100, SonicBench::data, 1, Sonic::TCR_PINT | Sonic::CRCI);
  c.out(Sonic::CTDA, SonicBench::tda);
  c.chip.write(Sonic::CR, Sonic::TXP, c.now);
  c.step(5_us);
  CHECK((c.in(Sonic::ISR) & (Sonic::PINT | Sonic::TXDN)) == Sonic::PINT);
  c.step(1_ms);
  REQUIRE(c.log.entries.size() == 1);
  CHECK(c.log.entries[0].good);
  CHECK(c.log.entries[0].bytes.size() == 100);
  CHECK((c.in(Sonic::TCR)&0xF000) == (Sonic::TCR_PINT | Sonic::CRCI));
  c.out(Sonic::ISR, 0x7FFF);
  c.transmit(SonicBench::tda);
  c.step(1_ms);
  CHECK((c.in(Sonic::ISR)&Sonic::PINT) == 0);
}

TEST_CASE("the first bit is sent when the descriptor and eight bytes have been read", "[sonic][transmit][timing]") {
  SonicBench c;
  c.start();
  c.descriptor(SonicBench::tda, 100, SonicBench::data);
  c.out(Sonic::CTDA, SonicBench::tda);
  const Time command = c.now;
  c.chip.write(Sonic::CR, Sonic::TXP, c.now);
  c.step(1_ms);
  // Four clocks each for the command and the bus, then eight accesses of four clocks.
  CHECK(c.log.entries.at(0).start - command == 50_ns * (4 + 4 + 8 * 4));
}

TEST_CASE("SONIC: the status counts collisions, and the frame is sent", "[sonic][transmit]") {
  SonicBench c;
  c.start();
  c.descriptor(SonicBench::tda, 1000, SonicBench::data);
  // Both wait for the end of a third station's frame.
  Recorder third(c.scheduler, &c.segment, "third", 4);
  third.port.transmit(make_frame(500, {0x00, 1, 2, 3, 4, 5}), c.now);
  c.step(50_us);
  c.other.port.transmit(make_frame(200, {0x00, 1, 2, 3, 4, 6}), c.now);
  c.transmit(SonicBench::tda);
  c.step(100_ms);
  const unsigned status = c.get(SonicBench::tda);
  CHECK(status >> 11 >= 1);
  CHECK((status & 0x07FF) == (Sonic::PTX | Sonic::DEF));
  CHECK(c.chip.counters().collisions == status >> 11);
}

TEST_CASE("SONIC: sixteen collisions set EXC, TXER and TXDN", "[sonic][transmit]") {
  SonicBench c;
  c.start();
  c.descriptor(SonicBench::tda, 1000, SonicBench::data);
  RelentlessSender other(c.scheduler, c.segment);
  other.port.transmit(make_frame(1514), c.now);
  c.step(100_us);
  c.transmit(SonicBench::tda);
  c.step(10_s);
  CHECK(c.get(SonicBench::tda) >> 11 == 16);
  CHECK((c.get(SonicBench::tda) & (Sonic::EXC | Sonic::PTX)) == Sonic::EXC);
  CHECK((c.in(Sonic::ISR) & (Sonic::TXER | Sonic::TXDN)) == (Sonic::TXER | Sonic::TXDN));
  CHECK((c.in(Sonic::CR)&Sonic::TXP) == 0);
  CHECK(c.in(Sonic::CTDA) == SonicBench::tda);
}

TEST_CASE("SONIC: without a cable the frame takes its time and the status reports lost carrier", "[sonic][transmit]") {
  SonicBench c(4, false);
  c.start();
  c.descriptor(SonicBench::tda, 1000, SonicBench::data);
  c.transmit(SonicBench::tda);
  c.step(700_us);
  CHECK((c.in(Sonic::CR)&Sonic::TXP) != 0);
  c.step(200_us);
  CHECK(c.get(SonicBench::tda) == (Sonic::PTX | Sonic::NCRS | Sonic::CRSL));
  CHECK((c.in(Sonic::ISR) & (Sonic::TXDN | Sonic::TXER)) == Sonic::TXDN);
}

TEST_CASE("a cable pulled in mid-frame loses the carrier and truncates the frame for the others", "[sonic][transmit]") {
  SonicBench c;
  c.start();
  c.descriptor(SonicBench::tda, 1000, SonicBench::data);
  c.transmit(SonicBench::tda);
  c.step(300_us);
  c.chip.port().set_plugged(false, c.now);
  c.step(1_ms);
  CHECK(c.get(SonicBench::tda) == (Sonic::PTX | Sonic::CRSL));
  REQUIRE(c.other.arrivals.size() == 1);
  CHECK_FALSE(c.other.arrivals[0].ok);
}

TEST_CASE("SONIC: a late collision is reported and the frame is retransmitted", "[sonic][transmit]") {
  SonicBench c;
  c.start();
  c.descriptor(SonicBench::tda, 1500, SonicBench::data);
  c.transmit(SonicBench::tda);
  c.step(500_us);
  Recorder deaf(c.scheduler, nullptr, "deaf", 9);
  deaf.port.attach(c.segment);
  deaf.port.transmit(make_frame(60, {0x00, 1, 2, 3, 4, 5}), c.now);
  c.step(100_ms);
  CHECK((c.get(SonicBench::tda) & (Sonic::OWC | Sonic::PTX)) == (Sonic::OWC | Sonic::PTX));
  CHECK(c.get(SonicBench::tda) >> 11 == 1);
}

TEST_CASE("a frame deferred for more than 3.2 ms is abandoned unless EXDIS is set", "[sonic][transmit]") {
  for (const unsigned config : {0u, unsigned{Sonic::EXDIS}}) {
    SonicBench c;
    c.start(0);
    c.other.port.transmit(Bytes(8000, 0x55), c.now);  // carrier for 6.4 ms
    c.step(100_us);
    c.descriptor(SonicBench::tda, 100, SonicBench::data, 1, config);
    c.transmit(SonicBench::tda);
    c.step(3_ms);
    CHECK((c.in(Sonic::CR)&Sonic::TXP) != 0);
    c.step(500_us);
    CHECK(((c.in(Sonic::ISR)&Sonic::TXER) != 0) == (config == 0));
    c.step(10_ms);
    CHECK(((c.get(SonicBench::tda) & Sonic::EXD) != 0) == (config == 0));
    CHECK(((c.get(SonicBench::tda) & Sonic::DEF) != 0));
    CHECK(((c.get(SonicBench::tda) & Sonic::PTX) != 0) == (config != 0));
  }
}

TEST_CASE("a write to memory that has not been fetched yet changes the frame", "[sonic][transmit]") {
  SonicBench c;
  c.start();
  c.descriptor(SonicBench::tda, 1000, SonicBench::data);
  c.transmit(SonicBench::tda);
  c.step(300_us);
  for (const unsigned at : {100u, 900u}) {
    c.ram[SonicBench::data + at] = 0x77;
    c.chip.memory_written(SonicBench::data + at, 0x77, c.now);
  }
  c.step(2_ms);
  CHECK(c.log.entries.at(0).bytes[100] == 0);
  CHECK(c.log.entries.at(0).bytes[900] == 0x77);
  CHECK(c.log.entries.at(0).good);
}
