// SPDX-License-Identifier: GPL-2.0-or-later
// Every card of the registry with its guest's driver: a run resumed from a snapshot anywhere between its frames ends in
// the same state. If a card omits something from its snapshot, the end differs or is not reached.
#include <algorithm>

#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "machines/registry/adapter_registry.hpp"
#include "roms/images.hpp"
#include "tests/catch.hpp"
#include "tests/short_runs.hpp"

using namespace planar;

namespace {

constexpr Time between_snapshots = 2'371_us, after_the_last = 25_ms;
unsigned snapshots_of_a_card() { return test::short_runs() ? 2 : 4; }

using State = std::vector<std::uint8_t>;

std::unique_ptr<Lab> netio_with(std::string_view card) {
  const bool pci = find_adapter(card).bus() == "pci";
  // The 3c523-old works only with a 386.
  Config config = load_machine(pci ? "pc-p166" : card == "3c523-old" ? "model56sx" : "model95");
  config.set("slot.1.card", std::string(card), "test");
  config.set("memory.size", pci ? "8 MB" : "4 MB", "test");
  auto lab = std::make_unique<Lab>(std::move(config));
  const auto image = roms::guest();
  lab->insert_diskette({image.begin(), image.end()}, "guest");
  return lab;
}

State state_of(Lab& lab) {
  Archive a = Archive::saver();
  lab.archive(a);
  return a.stream();
}

void run_for(Lab& lab, Time t) { lab.scheduler().run_until(lab.scheduler().now() + t); }

}  // namespace

TEST_CASE("a snapshot in the middle of frames does not affect any card", "[snapshot]") {
  for (const AdapterEntry& row : adapter_registry()) {
    INFO(row.name);
    const auto whole = netio_with(row.name);
    while (whole->frames().sent < 40 && whole->scheduler().now() < 40_s) run_for(*whole, 10_ms);
    std::vector<State> snapshots;
    for (unsigned n = 0; n < snapshots_of_a_card(); ++n) {
      run_for(*whole, between_snapshots);
      snapshots.push_back(state_of(*whole));
    }
    const NetCounters before = whole->frames();
    run_for(*whole, after_the_last);
    CHECK(whole->frames().sent > before.sent);
    CHECK(whole->frames().received > before.received);
    const State end = state_of(*whole);

    for (const State& snapshot : snapshots) {
      const auto resumed = netio_with(row.name);
      Archive a = Archive::loader(snapshot);
      resumed->archive(a);
      a.expect_end();
      INFO("snapshot at " << resumed->scheduler().now().seconds() << " s");
      resumed->scheduler().run_until(whole->scheduler().now());
      CHECK(std::ranges::equal(state_of(*resumed), end));
    }
  }
}
