// SPDX-License-Identifier: GPL-2.0-or-later
// A PRO/100+ with lists and buffers where there is no memory, in ROM and in its own registers (places.hpp).
#include "tests/devices/ethernet/eepro100_bench.hpp"
#include "tests/devices/ethernet/places/places.hpp"

using namespace planar;
using namespace planar::test;

namespace {

using ethernet::I8255x;

/// Both units are idle.
void stop(EePro100Bench& b) {
  b.opened();
  b.put(I8255x::SCB_COMMAND, 0x04, 1);
  b.rig.put32(b.tx(b.cur_tx), EePro100Bench::end_of_list);
  b.resume_after(b.tx(b.cur_tx));
  b.rig.step(50_us);
  b.put(I8255x::SCB_STATUS, 0xFF00, 2);
  REQUIRE((b.get(I8255x::SCB_STATUS, 2) & 0xFCFC) == 0);
}
void start(EePro100Bench& b, std::uint8_t command, std::uint32_t list) {
  b.set(I8255x::SCB_POINTER, list, 4);
  b.set(I8255x::SCB_COMMAND, command, 1);
}
/// The receive unit has just been started and receives from the other station.
void listen(EePro100Bench& b, std::uint8_t fill) {
  b.rig.step(5_us);
  b.other.port.transmit(make_frame(500, b.own, fill), b.rig.now);
}
/// A transmit block with two buffers.
void block(EePro100Bench& b, std::uint32_t first, std::uint32_t bytes, std::uint32_t second, std::uint32_t more) {
  const std::uint32_t words[] = {EePro100Bench::end_of_list | EePro100Bench::transmit | EePro100Bench::flexible,
                                 0,
                                 fragment_at + 16,
                                 0x02208000,
                                 first,
                                 bytes,
                                 second,
                                 more};
  for (std::uint32_t n = 0; n < std::size(words); ++n) b.rig.put32(fragment_at + 4 * n, words[n]);
}

}  // namespace

TEST_CASE("PRO/100+: command blocks and receive descriptors outside memory, in ROM and in its own registers") {
  constexpr std::uint32_t rfd = 0x100;
  const auto rom = rom_of({{0, 0x80000000}, {rfd, 0}, {rfd + 4, rom_at + rfd}, {rfd + 12, 1536u << 16}});
  Pair<EePro100Bench> two(rom);
  EePro100Bench& b = two.b;
  const Time when = snapshot_after();
  stop(b);
  const auto units = [&] { return b.get(I8255x::SCB_STATUS, 2) & 0xF0FC; };
  SECTION("a block outside memory: the command unit becomes idle") {
    start(b, 0x10, nowhere);
    two.go_on(when, 500_us);
    CHECK(master_abort(b));
    CHECK(units() == 0x2000);
  }
  SECTION("a block in ROM: a NOP, whose status cannot be written") {
    start(b, 0x10, rom_at);
    two.go_on(when, 500_us);
    CHECK_FALSE(master_abort(b));
    CHECK(units() == 0x2000);
    CHECK(same(two.rom, rom));
  }
  SECTION("a block in its registers: endless NOPs, as the SCB pointer is the link, until the mask acts as EL") {
    start(b, 0x10, EePro100Bench::memory_base);
    two.go_on(when, 500_us);
    CHECK_FALSE(master_abort(b));
    CHECK(units() == 0x0080);
    b.put(I8255x::SCB_MASK, 0x80, 1);
    b.rig.step(20_us);
    CHECK(units() == 0x2000);
  }
  SECTION("a receive descriptor outside memory: the receive unit becomes idle") {
    start(b, 0x01, nowhere);
    listen(b, 0);
    two.go_on(when * 20, 500_us);
    CHECK(master_abort(b));
    CHECK(units() == 0x1000);
  }
  SECTION("a receive descriptor in ROM: frames are received and discarded") {
    start(b, 0x01, rom_at + rfd);
    listen(b, 0);
    two.go_on(when * 20, 500_us);
    CHECK_FALSE(master_abort(b));
    CHECK(units() == 0x4010);
    CHECK(b.chip.counters().received == 1);
    CHECK(same(two.rom, rom));
  }
  SECTION("a receive descriptor in its registers: its status acknowledges CX, and its size is the EEPROM register's") {
    start(b, 0x10, rom_at);  // CNA
    b.rig.step(20_us);
    b.put(I8255x::SCB_MASK, 0x02, 1);  // SI: a software interrupt
    CHECK(b.get(I8255x::SCB_STAT_ACK, 1) == (I8255x::CNA | I8255x::SWI));
    start(b, 0x01, EePro100Bench::memory_base);
    listen(b, 0);
    two.go_on(when * 20, 500_us);
    CHECK_FALSE(master_abort(b));
    // C and "out of buffer" at 00h: STAT/ACK 82h. With C and OK it would have cleared CNA.
    CHECK(b.get(I8255x::SCB_STAT_ACK, 1) == (I8255x::FR | I8255x::CNA | I8255x::SWI));
    CHECK(b.chip.counters().received == 0);
  }
  b.received.clear();
  b.opened();
  b.hear(make_frame(400, b.own, 5));
  b.handle();
  REQUIRE(b.received.size() == 1);
}

TEST_CASE("PRO/100+: buffers outside memory, in ROM and in its own registers") {
  constexpr std::uint32_t pointer = EePro100Bench::memory_base + I8255x::SCB_POINTER, rbd = 0xA000;
  const auto rom = rom_of({});
  Pair<EePro100Bench> two(rom);
  EePro100Bench& b = two.b;
  const Time when = snapshot_after();
  stop(b);
  const Bytes rest = body(300, 9);
  b.rig.put(frame_at, rest);
  const auto receive = [&](std::uint32_t to, std::uint32_t bytes) {
    const std::uint32_t words[] = {0x00080000, fragment_at, rbd, 0};  // SF
    for (std::uint32_t n = 0; n < std::size(words); ++n) b.rig.put32(fragment_at + 4 * n, words[n]);
    const std::uint32_t buffers[] = {0, rbd + 16, to, bytes, 0, 0, frame_at, 0x8000 | 1600};
    for (std::uint32_t n = 0; n < std::size(buffers); ++n) b.rig.put32(rbd + 4 * n, buffers[n]);
    start(b, 0x01, fragment_at);
    listen(b, 3);
    two.go_on(when * 20, 500_us);
  };
  const Bytes arrived = without_fcs(make_frame(500, b.own, 3));
  SECTION("sent from ROM") {
    block(b, rom_at + 0x10, 200, frame_at, 300);
    start(b, 0x10, fragment_at);
    two.go_on(when, 500_us);
    CHECK(same(heard(b), part(rom, 0x10, 200) + rest));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("sent from its registers: the SCB pointer") {
    block(b, pointer, 4, frame_at, 300);
    start(b, 0x10, fragment_at);
    two.go_on(when, 500_us);
    CHECK(same(heard(b), little_endian({fragment_at}) + rest));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("sent from outside memory: nothing is sent") {
    block(b, frame_at, 100, nowhere, 300);
    start(b, 0x10, fragment_at);
    two.go_on(when, 500_us);
    CHECK(b.other.arrivals.empty());
    CHECK(master_abort(b));
  }
  SECTION("received into ROM") {
    receive(rom_at, 100);
    CHECK((b.rig.get32(fragment_at) & 0xFFFF) == 0xA020);
    CHECK(same(b.rig.get(frame_at, arrived.size() - 100), part(arrived, 100, arrived.size() - 100)));
    CHECK(same(two.rom, rom));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("received into its registers: the SCB pointer holds the first bytes") {
    receive(pointer, 4);
    CHECK((b.rig.get32(fragment_at) & 0xFFFF) == 0xA020);
    CHECK(little_endian({b.get(I8255x::SCB_POINTER, 4)}) == part(arrived, 0, 4));
    CHECK(same(b.rig.get(frame_at, arrived.size() - 4), part(arrived, 4, arrived.size() - 4)));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("received outside memory: the receive unit becomes idle, and the block has no status") {
    receive(nowhere, 100);
    CHECK((b.rig.get32(fragment_at) & 0xFFFF) == 0);
    CHECK((b.get(I8255x::SCB_STATUS, 1) & 0x3C) == 0);
    CHECK(master_abort(b));
  }
}
