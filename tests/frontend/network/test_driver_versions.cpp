// SPDX-License-Identifier: GPL-2.0-or-later
// The differences between driver versions show in the number of interrupts and in the throughput.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/frontend/guest_diskette.hpp"

using program::guest_with;
using program::run_planar;
using program::Scratch;

namespace {

struct Counted {
  double sent = 0, received = 0, interrupts = 0;
};

double number_after(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  return at == std::string::npos ? -1 : std::stod(text.substr(at + word.size()));
}

Counted counted(const Scratch& scratch, const std::string& card, const std::string& version) {
  const auto com1 = scratch.file(card + version);
  const auto image = guest_with(scratch, {{"do", "netio"}, {"seconds", "0.3"}, {"sizes", "8192"}, {"driver", version}});
  const auto run = run_planar(
      fmt::format("run model95 --card {} --image {} --until serial:@done --timeout '60 s' --quiet --serial file:{}",
                  card, image, com1));
  INFO(run.err);
  REQUIRE(run.status == 0);
  const std::string text = program::read_file(com1);
  INFO(text);
  REQUIRE(text.find("@done 0") != std::string::npos);
  return {number_after(text, " sent="), number_after(text, " received="), number_after(text, " interrupts=")};
}

}  // namespace

TEST_CASE("a version without transmit interrupts takes one for each frame received", "[guest]") {
  const Scratch scratch;
  const auto each = counted(scratch, "lanstreamer", "3.01"), none = counted(scratch, "lanstreamer", "3.04");
  CHECK(each.interrupts > each.received + each.sent / 4);
  CHECK(none.interrupts < none.received + 10);
  CHECK(none.sent < each.sent);
}

TEST_CASE("a version that requests every second transmit interrupt takes fewer", "[guest]") {
  const Scratch scratch;
  const auto each = counted(scratch, "madge-mc", "2.21"), second = counted(scratch, "madge-mc", "2.04.30");
  CHECK(second.interrupts < each.interrupts - each.sent / 20);
  CHECK(second.sent > each.sent * 0.95);
}

TEST_CASE("an unknown driver version is refused before the guest boots, with a list of the known ones", "[guest]") {
  const auto known = program::read_file(PLANAR_SOURCE_DIR "/roms/guest/drivers/tokenring/versions.c");
  for (const std::string card : {"lanstreamer", "madge-mc"}) {
    const auto run = run_planar("config model95 --card " + card + ":driver=9");
    CHECK(run.status == 2);
    CHECK_THAT(run.err,
               Catch::Contains("slot.1.driver: '9' is not a driver version of the " + card + "; write one of "));
    const auto first =
        known.find("{\"", known.find(card == "lanstreamer" ? "streamer_versions[]" : "madge_versions[]"));
    const auto end = known.find("};", first);
    unsigned versions = 0;
    for (auto at = first; at < end; at = known.find("{\"", at + 1), ++versions)
      CHECK_THAT(run.err, Catch::Contains(known.substr(at + 2, known.find('"', at + 2) - at - 2)));
    CHECK(versions > 2);
  }
  CHECK_THAT(run_planar("netio --card tr16-4a-1989:driver=5").err, Catch::Contains("write one of 4.0 ("));
}

TEST_CASE("a Madge card's burst mode is selected with the card", "[guest]") {
  const auto rate = [](const std::string& mode) {
    const auto run = run_planar("netio --machine model95 --card madge-mc:burst-mode=" + mode +
                                " --seconds 0.3 --sizes 8192 --quiet --json -");
    INFO(run.err);
    REQUIRE(run.status == 0);
    return run.json()["rows"][0]["kb_per_s"].get<double>();
  };
  CHECK(rate("cycle-steal") < 0.9 * rate("delayed-release"));
  const auto none = run_planar("netio --machine model95 --card madge-mc:burst-mode=none --quiet");
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Catch::Contains("Limited Burst"));
}
