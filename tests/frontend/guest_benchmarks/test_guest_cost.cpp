// SPDX-License-Identifier: GPL-2.0-or-later
// The test bench has the cost of Linux 2.2.26: it is counted here, event by event, while netio runs, and compared with
// the counts of the real kernel with its own driver for the same card in the same machine (roms/guest/cost/README.md
// describes how they were made).
#include <fmt/format.h>

#include <functional>

#include "frontend/guest/guest_image.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "roms/images.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/event_counter.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace planar;
using namespace events;

namespace {

constexpr double cost_band = 0.15;   // of instructions, loads, stores
constexpr double lines_band = 0.25;  // of lines of code and data; a few spare ones if the number is small
constexpr double spare_lines = 6;

/// One block size in a Model 95 with an NE/2 for `seconds`, counted once the guest's caches have grown to what the flow
/// needs.
std::vector<Occurrence> netio(unsigned size, const char* seconds) {
  Config config = load_machine("model95");
  config.set("slot.1.card", "ne2", "test");
  Lab lab(std::move(config));
  const auto diskette = roms::guest();
  lab.insert_diskette(with_settings(diskette, {{"do", "netio"}, {"seconds", seconds}, {"sizes", std::to_string(size)}}),
                      "guest");
  std::string heard;
  lab.machine().serial().on_output([&](std::uint8_t b, Time) { heard += static_cast<char>(b); });
  const auto run_until = [&](const char* text, Time limit) {
    while (heard.find(text) == std::string::npos && lab.scheduler().now() < limit)
      lab.scheduler().run_until(lab.scheduler().now() + 1_ms);
    REQUIRE(heard.find(text) != std::string::npos);
  };
  run_until("@netio start", 20_s);
  lab.scheduler().run_until(lab.scheduler().now() + 300_ms);
  Counter counter(lab.machine().cpu(), Symbols(PLANAR_SOURCE_DIR "/roms/images/planar-guest.map"));
  lab.machine().cpu().add_observer(counter);
  run_until("@row", lab.scheduler().now() + 5_s);
  lab.machine().cpu().remove_observer(counter);
  return counter.take();
}

struct Expected {
  const char* event;
  std::function<bool(const Occurrence&)> is;
  std::function<unsigned(const Occurrence&)> units;            ///< what the cost is divided by
  double instructions, loads, stores, code_lines, data_lines;  ///< of Linux 2.2.26
};

unsigned one(const Occurrence&) { return 1; }

void compare(const std::vector<Occurrence>& events, const Expected& x) {
  Cost c;
  double n = 0;
  for (const Occurrence& e : events)
    if (x.is(e)) {
      c += e.cost;
      n += x.units(e);
    }
  INFO(fmt::format(
      "{}: {} of them, {:.0f} instructions, {:.0f} loads, {:.0f} stores, {:.0f} lines of code, {:.0f} of data; Linux "
      "{} {} {} {} {}",
      x.event, n, c.instructions / n, c.loads / n, c.stores / n, c.code_lines / n, c.data_lines / n, x.instructions,
      x.loads, x.stores, x.code_lines, x.data_lines));
  REQUIRE(n >= 10);
  CHECK(c.instructions / n == Approx(x.instructions).epsilon(cost_band));
  CHECK(c.loads / n == Approx(x.loads).epsilon(cost_band));
  CHECK(c.stores / n == Approx(x.stores).epsilon(cost_band));
  CHECK(c.code_lines / n == Approx(x.code_lines).epsilon(lines_band).margin(spare_lines));
  CHECK(c.data_lines / n == Approx(x.data_lines).epsilon(lines_band).margin(spare_lines));
}

bool calls(const Occurrence& e) { return e.kind == call && e.seen[sends] == 1; }

}  // namespace

TEST_CASE("a send() of the guest costs the same as the real kernel's, within 15 %") {
  if (program::short_runs()) SKIP("the counts are those of a steady flow, which a short run does not reach");
  // without the copy, the transmit path, interrupts and task switches, which are compared below
  compare(netio(1024, "0.6"), {"send() of 1024 bytes", calls, one, 1234, 504, 349, 157, 102});
  compare(netio(2048, "0.6"), {"send() of 2048 bytes", calls, one, 1496, 617, 436, 157, 128});
  compare(netio(8192, "0.6"), {"send() of 8192 bytes", calls, one, 4489, 1891, 1368, 220, 350});
}

TEST_CASE("a frame, an ACK, an interrupt and a task switch cost the same as the real kernel's, within 15 %") {
  if (program::short_runs()) SKIP("the counts are those of a steady flow, which a short run does not reach");
  const auto events = netio(4096, "0.8");
  const auto kind = [](Kind k) { return [k](const Occurrence& e) { return e.kind == k; }; };
  const auto has = [](Kind k, Mark yes, Mark no) {
    return [=](const Occurrence& e) { return e.kind == k && e.seen[yes] == 1 && !e.seen[no]; };
  };
  const auto started = [](const Occurrence& e) { return e.seen[starts]; };
  for (const Expected& x : std::initializer_list<Expected>{
           {"send() of 4096 bytes", calls, one, 2450, 1024, 737, 180, 194},
           {"frame from TCP to the device's queue", kind(frame), one, 493, 192, 109, 71, 51},
           {"frame from the queue to the card", kind(driver), started, 495, 887, 124, 67, 97},
           {"interrupt: a frame received", has(interrupt, received, transmitted), one, 800, 270, 216, 105, 51},
           {"bottom half with an ACK", has(bottom_half, acks, frames), one, 2168, 757, 507, 211, 136},
           {"interrupt: a frame sent", has(interrupt, transmitted, received), one, 398, 103, 80, 49, 27},
           {"bottom half that starts the next frame", has(bottom_half, starts, acks), one, 149, 45, 34, 16, 22},
           {"task switch", has(task_switch, switches, sends), one, 132, 45, 23, 22, 31},
           {"tick", kind(tick), one, 258, 82, 59, 36, 26},
           {"bottom half of the tick", kind(tick_bottom_half), one, 203, 63, 42, 33, 22},
       })
    compare(events, x);
}
