// SPDX-License-Identifier: GPL-2.0-or-later
// The IBM SCSI subsystem through its ports, in the order of the period's Linux driver (ibmmca.c); the code is planar's
// own.
#include "devices/storage/scsi/ibm_scsi.hpp"

#include "tests/archived.hpp"
#include "tests/bus/rig.hpp"
#include "tests/damage.hpp"
#include "tests/devices/storage/disk_files.hpp"

using namespace planar;
using namespace planar::storage;
using planar::test::Rig;
using planar::tests::base_content;
using planar::tests::generation_of;
using planar::tests::sector_content;

namespace {

constexpr std::uint16_t base = 0x3540;
constexpr unsigned disk_id = 6, cdrom_id = 3;
constexpr std::uint32_t scb = 0x1000, tsb = 0x1100, list = 0x1200, buffer = 0x4000;
constexpr std::uint32_t disk_sectors = 4096;
constexpr std::uint8_t immediate = 0x10, block = 0x30, long_block = 0x40, eoi = 0xE0;
constexpr std::uint16_t on_error = 0x4000, from_device = 0x8000, retry = 0x2000, to_list = 0x1000, no_short = 0x0400;

using Words = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Bench {
  explicit Bench(const McaEntry& entry = IbmScsi::cached, bool attached = true)
      : slot(2, 32, rig.wiring()), made(entry.make({slot, nullptr, {}, {}, 1}).card) {
    if (attached) {
      card().attach(disk_id, DriveKind::disk, DiskImage(base_content(disk_sectors), "disk.img"));
      std::vector<std::uint8_t> cd(2048 * 300);
      for (std::size_t n = 0; n < cd.size(); ++n) cd[n] = static_cast<std::uint8_t>(n / 2048 + n % 251);
      card().attach(cdrom_id, DriveKind::cdrom, DiskImage(cd, "cd.iso", WriteMode::read_only));
    }
    card().pos_write(3, 0xFC, Time{});  // ID 7, fairness, level 12
    card().pos_write(2, 0xF1, Time{});
    rig.out(base + 5, 0x03);
  }
  void archive(Archive& a) {
    rig.archive(a);
    made->archive(a);
    a(rig.ram);
  }
  IbmScsi& card() { return static_cast<IbmScsi&>(*made); }
  std::uint8_t status() { return static_cast<std::uint8_t>(rig.in(base + 7)); }

  void issue(std::uint32_t command, std::uint8_t attention) {
    while (status() & 1) rig.step(5_us);
    rig.out(base, command, 4);
    rig.out(base + 4, attention);
  }
  /// Waits for the interrupt like the driver's handler, reads the result and acknowledges it.
  std::uint8_t answer(Time within = 5_s) {
    const Time end = rig.now + within;
    while (!rig.irqs.level[14] && rig.now < end) rig.step(20_us);
    REQUIRE(rig.irqs.level[14]);
    while ((status() & 0xF) != 0x06) rig.step(5_us);
    const auto result = static_cast<std::uint8_t>(rig.in(base + 6));
    rig.out(base + 4, eoi | (result & 0xF));
    return result;
  }
  std::uint8_t assign(unsigned target, unsigned logical, bool remove = false, unsigned lun = 0) {
    issue(0x040E | lun << 24 | std::uint32_t{remove} << 23 | target << 20 | logical << 16, immediate | 15);
    return answer();
  }
  void put(std::uint32_t address, std::uint32_t value, unsigned bytes) {
    for (unsigned n = 0; n < bytes; ++n) rig.ram[address + n] = static_cast<std::uint8_t>(value >> (8 * n));
  }
  std::uint32_t get(std::uint32_t address, unsigned bytes) {
    std::uint32_t v = 0;
    for (unsigned n = bytes; n-- > 0;) v = v << 8 | rig.ram[address + n];
    return v;
  }
  void control_block(std::uint16_t command, std::uint16_t enable, std::uint32_t lba, std::uint32_t bytes,
                     std::uint32_t count = 0, std::uint32_t at = buffer, std::uint32_t where = scb) {
    put(where, command, 2);
    put(where + 2, enable, 2);
    put(where + 4, lba, 4);
    put(where + 8, at, 4);
    put(where + 12, bytes, 4);
    put(where + 16, tsb, 4);
    put(where + 20, 0, 4);
    put(where + 24, count, 2);
    put(where + 26, 512, 2);
  }
  std::uint8_t run(unsigned device, std::uint8_t attention = block) {
    issue(scb, static_cast<std::uint8_t>(attention | device));
    return answer();
  }
  std::uint8_t inquiry(unsigned device) {
    control_block(0x1C8B, from_device | on_error | no_short, 0, 255);
    return run(device);
  }
  std::uint8_t other(unsigned device, std::vector<std::uint8_t> cdb, std::uint32_t bytes, bool in = true) {
    control_block(0x241F, static_cast<std::uint16_t>((in ? from_device : 0) | on_error | no_short),
                  static_cast<std::uint32_t>(cdb.size()), bytes);
    cdb.resize(12);
    for (unsigned n = 0; n < 12; ++n) rig.ram[scb + 24 + n] = cdb[n];
    return run(device, long_block);
  }
  std::uint8_t read(std::uint32_t lba, std::uint32_t count) {
    control_block(0x1C81, from_device | on_error | retry, lba, count * 512, count);
    return run(0);
  }
  std::uint8_t write(std::uint32_t lba, std::uint32_t count) {
    control_block(0x1C82, on_error | retry, lba, count * 512, count);
    return run(0);
  }
  /// A disk as device 0, with its unit attention cleared.
  void ready_disk() {
    REQUIRE(assign(disk_id, 0) == 0xAF);
    other(0, {0, 0, 0, 0, 0, 0}, 0);
    REQUIRE(other(0, {0, 0, 0, 0, 0, 0}, 0) == 0x10);
  }
  std::uint32_t sense() {
    REQUIRE(other(0, {3, 0, 0, 0, 18, 0}, 18) == 0x10);
    return std::uint32_t{rig.ram[buffer + 2]} << 8 | rig.ram[buffer + 12];
  }

  Rig rig;
  bus::Slot slot;
  std::unique_ptr<bus::Adapter> made;
};

}  // namespace

TEST_CASE("SCSI: POS selects the ports and reads back, and CHRESET ends decoding") {
  Bench b(IbmScsi::plain, false);
  CHECK(b.card().pos_peek(0) == 0xFE);
  CHECK(b.card().pos_peek(1) == 0x8E);
  CHECK(b.card().pos_peek(3) == 0xFC);
  CHECK(b.status() == 0x04);
  b.card().pos_write(2, 0xF7, b.rig.now);
  CHECK(b.rig.in(0x3558 + 7) == 0x04);
  CHECK(b.rig.in(base + 7) == 0xFF);
  b.card().channel_reset(b.rig.now);
  CHECK(b.rig.in(0x3558 + 7) == 0xFF);
}

TEST_CASE("SCSI: the driver's probe finds existing devices and gets an error for missing ones") {
  Bench b;
  b.issue(0x040C | 45 << 16, immediate | 15);  // feature control
  CHECK(b.answer() == 0xAF);
  b.control_block(0x1C0A, from_device | on_error | retry | no_short, 0, 18);
  CHECK(b.run(15) == 0x1F);
  CHECK(b.get(buffer, 2) == 0x8EFF);
  CHECK(b.get(buffer + 4, 1) == 14);
  CHECK((b.get(buffer + 6, 2) & 0xF000) == 0);  // 32 bits
  for (unsigned n = 0; n < 15; ++n) REQUIRE(b.assign(0, n, true) == 0xAF);
  CHECK(b.inquiry(0) == 0xC0);  // not assigned
  CHECK(b.get(tsb + 17, 1) == 0x0A);
  unsigned found = 0;
  for (unsigned target = 0; target < 7; ++target) {
    REQUIRE(b.assign(target, 0) == 0xAF);
    const Time before = b.rig.now;
    const auto result = b.inquiry(0);
    if (result == 0x10) {
      ++found;
      CHECK(b.get(buffer, 1) == (target == disk_id ? 0u : 5u));
      CHECK(std::string(b.rig.ram.begin() + buffer + 8, b.rig.ram.begin() + buffer + 14) == "PLANAR");
    } else {
      CHECK(result == 0xC0);
      CHECK(b.get(tsb + 16, 1) == 0x10);  // selection timed out
      CHECK(b.rig.now - before > 250_ms);
    }
    REQUIRE(b.assign(target, 0, true) == 0xAF);
  }
  CHECK(found == 2);
  CHECK(b.assign(7, 0) == 0xCF);  // the adapter's own ID
  CHECK(b.assign(1, 15) == 0xCF);
  REQUIRE(b.assign(disk_id, 0, false, 1) == 0xAF);
  CHECK(b.inquiry(0) == 0x10);
  CHECK(b.get(buffer, 1) == 0x7F);  // no logical unit 1
  REQUIRE(b.assign(disk_id, 0) == 0xAF);
  b.control_block(0x1C09, from_device | on_error | no_short, 0, 8);
  CHECK(b.run(0) == 0xC0);  // unit attention after power-on
  CHECK(b.get(tsb + 14, 1) == 0x02);
  CHECK(b.run(0) == 0x10);
  CHECK(b.get(buffer, 4) == 0xFF0F0000);  // 4095, big-endian
  CHECK(b.get(buffer + 4, 4) == 0x00020000);
}

TEST_CASE("SCSI: reads and writes, direct and with a scatter list") {
  Bench b;
  b.ready_disk();
  REQUIRE(b.read(100, 40) == 0x10);
  for (std::uint32_t s = 0; s < 40; ++s)
    REQUIRE(generation_of(100 + s, std::span(b.rig.ram).subspan(buffer + s * 512, 512)) == 0u);
  for (std::uint32_t s = 0; s < 3; ++s) {
    const auto one = sector_content(200 + s, 9);
    std::copy(one.begin(), one.end(), b.rig.ram.begin() + buffer + s * 512);
  }
  REQUIRE(b.write(200, 3) == 0x10);
  // 202 and 203 into pieces of unequal lengths.
  const Words pieces{{0x8001, 100}, {0xA000, 0}, {0x9000, 701}, {0x8100, 223}};
  for (std::uint32_t n = 0; n < pieces.size(); ++n) {
    b.put(list + n * 8, pieces[n].first, 4);
    b.put(list + n * 8 + 4, pieces[n].second, 4);
  }
  b.control_block(0x1C81, from_device | on_error | to_list, 202, 32, 2, list);
  REQUIRE(b.run(0) == 0x10);
  std::vector<std::uint8_t> all;
  for (const auto& [address, bytes] : pieces)
    all.insert(all.end(), b.rig.ram.begin() + address, b.rig.ram.begin() + address + bytes);
  REQUIRE(all.size() == 1024);
  CHECK(generation_of(202, std::span(all).first(512)) == 9u);
  CHECK(generation_of(203, std::span(all).last(512)) == 0u);
  // And written back to another place.
  b.control_block(0x1C82, on_error | to_list, 300, 32, 2, list);
  REQUIRE(b.run(0) == 0x10);
  std::vector<std::uint8_t> disk(1024);
  REQUIRE(b.card().drive(disk_id)->image().read(300, disk));
  CHECK(disk == all);
}

TEST_CASE("SCSI: errors are reported as check condition with sense, and do not affect other commands") {
  Bench b;
  b.ready_disk();
  CHECK(b.read(disk_sectors - 1, 2) == 0xC0);
  CHECK(b.get(tsb + 15, 1) == 0x0C);
  CHECK(b.get(tsb + 16, 1) == 0x20);
  CHECK(b.get(tsb + 22, 4) == scb);
  CHECK(b.get(tsb + 4, 4) == 1024);
  CHECK(b.sense() == 0x0521);
  CHECK(b.sense() == 0x0000);  // reported once
  CHECK(b.other(0, {0xFF, 0, 0, 0, 0, 0}, 0) == 0xC0);
  CHECK(b.sense() == 0x0520);
  b.control_block(0x1C77, on_error, 0, 0);  // unknown command
  CHECK(b.run(0) == 0xC0);
  CHECK(b.get(tsb + 17, 1) == 0x01);
  b.control_block(0x1C81, from_device | on_error | to_list, 0, 12, 1, list);  // half an element
  CHECK(b.run(0) == 0xC0);
  b.control_block(0x1C81, from_device | on_error, 0, 1024, 1);  // a buffer longer than the data, not suppressed
  CHECK(b.run(0) == 0xC0);
  CHECK(b.get(tsb, 2) == 0x0202);
  CHECK(b.get(tsb + 4, 4) == 512);
  b.control_block(0x1C81, from_device | on_error, 0, 512, 2);
  CHECK(b.run(0) == 0xC0);
  CHECK(b.get(tsb, 2) == 0x0204);
  CHECK(b.read(0, 1) == 0x10);
  b.issue(0x04FF, immediate | 15);
  CHECK(b.answer() == 0xEF);
  b.issue(scb, 0x20);
  CHECK(b.answer() == 0xE0);
}

TEST_CASE("SCSI: one control block per device; commands of several devices are queued, and results arrive one by one") {
  Bench b;
  b.ready_disk();
  REQUIRE(b.assign(cdrom_id, 1) == 0xAF);
  b.control_block(0x1C81, from_device | on_error, 0, 512, 1);
  b.control_block(0x1C8B, from_device | on_error | no_short, 0, 255, 0, buffer + 0x1000, scb + 0x40);
  b.issue(scb, block | 0);
  b.issue(scb + 0x40, block | 1);
  b.issue(scb, block | 0);  // device 0 is busy
  CHECK(b.answer() == 0xF0);
  b.rig.step(1_s);
  CHECK(b.answer() == 0x10);
  CHECK(b.rig.irqs.level[14]);  // the second result immediately
  CHECK(b.answer() == 0x11);
  CHECK_FALSE(b.rig.irqs.level[14]);
  CHECK(b.get(buffer + 0x1000, 1) == 5);
}

TEST_CASE("SCSI: chained blocks run until the end or an error") {
  Bench b;
  b.ready_disk();
  b.control_block(0x1C81, from_device | on_error | 1, 10, 512, 1);
  b.put(scb + 20, scb + 0x40, 4);
  b.control_block(0x1C81, from_device | on_error, 20, 512, 1, buffer + 0x400, scb + 0x40);
  REQUIRE(b.run(0) == 0x10);
  CHECK(generation_of(10, std::span(b.rig.ram).subspan(buffer, 512)) == 0u);
  CHECK(generation_of(20, std::span(b.rig.ram).subspan(buffer + 0x400, 512)) == 0u);
  CHECK_FALSE(b.rig.irqs.level[14]);
}

TEST_CASE("SCSI: abort ends a device's command, reset ends all, and the card works afterwards") {
  Bench b;
  b.ready_disk();
  b.control_block(0x1C81, from_device | on_error, 0, 0x8000, 64);
  b.issue(scb, block | 0);
  b.rig.step(3_ms);
  b.issue(0x040F, immediate | 0);
  CHECK(b.answer() == 0xA0);
  b.rig.step(200_ms);
  CHECK_FALSE(b.rig.irqs.level[14]);  // the command itself no longer returns a result
  b.issue(0x040F, immediate | 0);
  CHECK(b.answer() == 0xC0);  // nothing to abort
  CHECK(b.read(5, 1) == 0x10);

  b.issue(scb, block | 0);
  b.issue(0x0400, immediate | 15);
  // The driver's reset polls the interrupt status.
  const Time end = b.rig.now + 60_s;
  while ((b.rig.in(base + 6) & 0x8F) != 0x8F && b.rig.now < end) b.rig.step(1_ms);
  CHECK(b.rig.in(base + 6) == 0xAF);
  b.rig.out(base + 4, eoi | 15);
  CHECK_FALSE(b.rig.irqs.level[14]);
  CHECK(b.read(5, 1) == 0xC0);  // unit attention
  CHECK(b.read(5, 1) == 0x10);

  b.rig.out(base + 5, 0x80);
  b.rig.step(1_ms);
  CHECK((b.status() & 1) == 1);
  b.rig.out(base + 5, 0x03);
  b.rig.step(2_s);
  CHECK(b.answer() == 0x0F);
  CHECK(b.inquiry(disk_id) == (0x10 | disk_id));  // targets are devices with their own number
}

TEST_CASE("SCSI: without bus master enable the card reports an error, without interrupt enable it raises none") {
  Bench b;
  b.ready_disk();
  b.rig.out(base + 5, 0x02);
  b.control_block(0x1C81, from_device | on_error, 7, 512, 1);
  b.issue(scb, block | 0);
  b.rig.step(200_ms);
  CHECK_FALSE(b.rig.irqs.level[14]);
  CHECK((b.status() & 0x02) != 0);  // polled by firmware
  CHECK(b.rig.in(base + 6) == 0x10);
  b.rig.out(base + 4, eoi | 0);
  CHECK(b.status() == 0x04);
  b.rig.out(base + 5, 0x01);
  b.issue(scb, block | 0);
  CHECK(b.answer() == 0xE0);
}

TEST_CASE("SCSI: a CD-ROM reads its blocks and its single track, and rejects writes") {
  Bench b;
  REQUIRE(b.assign(cdrom_id, 0) == 0xAF);
  b.other(0, {0, 0, 0, 0, 0, 0}, 0);
  REQUIRE(b.other(0, {0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 8) == 0x10);
  CHECK(b.get(buffer, 4) == 0x2B010000);  // 299
  CHECK(b.get(buffer + 4, 4) == 0x00080000);
  REQUIRE(b.other(0, {0x28, 0, 0, 0, 0, 5, 0, 0, 2, 0}, 4096) == 0x10);
  CHECK(b.rig.ram[buffer] == static_cast<std::uint8_t>(5 + 5 * 2048 % 251));
  CHECK(b.rig.ram[buffer + 2048] == static_cast<std::uint8_t>(6 + 6 * 2048 % 251));
  REQUIRE(b.other(0, {0x43, 0, 0, 0, 0, 0, 0, 0, 20, 0}, 20) == 0x10);
  CHECK(b.rig.ram[buffer + 1] == 18);
  CHECK(b.rig.ram[buffer + 6] == 1);
  CHECK(b.rig.ram[buffer + 14] == 0xAA);
  CHECK(b.get(buffer + 16, 4) == 0x2C010000);
  REQUIRE(b.other(0, {0x43, 2, 0, 0, 0, 0, 0xAA, 0, 12, 0}, 12) == 0x10);
  CHECK(b.get(buffer + 8, 4) == 0x00060000);  // block 300 + 150: 0:06.00
  CHECK(b.other(0, {0x2A, 0, 0, 0, 0, 5, 0, 0, 1, 0}, 2048, false) == 0xC0);
  REQUIRE(b.other(0, {0x1A, 0, 0x3F, 0, 255, 0}, 255) == 0x10);
  CHECK(b.rig.ram[buffer + 3] == 8);
}

TEST_CASE("SCSI: a new CD is reported once, and then read") {
  Bench b;
  REQUIRE(b.assign(cdrom_id, 0) == 0xAF);
  b.other(0, {0, 0, 0, 0, 0, 0}, 0);
  REQUIRE(b.other(0, {0, 0, 0, 0, 0, 0}, 0) == 0x10);
  b.card().change_medium(cdrom_id, storage::DiskImage(std::vector<std::uint8_t>(20 * 2048, 0x5A), "second",
                                                      storage::WriteMode::read_only));
  CHECK(b.other(0, {0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 8) == 0xC0);
  CHECK(b.sense() == 0x0628);  // unit attention: the medium may have changed
  REQUIRE(b.other(0, {0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 8) == 0x10);
  CHECK(b.get(buffer, 4) == 0x13000000);  // 19
  REQUIRE(b.other(0, {0x28, 0, 0, 0, 0, 5, 0, 0, 1, 0}, 2048) == 0x10);
  CHECK(b.rig.ram[buffer] == 0x5A);
}

TEST_CASE("SCSI: a CD-ROM drive without a CD is not ready") {
  Bench b;
  REQUIRE(b.assign(cdrom_id, 0) == 0xAF);
  b.other(0, {0, 0, 0, 0, 0, 0}, 0);
  b.card().change_medium(cdrom_id, {});
  CHECK(b.other(0, {0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 8) == 0xC0);
  CHECK(b.sense() == 0x023A);  // not ready: medium not present
}

TEST_CASE("SCSI: a snapshot in the middle of a transfer does not change the result") {
  const auto start = [](Bench& b) {
    b.ready_disk();
    b.control_block(0x1C81, from_device | on_error, 1000, 0xC000, 96);
    b.issue(scb, block | 0);
    b.rig.step(40_ms);
  };
  Bench b, c;
  start(b);
  Archive saved = Archive::saver();
  b.rig.archive(saved);
  b.card().archive(saved);
  saved.bytes(b.rig.ram);
  Archive loader = Archive::loader(saved.stream());
  c.rig.archive(loader);
  c.card().archive(loader);
  loader.bytes(c.rig.ram);
  CHECK(b.answer() == 0x10);
  CHECK(c.answer() == 0x10);
  CHECK(b.rig.now == c.rig.now);
  CHECK(b.rig.ram == c.rig.ram);
  CHECK(generation_of(1095, std::span(b.rig.ram).subspan(buffer + 95 * 512, 512)) == 0u);
}

TEST_CASE("SCSI: a damaged snapshot is refused or runs on") {
  Bench b;
  b.ready_disk();
  b.control_block(0x1C81, from_device | on_error, 1000, 0xC000, 96);
  b.issue(scb, block | 0);
  Bench other;
  unsigned refused = 0;
  for (int moment = 0; moment < 2; ++moment) {
    b.rig.step(20'345_us);
    refused += planar::test::refused_of_damaged(planar::test::saved_state(b), "ibm_scsi", [&](const auto& state) {
      planar::test::restore_state(other, state);
      Description d;
      other.card().describe(d);
      other.rig.step(20_ms);
    });
  }
  CHECK(refused > 20);
}

TEST_CASE("SCSI: a device's reset ends the command of another device of the same target") {
  Bench b;
  b.ready_disk();
  REQUIRE(b.assign(disk_id, 1) == 0xAF);
  b.control_block(0x1C81, from_device | on_error, 1000, 0xC000, 96);
  b.issue(scb, block | 0);
  b.rig.step(40_ms);
  b.issue(0x0400, immediate | 1);
  const std::uint8_t first = b.answer(), second = b.answer();
  CHECK((first == 0xA1 ? second : first) == 0xC0);
  CHECK(b.read(1000, 1) == 0xC0);  // a unit attention after the reset
  CHECK(b.read(1000, 1) == 0x10);
}

TEST_CASE("SCSI: drive timing: seeks, revolutions, media rate, read-ahead") {
  Bench b;
  b.ready_disk();
  const auto timed = [&](std::uint32_t lba, std::uint32_t count) {
    const Time before = b.rig.now;
    REQUIRE(b.read(lba, count) == 0x10);
    return b.rig.now - before;
  };
  timed(0, 1);
  const Time far = timed(4000, 1);
  CHECK(far > 5_ms);
  CHECK(far < 45_ms);
  timed(0, 64);
  b.rig.step(50_ms);
  CHECK(timed(64, 64) < 20_ms);  // already in the drive's buffer: only the channel's time
  const Time streamed = timed(128, 100);
  CHECK(streamed < 60_ms);
}

TEST_CASE("SCSI: arbitrary control blocks and register writes do no harm") {
  Bench b;
  std::uint32_t x = 12345;
  const auto random = [&] {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
  };
  for (unsigned n = 0; n < 15; ++n) b.assign(n % 7, n);
  static constexpr std::uint16_t commands[] = {0x1C01, 0x1C02, 0x1C03, 0x1C04, 0x1C07, 0x1C08, 0x1C09,
                                               0x1C0A, 0x1C0B, 0x1C16, 0x1C18, 0x1C31, 0x241F, 0x0000};
  for (int round = 0; round < 3000; ++round) {
    for (std::uint32_t at = scb; at < scb + 36; at += 4) b.put(at, random(), 4);
    b.put(scb, commands[random() % std::size(commands)], 2);
    if (random() % 2) b.put(scb + 12, random() % 4096 & ~7u, 4);
    if (random() % 2) b.put(scb + 4, random() % 5000, 4);
    if (random() % 2) b.put(scb + 24, random() % 16, 2);
    b.put(scb + 8, random() % 0x18000, 4);
    b.put(scb + 16, 0x1F000, 4);
    if (random() % 4 == 0) b.put(scb + 20, scb, 4);
    b.rig.out(base, random() % 8 ? scb : random(), 4);
    static constexpr std::uint8_t requests[] = {0x10, 0x30, 0x40, 0xE0, 0x30, 0x40, 0x30};
    b.rig.out(base + 4, (random() % 8 ? requests[random() % 7] : random() & 0xF0) | (random() & 15));
    if (random() % 64 == 0)
      b.rig.out(base + 5, random() & 0x83);
    else
      b.rig.out(base + 5, 3);
    b.rig.step(Time{static_cast<std::int64_t>(random() % 4000) * 1'000'000});
    b.rig.out(base + 4, eoi | (b.rig.in(base + 6) & 15));
  }
  b.rig.out(base + 5, 0x80);
  b.rig.out(base + 5, 0x03);
  b.rig.step(2_s);
  CHECK(b.rig.in(base + 6) == 0x0F);
}
