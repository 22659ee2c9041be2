// SPDX-License-Identifier: GPL-2.0-or-later
// A 3C905B with lists and buffers where there is no memory, in ROM and in its own registers (places.hpp).
#include "tests/devices/ethernet/3c905b/3c905b_bench.hpp"
#include "tests/devices/ethernet/places/places.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::Cyclone;

TEST_CASE("3C905B: lists outside memory, in ROM and in its own registers") {
  constexpr std::uint32_t dpd = 0x10, upd = 0x100, dn_in_progress = 0x80;
  const auto rom = rom_of({{dpd, 0},
                           {dpd + 4, 300 | Cyclone::DnIndicate},
                           {dpd + 8, frame_at},
                           {dpd + 12, 300 | XlBench::last},
                           {upd, rom_at + upd},
                           {upd + 4, 0},
                           {upd + 8, frame_at + 0x1000},
                           {upd + 12, 1024 | XlBench::last}});
  Pair<XlBench> two(rom);
  XlBench& b = two.b;
  const Time when = snapshot_after();
  b.rig.put(frame_at, body(300, 9));
  b.open();
  const auto run = [&](std::uint32_t up, std::uint32_t down) {
    b.wait_command(XlBench::UP_STALL);
    b.out(XlBench::UP_LIST, up, 4);
    b.command(XlBench::UP_UNSTALL);
    b.out(XlBench::DN_LIST, down, 4);
    b.other.port.transmit(make_frame(500, b.own, 3), b.rig.now);
    two.go_on(when, 500_us);
  };
  SECTION("outside memory: a host error") {
    run(nowhere, nowhere + 0x1000);
    CHECK(b.status() & Cyclone::HostError);
    CHECK(master_abort(b));
    CHECK(b.other.arrivals.empty());
  }
  SECTION("ROM: descriptors that never become complete") {
    run(rom_at + upd, rom_at + dpd);
    CHECK((b.status() & (Cyclone::HostError | Cyclone::UpComplete | Cyclone::DnComplete)) ==
          (Cyclone::UpComplete | Cyclone::DnComplete));
    CHECK(same(heard(b), body(300, 9)));
    CHECK(same(b.rig.get(frame_at + 0x1000, 500), without_fcs(make_frame(500, b.own, 3))));
    CHECK(same(two.rom, rom));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("its registers: DnListPtr at 24h is the header of the empty descriptor at 20h, and DmaCtrl is its link") {
    constexpr std::uint32_t next = Cyclone::UpRxEarlyEnable | dn_in_progress;
    b.descriptor(next, 0, 300 | Cyclone::DnIndicate, frame_at, 300 | XlBench::last);
    run(b.rx(0), XlBench::memory_base + 0x20);
    CHECK(same(heard(b), body(300, 9)));
    CHECK(b.in(XlBench::DN_LIST, 4) == 0);
    CHECK_FALSE(b.status() & Cyclone::HostError);
    CHECK_FALSE(master_abort(b));
  }
  SECTION(
      "its registers: empty buffers, then, beyond the registers, a buffer address of all ones, which is a host error") {
    run(XlBench::memory_base + 0x38, 0);
    CHECK(b.status() & Cyclone::HostError);
    CHECK(b.in(XlBench::UP_LIST, 4) == XlBench::memory_base + 0x38);
    CHECK(master_abort(b));
  }
  b.command(0);
  b.rig.step(1_ms);
  b.received.clear();
  b.open();
  b.hear(make_frame(400, b.own, 5));
  b.handle();
  CHECK(b.received.size() == 1);
}

TEST_CASE("3C905B: buffers outside memory, in ROM and in its own registers") {
  constexpr std::uint32_t own = XlBench::memory_base, list = 0x8000, up_list = 0x8800;
  const auto rom = rom_of({});
  Pair<XlBench> two(rom);
  XlBench& b = two.b;
  const Time when = snapshot_after();
  const Bytes rest = body(300, 9), arrived = without_fcs(make_frame(500, b.own, 3));
  b.rig.put(frame_at, rest);
  b.open();
  const auto send = [&](std::uint32_t from, std::uint32_t bytes) {
    b.descriptor(list, 0, bytes + 300, from, bytes);
    b.rig.put32(list + 16, frame_at);
    b.rig.put32(list + 20, 300 | XlBench::last);
    b.out(XlBench::DN_LIST, list, 4);
    two.go_on(when, 500_us);
  };
  // 20 bytes into memory, `bytes` elsewhere, and the rest into memory.
  const auto receive = [&](std::uint32_t to, std::uint32_t bytes) {
    b.descriptor(up_list, up_list, 0, frame_at, 20);
    const std::uint32_t words[] = {to, bytes, frame_at + 20, 1600 | XlBench::last};
    for (std::uint32_t n = 0; n < std::size(words); ++n) b.rig.put32(up_list + 16 + 4 * n, words[n]);
    b.out(XlBench::UP_LIST, up_list, 4);
    b.other.port.transmit(make_frame(500, b.own, 3), b.rig.now);
    two.go_on(when * 20, 500_us);
  };
  SECTION("sent from ROM") {
    send(rom_at + 0x10, 200);
    CHECK(same(heard(b), part(rom, 0x10, 200) + rest));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("sent from its registers: UpListPtr and DnBurstThresh") {
    send(own + XlBench::UP_LIST, 4);
    CHECK(same(heard(b), little_endian({XlBench::rx_ring}) + rest));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("sent from outside memory: a host error") {
    send(nowhere, 100);
    CHECK(b.other.arrivals.empty());
    CHECK(b.status() & Cyclone::HostError);
    CHECK(master_abort(b));
  }
  SECTION("received into ROM") {
    receive(rom_at, 100);
    CHECK((b.rig.get32(up_list + 4) & 0xFFFF) == (Cyclone::UpCompleteBit | 500));
    CHECK(same(b.rig.get(frame_at, 400), part(arrived, 0, 20) + part(arrived, 120, 380)));
    CHECK(same(two.rom, rom));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("received into its registers: DnPoll holds a byte of the frame") {
    b.out(0x2D, 0, 1);
    receive(own + 0x2D, 1);
    CHECK((b.rig.get32(up_list + 4) & 0xFFFF) == (Cyclone::UpCompleteBit | 500));
    CHECK(b.in(0x2D, 1) == (arrived[20] & 0x7F));
    CHECK(same(b.rig.get(frame_at, 499), part(arrived, 0, 20) + part(arrived, 21, 479)));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("received outside memory: a host error, and the descriptor is not complete") {
    receive(nowhere, 100);
    CHECK(b.rig.get32(up_list + 4) == 0);
    CHECK(b.status() & Cyclone::HostError);
    CHECK(master_abort(b));
  }
}
