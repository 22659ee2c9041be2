// SPDX-License-Identifier: GPL-2.0-or-later
// The SONIC's receiver: descriptors, resources and their ends, errors, tallies, the address filter.
#include "tests/devices/chips/sonic/sonic_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("a receive descriptor gets status, count, address and sequence number, also in the upper halves",
          "[sonic][receive]") {
  SonicBench c;
  c.start();
  c.hear(c.for_us(61));
  const unsigned d = c.receive(0);
  CHECK(c.get(d, 0) == (Sonic::BRD | Sonic::PRX | Sonic::LPKT));
  CHECK(c.get(d, 1) == 65);  // with the check sequence
  CHECK(c.get(d, 2) == SonicBench::buffers);
  CHECK(c.get(d, 3) == 0);
  CHECK(c.get(d, 4) == 0);
  CHECK(c.get(d, 6) == 0);
  CHECK(c.get(d + 2, 1) == 65);
  CHECK(c.get(d + 2, 6) == 0);
  CHECK(c.stored(0) == c.for_us(61));
  CHECK(c.ram[SonicBench::buffers + 65] == 0xFF);  // padded to a doubleword
  CHECK(c.ram[SonicBench::buffers + 68] == 0x00);
  CHECK(c.in(Sonic::CRDA) == c.receive(1));
  CHECK(c.in(Sonic::LLFA) == d + 5 * 4);
  CHECK(c.in(Sonic::CRBA0) == SonicBench::buffers + 0x800);
  CHECK(c.in(Sonic::RSC) == 0x0100);
}

TEST_CASE("frames share a buffer until less than EOBC is left", "[sonic][receive]") {
  SonicBench c;
  c.start(Sonic::BRD, 8, 4, 400, 100);  // 800 bytes; the last frame may begin when 200 are left
  for (std::uint8_t n = 0; n < 7; ++n) c.hear(c.for_us(196 + (n & 1), n));
  // 200 and 204 bytes in doublewords: after three frames 604 are used and less than 200 are left.
  const unsigned at[] = {0x4000, 0x40C8, 0x4194, 0x4800, 0x48CC, 0x4994, 0x5000};
  for (unsigned n = 0; n < 7; ++n) {
    CHECK(c.get(c.receive(n), 2) == at[n]);
    CHECK(((c.get(c.receive(n), 0) & Sonic::LPKT) != 0) == (n == 2 || n == 5));
    CHECK(c.get(c.receive(n), 4) == ((n / 3) << 8 | n % 3));
    CHECK(c.stored(n) == c.for_us(196 + (n & 1), static_cast<std::uint8_t>(n)));
  }
}

TEST_CASE("RBE warns of the last resource; the receiver stops after it if RBE is not cleared", "[sonic][receive]") {
  SonicBench c;
  c.start(Sonic::BRD, 8, 3);
  for (std::uint8_t n = 0; n < 2; ++n) c.hear(c.for_us(100, n));
  CHECK((c.in(Sonic::ISR)&Sonic::RBE) != 0);
  CHECK(c.in(Sonic::RRP) == c.in(Sonic::RWP));
  c.hear(c.for_us(100, 2));
  CHECK(c.get(c.receive(2), 6) == 0);  // the warning does not end reception
  c.hear(c.for_us(100, 3));
  c.hear(c.for_us(100, 4));
  CHECK(c.get(c.receive(3), 6) == 1);
  CHECK(c.in(Sonic::MPT) == 2);
  c.out(Sonic::ISR, Sonic::RBE);
  c.step(5_us);
  c.hear(c.for_us(100, 5));
  CHECK(c.stored(3) == c.for_us(100, 5));
  CHECK(c.get(c.receive(3), 2) == SonicBench::buffers);
}

TEST_CASE("clearing RBE in mid-frame keeps the frame's buffer and reads one resource", "[sonic][receive]") {
  SonicBench c;
  c.start(Sonic::BRD, 8, 3);
  for (std::uint8_t n = 0; n < 2; ++n) c.hear(c.for_us(100, n));
  c.other.port.transmit(c.for_us(1000, 2), c.now);
  c.step(400_us);
  c.out(Sonic::ISR, Sonic::RBE);
  c.step(2_ms);
  CHECK(c.stored(2) == c.for_us(1000, 2));
  CHECK(c.get(c.receive(2), 2) == SonicBench::buffers + 0x1000);
  CHECK(c.in(Sonic::CRBA0) == SonicBench::buffers);
}

TEST_CASE("at the end of the descriptor list RDE is set; the last descriptor is released when the list continues",
          "[sonic][receive]") {
  SonicBench c;
  c.start(Sonic::BRD, 2, 8);
  c.hear(c.for_us(100, 0));
  CHECK((c.in(Sonic::ISR)&Sonic::RDE) == 0);
  c.hear(c.for_us(100, 1));
  CHECK((c.in(Sonic::ISR) & (Sonic::RDE | Sonic::PKTRX)) == (Sonic::RDE | Sonic::PKTRX));
  CHECK(c.get(c.receive(1), 1) == 104);
  CHECK(c.get(c.receive(1), 6) == 1);
  c.hear(c.for_us(100, 2));  // still no more: missed
  CHECK(c.in(Sonic::MPT) == 1);
  c.put(c.receive(0), {0, 0, 0, 0, 0, 1, 1});
  c.put(c.receive(1) + 5 * 4, {c.receive(0)});
  c.hear(c.for_us(100, 3));
  CHECK(c.get(c.receive(1), 6) == 0);
  CHECK(c.stored(0) == c.for_us(100, 3));
  CHECK(c.stored(1) == c.for_us(100, 1));
}

TEST_CASE("a frame that does not fit its buffer is abandoned with RBAE", "[sonic][receive]") {
  SonicBench c;
  c.start(Sonic::BRD, 4, 4, 100, 50);
  c.hear(c.for_us(300));
  CHECK((c.in(Sonic::ISR) & (Sonic::RBAE | Sonic::PKTRX)) == Sonic::RBAE);
  CHECK(c.get(c.receive(0), 6) == 1);
  CHECK(c.ram[SonicBench::buffers + 199] == c.for_us(300)[199]);
  CHECK(c.ram[SonicBench::buffers + 200] == 0);
  c.hear(c.for_us(150));
  CHECK(c.stored(0) == c.for_us(150));
  CHECK(c.get(c.receive(0), 2) == SonicBench::buffers + 0x800);
}

TEST_CASE("SONIC: CRC and alignment errors are counted separately; RCR.ERR keeps such frames", "[sonic][receive]") {
  SonicBench c;
  c.start();
  c.hear(damaged(c.for_us(100)));
  CHECK(c.in(Sonic::CRCT) == 1);
  CHECK(c.in(Sonic::FAET) == 0);
  c.other.port.transmit(c.for_us(1000), c.now);
  c.step(300'350_ns);
  c.other.port.set_plugged(false, c.now);
  c.step(1_ms);
  c.other.port.set_plugged(true, c.now);
  c.step(1_ms);
  CHECK(c.in(Sonic::FAET) == 1);
  CHECK(c.in(Sonic::CRCT) == 1);
  CHECK((c.in(Sonic::ISR)&Sonic::PKTRX) == 0);
  CHECK(c.in(Sonic::CRBA0) == SonicBench::buffers);  // taken back
  c.out(Sonic::RCR, Sonic::ERR | Sonic::BRD);
  c.hear(damaged(c.for_us(100)));
  CHECK((c.get(c.receive(0), 0) & (Sonic::PRX | Sonic::CRCR | Sonic::FAER)) == Sonic::CRCR);
  CHECK(c.stored(0) == damaged(c.for_us(100)));
  c.out(Sonic::CRCT, 0x0000);  // inverted: FFFFh, the next one rolls over
  c.hear(damaged(c.for_us(100)));
  CHECK(c.in(Sonic::CRCT) == 0);
  CHECK((c.in(Sonic::ISR)&Sonic::CRC) != 0);
}

TEST_CASE("SONIC: runts are ignored unless RCR.RNT accepts them; an overlong frame is received if it fits",
          "[sonic][receive]") {
  SonicBench c;
  c.start(Sonic::BRD, 4, 4, 1024);
  c.hear(c.for_us(40));
  CHECK(c.in(Sonic::ISR) == 0);
  c.out(Sonic::RCR, Sonic::BRD | Sonic::RNT);
  c.hear(c.for_us(40));
  CHECK(c.stored(0) == c.for_us(40));
  c.hear(c.for_us(2000));
  CHECK(c.stored(1) == c.for_us(2000));
}

TEST_CASE("SONIC: the address filter: CAM, broadcast, all multicast, promiscuous", "[sonic][receive]") {
  SonicBench c;
  c.start(0, 64, 60, 760);
  unsigned n = 0;
  const auto status = [&](const MacAddress& to) -> int {
    c.hear(make_frame(60, to));
    c.out(Sonic::ISR, Sonic::RBE);
    if (c.get(c.receive(n), 6)) return -1;
    return c.get(c.receive(n++), 0) & (Sonic::PRX | Sonic::BC | Sonic::MC);
  };
  const MacAddress stranger{0x08, 0x00, 0x5A, 0x99, 0x99, 0x99}, group{0x01, 0x00, 0x5E, 0x00, 0x00, 0x01};
  CHECK(status(SonicBench::own) == Sonic::PRX);
  CHECK(status(broadcast_mac) == -1);
  CHECK(status(group) == -1);
  CHECK(status(stranger) == -1);
  c.out(Sonic::RCR, Sonic::BRD);
  CHECK(status(broadcast_mac) == (Sonic::PRX | Sonic::BC));
  CHECK(status(group) == -1);
  c.out(Sonic::RCR, Sonic::AMC);
  CHECK(status(group) == (Sonic::PRX | Sonic::MC));
  CHECK(status(stranger) == -1);
  c.out(Sonic::RCR, Sonic::PRO);
  CHECK(status(stranger) == Sonic::PRX);
  CHECK(status(group) == -1);
  // A group address in the CAM.
  c.out(Sonic::RCR, 0);
  c.put(SonicBench::cda, {3, 0x0001, 0x005E, 0x0100, 0x0009});
  c.out(Sonic::CDP, SonicBench::cda);
  c.out(Sonic::CDC, 1);
  c.out(Sonic::CR, Sonic::LCAM);
  c.step(10_us);
  CHECK(status(group) == (Sonic::PRX | Sonic::MC));
  CHECK(status(SonicBench::own) == Sonic::PRX);
}

TEST_CASE("RXDIS in mid-frame lets the frame finish and stops reception after it", "[sonic][receive]") {
  SonicBench c;
  c.start();
  c.other.port.transmit(c.for_us(1000), c.now);
  c.step(300_us);
  c.out(Sonic::CR, Sonic::RXDIS);
  c.step(1_ms);
  CHECK(c.stored(0) == c.for_us(1000));
  c.hear(c.for_us(100));
  CHECK(c.get(c.receive(1), 6) == 1);
  c.out(Sonic::CR, Sonic::RXEN);
  CHECK((c.in(Sonic::CR) & (Sonic::RXEN | Sonic::RXDIS)) == Sonic::RXEN);
  c.hear(c.for_us(100));
  CHECK(c.get(c.receive(1), 6) == 0);
}
