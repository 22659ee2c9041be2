// SPDX-License-Identifier: GPL-2.0-or-later
// INT 13h when diskette, drive and the table at vector 1Eh disagree about the length of a track, as in IBM's BIOS
// (docs/hardware/bios.md#diskettes).
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/catch.hpp"
#include "tests/machines/assembler.hpp"

using namespace planar;

namespace {

constexpr unsigned results = 0x3000, buffer = 0x8000, own_table = 0x2F00;

struct Answer {
  unsigned ax = 0, cx = 0;
  bool carry = false;
};

/// Calls INT 13h from a boot sector, one call after another.
class Service {
 public:
  explicit Service(const std::string& drive) {
    config_.set_text("planar.diskette", drive, "test");
    program_({0x31, 0xC0, 0x8E, 0xD8, 0x8E, 0xC0, 0x8E, 0xD0}).word({0xBC}, 0x7C00);
  }
  /// Calls with ES:BX = 0:8000h. Returns the number of the answer.
  unsigned call(unsigned ax, unsigned cx, unsigned dx) {
    program_.word({0xB8}, ax).word({0xBB}, buffer).word({0xB9}, cx).word({0xBA}, dx)({0xCD, 0x13});
    const unsigned at = results + 6 * calls_;
    program_.word({0xA3}, at).word({0x89, 0x0E}, at + 2)({0x9C, 0x58}).word({0xA3}, at + 4);
    program_({0x31, 0xC0, 0x8E, 0xC0});  // function 08h has changed ES
    return calls_++;
  }
  /// Points vector 1Eh to a table of the program's own, with this number of sectors per track.
  void set_last_sector(unsigned last) {
    unsigned at = own_table;
    for (const unsigned value : {0xAFu, 0x02u, 0x25u, 0x02u, last, 0x1Bu, 0xFFu, 0x6Cu, 0xF6u, 0x0Fu, 0x08u})
      program_.word({0xC6, 0x06}, at++)({value});
    program_.word({0xC7, 0x06}, 0x78)({own_table & 0xFF, own_table >> 8}).word({0xC7, 0x06}, 0x7A)({0, 0});
  }
  void run() {
    program_({0xB0, 0x5A}).word({0xBA}, 0x680)({0xEE, 0xFB, 0xF4, 0xEB, 0xFD});
    auto image = test::boot_diskette(program_);
    for (std::size_t sector = 1; sector < image.size() / 512; ++sector) {
      image[sector * 512] = static_cast<std::uint8_t>(sector);
      image[sector * 512 + 1] = static_cast<std::uint8_t>(sector >> 8);
    }
    lab_.emplace(std::move(config_));
    lab_->insert_diskette(std::move(image), "diskette service test");
    const auto now = [&] { return lab_->scheduler().now(); };
    const auto done = [&] { return (lab_->machine().board().checkpoint() & 0xFF) == 0x5A; };
    while (!done() && now() < 40_s) lab_->scheduler().run_until(now() + 10_ms);
    REQUIRE(done());
  }
  Answer answer(unsigned n) {
    const unsigned at = results + 6 * n;
    return {word(at), word(at + 2), (word(at + 4) & 1) != 0};
  }
  /// The linear number of the sector that is in the buffer after `n` others.
  unsigned sector(unsigned n) { return word(buffer + n * 512); }

 private:
  unsigned word(unsigned at) { return lab_->machine().peek_memory(at) | lab_->machine().peek_memory(at + 1) << 8; }

  Config config_ = load_machine("model77");
  test::Assembler program_{0x7C00};
  unsigned calls_ = 0;
  std::optional<Lab> lab_;
};

}  // namespace

TEST_CASE("function 08h returns the drive's capacity, whatever diskette is in it") {
  for (const auto& [drive, geometry] : {std::pair{"2.88 MB", 0x4F24u}, std::pair{"1.44 MB", 0x4F12u}}) {
    INFO(drive);
    Service s(drive);
    const auto told = s.call(0x0800, 0, 0);
    s.run();
    CHECK_FALSE(s.answer(told).carry);
    CHECK(s.answer(told).cx == geometry);
  }
}

TEST_CASE("a 1.44 MB diskette in a 2.88 MB drive: absent sectors are not found, a read continues on head 1") {
  Service s("2.88 MB");
  const auto beyond = s.call(0x0201, 0x0013, 0x0000);
  const auto both = s.call(0x0224, 0x0001, 0x0000);  // 36 sectors, as function 08h suggests
  s.run();
  CHECK(s.answer(beyond).carry);
  CHECK(s.answer(beyond).ax >> 8 == 0x04);
  CHECK_FALSE(s.answer(both).carry);
  CHECK((s.answer(both).ax & 0xFF) == 36);
  for (const unsigned n : {1u, 17u, 18u, 35u}) CHECK(s.sector(n) == n);
}

TEST_CASE("sectors beyond the last one of the table at vector 1Eh can be read; a read up to it continues on head 1") {
  for (const bool beyond : {true, false}) {
    INFO(beyond);
    Service s("2.88 MB");
    s.call(0x0201, 0x0002, 0x0000);
    s.set_last_sector(9);
    const auto read = s.call(0x0202, beyond ? 0x000A : 0x0009, 0x0000);
    s.run();
    CHECK_FALSE(s.answer(read).carry);
    CHECK((s.answer(read).ax & 0xFF) == 2);
    CHECK(s.sector(0) == (beyond ? 9 : 8));
    CHECK(s.sector(1) == (beyond ? 10 : 18));
  }
}
