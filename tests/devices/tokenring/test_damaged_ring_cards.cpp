// SPDX-License-Identifier: GPL-2.0-or-later
// Damaged snapshots of a Token Ring adapter, its port and its ring, with frames under way in both directions: each is
// refused, or the card runs on with it.
#include "tests/archived.hpp"
#include "tests/damage.hpp"
#include "tests/devices/tokenring/lanstreamer_bench.hpp"
#include "tests/devices/tokenring/madge_bench.hpp"
#include "tests/devices/tokenring/tropic_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

bus::Adapter& card_of(MadgeBench& b) { return *b.card; }
bus::Adapter& card_of(TropicBench& b) { return *b.card; }
bus::Adapter& card_of(LanStreamerBench& b) { return b.card; }

/// Damages `part` of the state of `bench` at several moments from now on. Returns the number of refused states.
template <class Bench>
unsigned refused_at_moments(Bench& bench, std::string_view part, Time apart) {
  unsigned refused = 0;
  Bench other;
  for (int moment = 0; moment < 2; ++moment) {
    bench.rig.step(apart);
    refused += refused_of_damaged(saved_state(bench), part, [&](const std::vector<std::uint8_t>& state) {
      restore_state(other, state);
      Description d;
      card_of(other).describe(d);
      other.rig.step(2_ms);
    });
  }
  return refused;
}

}  // namespace

TEST_CASE("TMS380: a damaged snapshot is refused or runs on", "[madge][snapshot]") {
  for (const char* part : {"tms380", "ring port", "ring"}) {
    MadgeBench b;
    b.start();
    b.open();
    b.other.port.transmit(MadgeBench::frame(400, MadgeBench::own, MadgeBench::peer), b.rig.now);
    b.send(MadgeBench::frame(301));
    CHECK(refused_at_moments(b, part, 110_us) > 20);
  }
}

TEST_CASE("TROPIC: a damaged snapshot is refused or runs on", "[tropic][snapshot]") {
  TropicBench b;
  REQUIRE(b.come_up());
  REQUIRE(b.open());
  b.other.port.transmit(b.for_us(400), b.now());
  b.ask_to_send(b.from_us(600));
  for (int n = 0; n < 40; ++n)
    if (b.wait(100_us)) b.serve();
  CHECK(refused_at_moments(b, "tropic", 150_us) > 20);
}

TEST_CASE("LANStreamer: a damaged snapshot is refused or runs on", "[lanstreamer][snapshot]") {
  LanStreamerBench b;
  b.bring_up();
  b.other.port.transmit(b.for_us(400), b.rig.now);
  b.send(0, b.frame(600));
  CHECK(refused_at_moments(b, "lanstreamer", 110_us) > 20);
}
