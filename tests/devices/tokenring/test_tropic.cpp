// SPDX-License-Identifier: GPL-2.0-or-later
// The shared-RAM Token Ring adapters as seen by the driver of Linux 2.2: probe, reset, open, frames in both directions,
// close.
#include "tests/devices/tokenring/tropic_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {
const McaEntry* const boards[] = {&TropicCard::tr4_a, &TropicCard::tr16_4a_1989, &TropicCard::tr16_4a_1990,
                                  &TropicCard::tr16_4a_1994};
}

TEST_CASE("each board starts, opens, exchanges frames and closes as the driver expects", "[tropic]") {
  for (const McaEntry* entry : boards)
    for (const unsigned window : {0u, 1u, 2u, 3u}) {
      INFO(entry->name << ", window " << window);
      const bool only_4 = entry == &TropicCard::tr4_a;
      if (only_4 && window != 1) continue;
      TropicBench b({.entry = entry,
                     .window = window,
                     .sixteen = !only_4,
                     .ring = {.bits_per_second = only_4 ? 4'000'000u : 16'000'000u, .quick_insertion = true}});
      REQUIRE(b.come_up());
      CHECK(b.address == MacAddress{0x10, 0x00, 0x5A, 0x12, 0x34, 0x56});
      CHECK(b.sixteen == !only_4);
      REQUIRE(b.open());
      CHECK(b.sap_station == 0x0001);  // 0100h, stored unswapped by the driver
      const Bytes out = b.from_us(1500), in = b.for_us(1500);
      for (int n = 0; n < 3; ++n) {
        b.ask_to_send(out);
        b.settle();
        b.hear(in);
        b.settle();
      }
      REQUIRE(b.other.arrivals.size() == 3);
      for (const auto& arrival : b.other.arrivals) {
        CHECK(arrival.good);
        CHECK(Bytes(arrival.bytes.begin() + 1, arrival.bytes.end() - 4) == Bytes(out.begin() + 1, out.end()));
      }
      REQUIRE(b.results.size() == 3);
      for (const auto& r : b.results) {
        CHECK(r.command == 0x0D);
        CHECK(r.code == 0);
        CHECK((r.status & 0xCC) == 0xCC);
      }
      REQUIRE(b.received.size() == 3);
      for (const auto& r : b.received) {
        CHECK(r.station == 0x0100);
        CHECK(r.lan_header == 14);
        CHECK(r.dlc_header == 3);
        CHECK(r.type == 6);
        CHECK((r.status & 0xCC) == 0xCC);
        CHECK(Bytes(r.bytes.begin() + 1, r.bytes.end()) == Bytes(in.begin() + 1, in.end()));
      }
      b.ask_to_close();
      REQUIRE(b.wait());
      b.serve();
      CHECK(b.return_code == 0);
      CHECK_FALSE(b.card->chip().port().inserted());
      REQUIRE(b.open());  // the first SRB is at the same place
      CHECK(b.card->counters().sent == 3);
      CHECK(b.card->counters().received == 3);
    }
}

TEST_CASE("the ports give the window addresses; identification consists of nibbles", "[tropic][registers]") {
  TropicBench b;
  CHECK(b.rig.in(TropicBench::ports) == ((TropicBench::mmio - 0x80000) >> 11 | 2));
  CHECK((b.rig.in(TropicBench::ports + 2) & 0xFE) == TropicBench::window >> 12);
  CHECK(b.rig.in(TropicBench::ports + 1) == 0xFF);
  CHECK(b.rig.in(TropicBench::ports + 3) == 0xFF);
  b.rig.out(TropicBench::ports + 3, 0);  // the interrupt release of other buses harms nothing
  REQUIRE(b.probe());
  CHECK(b.type == 0xE);
  for (std::uint32_t at = 0x1F00; at < 0x2000; ++at) CHECK(b.rb(TropicBench::mmio + at) <= 0xF);
  CHECK(b.rb(TropicBench::mmio + 0x1FBA) == 0xF);  // not a plug-and-play board
  CHECK(b.rb(TropicBench::mmio) == 0xFF);          // no ROM
  CHECK(b.aca(0) == TropicBench::window >> 12);
  CHECK(b.aca(1) == 0x0C);
  for (unsigned window = 0; window < 4; ++window) {
    b.configure(window, true);
    CHECK(b.aca(1) == window << 2);
  }
  b.configure(3, true, true);
  CHECK(b.rig.bus.io().find(0xA20) == nullptr);
  CHECK(b.rig.bus.io().find(0xA24) != nullptr);
  CHECK((b.aca(8) & 1) == 1);
}

TEST_CASE("with paging, bring-up selects the first SRB's page, which OPEN relies on", "[tropic]") {
  TropicBench b({.entry = &TropicCard::tr16_4a_1994, .window = 1});
  REQUIRE(b.probe());
  REQUIRE(b.page_mask == 0xC0);
  b.reset();
  CHECK(b.aca(TropicBench::SRPR_e) == 0xC0);
  REQUIRE(b.wait());
  CHECK(b.aca(TropicBench::SRPR_e) == 0);
  CHECK(b.rb(TropicBench::window + (b.rw(TropicBench::mmio + 0x1E02) & 0x3FFF)) == 0x80);
}

TEST_CASE("each board has its own identification", "[tropic][registers]") {
  const auto code = [](const McaEntry& entry, unsigned at) {
    return TropicBench({.entry = &entry, .window = 1}).rb(TropicBench::mmio + 0x1F00 + at);
  };
  CHECK(code(TropicCard::tr4_a, 0xA0) == 0xF);
  CHECK(code(TropicCard::tr4_a, 0xA2) == 0xF);
  CHECK(code(TropicCard::tr4_a, 0xA6) == 0xF);
  CHECK(code(TropicCard::tr4_a, 0xA8) == 0xF);
  CHECK(code(TropicCard::tr16_4a_1989, 0xA0) == 0xE);
  CHECK(code(TropicCard::tr16_4a_1989, 0xA6) == 0xB);
  CHECK(code(TropicCard::tr16_4a_1990, 0xA0) == 0xE);
  CHECK(code(TropicCard::tr16_4a_1990, 0xA6) == 0xA);
  CHECK(code(TropicCard::tr16_4a_1994, 0xA0) == 0xD);
  CHECK(code(TropicCard::tr16_4a_1994, 0xA8) == 0xC);
}

TEST_CASE("the control area has three ways to write, and a fourth address to read", "[tropic][registers]") {
  TropicBench b;
  b.aca(TropicBench::SRPR_e, 0xFF);
  CHECK(b.aca(TropicBench::SRPR_e) == 0xC0);
  b.aca(0x0C, 0x5A);
  b.aca_and(0x0C, 0x0F);
  CHECK(b.aca(0x0C) == 0x0A);
  b.aca_or(0x0C, 0xA0);
  CHECK(b.aca(0x0C) == 0xAA);
  b.wb(TropicBench::mmio + 0x1E60 + 0x0C, 0x55);
  CHECK(b.aca(0x0C) == 0xAA);
  CHECK(b.rb(TropicBench::mmio + 0x1E60 + 0x0C) == 0xAA);
  b.ww(TropicBench::mmio + 0x1E0E, 0x1234);  // a word is its two bytes
  CHECK(b.rw(TropicBench::mmio + 0x1E0E) == 0x1234);
  for (const unsigned reg : {0u, 1u, 2u, 3u, 6u, 0xAu, 0x19u}) {  // not accessible to the host
    const std::uint8_t before = b.aca(reg);
    b.aca(reg, static_cast<std::uint8_t>(~before));
    CHECK(b.aca(reg) == before);
  }
  CHECK((b.aca(8) & 4) == 0);
  b.aca(0x10, 1);  // there is no such register: access error
  CHECK((b.aca(8) & 4) == 4);
}

TEST_CASE("the interrupt is a level of causes and enable; errors can raise a channel check instead",
          "[tropic][registers]") {
  TropicBench b;
  REQUIRE(b.probe());
  b.reset();
  REQUIRE(b.wait());
  CHECK(b.aca(9) == 0x20);
  b.aca_and(8, ~0x40u);
  CHECK_FALSE(b.interrupt());
  b.aca_or(8, 0x40);
  CHECK(b.interrupt());
  b.aca_or(9, 0x40);  // the host can clear causes, but not set them
  CHECK(b.aca(9) == 0x20);
  b.aca_and(9, ~0x20u);
  CHECK_FALSE(b.interrupt());
  b.aca(0x1F, 0);
  CHECK(b.interrupt());
  CHECK_FALSE(b.rig.nmi.level[bus::NmiSource::channel_check]);
  b.aca_and(8, ~0x80u);
  CHECK_FALSE(b.interrupt());
  CHECK(b.rig.nmi.level[bus::NmiSource::channel_check]);
  CHECK((b.card->pos_peek(5) & 0x80) == 0);
  b.aca_and(8, ~0x04u);
  CHECK_FALSE(b.rig.nmi.level[bus::NmiSource::channel_check]);
  CHECK((b.card->pos_peek(5) & 0x80) == 0x80);
  const unsigned lines[] = {9, 3, 10, 11};
  b.aca_or(8, 0x80);
  b.aca(0x1F, 0);
  for (unsigned n = 0; n < 4; ++n) {
    b.card->pos_write(3, static_cast<std::uint8_t>(0x2E | n << 7), b.now());
    b.card->pos_write(4, static_cast<std::uint8_t>(TropicBench::mmio >> 12 | n >> 1), b.now());
    for (const unsigned line : lines) CHECK(b.rig.irqs.level[line] == (line == lines[n]));
  }
}

TEST_CASE("POS selects windows; those outside the adapters' address range are not decoded", "[tropic][pos]") {
  TropicBench b;
  CHECK(b.card->pos_peek(0) == 0x01);
  CHECK(b.card->pos_peek(1) == 0xE0);
  for (unsigned n = 0; n < 0x80; ++n) {
    b.card->pos_write(4, static_cast<std::uint8_t>(n << 1 | 1), b.now());
    const std::uint32_t at = n << 13;
    if (at >= 0xD0000 && at < 0xE0000) continue;  // the RAM
    CHECK((b.rig.memory.find(at) != nullptr) == (at >= 0xC0000 && at < 0xE0000));
  }
  for (unsigned window = 0; window < 4; ++window) {
    const std::uint32_t bytes = 0x2000u << window;
    b.configure(window, true);
    b.card->pos_write(2, 0xDE | 1, b.now());
    REQUIRE(b.rig.memory.find(0xDE000));
    CHECK(b.rig.memory.find(0xDE000)->base == (0xDE000 & ~(bytes - 1)));
    CHECK(b.rig.memory.find(0xDE000)->size == bytes);
  }
  b.card->channel_reset(b.now());
  CHECK(b.card->pos_peek(2) == 0);
  CHECK(b.rig.memory.find(0xDE000) == nullptr);
  CHECK(b.rig.bus.io().find(0xA20) == nullptr);
}

TEST_CASE("a window of 16 KB accesses 64 KB in pages, and the adapter uses them all", "[tropic][paging]") {
  TropicBench b({.window = 1});
  REQUIRE(b.come_up());
  CHECK(b.page_mask == 0xC0);
  CHECK(b.available == 128);
  for (unsigned page = 0; page < 4; ++page) {
    b.aca(TropicBench::SRPR_e, page << 6);
    b.wb(TropicBench::window + 0x3FFF, 0x10 + page);
  }
  for (unsigned page = 0; page < 4; ++page) {
    b.aca(TropicBench::SRPR_e, page << 6);
    CHECK(b.rb(TropicBench::window + 0x3FFF) == 0x10 + page);
  }
  b.select(b.first_srb);
  REQUIRE(b.open());
  const Bytes large = b.from_us(17000);
  b.ask_to_send(large);
  b.settle(20_ms);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(Bytes(b.other.arrivals[0].bytes.begin() + 1, b.other.arrivals[0].bytes.end() - 4) ==
        Bytes(large.begin() + 1, large.end()));
  const Bytes in = b.for_us(9000);
  b.hear(in);
  b.settle();
  REQUIRE(b.received.size() == 1);
  CHECK(Bytes(b.received[0].bytes.begin() + 1, b.received[0].bytes.end()) == Bytes(in.begin() + 1, in.end()));
}

TEST_CASE("without paging the adapter uses only the memory in its window", "[tropic][paging]") {
  TropicBench b({.window = 1});
  REQUIRE(b.probe());
  b.page_mask = 0;  // a driver that does not request it
  b.available = 32;
  b.dhb16 = 8192;
  b.reset();
  REQUIRE(b.wait());
  b.initialised();
  b.ask_to_open();
  REQUIRE(b.wait());
  b.serve();
  CHECK(b.return_code == 0x43);
  b.dhb16 = 4096;
  b.buffers16 = 5;  // 16 KB less 8 KB of DHBs and 1776 bytes for the microcode hold six
  CHECK(b.open());
}

TEST_CASE("two frames are in progress at once, and the host is asked for a third when a buffer is free",
          "[tropic][transmit]") {
  TropicBench b;
  REQUIRE(b.come_up());
  REQUIRE(b.open());
  std::vector<Bytes> frames;
  for (unsigned n = 0; n < 3; ++n) frames.push_back(b.from_us(1400 + n));
  for (const Bytes& f : frames) {
    b.ask_to_send(f);
    while (b.aca(TropicBench::ISRA_o) & 0x20) b.step(10_us);  // accepted
    CHECK(b.rb(b.srb.at + 2) == 0xFF);
    if (b.to_send.size() == 1) {
      REQUIRE(b.wait());
      b.serve();
    }
  }
  b.settle();
  REQUIRE(b.results.size() == 3);
  for (unsigned n = 0; n < 3; ++n) CHECK(b.results[n].correlator == n);
  REQUIRE(b.other.arrivals.size() == 3);
  for (unsigned n = 0; n < 3; ++n) CHECK(b.other.arrivals[n].bytes.size() == frames[n].size() + 4);
}

TEST_CASE("a frame without a receiver returns code 22h and its frame status", "[tropic][transmit]") {
  TropicBench b;
  REQUIRE(b.come_up());
  REQUIRE(b.open());
  Bytes lost = b.from_us(100);
  lost[7] ^= 0x55;
  b.ask_to_send(lost);
  b.settle();
  REQUIRE(b.results.size() == 1);
  CHECK(b.results[0].code == 0x22);
  CHECK((b.results[0].status & 0xCC) == 0);
  b.other.copies = false;  // recognised, but not copied
  b.ask_to_send(b.from_us(100));
  b.settle();
  REQUIRE(b.results.size() == 2);
  CHECK(b.results[1].code == 0x22);
  CHECK((b.results[1].status & 0xCC) == 0x88);
}

TEST_CASE("the adapter inserts its own address and the LLC header, and keeps the host's routing",
          "[tropic][transmit]") {
  TropicBench b;
  REQUIRE(b.come_up());
  REQUIRE(b.open());
  Bytes f = b.from_us(100);
  for (unsigned i = 8; i < 14; ++i) f[i] = 0x33;
  f[0] = 0xFF;
  f[16] = 0x77;  // control
  b.ask_to_send(f);
  b.settle();
  REQUIRE(b.other.arrivals.size() == 1);
  const Bytes& heard = b.other.arrivals[0].bytes;
  CHECK((heard[0] & 0xF7) == 0x10);
  CHECK(std::equal(b.address.begin(), b.address.end(), heard.begin() + 8));
  CHECK(heard[14] == 0xAA);
  CHECK(heard[15] == 0xAA);
  CHECK(heard[16] == 0x03);
  f[8] = 0x80;
  b.ask_to_send(f);
  b.settle();
  CHECK(b.other.arrivals[1].bytes[8] == (b.address[0] | 0x80));
}

TEST_CASE("frames wait in the receive buffers; frames without a buffer are lost and counted", "[tropic][receive]") {
  TropicBench b({.window = 0});  // 8 KB: two buffers of 1024
  REQUIRE(b.come_up());
  REQUIRE(b.open());
  b.keep_buffers = true;
  const unsigned buffers = 2;
  for (unsigned n = 0; n < buffers + 2; ++n) b.hear(b.for_us(500));
  b.settle();
  CHECK(b.received.size() == buffers);
  CHECK(b.card->counters().overruns == 2);
  CHECK((b.other.outcomes.back().status & 0xCC) == 0x88);
  const std::uint32_t srb = b.select(b.srb);
  b.wb(srb, 8);  // read log
  b.command();
  REQUIRE(b.wait());
  b.serve();
  REQUIRE(b.log.size() == 14);
  CHECK(b.log[7] == 2);
  b.wb(srb, 8);
  b.command();
  REQUIRE(b.wait());
  b.serve();
  CHECK(b.log[7] == 0);
}

TEST_CASE("a larger frame takes a chain of buffers, which the answer returns", "[tropic][receive]") {
  TropicBench b;
  REQUIRE(b.come_up());
  REQUIRE(b.open());
  for (int n = 0; n < 12; ++n) {
    b.hear(b.for_us(4400, n & 1 ? 0xAA : 0x42));
    b.settle();
    REQUIRE(b.received.size() == static_cast<std::size_t>(n + 1));
    CHECK(b.received.back().bytes.size() == 4414);
    CHECK(b.received.back().station == (n & 1 ? 0x0100 : 0));  // no SAP of that value: the direct station
  }
  CHECK(b.card->counters().overruns == 0);
}

TEST_CASE("functional and group addresses are set by command; broadcasts are received, others are not",
          "[tropic][receive]") {
  TropicBench b;
  REQUIRE(b.come_up());
  REQUIRE(b.open());
  const auto heard = [&](const MacAddress& to) {
    const std::size_t before = b.received.size();
    Bytes f = b.for_us(60);
    std::copy(to.begin(), to.end(), f.begin() + 2);
    b.hear(f);
    b.settle(2_ms);
    return b.received.size() > before;
  };
  const MacAddress functional{0xC0, 0, 0, 0x04, 0, 0}, group{0xC0, 0, 0x80, 0x12, 0x34, 0x56};
  CHECK(heard(broadcast_mac));
  CHECK(heard(ring_broadcast));
  CHECK_FALSE(heard(functional));
  CHECK_FALSE(heard(group));
  const auto set = [&](unsigned command, std::uint32_t value) {
    const std::uint32_t at = b.select(b.srb);
    b.wb(at, command);
    b.ww(at + 6, value >> 16);
    b.ww(at + 8, value & 0xFFFF);
    b.command();
    REQUIRE(b.wait());
    b.serve();
    CHECK(b.return_code == 0);
  };
  set(7, 0x00040000);
  set(6, 0x80123456);
  CHECK(heard(functional));
  CHECK(heard(group));
  CHECK_FALSE(heard({0x10, 0, 0x5A, 9, 9, 9}));
}

TEST_CASE("in wrap mode no frame reaches the ring, and the station receives its own frames", "[tropic][transmit]") {
  TropicBench b;
  REQUIRE(b.come_up());
  REQUIRE(b.open(0x8000));
  CHECK_FALSE(b.card->chip().port().inserted());
  Bytes own = b.from_us(200);
  std::copy(b.address.begin(), b.address.end(), own.begin() + 2);
  b.ask_to_send(own);
  b.settle();
  REQUIRE(b.results.size() == 1);
  CHECK(b.results[0].code == 0);
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0].bytes.size() == own.size());
  b.ask_to_send(b.from_us(200));
  b.settle();
  CHECK(b.results[1].code == 0x22);
  CHECK(b.received.size() == 1);
  CHECK(b.other.arrivals.empty());
}
