// SPDX-License-Identifier: GPL-2.0-or-later
// An overlay and its base: a changed base is detected, and no overlay decides on its own which file a commit
// overwrites.
#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <set>
#include <thread>

#include "core/common/crc32.hpp"
#include "core/common/random.hpp"
#include "tests/catch.hpp"
#include "tests/devices/storage/disk_files.hpp"
#include "tests/memory_limit.hpp"

using namespace planar;
using namespace planar::storage;
using Catch::Matchers::Contains;
using planar::tests::base_content;
using planar::tests::DiskFiles;
using planar::tests::refusal;
using planar::tests::sector_content;

namespace {

/// Makes `file` look as if last written an hour ago, so that its time is evidence for its content.
void age(const std::string& file, int seconds = 3600) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec -= seconds;
  const timespec times[] = {now, now};
  REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
}

void change(const std::string& file, std::size_t at) {
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekp(static_cast<std::streamoff>(at));
  stream.put('!');
}

}  // namespace

TEST_CASE("a base changed between the samples of its fingerprint is detected") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(8192));
  const auto work = files.file("work.ovl");
  const std::size_t unsampled = 148 * 512;
  const auto open = [&] { return refusal([&] { DiskImage::open({work}); }); };
  const bool old_time = GENERATE(false, true);
  if (old_time) age(base);
  create_overlay(work, base);
  CHECK(open() == "");
  CHECK(open() == "");
  change(base, unsampled);
  CHECK_THAT(open(), Contains("was changed since"));
  age(base, 1800);
  CHECK_THAT(open(), Contains("was changed since"));
  auto same = base_content(8192);
  files.write("base.img", same);
  CHECK(open() == "");  // unchanged content, whatever its time is
  age(base, 900);
  CHECK(open() == "");
}

TEST_CASE("a base that was changed and given its old time is detected") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(8192));
  const auto work = files.file("work.ovl");
  age(base);
  const auto open = [&] { return refusal([&] { DiskImage::open({work}); }); };
  create_overlay(work, base);
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));  // a younger file's ctime is not evidence
  CHECK(open() == "");
  CHECK(open() == "");
  struct stat before {};
  REQUIRE(::stat(base.c_str(), &before) == 0);
  change(base, 148 * 512);
  const timespec times[] = {before.st_atim, before.st_mtim};
  REQUIRE(::utimensat(AT_FDCWD, base.c_str(), times, 0) == 0);
  CHECK_THAT(open(), Contains("was changed since"));
}

TEST_CASE("only one run may change an overlay: a second is refused at opening, not at its first write") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(8192));
  {
    DiskImage first = DiskImage::open({base});
    const auto second = refusal([&] { DiskImage::open({base}); });
    CHECK_THAT(second, Contains("in use by another planar") && !Contains("remove"));
    CHECK(refusal([&] { DiskImage::open({base, WriteMode::memory, {}}); }) == "");
    CHECK(refusal([&] { DiskImage::open({base, WriteMode::overlay, files.file("other.ovl")}); }) == "");
    CHECK_FALSE(std::filesystem::exists(files.file("other.ovl")));
  }
  CHECK_FALSE(std::filesystem::exists(base + ".overlay"));  // nothing was written
  CHECK(DiskImage::open({base}).write(7, tests::content(7, 1, 1)));
  CHECK(std::filesystem::exists(base + ".overlay"));
  std::vector<std::uint8_t> back(sector_bytes);
  CHECK(DiskImage::open({base}).read(7, back));
  CHECK(back == tests::content(7, 1, 1));
  // The digest is written with the first change.
  change(base, 148 * 512);
  CHECK_THAT(refusal([&] { DiskImage::open({base}); }), Contains("was changed since"));
}

TEST_CASE("an overlay that is deleted or replaced during a run is noticed at the next flush") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(8192));
  const auto overlay = base + ".overlay";
  const bool replaced = GENERATE(false, true), flushed = GENERATE(false, true);
  DiskImage disk = DiskImage::open({base});
  REQUIRE(disk.write(7, tests::content(7, 1, 1)));
  if (flushed) CHECK(disk.flush());
  std::filesystem::remove(overlay);
  if (replaced) create_overlay(overlay, base);
  CHECK_FALSE(disk.flush());
  CHECK_THAT(disk.failure(), Contains(overlay) && Contains("deleted or replaced"));
  disk = DiskImage::open({base, WriteMode::memory, {}});
  CHECK(std::filesystem::exists(overlay) == replaced);
}

TEST_CASE("an overlay of an earlier version, without the base's digest, opens and receives it") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(8192));
  const auto work = files.file("work.ovl");
  create_overlay(work, base);
  auto bytes = DiskFiles::read(work);
  std::fill_n(bytes.begin() + 2560, 100, 0);
  files.write("work.ovl", bytes);
  const auto open = [&](WriteMode mode) { return refusal([&] { DiskImage::open({work, mode, {}}); }); };
  CHECK(open(WriteMode::memory) == "");
  CHECK(DiskFiles::read(work) == bytes);
  CHECK(open(WriteMode::overlay) == "");
  change(base, 148 * 512);
  CHECK_THAT(open(WriteMode::overlay), Contains("was changed since"));
}

TEST_CASE("an overlay with an interrupted commit never writes to a file that the user has not named") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(400));
  const auto work = files.file("work.ovl");
  create_overlay(work, base);
  {
    DiskImage disk = DiskImage::open({work});
    REQUIRE(disk.write(9, sector_content(9, 4)));
  }
  auto bytes = DiskFiles::read(work);
  bytes[104] = 1;
  const auto crc = crc32(std::span(bytes).first(2044));
  for (unsigned n = 0; n < 4; ++n) bytes[2044 + n] = static_cast<std::uint8_t>(crc >> (8 * n));
  files.write("work.ovl", bytes);
  // Another user's disk of the same size, under the name in the file.
  std::vector<std::uint8_t> precious(400 * 512, 0x5A);
  files.write("base.img", precious);
  CHECK_THAT(refusal([&] { DiskImage::open({work}); }), Contains("interrupted"));
  CHECK_THAT(refusal([&] { commit_overlay(work); }), Contains("--base"));
  CHECK(DiskFiles::read(base) == precious);
  const auto named = files.write("named.img", base_content(400));
  CHECK(commit_overlay(work, named) == 1);
  CHECK(DiskFiles::read(base) == precious);
  CHECK_THAT(refusal([&] { commit_overlay(work); }), Contains("another base"));  // it belongs to named.img from now on
  CHECK(commit_overlay(work, named) == 0);
}

TEST_CASE("a sparse overlay is opened without memory or time for the hole, and accepts new changes") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(400));
  const auto work = files.file("work.ovl");
  create_overlay(work, base);
  const auto one = sector_content(7, 1), two = sector_content(9, 2);
  {
    DiskImage disk = DiskImage::open({work});
    REQUIRE(disk.write(7, one));
  }
  std::filesystem::resize_file(work, std::uintmax_t{1} << 40);  // takes no space
  CHECK(tests::fits_into_memory(64 << 20, [&] {
    DiskImage disk = DiskImage::open({work});
    if (!disk.write(9, two)) throw std::bad_alloc();
  }));
  DiskImage disk = DiskImage::open({work, WriteMode::memory, {}});
  std::array<std::uint8_t, sector_bytes> found{};
  CHECK(disk.read(7, found));
  CHECK(found == one);
  CHECK(disk.read(9, found));
  CHECK(found == two);
}

TEST_CASE("a set of slots equals a set of numbers") {
  SlotSet slots;
  std::set<std::uint32_t> numbers;
  Random random(3);
  for (unsigned round = 0; round < 20'000; ++round) {
    const auto at = static_cast<std::uint32_t>(random.below(60));
    const auto end = static_cast<std::uint32_t>(at + random.below(5));
    switch (random.below(4)) {
      case 0:
        slots.insert(at, end);
        for (std::uint32_t n = at; n < end; ++n) numbers.insert(n);
        break;
      case 1:
        slots.insert(at);
        numbers.insert(at);
        break;
      default: slots.erase(at); numbers.erase(at);
    }
    INFO("round " << round);
    REQUIRE(slots.empty() == numbers.empty());
    if (!numbers.empty()) REQUIRE(slots.first() == *numbers.begin());
    for (std::uint32_t n = 0; n < 66; ++n) REQUIRE(slots.contains(n) == numbers.contains(n));
  }
}
