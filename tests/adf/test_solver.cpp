// SPDX-License-Identifier: GPL-2.0-or-later
// Automatic configuration from the user's point of view: what is assigned, what is shared, what is rejected and why.
#include <algorithm>

#include "adf/nvram/slot_page.hpp"
#include "adf/reader/reader.hpp"
#include "adf/solver/planar_claims.hpp"
#include "adf/solver/solver.hpp"
#include "core/common/error.hpp"
#include "tests/adf/corpus.hpp"
#include "tests/catch.hpp"

using namespace planar::adf;
using planar::Error;

namespace {

SlotRequest ne2(unsigned slot, std::vector<Pin> pins = {}) {
  return {slot, SlotWidth::bits16, find_adf(0x7154), std::move(pins)};
}

SlotRequest card(unsigned slot, const std::string& text, std::vector<Pin> pins = {},
                 SlotWidth width = SlotWidth::bits32) {
  return {slot, width, parse_adf(text, "card.adf"), std::move(pins)};
}

Problem ne2s(unsigned count, std::vector<PlanarClaim> planar = {}) {
  Problem problem;
  for (unsigned slot = 1; slot <= count; ++slot) problem.slots.push_back(ne2(slot));
  problem.planar = std::move(planar);
  return problem;
}

/// The first claim of a kind in a slot; its level or first address.
std::uint32_t claimed(const Solution& solution, unsigned slot, ResourceKind kind) {
  for (const SlotResult& result : solution.slots)
    if (result.slot == slot)
      for (const Claim& claim : result.claims)
        if (claim.resource.kind == kind) return claim.resource.first;
  FAIL("no such claim in slot " << slot);
  return 0;
}

/// Checks that no two exclusive claims overlap, among those of the result and the planar's.
void check_free_of_conflicts(const Solution& solution, const std::vector<PlanarClaim>& planar) {
  std::vector<Resource> all;
  for (const PlanarClaim& claim : planar)
    if (!claim.shareable) all.push_back(claim.resource);
  const std::size_t of_planar = all.size();
  for (const SlotResult& slot : solution.slots)
    for (const Claim& claim : slot.claims) all.push_back(claim.resource);
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = std::max(a + 1, of_planar); b < all.size(); ++b) {
      if (a >= of_planar && all[a].kind == ResourceKind::interrupt) continue;
      INFO(to_string(all[a]) << " and " << to_string(all[b]));
      CHECK(!all[a].overlaps(all[b]));
    }
}

std::string refusal(const Problem& problem) {
  const Outcome outcome = solve(problem);
  REQUIRE(!outcome);
  return outcome.refusal.text;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a single adapter gets its first choices", "[adf][solver]") {
  const Solution solution = solve_or_refuse(ne2s(1), "test");
  REQUIRE(solution.slots.size() == 1);
  CHECK(solution.slots[0].id == 0x7154);
  CHECK(solution.slots[0].num_bytes == 1);
  CHECK(solution.slots[0].pos[0] == 0x93);
  CHECK(solution.shared_interrupts == 0);
  CHECK(claimed(solution, 1, ResourceKind::io) == 0x1000);
  CHECK(claimed(solution, 1, ResourceKind::interrupt) == 3);
}

TEST_CASE("two adapters of one kind get different ports and different interrupts", "[adf][solver]") {
  const Solution solution = solve_or_refuse(ne2s(2), "test");
  CHECK(claimed(solution, 1, ResourceKind::io) == 0x1000);
  CHECK(claimed(solution, 2, ResourceKind::io) == 0x2020);
  CHECK(claimed(solution, 1, ResourceKind::interrupt) == 3);
  CHECK(claimed(solution, 2, ResourceKind::interrupt) == 4);
  CHECK(solution.slots[1].pos[0] == (0x80 | 1 << 5 | 0x10 | 2 << 1 | 1));
}

TEST_CASE("the order in which slots are given does not matter", "[adf][solver]") {
  Problem forward = ne2s(3);
  Problem backward = forward;
  std::reverse(backward.slots.begin(), backward.slots.end());
  const Solution a = solve_or_refuse(forward, "test");
  const Solution b = solve_or_refuse(backward, "test");
  for (std::size_t n = 0; n < 3; ++n) {
    CHECK(a.slots[n].slot == n + 1);
    CHECK(a.slots[n].pos == b.slots[n].pos);
  }
}

TEST_CASE("the planar's claims are respected, and its serial interrupt is avoided if possible", "[adf][solver]") {
  const std::vector<PlanarClaim> planar = planar_claims({.memory_kb = 16 * 1024});
  const Solution two = solve_or_refuse(ne2s(2, planar), "test");
  CHECK(claimed(two, 2, ResourceKind::interrupt) == 5);  // 4 belongs to the serial port
  CHECK(two.shared_interrupts == 0);
  check_free_of_conflicts(two, planar);

  Problem mixed;
  mixed.planar = planar;
  mixed.slots = {card(1, corpus::scsi()),      card(2, corpus::scsi()), card(3, corpus::sound()), ne2(4), ne2(5),
                 card(6, corpus::dual_async())};
  const Solution all = solve_or_refuse(mixed, "test");
  check_free_of_conflicts(all, planar);
  CHECK(claimed(all, 1, ResourceKind::arbitration) == 12);
  CHECK(claimed(all, 2, ResourceKind::arbitration) == 11);
  CHECK(claimed(all, 2, ResourceKind::memory) == 0xC8000);
  CHECK(claimed(all, 6, ResourceKind::io) == 0x2F8);  // 3F8h belongs to the planar
}

TEST_CASE("interrupts are shared only if there are too few, and as little as possible", "[adf][solver]") {
  for (unsigned count = 1; count <= 7; ++count) {
    const Solution solution = solve_or_refuse(ne2s(count), "test");
    CHECK(solution.shared_interrupts == (count > 4 ? count - 4 : 0));
    CHECK(solution.fewest_shared);
    check_free_of_conflicts(solution, {});
  }
}

TEST_CASE("unavoidable sharing is spread over the levels, earlier slots first", "[adf][solver]") {
  const Solution alone = solve_or_refuse(ne2s(7), "test");
  const std::uint32_t levels[7] = {3, 4, 5, 9, 3, 4, 5};
  for (unsigned slot = 1; slot <= 7; ++slot) CHECK(claimed(alone, slot, ResourceKind::interrupt) == levels[slot - 1]);

  const Solution beside_serial = solve_or_refuse(ne2s(7, planar_claims({})), "test");
  const std::uint32_t others[7] = {3, 5, 9, 3, 4, 5, 9};
  for (unsigned slot = 1; slot <= 7; ++slot)
    CHECK(claimed(beside_serial, slot, ResourceKind::interrupt) == others[slot - 1]);
}

TEST_CASE("a planar level that is not shareable is never assigned", "[adf][solver]") {
  const std::vector<PlanarClaim> planar = {{"private part", {ResourceKind::interrupt, 3, 3}, false}};
  const Solution solution = solve_or_refuse(ne2s(5, planar), "test");
  for (unsigned slot = 1; slot <= 5; ++slot) CHECK(claimed(solution, slot, ResourceKind::interrupt) != 3);
  CHECK(solution.shared_interrupts == 2);
}

TEST_CASE("eight NE/2 are rejected, and the two colliding claims are named", "[adf][solver]") {
  const Outcome outcome = solve(ne2s(8));
  REQUIRE(!outcome);
  CHECK(!outcome.refusal.cut_off);
  const std::string& text = outcome.refusal.text;
  INFO(text);
  CHECK(text.rfind("the adapters cannot be configured together: I/O 1000h-102Fh of slot 8 (Novell "
                   "NE/2 Ethernet "
                   "Adapter), item \"I/O Address\", choice \"1000h - 102Fh\" collides with I/O "
                   "1000h-102Fh of slot 1 "
                   "(Novell NE/2 Ethernet Adapter), item \"I/O Address\", choice \"1000h - 102Fh\"",
                   0) == 0);
  REQUIRE(outcome.refusal.obstacles.size() == 7);
  for (const Obstacle& obstacle : outcome.refusal.obstacles) {
    REQUIRE(obstacle.holder);
    CHECK(obstacle.wanted.resource.overlaps(obstacle.holder->resource));
    CHECK(obstacle.wanted.slot != obstacle.holder->slot);
  }
  REQUIRE(outcome.refusal.changes.size() == 1);
  CHECK(outcome.refusal.changes[0] == "remove one adapter: the one in slot 1, 2, 3, 4, 5, 6, 7 or 8");

  try {
    solve_or_refuse(ne2s(8), "lab.toml");
    FAIL("eight NE/2 cannot be configured");
  } catch (const Error& error) {
    CHECK(error.code() == planar::ExitCode::bad_configuration);
    CHECK(std::string(error.what()).rfind("lab.toml: the adapters cannot", 0) == 0);
  }
}

TEST_CASE("an earlier choice is revised if a later adapter needs its resource", "[adf][solver]") {
  // The second card has only one choice, which is the first card's preferred one.
  Problem problem;
  problem.slots = {card(1, corpus::ports(0x1111, 3)), card(2, corpus::ports(0x2222, 1))};
  const Solution solution = solve_or_refuse(problem, "test");
  CHECK(claimed(solution, 1, ResourceKind::io) == 0x1800);
  CHECK(claimed(solution, 2, ResourceKind::io) == 0x0800);
}

TEST_CASE("adapters that are not involved in a collision are not blamed", "[adf][solver]") {
  Problem problem;
  problem.slots = {card(1, corpus::scsi()), card(2, corpus::ports(0x1111, 1)), card(3, corpus::sound()),
                   card(4, corpus::ports(0x1111, 1)), ne2(5)};
  const Outcome outcome = solve(problem);
  REQUIRE(!outcome);
  CHECK(outcome.refusal.obstacles[0].wanted.slot == 4);
  CHECK(outcome.refusal.obstacles[0].holder->slot == 2);
  CHECK(outcome.refusal.changes == std::vector<std::string>{"remove one adapter: the one in slot 2 or 4"});
}

TEST_CASE("two simultaneous collisions need two changes", "[adf][solver]") {
  Problem problem;
  problem.slots = {card(1, corpus::ports(0x1111, 1)), card(2, corpus::ports(0x1111, 1)),
                   card(3, corpus::ports(0x1111, 1))};
  const Outcome outcome = solve(problem);
  REQUIRE(!outcome);
  CHECK(outcome.refusal.changes == std::vector<std::string>{"remove the adapters in slots 1 and 2"});
}

TEST_CASE("a conflicting part of the planar is named", "[adf][solver]") {
  Problem problem;
  problem.slots = {card(1, "AdapterId 1 NumBytes 1 AdapterName \"Rival\" FixedResources io 3F8h-3FFh")};
  problem.planar = planar_claims({});
  const std::string text = refusal(problem);
  CHECK(contains(text,
                 "I/O 03F8h-03FFh of slot 1 (Rival), fixed resources collides with I/O 03F8h-03FFh of the "
                 "planar's serial port 1"));
}

TEST_CASE("settings fixed by the user are honoured", "[adf][solver]") {
  Problem problem;
  problem.slots = {ne2(1, {{"io", "0x2020", ""}, {"irq", "9", ""}}), ne2(2, {{"io-address", "c0c0h - c0efh", ""}}),
                   ne2(3, {{"io", "A0A0h-A0CFh", ""}, {"Interrupt Level", "Level 4", ""}}),
                   ne2(4, {{"io", "auto", ""}})};
  const Solution solution = solve_or_refuse(problem, "test");
  CHECK(claimed(solution, 1, ResourceKind::io) == 0x2020);
  CHECK(claimed(solution, 1, ResourceKind::interrupt) == 9);
  CHECK(claimed(solution, 2, ResourceKind::io) == 0xC0C0);
  CHECK(claimed(solution, 3, ResourceKind::io) == 0xA0A0);
  CHECK(claimed(solution, 3, ResourceKind::interrupt) == 4);
  CHECK(claimed(solution, 4, ResourceKind::io) == 0x1000);
  CHECK(solution.slots[0].items[0].pinned);
  CHECK(solution.slots[1].items[0].pinned);
  CHECK(!solution.slots[1].items[1].pinned);
  CHECK(!solution.slots[3].items[0].pinned);
}

TEST_CASE("pinning a later adapter moves an earlier one", "[adf][solver]") {
  Problem problem;
  problem.slots = {ne2(1), ne2(2, {{"io", "1000", ""}})};
  const Solution solution = solve_or_refuse(problem, "test");
  CHECK(claimed(solution, 1, ResourceKind::io) == 0x2020);
  CHECK(claimed(solution, 2, ResourceKind::io) == 0x1000);
}

TEST_CASE("a resource pin can be satisfied by any item of the adapter", "[adf][solver]") {
  Problem problem;
  problem.planar = planar_claims({.serial = 0});
  problem.slots = {card(1, corpus::dual_async(), {{"io", "5228h", ""}, {"io", "3F8h", ""}})};
  const Solution solution = solve_or_refuse(problem, "test");
  CHECK(solution.slots[0].items[0].choice == "SERIAL_1");
  CHECK(solution.slots[0].items[1].choice == "SERIAL_8");
}

TEST_CASE("pins force sharing when necessary", "[adf][solver]") {
  Problem problem;
  problem.slots = {ne2(1, {{"irq", "5", ""}}), ne2(2, {{"irq", "5", ""}})};
  CHECK(solve_or_refuse(problem, "test").shared_interrupts == 1);
}

TEST_CASE("colliding pins are explained with suggestions", "[adf][solver]") {
  Problem problem;
  problem.slots = {ne2(1, {{"io", "1000h", ""}}), ne2(2, {{"io", "1000h", ""}})};
  const Outcome outcome = solve(problem);
  REQUIRE(!outcome);
  INFO(outcome.refusal.text);
  CHECK(contains(outcome.refusal.text,
                 "slot 2 (Novell NE/2 Ethernet Adapter), item \"I/O Address\", choice \"1000h - "
                 "102Fh\" (pinned) collides with"));
  CHECK(outcome.refusal.changes == std::vector<std::string>{"remove one adapter: the one in slot 1 or 2",
                                                            "change io = 1000h of slot 1 to auto",
                                                            "change io = 1000h of slot 2 to auto"});
}

TEST_CASE("pins that the adapter cannot satisfy are rejected with a list of what it offers", "[adf][solver]") {
  const auto message = [](const Pin& pin) -> std::string {
    Problem problem;
    problem.slots = {ne2(2, {pin})};
    try {
      solve(problem);
    } catch (const Error& error) { return error.what(); }
    return "(accepted)";
  };
  CHECK(contains(message({"io", "300h", "lab.toml:7"}),
                 "lab.toml:7: slot 2 (Novell NE/2 Ethernet Adapter): io = 300h: the adapter does "
                 "not offer this; it "
                 "offers I/O 1000h-102Fh, I/O 2020h-204Fh"));
  CHECK(contains(message({"irq", "7", ""}), "it offers IRQ 3, IRQ 4, IRQ 5, IRQ 9"));
  CHECK(message({"irq", "2", ""}) == "(accepted)");  // the line of level 9
  CHECK(contains(message({"irq", "five", ""}), "this is not a level"));
  CHECK(contains(message({"io", "1000h-1010h", ""}), "does not offer this"));
  CHECK(contains(message({"io", "102Fh-1000h", ""}), "this is not a range"));
  CHECK(contains(message({"io", "", ""}), "this is not an address"));
  CHECK(contains(message({"io", "123456789ABCh", ""}), "this is not an address"));
  CHECK(contains(message({"arb", "5", ""}), "nothing of this kind"));
  CHECK(
      contains(message({"Boot ROM", "Enabled", ""}), "the item \"Boot ROM\" has no such choice; it has \"Disabled\""));
  CHECK(contains(message({"Speed", "fast", ""}),
                 "no such item; it has \"I/O Address\", \"Interrupt Level\", \"Boot ROM\""));
}

TEST_CASE("slot numbers outside the machine, and two adapters in one slot, are rejected", "[adf][solver]") {
  Problem problem;
  problem.slots = {ne2(0)};
  CHECK_THROWS_AS(solve(problem), Error);
  problem.slots = {ne2(9)};
  CHECK_THROWS_AS(solve(problem), Error);
  problem.slots = {ne2(3), ne2(3)};
  CHECK_THROWS_WITH(solve(problem),
                    "slot 3 has two adapters (Novell NE/2 Ethernet Adapter and Novell NE/2 "
                    "Ethernet Adapter); move one "
                    "of them");
}

TEST_CASE("a 16-bit slot gets no addresses above 16 MB", "[adf][solver]") {
  Problem problem;
  problem.slots = {card(1, corpus::aperture(), {}, SlotWidth::bits32)};
  CHECK(claimed(solve_or_refuse(problem, "test"), 1, ResourceKind::memory) == 0xFEC00000);
  problem.slots[0].width = SlotWidth::bits16;
  CHECK(claimed(solve_or_refuse(problem, "test"), 1, ResourceKind::memory) == 0x00F00000);
  problem.slots[0].pins = {{"aperture", "high", ""}};
  const std::string text = refusal(problem);
  CHECK(contains(text, "which a 16-bit slot cannot address"));
  CHECK(contains(text, "move the adapter of slot 1 to a 32-bit slot"));
}

TEST_CASE("items of one adapter that fix the same bits are chosen together", "[adf][solver]") {
  const std::string text =
      "AdapterId 1 AdapterName \"Pair\" NumBytes 1\n"
      "NamedItem Prompt \"A\" Choice \"0\" pos[0]=XXXXX00Xb Choice \"1\" pos[0]=XXXXX11Xb\n"
      "NamedItem Prompt \"B\" Choice \"1\" pos[0]=XXXXXX1Xb Choice \"0\" pos[0]=XXXX0X0Xb io "
      "100h-10Fh\n";
  Problem problem;
  problem.slots = {card(1, text)};
  CHECK(solve_or_refuse(problem, "test").slots[0].items[1].choice == "0");  // "A" comes first
  problem.planar = {{"part", {ResourceKind::io, 0x108, 0x108}, false}};
  const Solution solution = solve_or_refuse(problem, "test");
  CHECK(solution.slots[0].items[0].choice == "1");
  CHECK(solution.slots[0].items[1].choice == "1");
}

TEST_CASE("unconstrained POS bits keep their power-up value", "[adf][solver]") {
  Problem problem = ne2s(1);
  CHECK(solve_or_refuse(problem, "test").slots[0].pos == std::array<std::uint8_t, 6>{0x93, 0, 0, 0, 0, 0});
  problem.slots[0].open_bits = {};
  CHECK(solve_or_refuse(problem, "test").slots[0].pos[0] == 0x13);
}

TEST_CASE("the search is bounded and reports when it was cut off", "[adf][solver]") {
  const Outcome outcome = solve(ne2s(8), {.tried = 1000, .tried_spreading = 100, .tried_changes = 1000});
  REQUIRE(!outcome);
  CHECK(outcome.refusal.cut_off);
  CHECK(contains(outcome.refusal.text, "no configuration was found in 1000 tries, which does not prove"));

  const Outcome spread = solve(ne2s(7), {.tried = 100000, .tried_spreading = 20, .tried_changes = 100});
  REQUIRE(spread);
  CHECK(!spread.solution->fewest_shared);
  check_free_of_conflicts(*spread.solution, {});
}

TEST_CASE("irrelevant items do not slow down the search", "[adf][solver]") {
  // Eight cards for seven addresses, each with ten items of four choices that collide with nothing.
  std::string more;
  for (int n = 0; n < 10; ++n) {
    more += "NamedItem Prompt \"Free " + std::to_string(n) + "\"";
    for (int c = 0; c < 4; ++c) more += " Choice \"" + std::to_string(c) + "\"";
    more += "\n";
  }
  Problem problem;
  for (unsigned slot = 1; slot <= 8; ++slot) problem.slots.push_back(card(slot, corpus::ports(0x1111, 7, more)));
  const Outcome outcome = solve(problem);
  REQUIRE(!outcome);
  CHECK(!outcome.refusal.cut_off);
}

TEST_CASE("the slot page shows slots, IDs, POS bytes and claims", "[adf][page]") {
  Problem problem;
  problem.planar = planar_claims({});
  problem.slots = {ne2(2), ne2(4, {{"irq", "4", ""}})};
  const SlotPage page = slot_page(
      solve_or_refuse(problem, "test"),
      {{1, SlotWidth::bits32}, {2, SlotWidth::bits32}, {3, SlotWidth::bits16}, {4, SlotWidth::bits16}}, problem.planar);
  REQUIRE(page.rows.size() == 4);
  CHECK(page.rows[0].empty);
  CHECK(!page.rows[1].empty);
  const std::string text = to_text(page);
  INFO(text);
  CHECK(contains(text, "Slot 1  32-bit  empty\n"));
  CHECK(contains(text, "Slot 2  16-bit  Novell NE/2 Ethernet Adapter  (ID 7154h)\n") == false);
  CHECK(contains(text,
                 "Slot 2  32-bit  Novell NE/2 Ethernet Adapter  (ID 7154h)\n    POS 2       93\n"
                 "    claims      I/O 1000h-102Fh, IRQ 3\n"));
  CHECK(contains(text, "I/O 2020h-204Fh, IRQ 4 (shared)\n"));
  CHECK(contains(text, "Interrupt Level  Level 4  (pinned)\n"));
  CHECK(contains(text, "serial port 1        I/O 03F8h-03FFh, IRQ 4\n"));
  CHECK(contains(text, "Levels marked (shared) have more than one user"));
  CHECK(contains(text, "no configuration shares fewer levels"));
}
