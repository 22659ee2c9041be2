// SPDX-License-Identifier: GPL-2.0-or-later
// Each call from an overlay to the host fails once, one after another: no acknowledged write is lost, failures are
// reported, and the files open again.
#include <algorithm>
#include <map>

#include "tests/catch.hpp"
#include "tests/devices/storage/disk_files.hpp"
#include "tests/faults/host_faults.hpp"

using namespace planar;
using namespace planar::storage;
using planar::tests::base_content;
using planar::tests::content;
using planar::tests::DiskFiles;
using planar::tests::generation_of;
using planar::tests::refusal;
using planar::tests::sector_content;

namespace {

constexpr std::uint32_t faulty_disk_sectors = 64;
constexpr unsigned most_faults = 400;  // more calls than any of these runs makes

const char* name_of(int kind) {
  return kind == planar_fault_fail ? "fails" : kind == planar_fault_stay ? "fails and all after it" : "is cut short";
}

/// Runs `run` with the first call failing, then the second, until there is no call left to fail.
void with_every_fault(int kind, const DiskFiles& files, const std::function<void(unsigned)>& prepare,
                      const std::function<void()>& run, const std::function<void()>& check) {
  unsigned n = 1;
  for (bool came = true; came; ++n) {
    REQUIRE(n < most_faults);
    prepare(n);
    INFO("call " << n << " " << name_of(kind));
    planar_fault_arm(n, kind, files.file("").c_str());
    run();
    came = planar_fault_disarm();
    check();
  }
  CHECK(n > 5);  // it did reach the host
}

void remove(const std::string& file) { std::filesystem::remove(file); }

}  // namespace

TEST_CASE("whichever host call fails, an overlay keeps every acknowledged write and opens again") {
  for (const int kind : {planar_fault_fail, planar_fault_stay, planar_fault_cut}) {
    DiskFiles files;
    const auto base = files.write("base.img", base_content(faulty_disk_sectors));
    std::map<std::uint32_t, std::uint32_t> acknowledged, attempted;
    std::string said;
    bool told = false;
    with_every_fault(
        kind, files,
        [&](unsigned) {
          remove(base + ".overlay");
          acknowledged.clear();
          attempted.clear();
          told = false;
        },
        [&] {
          said = refusal([&] {
            DiskImage disk = DiskImage::open({base});
            for (std::uint32_t generation = 1; generation <= 6; ++generation) {
              const std::uint32_t first = generation * 5, count = 1 + generation % 3;
              const bool done = disk.write(first, content(first, count, generation));
              for (std::uint32_t n = 0; n < count; ++n) (done ? acknowledged : attempted)[first + n] = generation;
              told = told || !done;
              if (generation % 2 == 0) told = !disk.flush() || told;
              // The same sectors again, so that slots are used a second time.
              const bool again = disk.write(1, content(1, 1, generation));
              (again ? acknowledged : attempted)[1] = generation;
              told = told || !again;
            }
            if (!disk.failure().empty()) CHECK(told);
          });
        },
        [&] {
          if (!std::filesystem::exists(base + ".overlay")) {
            CHECK(acknowledged.empty());
            CHECK((told || !said.empty()));
            return;
          }
          REQUIRE(refusal([&] { DiskImage::open({base}); }) == "");
          DiskImage disk = DiskImage::open({base});
          for (const auto& [sector, generation] : acknowledged) {
            INFO("sector " << sector);
            std::array<std::uint8_t, sector_bytes> bytes{};
            REQUIRE(disk.read(sector, bytes));
            const auto found = generation_of(sector, bytes);
            REQUIRE(found);
            const auto later = attempted.find(sector);
            CHECK((*found == generation || (later != attempted.end() && *found == later->second)));
          }
          CHECK(disk.write(60, content(60, 1, 99)));
          CHECK(disk.flush());
          CHECK(DiskFiles::read(base) == base_content(faulty_disk_sectors));
        });
  }
}

TEST_CASE("whichever host call fails, a repeated commit brings every change into the base") {
  for (const int kind : {planar_fault_fail, planar_fault_stay, planar_fault_cut}) {
    DiskFiles files;
    const auto base = files.file("base.img"), overlay = files.file("work.ovl");
    auto expected = base_content(faulty_disk_sectors);
    const auto changed = content(10, 7, 5);
    std::copy(changed.begin(), changed.end(), expected.begin() + 10 * sector_bytes);
    std::string said;
    with_every_fault(
        kind, files,
        [&](unsigned) {
          remove(overlay);
          files.write("base.img", base_content(faulty_disk_sectors));
          create_overlay(overlay, base);
          DiskImage disk = DiskImage::open({overlay});
          REQUIRE(disk.write(10, changed));
        },
        [&] { said = refusal([&] { commit_overlay(overlay, base); }); },
        [&] {
          INFO(said);
          if (said.empty()) CHECK(DiskFiles::read(base) == expected);
          REQUIRE(refusal([&] { commit_overlay(overlay, base); }) == "");
          CHECK(DiskFiles::read(base) == expected);
          CHECK(refusal([&] { DiskImage::open({overlay}); }) == "");
        });
  }
}

TEST_CASE("whichever host call fails, a repeated repair keeps every existing sector") {
  for (const int kind : {planar_fault_fail, planar_fault_stay, planar_fault_cut}) {
    DiskFiles files;
    const auto base = files.write("base.img", base_content(faulty_disk_sectors)), overlay = files.file("work.ovl");
    create_overlay(overlay, base);
    {
      DiskImage disk = DiskImage::open({overlay});
      REQUIRE(disk.write(10, content(10, 20, 1)));
    }
    auto cut_off = DiskFiles::read(overlay);
    cut_off.resize(4096 + 544 * 15 + 17);
    with_every_fault(
        kind, files, [&](unsigned) { files.write("work.ovl", cut_off); },
        [&] { refusal([&] { OverlayFile::repair(overlay); }); },
        [&] {
          REQUIRE(refusal([&] { OverlayFile::repair(overlay); }) == "");
          REQUIRE(refusal([&] { DiskImage::open({overlay}); }) == "");
          DiskImage disk = DiskImage::open({overlay});
          for (std::uint32_t sector = 10; sector < 25; ++sector) {
            std::array<std::uint8_t, sector_bytes> bytes{};
            REQUIRE(disk.read(sector, bytes));
            CHECK(generation_of(sector, bytes) == 1u);
          }
        });
  }
}

TEST_CASE("whichever allocation fails, an overlay keeps every acknowledged write and opens again") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(faulty_disk_sectors));
  std::map<std::uint32_t, std::uint32_t> acknowledged, attempted;
  unsigned n = 1;
  for (bool came = true; came; ++n) {
    REQUIRE(n < 4000);
    remove(base + ".overlay");
    acknowledged.clear();
    attempted.clear();
    {
      std::vector<std::vector<std::uint8_t>> writes;
      for (std::uint32_t generation = 1; generation <= 4; ++generation)
        writes.push_back(content(generation * 5, 2, generation));
      std::array<std::uint32_t, 4> done{};
      planar_fault_arm(n, planar_fault_memory, files.file("").c_str());
      try {
        DiskImage disk = DiskImage::open({base});
        for (std::uint32_t generation = 1; generation <= 4; ++generation)
          done[generation - 1] = disk.write(generation * 5, writes[generation - 1]) ? 1 : 0;
        disk.flush();
      } catch (const std::bad_alloc&) {
      } catch (const Error&) {}
      came = planar_fault_disarm();
      for (std::uint32_t generation = 1; generation <= 4; ++generation)
        if (done[generation - 1]) acknowledged[generation * 5] = acknowledged[generation * 5 + 1] = generation;
    }
    INFO("allocation " << n);
    if (!std::filesystem::exists(base + ".overlay")) {
      CHECK(acknowledged.empty());
      continue;
    }
    REQUIRE(refusal([&] { DiskImage::open({base}); }) == "");
    const DiskImage disk = DiskImage::open({base});
    for (const auto& [sector, generation] : acknowledged) {
      std::array<std::uint8_t, sector_bytes> bytes{};
      REQUIRE(disk.read(sector, bytes));
      CHECK(generation_of(sector, bytes) == generation);
    }
  }
  CHECK(n > 20);
}
