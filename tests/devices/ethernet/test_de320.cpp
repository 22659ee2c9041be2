// SPDX-License-Identifier: GPL-2.0-or-later
// The DE-320CT as seen by the Linux driver of 2001: only the differences from the NE/2. The data path is the same class
// and is covered by the NE/2's tests.
#include "devices/ethernet/de320/de320.hpp"
#include "tests/bus/rig.hpp"
#include "tests/catch.hpp"
#include "tests/devices/medium/wire.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::De320;

namespace {

struct De320Bench {
  static constexpr std::uint16_t base = 0x300;
  Rig rig;
  EthernetSegment segment;
  bus::Slot slot{0, 16, rig.wiring()};
  std::unique_ptr<bus::Adapter> card = De320::entry.make({slot, &segment, "00:80:c8:12:34:56", {}, 1}).card;

  De320Bench() { card->pos_write(2, 0x01, Time{}); }  // enable, 300h, IRQ 3
  std::uint8_t in(unsigned reg) { return static_cast<std::uint8_t>(rig.in(base + reg)); }
  void out(unsigned reg, unsigned value) { rig.out(base + reg, value); }

  /// Two edges of bit 7, found by pairs of reads. Gives up after a thousand pairs: there the driver would hang.
  bool wait_for_clock() {
    for (int edges = 0, pairs = 0; edges < 2; ++pairs) {
      if (pairs == 1000) return false;
      const unsigned first = in(0x1E), second = in(0x1E);
      edges += ((first ^ second) & 0x80) != 0;
    }
    return true;
  }
  void put(unsigned value) {
    out(0x1E, value);
    REQUIRE(wait_for_clock());
  }
  void bit(bool b) {
    const unsigned level = 0x09 | (b ? 2u : 0u);
    for (const unsigned v : {level, level | 4, level | 4, level}) put(v);
  }
  unsigned word(unsigned address) {
    put(0x01);
    put(0x09);
    for (int n = 8; n >= 0; --n) bit((0x180 | address) >> n & 1);
    unsigned value = 0;
    for (int n = 0; n < 16; ++n) {
      bit(false);
      value = value << 1 | (in(0x1E) & 1);
    }
    return value;
  }
};

}  // namespace

TEST_CASE("the station address is read from the serial EEPROM, low byte first", "[de320]") {
  De320Bench b;
  CHECK(b.word(0) == 0x8000);
  CHECK(b.word(1) == 0x12C8);
  CHECK(b.word(2) == 0x5634);
  CHECK(b.word(3) == 0xFFFF);
  CHECK(b.word(1) == 0x12C8);  // deasserting CS begins a new command
}

TEST_CASE("the delay clock runs at about 50 kHz, as the driver expects", "[de320]") {
  De320Bench b;
  const Time end = b.rig.now + 1_ms;
  int edges = 0;
  for (unsigned last = b.in(0x1E); b.rig.now < end;) {
    const unsigned next = b.in(0x1E);
    edges += ((last ^ next) & 0x80) != 0;
    last = next;
  }
  CHECK(edges >= 99);
  CHECK(edges <= 101);
  CHECK(b.wait_for_clock());
}

TEST_CASE("the NE/2's reset sequence finds nothing at +20h, and the chip responds", "[de320]") {
  De320Bench b;
  CHECK(b.rig.bus.io().find(De320Bench::base + 0x20) == nullptr);
  for (int n = 0; n < 8; ++n) b.out(0x20, 0);
  b.in(0x20);
  b.out(0, 0x21);
  CHECK(b.in(0) == 0x21);
}

TEST_CASE("POS 2 selects base and interrupt in bits of its own", "[de320][pos]") {
  De320Bench b;
  CHECK(b.card->pos_peek(0) == 0xEA);
  CHECK(b.card->pos_peek(1) == 0x56);
  for (unsigned n = 0; n < 4; ++n) {
    b.card->pos_write(2, static_cast<std::uint8_t>(1 | n << 5), b.rig.now);
    for (unsigned other = 0; other < 4; ++other)
      CHECK((b.rig.bus.io().find(static_cast<std::uint16_t>(0x300 + 0x20 * other)) != nullptr) == (other == n));
  }
  b.card->pos_write(2, 0, b.rig.now);
  CHECK(b.rig.bus.io().find(0x360) == nullptr);
}

TEST_CASE("a snapshot in the middle of an EEPROM command does not affect it", "[de320]") {
  De320Bench a, b;
  a.put(0x01);
  a.put(0x09);
  for (int n = 8; n >= 4; --n) a.bit(0x181 >> n & 1);
  Archive saved = Archive::saver();
  a.rig.archive(saved);
  a.card->archive(saved);
  Archive loaded = Archive::loader(saved.stream());
  b.rig.archive(loaded);
  b.card->archive(loaded);
  loaded.expect_end();
  for (int n = 3; n >= 0; --n) b.bit(0x181 >> n & 1);
  unsigned value = 0;
  for (int n = 0; n < 16; ++n) {
    b.bit(false);
    value = value << 1 | (b.in(0x1E) & 1);
  }
  CHECK(value == 0x12C8);
}
