// SPDX-License-Identifier: GPL-2.0-or-later
// An ATAPI CD-ROM drive at its ports, as used by Linux 2.2's ide-cd driver.
#include "core/common/error.hpp"
#include "tests/archived.hpp"
#include "tests/devices/storage/ide_bench.hpp"

using namespace planar;
using planar::test::IdeBench;
using planar::test::medium_bytes;

namespace {

using Packet = std::vector<std::uint8_t>;

struct CdBench : IdeBench {
  std::uint8_t status = 0, error = 0;
  unsigned blocks = 0;  // of data transferred by the drive

  CdBench() {
    cdrom(2);
    firmware();
    base = 0x170;
    out(6, 0xA0);
  }
  /// Sends PACKET and the packet; its data are transferred by PIO in blocks as the drive requests.
  std::vector<std::uint8_t> packet(Packet cdb, unsigned limit = 0x8000, const std::vector<std::uint8_t>& send = {}) {
    cdb.resize(12);
    blocks = 0;
    std::vector<std::uint8_t> data;
    out(1, 0);
    out(4, limit & 0xFF);
    out(5, limit >> 8);
    out(7, 0xA0);
    REQUIRE(until([&] { return (alternate() & 0x88) == 0x08; }));
    CHECK(in(2) == 1);
    CHECK_FALSE(irq15.level);
    write_words(cdb);
    std::size_t sent = 0;
    for (;;) {
      REQUIRE(interrupt());
      status = in(7);
      if (!(status & 0x08)) break;
      const unsigned bytes = in(4) | in(5) << 8, reason = in(2);
      CHECK(bytes <= limit);
      ++blocks;
      if (reason == 2) {
        const auto part = read_words((bytes + 1) & ~1u);
        data.insert(data.end(), part.begin(), part.begin() + bytes);
      } else {
        CHECK(reason == 0);
        write_words({send.begin() + static_cast<std::ptrdiff_t>(sent),
                     send.begin() + static_cast<std::ptrdiff_t>(sent + bytes)});
        sent += bytes;
      }
    }
    CHECK(in(2) == 3);
    error = in(1);
    return data;
  }
  /// Takes the report that the first command after power-on gets.
  void attend() {
    packet({0x00});
    CHECK(status == 0x51);
    CHECK(error == 0x64);
    const auto sense = packet({0x03, 0, 0, 0, 18});
    CHECK(sense.at(2) == 6);
  }
};

std::vector<std::uint8_t> cd_blocks(std::size_t block, std::size_t count) {
  return medium_bytes(count * 2048, block * 2048);
}

}  // namespace

TEST_CASE("ATAPI: the drive is found by its signature and IDENTIFY PACKET DEVICE", "[storage][ide][atapi]") {
  CdBench b;
  CHECK(b.in(7) == 0x00);
  CHECK(b.in(4) == 0x14);
  CHECK(b.in(5) == 0xEB);
  b.out(4, 0);
  b.out(5, 0);
  CHECK(b.run(0xEC) == 0x51);  // IDENTIFY DEVICE
  CHECK(b.in(1) == 0x04);
  CHECK(b.in(4) == 0x14);
  CHECK(b.in(5) == 0xEB);
  const auto id = b.identify(0xA1);
  REQUIRE(id.size() == 512);
  CHECK(IdeBench::id_word(id, 0) == 0x85C0);
  CHECK((IdeBench::id_word(id, 49) & 0x0100) != 0);
  CHECK(b.run(0xC8) == 0x51);
  b.out(7, 0x08);  // DEVICE RESET
  REQUIRE(b.idle());
  CHECK(b.in(7) == 0x00);
  CHECK(b.in(4) == 0x14);
  CHECK_FALSE(b.irq15.level);
}

TEST_CASE("ATAPI: unit attention, sense, INQUIRY, capacity, TOC, capabilities", "[storage][ide][atapi]") {
  CdBench b;
  b.attend();
  b.packet({0x00});
  CHECK(b.status == 0x50);
  const auto inquiry = b.packet({0x12, 0, 0, 0, 36});
  REQUIRE(inquiry.size() == 36);
  CHECK(inquiry[0] == 0x05);
  CHECK(inquiry[1] == 0x80);
  CHECK(inquiry[2] == 0);
  const auto capacity = b.packet({0x25});
  CHECK(capacity == std::vector<std::uint8_t>{0, 0, 1, 43, 0, 0, 8, 0});
  const auto toc = b.packet({0x43, 0, 0, 0, 0, 0, 0, 0, 12});
  REQUIRE(toc.size() == 12);
  CHECK(toc[2] == 1);
  const auto abilities = b.packet({0x5A, 0x08, 0x2A, 0, 0, 0, 0, 0, 28});
  REQUIRE(abilities.size() == 28);
  CHECK(abilities[8] == 0x2A);
  CHECK((abilities[16] << 8 | abilities[17]) == 1228);
  // Linux 2.4 and FreeBSD do not set SCSI's DBD bit: SFF-8020i knows no block descriptors.
  CHECK(b.packet({0x5A, 0, 0x2A, 0, 0, 0, 0, 0, 28}) == abilities);
  b.packet({0x1E, 0, 0, 0, 1});
  CHECK(b.status == 0x50);
  b.packet({0x1B, 0, 0, 0, 1});
  CHECK(b.status == 0x50);
  b.packet({0xE7});
  CHECK(b.status == 0x51);
  CHECK(b.error == 0x54);
}

TEST_CASE("ATAPI: READ transfers blocks of the host's size", "[storage][ide][atapi]") {
  CdBench b;
  b.attend();
  const unsigned limit = GENERATE(2048u, 1000u, 0x8000u, 0xFFFEu);
  CHECK(b.packet({0x28, 0, 0, 0, 0, 40, 0, 0, 20}, limit) == cd_blocks(40, 20));
  CHECK(b.status == 0x50);
  CHECK(b.blocks >= 40'960 / limit);
  CHECK(b.packet({0xA8, 0, 0, 0, 1, 40, 0, 0, 0, 4}, limit) == cd_blocks(296, 4));
  b.packet({0x28, 0, 0, 0, 1, 41, 0, 0, 4}, limit);  // beyond the end
  CHECK(b.status == 0x51);
  CHECK(b.error == 0x54);
  const auto sense = b.packet({0x03, 0, 0, 0, 18});
  CHECK(sense.at(12) == 0x21);
}

TEST_CASE("ATAPI: READ by DMA", "[storage][ide][atapi]") {
  CdBench b;
  b.attend();
  b.table({{0x20000, 40 * 2048u & 0xFFFF}, {0x40000, (40 * 2048u - (40 * 2048u & 0xFFFF)) | 0x80000000u}});
  b.rig.out(b.master(0), 8);
  b.rig.out(b.master(2), 6);
  b.out(1, 1);
  b.out(7, 0xA0);
  REQUIRE(b.until([&] { return (b.alternate() & 0x88) == 0x08; }));
  b.write_words({0x28, 0, 0, 0, 0, 10, 0, 0, 40, 0, 0, 0});
  b.rig.out(b.master(0), 9);
  REQUIRE(b.interrupt());
  CHECK(b.dma_end() == 0x04);
  CHECK(b.in(7) == 0x50);
  CHECK(b.in(2) == 3);
  const auto data = cd_blocks(10, 40);
  const std::ptrdiff_t first = 40 * 2048 & 0xFFFF;
  CHECK(b.rig.get(0x20000, static_cast<std::size_t>(first)) == std::vector(data.begin(), data.begin() + first));
  CHECK(b.rig.get(0x40000, data.size() - static_cast<std::size_t>(first)) ==
        std::vector(data.begin() + first, data.end()));
}

TEST_CASE("ATAPI: MODE SELECT accepts its data", "[storage][ide][atapi]") {
  CdBench b;
  b.attend();
  b.packet({0x55, 0x10, 0, 0, 0, 0, 0, 0, 16}, 10, std::vector<std::uint8_t>(16));
  CHECK(b.status == 0x50);
  CHECK(b.blocks == 2);

  CdBench restored;  // a snapshot before the next command
  test::restore_state(restored, test::saved_state(b));
  CHECK(test::saved_state(restored) == test::saved_state(b));
}

TEST_CASE("ATAPI: a new disc is announced by a unit attention", "[storage][ide][atapi]") {
  CdBench b;
  b.attend();
  b.packet({0x00});
  CHECK(b.status == 0x50);
  b.ide.change_medium(2, b.image(800, storage::WriteMode::read_only));
  b.packet({0x00});
  CHECK(b.status == 0x51);
  CHECK(b.error == 0x64);
  const auto sense = b.packet({0x03, 0, 0, 0, 18});
  CHECK(sense.at(12) == 0x28);
  const auto capacity = b.packet({0x25});
  CHECK(capacity.at(3) == 199);
}

TEST_CASE("ATAPI: without a CD the drive is not ready, and the next CD raises a unit attention",
          "[storage][ide][atapi]") {
  CdBench b;
  b.attend();
  const auto check = [&](Packet cdb, std::uint8_t key, std::uint8_t code, std::uint8_t qualifier = 0) {
    CAPTURE(cdb);
    b.packet(std::move(cdb));
    CHECK(b.status == 0x51);
    CHECK(b.error == (key << 4 | 0x04));
    const auto sense = b.packet({0x03, 0, 0, 0, 18});
    CHECK(sense.at(2) == key);
    CHECK(sense.at(12) == code);
    CHECK(sense.at(13) == qualifier);
  };
  const auto medium_type = [&] { return b.packet({0x5A, 8, 0x2A, 0, 0, 0, 0, 0, 28}).at(2); };
  CHECK(medium_type() == 0x01);
  b.ide.change_medium(2, {});
  CHECK(b.ide.drive(2)->tray_open());
  CHECK(medium_type() == 0x71);
  for (const unsigned op : {0x00u, 0x25u, 0x28u, 0x2Bu, 0x42u, 0x43u, 0x44u})
    check({static_cast<std::uint8_t>(op)}, 2, 0x3A);
  check({0x1B, 0, 0, 0, 3}, 2, 0x3A);  // the tray closes, but it is empty
  CHECK_FALSE(b.ide.drive(2)->tray_open());
  CHECK(medium_type() == 0x70);
  CHECK(b.packet({0x12, 0, 0, 0, 36}).at(0) == 5);  // INQUIRY needs no CD
  CHECK(b.status == 0x50);
  b.ide.change_medium(2, b.image(800, storage::WriteMode::read_only));
  check({0x00}, 6, 0x28);
  b.packet({0x00});
  CHECK(b.status == 0x50);
}

TEST_CASE("ATAPI: the guest opens and closes the tray, and can lock it", "[storage][ide][atapi]") {
  CdBench b;
  b.attend();
  const auto& drive = *b.ide.drive(2);
  const auto lock_state = [&] { return b.packet({0x5A, 8, 0x2A, 0, 0, 0, 0, 0, 28}).at(8 + 6) & 0x02; };
  CHECK(lock_state() == 0);
  b.packet({0x1E, 0, 0, 0, 1});
  CHECK(drive.locked());
  CHECK(lock_state() == 0x02);
  b.packet({0x1B, 0, 0, 0, 2});
  CHECK(b.error == 0x54);
  const auto sense = b.packet({0x03, 0, 0, 0, 18});
  CHECK(sense.at(2) == 5);
  CHECK(sense.at(12) == 0x53);
  CHECK(sense.at(13) == 0x02);
  CHECK_FALSE(drive.tray_open());
  b.packet({0x1E, 0, 0, 0, 0});
  b.packet({0x1B, 0, 0, 0, 2});
  CHECK(b.status == 0x50);
  CHECK(drive.tray_open());
  CHECK(drive.loaded());  // the CD is in it
  b.packet({0x00});
  CHECK(b.error == 0x24);
  b.packet({0x1B, 0, 0, 0, 3});
  CHECK(b.status == 0x50);
  b.packet({0x00});
  CHECK(b.error == 0x64);  // it may be a different one
  b.packet({0x00});
  CHECK(b.status == 0x50);
  b.packet({0x1E, 0, 0, 0, 1});
  b.out(7, 0x08);  // DEVICE RESET
  REQUIRE(b.until([&] { return !(b.alternate() & 0x80); }));
  CHECK_FALSE(drive.locked());
}

TEST_CASE("ATAPI: a snapshot of an empty drive with a locked tray is restored", "[storage][ide][atapi]") {
  CdBench b, c, with_cd;
  b.attend();
  b.packet({0x1E, 0, 0, 0, 1});
  b.ide.change_medium(2, {});
  c.ide.change_medium(2, {});
  const auto saved = planar::test::saved_state(b.ide);
  planar::test::restore_state(c.ide, saved);
  CHECK(c.ide.drive(2)->locked());
  CHECK(c.ide.drive(2)->tray_open());
  CHECK_THROWS_WITH(planar::test::restore_state(with_cd.ide, saved),
                    Catch::Matchers::Contains("no CD was in the drive"));
}

TEST_CASE("ATAPI: a snapshot of a disc that has been read, on an open tray, is restored", "[storage][ide][atapi]") {
  CdBench b, c;
  b.attend();
  CHECK(b.packet({0x28, 0, 0, 0, 0, 200, 0, 0, 1}) == cd_blocks(200, 1));
  b.packet({0x1B, 0, 0, 0, 2});
  REQUIRE(b.ide.drive(2)->tray_open());
  test::restore_state(static_cast<IdeBench&>(c), test::saved_state(static_cast<IdeBench&>(b)));
  CHECK(c.ide.drive(2)->tray_open());
  c.packet({0x1B, 0, 0, 0, 3});
  c.packet({0x00});
  CHECK(c.error == 0x64);
  CHECK(c.packet({0x28, 0, 0, 0, 0, 40, 0, 0, 1}) == cd_blocks(40, 1));
}

TEST_CASE("ATAPI: a snapshot after a reset in the middle of a response is restored", "[storage][ide][atapi]") {
  CdBench b, c;
  b.attend();
  b.out(1, 0);
  b.out(4, 16);
  b.out(5, 0);
  b.out(7, 0xA0);
  REQUIRE(b.until([&] { return (b.alternate() & 0x88) == 0x08; }));
  b.write_words({0x12, 0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0});
  REQUIRE(b.interrupt());
  b.read_words(8);
  b.out(7, 0x08);  // DEVICE RESET
  REQUIRE(b.until([&] { return !(b.alternate() & 0x80); }));
  test::restore_state(static_cast<IdeBench&>(c), test::saved_state(static_cast<IdeBench&>(b)));
  c.attend();
  CHECK(c.packet({0x12, 0, 0, 0, 36}).size() == 36);
}

TEST_CASE("ATAPI: a disc removed during a read ends it with an error", "[storage][ide][atapi]") {
  CdBench b;
  b.attend();
  b.out(1, 0);
  b.out(4, 0);
  b.out(5, 8);
  b.out(7, 0xA0);
  REQUIRE(b.until([&] { return (b.alternate() & 0x88) == 0x08; }));
  b.write_words({0x28, 0, 0, 0, 0, 200, 0, 0, 60, 0, 0, 0});
  REQUIRE(b.interrupt());
  b.ide.change_medium(2, b.image(400, storage::WriteMode::read_only));
  for (unsigned n = 0; n < 60 && (b.in(7) & 0x08); ++n) {
    b.read_words(2048);
    REQUIRE(b.interrupt());
  }
  CHECK(b.alternate() == 0x51);
}

TEST_CASE("ATAPI: a packet continues after a snapshot; a damaged one is refused or does no harm",
          "[storage][ide][atapi]") {
  CdBench b, c;
  b.attend();
  b.out(1, 0);
  b.out(4, 0);
  b.out(5, 8);
  b.out(7, 0xA0);
  REQUIRE(b.until([&] { return (b.alternate() & 0x88) == 0x08; }));
  b.write_words({0x28, 0, 0, 0, 0, 40, 0, 0, 20, 0, 0, 0});
  REQUIRE(b.interrupt());
  b.in(7);
  const auto first = b.read_words(2000);
  const auto state = test::saved_state(static_cast<IdeBench&>(b));
  test::restore_state(static_cast<IdeBench&>(c), state);
  auto rest = c.read_words(48);
  while (c.until([&] { return c.ide.irq15.level(); }, 1_s) && (c.in(7) & 0x08)) {
    const auto part = c.read_words(2048);
    rest.insert(rest.end(), part.begin(), part.end());
  }
  auto all = first;
  all.insert(all.end(), rest.begin(), rest.end());
  CHECK(all == cd_blocks(40, 20));
  for (std::size_t place = state.size() - 3000; place < state.size(); place += 1 + place % 5) {
    auto damaged = state;
    damaged[place] ^= 0xFF;
    IdeBench d;
    d.cdrom(2);
    try {
      test::restore_state(d, damaged);
    } catch (const Error&) { continue; }
    if (d.rig.now < Time{} || d.rig.now > 1000_s) continue;
    d.base = 0x170;
    for (unsigned n = 0; n < 1100; ++n) d.word();
    d.rig.step(1_ms);
  }
}
