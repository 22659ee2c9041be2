// SPDX-License-Identifier: GPL-2.0-or-later
// Where a frame's time goes, on a medium that planar does not know: exact figures for frames sent by the test.
#include <cmath>

#include "frontend/meters/frame_time.hpp"
#include "machines/config/machine_files.hpp"
#include "tests/devices/medium/toy_medium.hpp"

using namespace planar;
using namespace planar::test;

namespace {

Bytes frame_of(std::size_t bytes) {
  Bytes f(broadcast_mac.begin(), broadcast_mac.end());
  f.resize(bytes);
  return f;
}

}  // namespace

TEST_CASE("frame times on another medium follow its frame length, its gap and the stations' turns", "[frame-time]") {
  LabConfig config{load_machine("model56sx")};
  config.set("net.attach", "none", "--net none");
  Lab lab(std::move(config), [](Scheduler&, const MediumConfig& m) { return std::make_unique<ToyLine>(m.name); });
  lab.machine().load_firmware(Bytes(0x8000, 0xF4), "halt.rom");  // HLT with interrupts disabled
  Ear own(lab.scheduler(), lab.medium(), "slot3.toy", 1), other(lab.scheduler(), lab.medium(), "other", 2);
  FrameTimer timer(lab);
  for (int n = 0; n < 10; ++n) {
    lab.scheduler().run_until(5_ms * (n + 1));
    own.link->send(frame_of(400), lab.scheduler().now());
    lab.scheduler().run_until(lab.scheduler().now() + 2_ms);
    other.link->send(frame_of(50), lab.scheduler().now());
  }
  lab.scheduler().run_until(60_ms);
  timer.row_ended(4096, {0_s, 60_ms});
  REQUIRE(timer.rows().size() == 1);
  const FrameTime& row = timer.rows()[0];
  CHECK(row.packet_bytes == 4096);
  CHECK(row.frame_bytes == 401);
  CHECK(row.frames == 9);
  const ClockDomain clock = lab.machine().config().clock.clock();
  const auto ns = row.parts_ns(clock);
  const auto about = [](std::int64_t value, std::int64_t expected) { return std::abs(value - expected) < 500; };
  CHECK(about(row.total_ns(clock), 5'000'000));
  CHECK(about(ns[FrameTime::wire], 802'000 + 10'000 + 102'000 + 10'000));
  CHECK(about(ns[FrameTime::idle], 2'000'000 - 812'000));
  CHECK(about(ns[FrameTime::card], 3'000'000 - 112'000));
  CHECK(ns[FrameTime::stack] + ns[FrameTime::cpu_copy] + ns[FrameTime::bus_wait] < 500);
}
