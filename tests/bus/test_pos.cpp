// SPDX-License-Identifier: GPL-2.0-or-later
// POS as used by software: Linux's scan, setup against normal operation, reset
// (docs/hardware/pos-and-adf.md#pos-ports).
#include <optional>

#include "devices/board/ps2/planar_pos.hpp"
#include "tests/bus/rig.hpp"

using namespace planar;
using namespace planar::test;

namespace {

/// A card whose POS registers are plain bytes; POS 2 bit 0 enables ports 300h to 30Fh.
struct PlainCard final : Adapter {
  PlainCard(const Slot& s, std::array<std::uint8_t, 8> registers) : slot(s), pos(registers), power_on(registers) {
    decode();
  }
  std::string_view name() const override { return "plain"; }
  std::uint16_t adapter_id() const override { return static_cast<std::uint16_t>(pos[0] | pos[1] << 8); }
  std::uint8_t pos_peek(unsigned reg) const override { return pos[reg]; }
  void pos_write(unsigned reg, std::uint8_t value, Time) override {
    if (reg < 2) return;
    pos[reg] = value;
    decode();
  }
  void channel_reset(Time) override {
    ++resets;
    pos = power_on;
    pos[2] &= 0xFE;
    decode();
  }
  void decode() {
    io.release();
    if (pos[2] & 1) io = slot.claim_io(0x300, 0x30F, slave, {});
  }
  void describe(Description&) const override {}
  void archive(Archive& a) override {
    a(pos);
    if (a.loading()) decode();
  }

  const Slot& slot;
  std::array<std::uint8_t, 8> pos, power_on;
  RecordingSlave slave;
  IoClaim io;
  int resets = 0;
};

using Registers = std::array<std::uint8_t, 8>;
constexpr Registers absent{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

struct Scan {
  Registers planar, video, scsi;
  std::array<Registers, 8> slots;
};

Registers read_window(Rig& rig) {
  Registers r;
  for (unsigned i = 0; i < 8; ++i) r[i] = static_cast<std::uint8_t>(rig.in(static_cast<std::uint16_t>(0x100 + i)));
  return r;
}

/// The order of accesses of Linux 2.4's boot scan (docs/hardware/pos-and-adf.md#linuxs-scan).
Scan scan_as_linux(Rig& rig) {
  Scan s;
  rig.out(0x96, 0);
  rig.out(0x94, 0x7F);
  s.planar = read_window(rig);
  rig.out(0x94, 0xDF);
  s.video = read_window(rig);
  rig.out(0x94, 0xF7);
  s.scsi = read_window(rig);
  if (s.scsi == absent) {
    rig.out(0x94, 0xFD);
    s.scsi = read_window(rig);
  }
  rig.out(0x94, 0xFF);
  for (unsigned n = 0; n < 8; ++n) {
    rig.out(0x96, 0x08 | n);
    s.slots[n] = read_window(rig);
  }
  rig.out(0x96, 0);
  return s;
}

// The 8595 of Linux Documentation/mca.txt. Registers that its text does not show are filled with FFh.
constexpr Registers scsi_with_cache{0xFF, 0x8E, 0xF1, 0xFC, 0xA0, 0xFF, 0xFF, 0xFF};
constexpr Registers aha_1640{0x1F, 0x0F, 0x81, 0x3B, 0xBF, 0xB6, 0xFF, 0xFF};
constexpr Registers xga{0xDB, 0x8F, 0x1D, 0x5E, 0xFD, 0xC0, 0x00, 0x00};
constexpr Registers etherlink_mc{0x42, 0x60, 0xFF, 0x08, 0xFF, 0xFF, 0xFF, 0xFF};

}  // namespace

TEST_CASE("Linux's scan of an 8595 finds its cards, and FFh in empty slots") {
  Rig rig;
  const auto wiring = rig.wiring();
  Slot s1(0, 32, wiring), s3(2, 32, wiring), s5(4, 32, wiring), s7(6, 32, wiring);
  PlainCard scsi(s1, scsi_with_cache), aha(s3, aha_1640), video(s5, xga), ethernet(s7, etherlink_mc);
  rig.pos.insert(0, &scsi);
  rig.pos.insert(2, &aha);
  rig.pos.insert(4, &video);
  rig.pos.insert(6, &ethernet);
  PlanarPos planar(0xF9FF);
  rig.pos.set_planar(&planar);

  const Scan scan = scan_as_linux(rig);
  REQUIRE(scan.planar[0] == 0xFF);
  REQUIRE(scan.planar[1] == 0xF9);
  REQUIRE(scan.video == absent);
  REQUIRE(scan.scsi == absent);
  REQUIRE(scan.slots[0] == scsi_with_cache);
  REQUIRE(scan.slots[1] == absent);
  REQUIRE(scan.slots[2] == aha_1640);
  REQUIRE(scan.slots[3] == absent);
  REQUIRE(scan.slots[4] == xga);
  REQUIRE(scan.slots[5] == absent);
  REQUIRE(scan.slots[6] == etherlink_mc);
  REQUIRE(scan.slots[7] == absent);
  REQUIRE(rig.in(0x94) == 0xFF);
  REQUIRE(rig.in(0x96) == 0x70);
  // No normal cycle has selected a card: setup does not raise -CD SFDBK.
  REQUIRE(rig.in(0x91) == 0xFE);
}

TEST_CASE("planar SCSI answers its model's select value: F7h on a 56, FDh on the others") {
  struct Scsi final : SetupTarget {
    void pos_write(unsigned, std::uint8_t, Time) override {}
    std::uint8_t pos_peek(unsigned reg) const override { return reg == 2 ? 0x05 : 0xFF; }
  } scsi;
  for (unsigned bit : {1u, 3u}) {
    Scheduler scheduler;
    AddressSpace memory;
    Trace trace;
    HostBridge bus(scheduler, memory, {}, trace);
    Channel channel(scheduler, quiet_timing(), bus.io(), trace);
    bus.attach(channel);
    PosController pos(bus.io(), trace, bit);
    pos.set_scsi(&scsi);
    pos.port_write(0x94, static_cast<std::uint8_t>(~(1u << bit)), 0_ns);
    REQUIRE(bus.io_read(0x102, 1, 0_ns).value == 0x05);
    pos.port_write(0x94, bit == 1 ? 0xF7 : 0xFD, 0_ns);
    REQUIRE(bus.io_read(0x102, 1, 1_us).value == 0xFF);
  }
}

TEST_CASE("the planar has priority over VGA, VGA over SCSI, and each of them over the slot") {
  Rig rig;
  Slot slot(3, 32, rig.wiring());
  PlainCard card(slot, {0x54, 0x71, 0x03, 0, 0, 0xFF, 0xFF, 0xFF});
  rig.pos.insert(3, &card);
  PlanarPos planar(0x1234);
  VideoPos video;
  rig.pos.set_planar(&planar);
  rig.pos.set_video(&video);
  rig.out(0x96, 0x0B);
  rig.out(0x94, 0x5F);  // bits 7 and 5 both 0
  REQUIRE(rig.in(0x100) == 0x34);
  rig.out(0x94, 0xDF);
  REQUIRE(rig.in(0x100) == 0xFF);
  REQUIRE(rig.in(0x102) == 0xFE);
  rig.out(0x94, 0xFF);
  REQUIRE(rig.in(0x100) == 0x54);
  rig.out(0x96, 0x03);  // setup enable off: normal operation
  REQUIRE(rig.in(0x100) == 0xFF);
  rig.out(0x102, 0x00);
  REQUIRE(card.pos[2] == 0x03);
}

TEST_CASE("POST writes a card's registers, POS 2 last, and the card is enabled") {
  Rig rig;
  Slot slot(1, 16, rig.wiring());
  PlainCard card(slot, {0x54, 0x71, 0x00, 0, 0, 0xFF, 0xFF, 0xFF});
  rig.pos.insert(1, &card);
  REQUIRE(rig.in(0x300) == 0xFF);
  rig.out(0x96, 0x09);
  rig.out(0x103, 0x42);
  rig.out(0x100, 0x99);  // the ID cannot be written
  rig.out(0x102, 0x01);
  REQUIRE(rig.took == 300_ns);  // a setup cycle
  REQUIRE(rig.in(0x100) == 0x54);
  REQUIRE(rig.in(0x103) == 0x42);
  rig.out(0x96, 0x00);
  REQUIRE(rig.in(0x300) == 0x40);
}

TEST_CASE("the rising edge of channel reset disables all cards; none responds while it is high") {
  Rig rig;
  const auto wiring = rig.wiring();
  Slot a(0, 32, wiring), b(7, 32, wiring);
  PlainCard first(a, {0x54, 0x71, 0x01, 0, 0, 0xFF, 0xFF, 0xFF});
  PlainCard second(b, {0xC8, 0x61, 0x01, 0, 0, 0xFF, 0xFF, 0xFF});
  rig.pos.insert(0, &first);
  rig.pos.insert(7, &second);
  rig.out(0x96, 0x80);
  rig.out(0x96, 0x88);  // still high: no second reset
  REQUIRE(first.resets == 1);
  REQUIRE(second.resets == 1);
  REQUIRE(rig.in(0x96) == 0xF8);
  REQUIRE(rig.in(0x100) == 0xFF);
  rig.out(0x96, 0x08);
  REQUIRE(rig.in(0x100) == 0x54);
  REQUIRE((rig.in(0x102) & 1) == 0);
  REQUIRE(rig.in(0x300) == 0xFF);
  rig.out(0x96, 0x80);
  REQUIRE(first.resets == 2);
}

TEST_CASE("word accesses to POS return garbage: one byte is transferred, the other lanes float") {
  Rig rig;
  Slot slot(0, 32, rig.wiring());
  PlainCard card(slot, {0x54, 0x71, 0x00, 0x11, 0x22, 0xFF, 0xFF, 0xFF});
  rig.pos.insert(0, &card);
  rig.out(0x96, 0x08);
  REQUIRE(rig.in(0x100, 2) == 0xFF54);
  REQUIRE(rig.in(0x100, 4) == 0xFFFFFF54);
  rig.out(0x102, 0x5500, 2);
  REQUIRE(card.pos[2] == 0x00);
  REQUIRE(card.pos[3] == 0x11);
}

TEST_CASE("POS selection and feedback survive a snapshot") {
  Rig one;
  one.out(0x94, 0xDF);
  one.out(0x96, 0x0D);
  *one.pos.feedback() = true;
  auto saver = Archive::saver();
  one.archive(saver);
  Rig two;
  auto loader = Archive::loader(saver.stream());
  two.archive(loader);
  loader.expect_end();
  REQUIRE(two.pos.port_peek(0x94) == 0xDF);
  REQUIRE(two.pos.port_peek(0x96) == 0x7D);
  REQUIRE(two.pos.port_peek(0x91) == 0xFF);
}
