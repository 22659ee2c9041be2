// SPDX-License-Identifier: GPL-2.0-or-later
// The solver against exhaustive enumeration: on small random machines it finds a configuration exactly when there is
// one, shares as few interrupts as possible, and returns the first of those in order of preference.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "adf/reader/reader.hpp"
#include "adf/solver/solver.hpp"
#include "core/common/random.hpp"
#include "tests/catch.hpp"

using namespace planar::adf;
using planar::Random;

namespace {

/// A card of one to three items with one to three choices, each with up to two claims from a small pool and sometimes a
/// POS bit that conflicts with another item's choice.
Adapter random_card(Random& random) {
  Adapter adapter;
  adapter.id = 0x1234;
  adapter.name = "Random";
  adapter.num_bytes = 1;
  const auto claim = [&]() -> Resource {
    const auto n = static_cast<std::uint32_t>(random.below(4));
    switch (random.below(4)) {
      case 0: return {ResourceKind::interrupt, 3 + n % 3, 3 + n % 3};
      case 1: return {ResourceKind::arbitration, n, n};
      case 2: return {ResourceKind::memory, 0xC0000 + n * 0x2000, 0xC3FFF + n * 0x2000};
      default: return {ResourceKind::io, 0x1000 + n * 8, 0x1007 + n * 8 + static_cast<std::uint32_t>(random.below(2))};
    }
  };
  if (random.below(4) == 0) adapter.fixed.resources.push_back(claim());
  const std::uint64_t items = 1 + random.below(3);
  for (std::uint64_t i = 0; i < items; ++i) {
    Item item;
    item.prompt = "Item " + std::to_string(i);
    const std::uint64_t choices = 1 + random.below(3);
    for (std::uint64_t c = 0; c < choices; ++c) {
      Choice choice;
      choice.name = std::to_string(c);
      const std::uint64_t claims = random.below(3);
      for (std::uint64_t r = 0; r < claims; ++r) {
        const Resource one = claim();
        const auto overlaps = [&](const Resource& other) { return one.overlaps(other); };
        if (std::none_of(choice.resources.begin(), choice.resources.end(), overlaps)) choice.resources.push_back(one);
      }
      if (random.below(4) == 0) choice.pos.bytes[0] = {0x02, static_cast<std::uint8_t>(random.below(2) << 1)};
      item.choices.push_back(choice);
    }
    adapter.items.push_back(item);
  }
  return adapter;
}

struct Assigned {
  std::size_t slot;
  const Choice* choice;
};

/// The number of pairs of users that share a level; empty if there is a collision.
std::optional<unsigned> cost(const std::vector<Assigned>& all, const std::vector<PlanarClaim>& planar) {
  std::map<std::uint32_t, std::set<std::size_t>> users;  // by level; users from 100 on are the planar's
  for (std::size_t n = 0; n < planar.size(); ++n)
    if (planar[n].resource.kind == ResourceKind::interrupt) users[planar[n].resource.first].insert(100 + n);
  for (std::size_t n = 0; n < all.size(); ++n) {
    for (const Resource& resource : all[n].choice->resources) {
      for (const PlanarClaim& claim : planar)
        if (claim.resource.overlaps(resource) && !claim.shareable) return std::nullopt;
      if (resource.kind == ResourceKind::interrupt) {
        users[resource.first].insert(all[n].slot);
        continue;
      }
      for (std::size_t m = 0; m < n; ++m)
        for (const Resource& other : all[m].choice->resources)
          if (other.overlaps(resource)) return std::nullopt;
    }
    for (std::size_t m = 0; m < n; ++m)
      if (all[m].slot == all[n].slot && all[m].choice->pos.contradicts(all[n].choice->pos)) return std::nullopt;
  }
  unsigned pairs = 0;
  for (const auto& [level, set] : users) pairs += static_cast<unsigned>(set.size() * (set.size() - 1) / 2);
  return pairs;
}

struct Best {
  unsigned shared = 0;
  std::vector<std::string> choices;
};

/// Tries every combination in the solver's documented order, and keeps the first one with the least sharing.
class Enumeration {
 public:
  explicit Enumeration(const Problem& problem) : problem_(problem) { next(0, 0); }
  std::optional<Best> best;

 private:
  void next(std::size_t slot, std::size_t item) {
    if (slot == problem_.slots.size()) {
      const auto shared = cost(all_, problem_.planar);
      if (!shared || (best && best->shared <= *shared)) return;
      best = Best{*shared, {}};
      for (const Assigned& one : all_)
        if (!one.choice->name.empty()) best->choices.push_back(one.choice->name);
      return;
    }
    const Adapter& adapter = problem_.slots[slot].adapter;
    if (item == 0) {
      all_.push_back({slot, &adapter.fixed});
      if (cost(all_, problem_.planar)) choose(slot, item);
      all_.pop_back();
    } else {
      choose(slot, item);
    }
  }

  void choose(std::size_t slot, std::size_t item) {
    const Adapter& adapter = problem_.slots[slot].adapter;
    if (item == adapter.items.size()) return next(slot + 1, 0);
    std::vector<std::pair<unsigned, const Choice*>> order;
    for (const Choice& choice : adapter.items[item].choices) {
      all_.push_back({slot, &choice});
      if (const auto shared = cost(all_, problem_.planar)) order.push_back({*shared, &choice});
      all_.pop_back();
    }
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [shared, choice] : order) {
      all_.push_back({slot, choice});
      choose(slot, item + 1);
      all_.pop_back();
    }
  }

  const Problem& problem_;
  std::vector<Assigned> all_;
};

}  // namespace

TEST_CASE("the solver agrees with enumeration on random machines", "[adf][solver]") {
  Random random(11);
  unsigned possible = 0;
  unsigned impossible = 0;
  unsigned shared = 0;
  for (int n = 0; n < 3000; ++n) {
    Problem problem;
    const std::uint64_t slots = 1 + random.below(3);
    for (unsigned slot = 1; slot <= slots; ++slot)
      problem.slots.push_back({slot, SlotWidth::bits16, random_card(random), {}, {}});
    if (random.below(2) == 0) problem.planar.push_back({"one", {ResourceKind::interrupt, 4, 4}, true});
    if (random.below(3) == 0) problem.planar.push_back({"two", {ResourceKind::interrupt, 3, 3}, false});
    if (random.below(3) == 0) problem.planar.push_back({"three", {ResourceKind::io, 0x1009, 0x1009}, false});

    const std::optional<Best> best = Enumeration(problem).best;
    const Outcome outcome = solve(problem);
    REQUIRE(outcome.solution.has_value() == best.has_value());
    if (!best) {
      ++impossible;
      CHECK(!outcome.refusal.cut_off);
      CHECK(!outcome.refusal.obstacles.empty());
      continue;
    }
    ++possible;
    shared += best->shared > 0;
    std::vector<std::string> chosen;
    for (const SlotResult& slot : outcome.solution->slots)
      for (const ChosenItem& item : slot.items) chosen.push_back(item.choice);
    CHECK(chosen == best->choices);
    CHECK(outcome.solution->shared_interrupts == best->shared);
    CHECK(outcome.solution->fewest_shared);
  }
  CHECK(possible > 500);
  CHECK(impossible > 500);
  CHECK(shared > 50);
}
