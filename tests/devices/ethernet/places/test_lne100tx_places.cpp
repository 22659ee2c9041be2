// SPDX-License-Identifier: GPL-2.0-or-later
// An LNE100TX with lists and buffers where there is no memory, in ROM and in its own registers (places.hpp).
#include "tests/devices/ethernet/lne100tx/lne100tx_bench.hpp"
#include "tests/devices/ethernet/places/places.hpp"

using namespace planar;
using namespace planar::test;

namespace {

using ethernet::Tulip;

void descriptor(Lne100txBench& b, std::uint32_t at, std::uint32_t control, std::uint32_t buffer1,
                std::uint32_t buffer2) {
  b.rig.put32(at + 4, control);
  b.rig.put32(at + 8, buffer1);
  b.rig.put32(at + 12, buffer2);
  b.rig.put32(at, Tulip::OWN);
}
/// Stops both processes and moves their lists.
void stop(Lne100txBench& b, std::uint32_t rx, std::uint32_t tx) {
  b.up();
  b.out(7, 0);
  b.out(6, b.csr6);
  b.rig.step(300_us);
  b.out(3, rx);
  b.out(4, tx);
  b.out(5, ~0u);
}

}  // namespace

TEST_CASE("LNE100TX: lists outside memory, in ROM and in its own registers", "[lne100tx][lists]") {
  const auto rom = rom_of({{0x10, Tulip::OWN},
                           {0x14, Tulip::T_FS | Tulip::T_LS | 300},
                           {0x18, frame_at},
                           {0x1C, 0},
                           {0x20, 0},  // the chip's no more
                           {0x100, Tulip::OWN},
                           {0x104, 1024},
                           {0x108, frame_at + 0x1000},
                           {0x110, 0}});
  Pair<Lne100txBench> two(rom);
  Lne100txBench& b = two.b;
  const Time when = snapshot_after();
  b.rig.put(frame_at, body(300, 9));
  const auto run = [&](std::uint32_t rx, std::uint32_t tx) {
    stop(b, rx, tx);
    b.out(6, b.csr6 | 0x2002);
    b.other.port.transmit(make_frame(500, b.mac, 3), b.rig.now);
    two.go_on(when, 500_us);
  };
  SECTION("outside memory: a bus error") {
    run(nowhere, nowhere + 0x1000);
    CHECK((b.in(5) & (Tulip::FBE | 0x3800000)) == (Tulip::FBE | Tulip::MASTER_ABORT));
    CHECK(master_abort(b));
    CHECK(b.other.arrivals.empty());
  }
  SECTION("ROM: descriptors that remain owned by the chip") {
    run(rom_at + 0x100, rom_at + 0x10);
    CHECK((b.in(5) & (Tulip::FBE | Tulip::TI | Tulip::RI)) == Tulip::RI);  // no interrupt requested for the sent one
    CHECK(same(heard(b), body(300, 9)));
    CHECK(same(b.rig.get(frame_at + 0x1000, 500), without_fcs(make_frame(500, b.mac, 3))));
    CHECK(same(two.rom, rom));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("its registers: none has OWN, and both processes are suspended") {
    run(Lne100txBench::memory_base + 8 * 3, Lne100txBench::memory_base);
    CHECK((b.in(5) & (Tulip::FBE | Tulip::TU | Tulip::RU)) == (Tulip::TU | Tulip::RU));
    CHECK(b.other.arrivals.empty());
    CHECK_FALSE(master_abort(b));
  }
  SECTION("its registers, one with OWN: CSR10 as a descriptor receives its status") {
    b.up();
    b.out(10, Tulip::OWN);
    run(0x5000, Lne100txBench::memory_base + 8 * 10);
    CHECK((b.in(10) & Tulip::OWN) == 0);
    CHECK((b.in(5) & Tulip::FBE) == 0);
    CHECK_FALSE(master_abort(b));
  }
  b.out(7, 0);
  b.frames.clear();
  b.up();
  b.hear(make_frame(100, b.mac));
  b.run(50_us);
  CHECK(b.frames.size() == 1);
}

TEST_CASE("LNE100TX: buffers outside memory, in ROM and in its own registers", "[lne100tx][lists]") {
  constexpr std::uint32_t csr3 = Lne100txBench::memory_base + 8 * 3, csr10 = Lne100txBench::memory_base + 8 * 10;
  constexpr std::uint32_t rx = 0x5000, tx = 0x6000, both = Tulip::T_FS | Tulip::T_LS;
  const auto rom = rom_of({});
  Pair<Lne100txBench> two(rom);
  Lne100txBench& b = two.b;
  const Time when = snapshot_after();
  const Bytes rest = body(300, 9), arrived = without_fcs(make_frame(500, b.mac, 3));
  b.rig.put(frame_at, rest);
  stop(b, rx, tx);
  const auto send = [&](std::uint32_t from, std::uint32_t bytes) {
    descriptor(b, tx, both | 300 << 11 | bytes, from, frame_at);
    b.out(6, b.csr6 | 0x2000);
    two.go_on(when, 500_us);
  };
  const auto receive = [&](std::uint32_t to, std::uint32_t bytes) {
    descriptor(b, rx, 1600 << 11 | bytes, to, frame_at);
    b.out(6, b.csr6 | 0x0002);
    b.other.port.transmit(make_frame(500, b.mac, 3), b.rig.now);
    two.go_on(when * 20, 500_us);
  };
  SECTION("sent from ROM") {
    send(rom_at + 0x10, 200);
    CHECK(same(heard(b), part(rom, 0x10, 200) + rest));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("sent from its registers: CSR3 and CSR4, without the gap between them") {
    send(csr3, 16);
    CHECK(same(heard(b), little_endian({rx, 0, tx, 0}) + rest));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("sent from outside memory: a bus error") {
    send(nowhere, 100);
    CHECK(b.other.arrivals.empty());
    CHECK((b.in(5) & Tulip::FBE) != 0);
    CHECK(master_abort(b));
  }
  SECTION("received into ROM") {
    receive(rom_at, 100);
    CHECK((b.rig.get32(rx) & (Tulip::OWN | 0x8300)) == 0x0300);
    CHECK(same(b.rig.get(frame_at, 400), part(arrived, 100, 400)));
    CHECK(same(two.rom, rom));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("received into its registers: CSR10 holds the first bytes") {
    receive(csr10, 4);
    CHECK((b.rig.get32(rx) & (Tulip::OWN | 0x8300)) == 0x0300);
    CHECK(little_endian({b.in(10)}) == part(arrived, 0, 4));
    CHECK(same(b.rig.get(frame_at, 496), part(arrived, 4, 496)));
    CHECK_FALSE(master_abort(b));
  }
  SECTION("received outside memory: a bus error, and the descriptor remains owned by the chip") {
    receive(nowhere, 100);
    CHECK((b.in(5) & Tulip::FBE) != 0);
    CHECK(b.rig.get32(rx) == Tulip::OWN);
    CHECK(master_abort(b));
  }
}
