// SPDX-License-Identifier: GPL-2.0-or-later
// TMS380 on a Madge card: errors of the host, errors on the ring, and lists of all forms.
#include "tests/devices/tokenring/madge_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct OpenedBench : MadgeBench {
  explicit OpenedBench(RingConfig config = {.quick_insertion = true}) : MadgeBench(MadgeMc::mc16, {}, 16, config) {
    start(config.bits_per_second == 16'000'000);
    open();
  }
  /// The status word of a transmission that ends in a list error.
  unsigned list_error(const Bytes& f, unsigned cstat, unsigned size, unsigned count, std::uint32_t next) {
    std::fill_n(rig.ram.begin() + tpl, 26, std::uint8_t{0});
    std::copy(f.begin(), f.end(), rig.ram.begin() + tx_data);
    wide(tpl, next);
    word(tpl + 4, cstat);
    word(tpl + 6, size);
    word(tpl + 8, count);
    wide(tpl + 10, tx_data);
    command(Tms380::TRANSMIT_VALID);
    const auto e = await(12, 1_s);
    CHECK(e.words[0] == Tms380::TRANSMIT);
    CHECK((std::uint32_t{e.words[2]} << 16 | e.words[3]) == tpl);
    word(tpl + 4, 0);
    execute(Tms380::TRANSMIT, tpl);  // it has ended: a new one is accepted
    CHECK(await(6).code == 6);
    return e.words[1];
  }
};

}  // namespace

TEST_CASE("TMS380: without a program at its vector the bring-up fails, and a reset restarts it", "[madge]") {
  MadgeBench b;
  b.out(0, 0);
  b.map_sif();
  b.board_init();
  b.reset_adapter(true, {});
  CHECK(b.bring_up() == 0x30);
  b.reset_adapter(true, {{0, 0xFFFC, {0x0080, 0xA000}}});  // the pointer leads to no code
  CHECK(b.bring_up() == 0x30);
  b.reset_adapter();
  CHECK(b.bring_up() == 0x40);
  // The image is still there: neither reset touches the RAM.
  b.board_init();
  b.reset_adapter(true, {});
  CHECK(b.bring_up() == 0x40);
  CHECK(b.ram_kilobytes() == 0);  // no pointers before the initialization
}

TEST_CASE("TMS380: CPHALT can only be set in reset; SIF accesses step through the RAM by words and high bytes",
          "[madge]") {
  MadgeBench b;
  b.out(0, 0);
  b.map_sif();
  b.board_init();
  b.reset_adapter();
  CHECK((b.sif(Tms380::SIFACL) & 0x68) == 0x28);
  b.sif(Tms380::SIFACL, 0x68);
  CHECK((b.sif(Tms380::SIFACL) & 0x68) == 0x28);
  b.sif(Tms380::SIFADX, 1);
  b.sif(Tms380::SIFADR, 0xFFFC);
  b.sif(Tms380::SIFINC, 0x1234);
  b.sif(Tms380::SIFDAT, 0x5678);
  CHECK(b.sif(Tms380::SIFADD) == 0xFFFE);
  CHECK(b.sif(Tms380::SIFINC) == 0x5678);
  CHECK(b.sif(Tms380::SIFADR) == 0);  // within its 64 KB
  b.sif(Tms380::SIFADR, 0xFFFC);
  CHECK(b.in(8 + Tms380::SIFINC) == 0x34);
  CHECK(b.in(8 + Tms380::SIFINC + 1) == 0x12);
  CHECK(b.in(8 + Tms380::SIFINC + 1) == 0x56);
  b.sif(Tms380::SIFADX, 2);  // beyond 128 KB
  b.sif(Tms380::SIFDAT, 0xFFFF);
  CHECK(b.sif(Tms380::SIFDAT) == 0);
}

TEST_CASE("TMS380: a wrong initialization block is reported with its code, and a right one is then accepted",
          "[madge]") {
  MadgeBench b;
  b.out(0, 0);
  b.map_sif();
  b.board_init();
  b.reset_adapter();
  REQUIRE(b.bring_up() == 0x40);
  const auto with = [&](std::size_t word, unsigned value) {
    auto block = MadgeBench::parameters();
    block[word] = value;
    return b.initialize(block);
  };
  CHECK(b.initialize({}) == 0x51);
  CHECK(with(0, 0x1F00) == 0x52);
  CHECK(with(4, 23) == 0x53);
  CHECK(with(5, 1) == 0x54);
  CHECK(with(6, 0x0005) == 0x55);
  CHECK(with(8, MadgeBench::scb + 1) == 0x56);
  CHECK(with(10, MadgeBench::ssb + 1) == 0x57);
  CHECK(with(9, 0x0040) == 0x5B);  // 4 MB: no memory
  CHECK(b.initialize() == 0);
  CHECK(b.ram_kilobytes() == 128);
}

TEST_CASE("TMS380: commands at the wrong time are rejected with the reason", "[madge]") {
  MadgeBench b;
  b.start();
  b.write_open_block();
  const auto rejected = [&](unsigned code, std::uint32_t parameter) {
    const auto e = b.run(code, parameter);
    CHECK(e.words[0] == Tms380::COMMAND_REJECT);
    CHECK(e.words[2] == code);
    return e.words[1];
  };
  for (const unsigned code : {4u, 6u, 7u, 8u, 9u, 13u}) CHECK(rejected(code, MadgeBench::tpl) == 0x1000);
  CHECK(rejected(0x12, 0) == 0x8000);
  CHECK(rejected(0, 0) == 0x8000);
  CHECK(rejected(Tms380::OPEN, MadgeBench::open_block + 1) == 0x4000);
  CHECK(b.run(Tms380::SET_BRIDGE_PARAMETERS, 0).words[1] == 0x0001);
  b.open();
  CHECK(rejected(Tms380::OPEN, MadgeBench::open_block) == 0x2000);
  CHECK(rejected(Tms380::TRANSMIT, MadgeBench::tpl) == 0x0800);
  CHECK(rejected(Tms380::RECEIVE, MadgeBench::rpl + 1) == 0x4800);
  for (const unsigned code : {8u, 9u, 13u})
    CHECK(b.run(code, 0x00010000).words == std::array<unsigned, 4>{code, 0x8000, 0, 0});
}

TEST_CASE("TMS380: OPEN checks its block, the lobe, the speed and the address", "[madge]") {
  MadgeBench b;
  b.start();
  const auto open = [&] {
    const auto e = b.run(Tms380::OPEN, MadgeBench::open_block);
    CHECK(e.words[0] == Tms380::OPEN);
    return e.words[1];
  };
  b.write_open_block(0x8000);
  CHECK(open() == Tms380::INVALID_OPEN_OPTION);
  b.write_open_block();
  b.word(MadgeBench::open_block + 16, 13);
  CHECK(open() == Tms380::LIST_SIZE_ERROR);
  b.write_open_block();
  b.word(MadgeBench::open_block + 2, 0xC000);
  CHECK(open() == Tms380::NODE_ADDRESS_ERROR);
  b.write_open_block(0x20, 60);  // 92 KB: 46 of them
  CHECK(open() == Tms380::TRANSMIT_BUFFER_COUNT_ERROR);
  b.write_open_block();
  b.word(MadgeBench::open_block + 20, 60000);
  CHECK(open() == (Tms380::BUFFER_SIZE_ERROR | unsigned{Tms380::TRANSMIT_BUFFER_COUNT_ERROR}));
  b.write_open_block();
  b.chip().port().set_plugged(false, b.rig.now);
  CHECK(open() == (Tms380::OPEN_ERROR | 0x11u));
  b.chip().port().set_plugged(true, b.rig.now);
  b.set_speed(false);
  CHECK(open() == (Tms380::OPEN_ERROR | 0x27u));
  b.set_speed(true);
  std::copy(MadgeBench::peer.begin(), MadgeBench::peer.end(), b.rig.ram.begin() + MadgeBench::open_block + 2);
  CHECK(open() == (Tms380::OPEN_ERROR | 0x38u));
  b.write_open_block(0x20);
  b.word(MadgeBench::open_block + 22, 0xC000);
  CHECK(open() == (Tms380::OPEN_ERROR | 0x6Du));
  // The burnt-in address if none is given.
  b.write_open_block();
  std::fill_n(b.rig.ram.begin() + MadgeBench::open_block + 2, 6, std::uint8_t{0});
  CHECK(open() == Tms380::good_completion);
  CHECK(b.chip().port().node() == MadgeBench::own);
}

TEST_CASE("TMS380: malformed transmit lists end TRANSMIT with the documented error", "[madge]") {
  OpenedBench b;
  const Bytes good = MadgeBench::frame(100);
  const std::uint32_t next = MadgeBench::tpl + 32;
  const auto with = [&](std::size_t at, std::uint8_t value) {
    Bytes f = good;
    f[at] = value;
    return f;
  };
  CHECK(b.list_error(good, 0xB900, 0, 100, next) == 0x2080);
  CHECK(b.list_error(good, 0xB900, 99, 100, next) == 0x2080);
  CHECK(b.list_error(good, 0xB900, 101, 100, next) == 0x2080);
  CHECK(b.list_error(good, 0xB900, 14, 14, next) == 0x2080);
  CHECK(b.list_error(good, 0xB900, 0xFFFF, 100, next) == 0x2040);
  CHECK(b.list_error(good, 0xB900, 18194, 100, next) == 0x2040);
  CHECK(b.list_error(good, 0xA900, 100, 60, next | 1) == 0x2020);
  CHECK(b.list_error(good, 0x9900, 100, 100, next) == 0x2010);
  CHECK(b.list_error(with(0, 0x90), 0xB900, 100, 100, next) == 0x2008);
  CHECK(b.list_error(with(1, 0x00), 0xB900, 100, 100, next) == 0x2004);
  CHECK(b.list_error(with(1, 0xC0), 0xB900, 100, 100, next) == 0x2002);
  CHECK(b.other.frames.empty());
  b.queue(good);
  b.command(Tms380::TRANSMIT_VALID);
  CHECK(b.await(12).words[1] == 0x4000);
}

TEST_CASE("TMS380: circular transmit lists end TRANSMIT with an error, too", "[madge]") {
  OpenedBench b;
  const Bytes f = MadgeBench::frame(100);
  const std::uint32_t second = MadgeBench::tpl + 32;
  CHECK(b.list_error(f, 0xA900, 100, 60, MadgeBench::tpl) == 0x2010);  // begins a frame in the middle of one
  // It neither begins nor ends a frame, has no data and is its own successor.
  b.wide(second, second);
  b.word(second + 4, 0x8800);
  b.word(second + 6, 0);
  b.word(second + 8, 0);
  b.wide(second + 10, MadgeBench::tx_data);
  CHECK(b.list_error(f, 0xA900, 100, 60, second) == 0x2080);
  b.word(second + 8, 20);  // with data, which become too long
  CHECK(b.list_error(f, 0xA900, 100, 60, second) == 0x2080);
  CHECK(b.other.frames.empty());
  b.write_lists();
  b.queue(f);
  b.command(Tms380::TRANSMIT_VALID);
  CHECK(b.await(12).words[1] == 0x4000);
}

TEST_CASE("TMS380: a frame in several lists and fragments; own address insertion; HALT and an odd pointer", "[madge]") {
  OpenedBench b;
  const Bytes f = MadgeBench::frame(300, MadgeBench::peer, {0x80, 0, 0, 0, 0, 0});
  Bytes routed = f;
  routed[14] = 0x02;  // two bytes of routing information
  std::copy(routed.begin(), routed.end(), b.rig.ram.begin() + MadgeBench::tx_data);
  const std::uint32_t t = MadgeBench::tpl;
  b.word(t + 6, 300);
  b.word(t + 8, 0x8000 | 101);
  b.wide(t + 10, MadgeBench::tx_data);
  b.word(t + 14, 0x8000 | 0);
  b.word(t + 20, 49);
  b.wide(t + 22, MadgeBench::tx_data + 101);
  b.word(t + 32 + 8, 150);
  b.wide(t + 32 + 10, MadgeBench::tx_data + 150);
  b.wide(t + 32, MadgeBench::tpl + 64 + 1);
  b.word(t + 32 + 4, 0x9000);
  b.word(t + 4, 0xA800);
  b.command(Tms380::TRANSMIT_VALID);
  const auto e = b.await(12);
  CHECK((e.words[1] & 0x4000) != 0);
  REQUIRE(b.other.frames.size() == 1);
  Bytes expected = routed;
  std::copy(MadgeBench::own.begin(), MadgeBench::own.end(), expected.begin() + 8);
  expected[8] |= 0x80;
  CHECK(std::equal(expected.begin(), expected.end(), b.other.frames[0].begin()));
  CHECK((b.word(t + 4) & 0xFF00) == 0x6800);
  CHECK((b.word(t + 32 + 4) & 0xFFFF) == 0x5000);
  // The odd pointer was the end of TRANSMIT.
  if (!(e.words[1] & 0x8000)) CHECK(b.await(12).words[1] == 0x8000);
  b.execute(Tms380::TRANSMIT, MadgeBench::tpl + 64);
  CHECK(b.await(6).code == 6);
  const auto halted = b.run(Tms380::TRANSMIT_HALT, 0, 12);
  CHECK(halted.words[0] == Tms380::TRANSMIT);
  CHECK(halted.words[1] == 0x8000);
}

TEST_CASE("TMS380: a received frame may span lists; an odd pointer suspends until RECEIVE.CONTINUE", "[madge]") {
  MadgeBench b;
  b.start();
  b.write_open_block();
  b.write_lists();
  REQUIRE(b.run(Tms380::OPEN, MadgeBench::open_block).words[1] == Tms380::good_completion);
  for (unsigned i = 0; i < 3; ++i) {
    b.word(MadgeBench::rpl + 16 * i + 8, 100);
    b.word(MadgeBench::rpl + 16 * i + 4, 0x8800);
  }
  b.word(MadgeBench::rpl + 4, 0x8A00);                                // with CRC
  b.wide(MadgeBench::rpl + 32, std::uint32_t{MadgeBench::rpl} | 1u);  // after the third list: the end
  b.execute(Tms380::RECEIVE, MadgeBench::rpl);
  b.await(6);
  const Bytes f = MadgeBench::frame(240, MadgeBench::own, MadgeBench::peer);
  b.other.port.transmit(f, b.rig.now);
  const auto e = b.await(10);
  CHECK(e.words == std::array<unsigned, 4>{6, 0xC000, 0, MadgeBench::rpl + 32});
  CHECK((b.word(MadgeBench::rpl + 4) & 0xFF03) == 0x6A01);
  CHECK(b.word(MadgeBench::rpl + 6) == 244);
  CHECK(b.word(MadgeBench::rpl + 16 + 4) == 0x4800);
  CHECK(b.word(MadgeBench::rpl + 32 + 4) == 0x5800);
  for (unsigned n = 0; n < 240; ++n)
    REQUIRE(b.rig.ram[MadgeBench::rx_data + MadgeBench::packet * (n / 100) + n % 100] == f[n]);

  for (unsigned i = 0; i < 3; ++i) b.word(MadgeBench::rpl + 16 * i + 4, 0x8800);
  b.other.port.transmit(f, b.rig.now);
  CHECK(b.await(10, 20_ms).code == 0xFF);
  b.wide(MadgeBench::rpl + 32, MadgeBench::rpl);
  b.command(Tms380::RECEIVE_CONTINUE);
  CHECK(b.await(10).code == 10);
  CHECK(b.word(MadgeBench::rpl + 6) == 240);
}

TEST_CASE("TMS380: without lists frames wait in local RAM; without buffers they are not copied, and that is logged",
          "[madge]") {
  OpenedBench b;
  const Bytes f = MadgeBench::frame(2000, MadgeBench::own, MadgeBench::peer);
  for (int n = 0; n < 40; ++n) b.other.to_send.push_back(f);
  b.other.port.transmit(b.other.to_send[b.other.next++], b.rig.now);
  while (b.other.outcomes.size() < 40) b.rig.step(1_ms);
  std::size_t copied = 0;
  for (const auto& outcome : b.other.outcomes) copied += outcome.status & ring_fs::copied ? 1 : 0;
  // 46 buffers less 20 for transmission, and the two lists that the driver gave.
  CHECK(copied == 46 - 20 + 2);
  CHECK(b.counters().overruns == 40 - copied);
  while (b.interrupt()) b.service();
  CHECK(b.run(Tms380::READ_ERROR_LOG, MadgeBench::log).words[1] == Tms380::good_completion);
  CHECK(b.rig.ram[MadgeBench::log + 7] == 40 - copied);
  CHECK(b.run(Tms380::READ_ERROR_LOG, MadgeBench::log).words[1] == Tms380::good_completion);
  CHECK(b.rig.ram[MadgeBench::log + 7] == 0);
  std::size_t taken = 0;
  for (int n = 0; n < 100; ++n) {
    for (; b.take().bytes.size() == f.size(); ++taken) {}
    b.rig.step(2_ms);
    while (b.interrupt()) b.service();
  }
  CHECK(taken == copied);
}

TEST_CASE("TMS380: a counter overflow is reported once, and lost frames do not lose the receive status", "[madge]") {
  OpenedBench b;
  const Bytes f = MadgeBench::frame(2000, MadgeBench::own, MadgeBench::peer);
  constexpr std::size_t frames = 400;
  for (std::size_t n = 0; n < frames; ++n) b.other.to_send.push_back(f);
  b.other.port.transmit(b.other.to_send[b.other.next++], b.rig.now);
  while (b.other.outcomes.size() < frames) b.rig.step(1_ms);  // the driver is not active meanwhile
  CHECK(b.counters().overruns > 300);
  unsigned overflows = 0, received = 0;
  for (int n = 0; n < 50; ++n) {
    b.rig.step(200_us);
    if (!b.interrupt()) continue;
    for (const auto& e : b.service()) {
      overflows += e.code == 4 && e.words[1] & ring_status::counter_overflow;
      received += e.code == 10;
    }
  }
  CHECK(overflows == 1);
  CHECK(received >= 1);
  CHECK(b.run(Tms380::READ_ERROR_LOG, MadgeBench::log).words[1] == Tms380::good_completion);
  CHECK(b.rig.ram[MadgeBench::log + 7] == 255);
}

TEST_CASE("TMS380: a list outside memory is an adapter check; the driver's reset recovers", "[madge]") {
  OpenedBench b;
  b.word(MadgeBench::tpl + 6, 100);
  b.word(MadgeBench::tpl + 8, 100);
  b.wide(MadgeBench::tpl + 10, 0x00654320);
  b.word(MadgeBench::tpl + 4, 0xB900);
  b.command(Tms380::TRANSMIT_VALID);
  while (!b.interrupt()) b.rig.step(10_us);
  CHECK((b.sif(Tms380::SIFSTS) & 0x8F) == 0x80);
  b.sif(Tms380::SIFADX, 1);
  b.sif(Tms380::SIFADR, 0x05E0);
  CHECK(b.sif(Tms380::SIFINC) == Tms380::DMA_READ_ABORT);
  CHECK(b.sif(Tms380::SIFINC) == 2);
  CHECK(b.sif(Tms380::SIFINC) == 0x0065);
  CHECK(b.sif(Tms380::SIFINC) == 0x4320);
  CHECK_FALSE(b.chip().port().inserted());
  b.execute(Tms380::OPEN, MadgeBench::open_block);  // the chip does not take it
  b.rig.step(1_s);
  CHECK((b.sif(Tms380::SIFSTS) & 0x8000) != 0);
  b.start();
  b.open();
  b.send(MadgeBench::frame(60));
  CHECK(b.await(12).words[1] == 0x4000);
}

TEST_CASE("TMS380: after a cable pulled in mid-frame the driver reopens when it is plugged in again", "[madge]") {
  OpenedBench b;
  b.send(MadgeBench::frame(4000));
  b.rig.step(1500_us);
  b.chip().port().set_plugged(false, b.rig.now);
  const auto lost = b.await(4);
  CHECK(lost.words[0] == Tms380::RING_STATUS);
  CHECK((lost.words[1] & ring_status::signal_loss) != 0);
  unsigned bits = 0;
  for (int n = 0; n < 3 && !(bits & ring_status::lobe_wire_fault); ++n) bits = b.await(4).words[1];
  CHECK((bits & ring_status::lobe_wire_fault) != 0);
  CHECK(b.run(Tms380::CLOSE, 0).words[1] == Tms380::ADAPTER_CLOSED);
  b.write_open_block();
  CHECK(b.run(Tms380::OPEN, MadgeBench::open_block).words[1] == (Tms380::OPEN_ERROR | 0x11u));
  b.chip().port().set_plugged(true, b.rig.now);
  b.open();
  b.send(MadgeBench::frame(60));
  CHECK(b.await(12).words[1] == 0x4000);
}

TEST_CASE("TMS380: group and functional addresses, 4 Mbit/s", "[madge]") {
  OpenedBench b({.bits_per_second = 4'000'000, .quick_insertion = true});
  const auto heard = [&](const MacAddress& to) {
    const auto before = b.counters().received;
    const std::size_t outcomes = b.other.outcomes.size();
    b.other.port.transmit(MadgeBench::frame(80, to, MadgeBench::peer), b.rig.now);
    while (b.other.outcomes.size() == outcomes) b.rig.step(100_us);
    b.rig.step(2_ms);
    while (b.interrupt()) b.service();
    b.take();
    return b.counters().received > before;
  };
  const MacAddress functional{0xC0, 0, 0, 4, 0, 0}, group{0xC0, 0, 0x80, 0, 0x12, 0x34};
  CHECK(heard({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}));
  CHECK_FALSE(heard(functional));
  CHECK_FALSE(heard(group));
  CHECK(b.run(Tms380::SET_FUNCTIONAL_ADDRESS, 0x00040000).words[1] == Tms380::good_completion);
  CHECK(b.run(Tms380::SET_GROUP_ADDRESS, 0x80001234).words[1] == Tms380::good_completion);
  CHECK(heard(functional));
  CHECK(heard(group));
}

TEST_CASE("TMS380: a frame has at most 255 lists, each of which is completed", "[madge]") {
  OpenedBench b;
  const auto send = [&b](unsigned lists) {
    const Bytes f = MadgeBench::frame(lists);
    std::copy(f.begin(), f.end(), b.rig.ram.begin() + MadgeBench::tx_data);
    const auto at = [](unsigned n) { return n == 0 ? MadgeBench::tpl : 0x10000 + 32 * n; };
    for (unsigned n = 0; n < lists; ++n) {
      const bool last = n + 1 == lists;
      b.wide(at(n), at(last ? 0 : n + 1));
      b.word(at(n) + 4, 0x8100 | (n == 0 ? 0x2000u : 0u) | (last ? 0x1800u : 0u));
      b.word(at(n) + 6, n == 0 ? lists : 0);
      b.word(at(n) + 8, 1);
      b.wide(at(n) + 10, MadgeBench::tx_data + n);
    }
    b.command(Tms380::TRANSMIT_VALID);
    return b.await(12, 1_s).words[1];
  };
  CHECK(send(255) == Tms380::FRAME_COMPLETE);
  CHECK((b.word(0x10000 + 32 * 254 + 4) & Tms380::COMPLETE) != 0);
  CHECK(send(256) == (Tms380::LIST_ERROR | unsigned{Tms380::FRAME_SIZE_ERROR}));
}
