// SPDX-License-Identifier: GPL-2.0-or-later
// A loaded ring whose token is passed from station to station, event by event, compared with one whose token is
// computed.
#include "devices/medium/ring/ring.hpp"
#include "machines/lab/lab.hpp"
#include "machines/lab/stations.hpp"
#include "roms/images.hpp"
#include "tests/catch.hpp"

using namespace planar;
using Catch::Matchers::Contains;

namespace {

const std::string ring_of_two = R"(
[medium.ring]
kind = "token-ring"
insertion = "quick"
[station.north]
address = "192.168.10.11"
[station.south]
address = "192.168.10.12"
[[machine]]
name = "one"
model = "model95"
[machine.slot.1]
card = "lanstreamer"
[[machine]]
name = "two"
model = "model77"
[machine.slot.1]
card = "tr16-4a-1994"
)";

/// The guest's image with its settings sector requesting netio against a station.
std::vector<std::uint8_t> guest(const std::string& own, const std::string& peer) {
  std::vector<std::uint8_t> image(roms::guest().begin(), roms::guest().end());
  const std::string settings =
      "planar-settings 1\ndo=netio\nseconds=5\nsizes=8192\nip=" + own + "\npeer=" + peer + "\n";
  std::fill_n(image.begin() + 512, 512, std::uint8_t{0});
  std::copy(settings.begin(), settings.end(), image.begin() + 512);
  return image;
}

struct RunningRing {
  explicit RunningRing(bool stepwise)
      : lab(parse_lab(ring_of_two, "lab.toml"), [stepwise](Scheduler& scheduler, const MediumConfig& config) {
          MediumConfig changed = config;
          changed.ring.stepwise = stepwise;
          return make_medium(scheduler, changed);
        }) {
    lab.insert_diskette(guest("192.168.10.2", "192.168.10.11"), "guest", 0);
    lab.insert_diskette(guest("192.168.10.3", "192.168.10.12"), "guest", 1);
  }
  std::uint64_t frames() { return lab.medium().counts().at(0).value; }

  Lab lab;
};

}  // namespace

TEST_CASE("under load a computed token and one passed step by step give the same state hash", "[ring]") {
  RunningRing computed(false);
  std::vector<std::string> said(2);
  for (std::size_t n = 0; n < 2; ++n)
    computed.lab.machine(n).serial().on_output(
        [&said, n](std::uint8_t byte, Time) { said[n] += static_cast<char>(byte); });
  while (said[0].find("@netio start") == std::string::npos || said[1].find("@netio start") == std::string::npos) {
    REQUIRE(computed.lab.scheduler().now() < 60_s);
    computed.lab.scheduler().run_until(computed.lab.scheduler().now() + 10_ms);
  }
  // Both continue from here; in the middle, a station's cable is pulled and plugged in again.
  Archive saved = Archive::saver();
  computed.lab.archive(saved);
  RunningRing stepwise(true);
  Archive loader = Archive::loader(saved.stream());
  stepwise.lab.archive(loader);
  loader.expect_end();
  CHECK(dynamic_cast<const net::Ring&>(stepwise.lab.medium()).config().stepwise);
  CHECK(stepwise.lab.state_hash() == computed.lab.state_hash());
  const Time begin = computed.lab.scheduler().now();
  const auto before = computed.frames();
  std::vector<std::vector<std::string>> hashes;
  for (RunningRing* run : {&computed, &stepwise}) {
    auto& list = hashes.emplace_back();
    for (int n = 1; n <= 8; ++n) {
      run->lab.scheduler().run_until(begin + 33_ms * n);
      list.push_back(run->lab.state_hash());
      if (n == 3 || n == 4) plug_cable(run->lab, "south", n == 4);
    }
  }
  CHECK(hashes[0] == hashes[1]);
  CHECK(computed.frames() - before > 100);
  CHECK(stepwise.frames() == computed.frames());
}

TEST_CASE("reference stations beside the peer: slots, addresses and refusals", "[ring]") {
  const RunningRing run(false);
  const auto refusal = [](const std::string& from, const std::string& to) {
    std::string toml = ring_of_two;
    const auto at = toml.find(from);
    REQUIRE(at != std::string::npos);
    toml.replace(at, from.size(), to);
    try {
      Lab lab(parse_lab(toml, "lab.toml"));
      return std::string();
    } catch (const Error& e) { return std::string(e.what()); }
  };
  CHECK(refusal("10.12", "10.13").empty());
  CHECK_THAT(refusal("10.12", "10.11"), Contains("station.south.address") && Contains("another station"));
  CHECK_THAT(refusal("192.168.10.12", "192.168.10"), Contains("is not an IP address"));
  CHECK_THAT(refusal("192.168.10.12", "192.168.10.256"), Contains("is not an IP address"));
  CHECK_THAT(refusal("192.168.10.12", "192.168.10.255"), Contains("end it with 1 to 254"));
  CHECK_THAT(refusal("[station.south]", "[station.peer]"), Contains("take another name"));
  CHECK_THAT(refusal("[station.south]", "[station.south]\nmedium = \"floor\""), Contains("there is no medium 'floor'"));
  CHECK_THAT(refusal("[station.south]",
                     "[net]\nattach = \"peer\"\n[station.third]\naddress = \"192.168.10.1\"\n"
                     "[station.south]"),
             Contains("192.168.10.1 is the address of another station"));
  CHECK_THAT(refusal("[machine.slot.1]", "image = \"a.img\"\n[machine.guest]\ndo = \"idle\"\n[machine.slot.1]"),
             Contains("guest.do") && Contains("leave one of the two out"));
}
