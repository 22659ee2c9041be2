// SPDX-License-Identifier: GPL-2.0-or-later
// `planar disk`, and drives whose changes are kept, as a user meets them.
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using namespace program;

TEST_CASE("planar disk makes, describes and commits images") {
  const Scratch scratch;
  const auto raw = scratch.file("c.img"), work = scratch.file("work.ovl");
  CHECK(run_planar("disk create " + raw + " 20M").status == 0);
  CHECK(std::filesystem::file_size(raw) == 20u << 20);
  CHECK(run_planar("disk create " + scratch.file("a.img") + " 1.44M").status == 0);
  CHECK(std::filesystem::file_size(scratch.file("a.img")) == 1'474'560);
  CHECK(run_planar("disk create " + scratch.file("b.img") + " '2 GB'").status == 0);
  CHECK(std::filesystem::file_size(scratch.file("b.img")) == std::uint64_t{2} << 30);
  const auto twice = run_planar("disk create " + raw + " 20M");
  CHECK(twice.status == 3);
  CHECK_THAT(twice.err, Contains("exists already"));
  CHECK(run_planar("disk create " + scratch.file("x.img")).status == 2);
  CHECK(run_planar("disk create " + scratch.file("x.img") + " 3 apples").status == 2);
  CHECK(run_planar("disk create " + scratch.file("x.img") + " 1000bytes").status == 2);

  CHECK(run_planar("disk create --base " + raw + " " + work).status == 0);
  const auto info = run_planar("disk info --json - " + work);
  REQUIRE(info.status == 0);
  CHECK(info.json()["format"] == "planar overlay");
  CHECK(info.json()["base"] == raw);
  CHECK(info.json()["changed_sectors"] == 0);
  CHECK_THAT(run_planar("disk info " + raw).out, Contains("raw image, 20971520 bytes, 40960 sectors"));
  CHECK_THAT(run_planar("disk commit " + work).out, Contains("0 sectors"));
  const auto wrong = run_planar("disk commit " + raw);
  CHECK(wrong.status == 3);
  CHECK_THAT(wrong.err, Contains("no overlay of planar"));
  CHECK(run_planar("disk info " + scratch.file("absent")).status == 3);
}

TEST_CASE("what a guest writes to --floppy stays in an overlay, or goes where mode says") {
  const Scratch scratch;
  const auto original = read_file(PLANAR_SOURCE_DIR "/roms/images/sample-bios.img");
  const auto image = scratch.write("boot.img", original);
  const std::string until = " --quiet --until 'serial:sample-bios: ok'";
  const auto run = [&](const std::string& floppy) { return run_planar("run model95 --floppy " + floppy + until); };
  REQUIRE(run(image + ",mode=memory").status == 0);
  CHECK_FALSE(std::filesystem::exists(image + ".overlay"));
  REQUIRE(run(image).status == 0);
  CHECK(read_file(image) == original);
  const auto info = run_planar("disk info --json - " + image + ".overlay");
  REQUIRE(info.status == 0);
  CHECK(info.json()["changed_sectors"].get<int>() > 0);
  REQUIRE(run(image + ",overlay=" + scratch.file("other.ovl")).status == 0);
  CHECK(std::filesystem::exists(scratch.file("other.ovl")));
  CHECK(run_planar("disk commit " + image + ".overlay").status == 0);
  const auto direct = scratch.write("direct.img", original);
  REQUIRE(run(direct + ",mode=write-through").status == 0);
  CHECK(read_file(direct) == read_file(image));  // the program restores what it wrote over
  CHECK(read_file(direct) == original);

  CHECK_THAT(run(image + ",mode=sideways").err, Contains("sideways"));
  CHECK(run(scratch.file("absent.img")).status == 3);
  CHECK_THAT(run(scratch.write("odd.img", std::string(1024, 'x'))).err, Contains("1024 bytes is no diskette size"));
}
