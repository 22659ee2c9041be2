// SPDX-License-Identifier: GPL-2.0-or-later
// The PC whose host bridge has two PCI segments.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bus/pci/segment.hpp"
#include "core/common/error.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "roms/images.hpp"
#include "tests/archived.hpp"
#include "tests/catch.hpp"

using namespace planar;
using namespace planar::test;
using Catch::Matchers::Contains;

namespace {

constexpr const char* machine = "pc-p3-800";

Config with_card(unsigned slot, const char* card) {
  Config c = load_machine(machine);
  c.set("slot." + std::to_string(slot) + ".card", card, "the test");
  return c;
}

std::vector<pci::Segment*> segments(Lab& lab) { return pci::segments_of(lab.machine().board().buses()); }

std::unique_ptr<Lab> netio_in_slot_1() {
  Config c = with_card(1, "eepro100");
  c.set("memory.size", "8 MB", "the test");
  auto lab = std::make_unique<Lab>(std::move(c));
  const auto image = roms::guest();
  lab->insert_diskette({image.begin(), image.end()}, "guest");
  return lab;
}

}  // namespace

TEST_CASE("two PCI buses: each has its own width and clock, and M66EN follows its own cards") {
  Lab empty(load_machine(machine));
  const auto buses = segments(empty);
  REQUIRE(buses.size() == 2);
  CHECK(buses[0]->bus_number() == 0);
  CHECK(buses[1]->bus_number() == 1);
  CHECK(buses[0]->timing().width == 32);
  CHECK(buses[1]->timing().width == 64);
  CHECK(buses[0]->timing().clock == 30_ns);
  CHECK(buses[1]->timing().clock == 15_ns);
  // 234 ns that do not depend on the clock, rounded up to whole clocks, and five clocks.
  CHECK(buses[0]->timing().read_first() == 13 * 30_ns);
  CHECK(buses[1]->timing().read_first() == 21 * 15_ns);

  Lab slow(with_card(1, "eepro100"));
  CHECK(segments(slow)[1]->timing().clock == 30_ns);
  CHECK(segments(slow)[1]->timing().width == 64);
  Lab fast(with_card(2, "pro1000-82543"));
  CHECK(segments(fast)[1]->timing().clock == 15_ns);
  Lab beside(with_card(3, "eepro100"));
  CHECK(segments(beside)[1]->timing().clock == 15_ns);
}

TEST_CASE("two PCI buses: a 64-bit card in a slot of 32 bits moves 32") {
  const auto bits = [](const char* widths) {
    Config c = with_card(1, "pro1000-82543");
    c.add_text(std::string("slots.widths = ") + widths + "\n", "the test");
    Lab lab(std::move(c));
    Description d;
    segments(lab)[1]->describe(d);
    return d.find_part("slot1.pro1000-82543")->find_field("data bits")->value;
  };
  CHECK(bits("[64, 64, 32, 32, 32, 32]") == 64);
  CHECK(bits("[32, 64, 32, 32, 32, 32]") == 32);
}

TEST_CASE("two PCI buses: impossible slots are refused") {
  const auto refused = [](const char* key, const char* value, const char* why) {
    Config c = load_machine(machine);
    c.add_text(std::string(key) + " = " + value + "\n", "the test");
    try {
      Lab lab(std::move(c));
      FAIL("not refused: " << key);
    } catch (const Error& e) { CHECK_THAT(e.what(), Contains(why)); }
  };
  refused("slots.widths", "[64, 64, 64, 32, 32, 32]", "slot 3 has 64 bits and its PCI segment 32; pci.peer.slots says");
  refused("pci.peer.slots", "[1, 7]", "names slot 7 of 6");
  refused("pci.peer.width", "48", "is 32 or 64");
  refused("pci.slot_devices", "[4, 2, 4, 5, 6, 7]", "names device 4 twice");
}

TEST_CASE("two PCI buses: a snapshot does not affect a card on the second bus", "[snapshot]") {
  const auto whole = netio_in_slot_1();
  while (whole->frames().sent < 40 && whole->scheduler().now() < 40_s)
    whole->scheduler().run_until(whole->scheduler().now() + 10_ms);
  REQUIRE(whole->frames().sent >= 40);
  CHECK(segments(*whole)[0]->counters().transactions == 0);
  CHECK(segments(*whole)[1]->counters().transactions > 80);
  const auto snapshot = saved_state(*whole);
  const auto resumed = netio_in_slot_1();
  restore_state(*resumed, snapshot);
  const Time end = whole->scheduler().now() + 20_ms;
  whole->scheduler().run_until(end);
  resumed->scheduler().run_until(end);
  CHECK(saved_state(*resumed) == saved_state(*whole));
}
