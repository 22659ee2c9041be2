// SPDX-License-Identifier: GPL-2.0-or-later
// The state of an overlay after the process is killed or the host loses power: every sector intact, no acknowledged
// write lost (killed) or no flushed write lost (power), the base unchanged.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <random>

#include "core/state/archive.hpp"
#include "devices/storage/image/disk_image.hpp"
#include "tests/catch.hpp"
#include "tests/devices/storage/disk_files.hpp"

using namespace planar;
using namespace planar::storage;
using planar::tests::base_content;
using planar::tests::DiskFiles;
using planar::tests::generation_of;
using planar::tests::sector_content;

namespace {

constexpr std::uint32_t killed_disk_sectors = 600;

struct Written {
  std::uint32_t sector, count, generation;
};

// One write of 1 to 40 sectors with generation `generation`.
Written random_write(DiskImage& disk, std::mt19937& random, std::uint32_t generation) {
  const auto count = std::uniform_int_distribution<std::uint32_t>(1, random() % 4 ? 4 : 40)(random);
  const auto first = std::uniform_int_distribution<std::uint32_t>(0, killed_disk_sectors - count)(random);
  std::vector<std::uint8_t> bytes;
  for (std::uint32_t n = 0; n < count; ++n) {
    const auto one = sector_content(first + n, generation);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return {disk.write(first, bytes) ? first : killed_disk_sectors, count, generation};
}

// The child: writes until it is killed, and reports each write once it has returned.
[[noreturn]] void write_until_killed(const std::string& base, unsigned seed, std::uint32_t generation, int report) {
  std::mt19937 random(seed);
  DiskImage disk = DiskImage::open({base});
  while (true) {
    const Written w = random_write(disk, random, ++generation);
    if (w.sector == killed_disk_sectors || ::write(report, &w, sizeof w) != sizeof w) _exit(1);
    if (random() % 16 == 0) disk.flush();
  }
}

unsigned kills() {
  const char* wanted = std::getenv("PLANAR_KILLS");
  return wanted ? static_cast<unsigned>(std::atoi(wanted)) : 50;
}

}  // namespace

TEST_CASE("an overlay killed at random times keeps every acknowledged write") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(killed_disk_sectors));
  std::mt19937 random(20261121);
  std::vector<std::uint32_t> acknowledged(killed_disk_sectors, 0);
  std::uint32_t generation = 0, writes = 0, wrong = 0;
  for (unsigned round = 0; round < kills(); ++round) {
    int report[2];
    REQUIRE(::pipe(report) == 0);
    const unsigned seed = static_cast<unsigned>(random());
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::close(report[0]);
      write_until_killed(base, seed, generation, report[1]);
    }
    ::close(report[1]);
    // The first report shows that the child is running; then it is killed at a random time.
    Written w{};
    REQUIRE(::read(report[0], &w, sizeof w) == sizeof w);
    ::usleep(static_cast<useconds_t>(random() % 3000));
    ::kill(child, SIGKILL);
    do {
      for (std::uint32_t n = 0; n < w.count; ++n) acknowledged[w.sector + n] = w.generation;
      generation = w.generation;
      ++writes;
    } while (::read(report[0], &w, sizeof w) == sizeof w);
    ::close(report[0]);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    ++generation;  // the write in flight

    const DiskImage disk = DiskImage::open({base + ".overlay", WriteMode::memory, {}});
    REQUIRE(disk.overlay()->unreadable_sectors() == 0);
    std::vector<std::uint8_t> all(std::size_t{killed_disk_sectors} * sector_bytes);
    REQUIRE(disk.read(0, all));
    for (std::uint32_t s = 0; s < killed_disk_sectors; ++s) {
      const auto found = generation_of(s, std::span(all).subspan(std::size_t{s} * sector_bytes, sector_bytes));
      wrong += !found || (*found != acknowledged[s] && *found != generation);
      if (found) acknowledged[s] = *found;
    }
    REQUIRE(wrong == 0);
  }
  CHECK(writes > kills());
  CHECK(DiskFiles::read(base) == base_content(killed_disk_sectors));
}

TEST_CASE("after a power loss flushed data are present, whichever pages reached the host's disk") {
  constexpr std::size_t page = 4096;
  DiskFiles files;
  const auto base = files.write("base.img", base_content(killed_disk_sectors));
  const auto name = base + ".overlay";
  std::mt19937 random(7);
  std::uint32_t generation = 0;
  for (unsigned round = 0; round < 30; ++round) {
    std::vector<std::uint32_t> flushed(killed_disk_sectors);
    std::vector<std::uint8_t> durable;
    {
      DiskImage disk = DiskImage::open({base});
      for (unsigned n = random() % 20 + 1; n-- > 0;) random_write(disk, random, ++generation);
      REQUIRE(disk.flush());
      durable = DiskFiles::read(name);
      std::array<std::uint8_t, sector_bytes> data{};
      for (std::uint32_t s = 0; s < killed_disk_sectors; ++s) {
        REQUIRE(disk.read(s, data));
        flushed[s] = *generation_of(s, data);
      }
      for (unsigned n = random() % 60; n-- > 0;) random_write(disk, random, ++generation);
    }
    // The power failed before the final flush: some of the pages changed since the flush above had been written.
    auto left = DiskFiles::read(name);
    durable.resize(left.size(), 0);
    for (std::size_t at = 0; at < left.size(); at += page)
      if (random() % 2)
        std::copy(durable.begin() + static_cast<std::ptrdiff_t>(at),
                  durable.begin() + static_cast<std::ptrdiff_t>(std::min(at + page, left.size())),
                  left.begin() + static_cast<std::ptrdiff_t>(at));
    std::copy_n(durable.begin(), page, left.begin());  // its checkpoint was written after the last flush
    files.write("base.img.overlay", left);
    const DiskImage disk = DiskImage::open({base});
    std::array<std::uint8_t, sector_bytes> data{};
    for (std::uint32_t s = 0; s < killed_disk_sectors; ++s) {
      REQUIRE(disk.read(s, data));
      const auto found = generation_of(s, data);
      REQUIRE(found);
      REQUIRE(*found >= flushed[s]);
    }
  }
  CHECK(DiskFiles::read(base) == base_content(killed_disk_sectors));
}
