// SPDX-License-Identifier: GPL-2.0-or-later
// The solver against plain enumeration: on small random machines it finds a configuration exactly
// when there is one, shares as few interrupts as possible, and returns the first in order of
// preference among those.
#include <algorithm>
#include <optional>
#include <vector>

#include "adf/reader.hpp"
#include "adf/solver.hpp"
#include "core/random.hpp"
#include "tests/catch.hpp"

using namespace planar::adf;
using planar::Random;

namespace {

/// A card of one to three items with one to three choices, each with up to two claims out of a
/// narrow supply and sometimes a POS bit that another item's choice wants the other way.
Adapter random_card(Random& random) {
  Adapter adapter;
  adapter.id = 0x1234;
  adapter.name = "Random";
  adapter.num_bytes = 1;
  const auto claim = [&]() -> Resource {
    const auto n = static_cast<std::uint32_t>(random.below(4));
    switch (random.below(4)) {
      case 0:
        return {ResourceKind::interrupt, 3 + n % 3, 3 + n % 3};
      case 1:
        return {ResourceKind::arbitration, n, n};
      case 2:
        return {ResourceKind::memory, 0xC0000 + n * 0x2000, 0xC3FFF + n * 0x2000};
      default:
        return {ResourceKind::io, 0x1000 + n * 8,
                0x1007 + n * 8 + static_cast<std::uint32_t>(random.below(2))};
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
        if (std::none_of(choice.resources.begin(), choice.resources.end(), overlaps))
          choice.resources.push_back(one);
      }
      if (random.below(4) == 0)
        choice.pos.bytes[0] = {0x02, static_cast<std::uint8_t>(random.below(2) << 1)};
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

/// Interrupt claims on a level that the planar or an earlier slot has, nothing when something
/// collides.
std::optional<unsigned> cost(const std::vector<Assigned>& all,
                             const std::vector<PlanarClaim>& planar) {
  unsigned shared = 0;
  for (std::size_t n = 0; n < all.size(); ++n) {
    for (const Resource& resource : all[n].choice->resources) {
      bool somebody = false;
      bool mine = false;
      for (const PlanarClaim& claim : planar) {
        if (!claim.resource.overlaps(resource)) continue;
        if (!claim.shareable) return std::nullopt;
        somebody = true;
      }
      for (std::size_t m = 0; m < n; ++m)
        for (const Resource& other : all[m].choice->resources) {
          if (!other.overlaps(resource)) continue;
          if (resource.kind != ResourceKind::interrupt) return std::nullopt;
          (all[m].slot == all[n].slot ? mine : somebody) = true;
        }
      if (somebody && !mine) ++shared;
    }
    for (std::size_t m = 0; m < n; ++m)
      if (all[m].slot == all[n].slot && all[m].choice->pos.contradicts(all[n].choice->pos))
        return std::nullopt;
  }
  return shared;
}

struct Best {
  unsigned shared = 0;
  std::vector<std::string> choices;
};

std::optional<Best> enumerate(const Problem& problem) {
  struct Place {
    std::size_t slot;
    const Item* item;
  };
  std::vector<Place> places;
  for (std::size_t s = 0; s < problem.slots.size(); ++s)
    for (const Item& item : problem.slots[s].adapter.items) places.push_back({s, &item});
  std::vector<std::size_t> digits(places.size(), 0);
  std::optional<Best> best;
  while (true) {
    std::vector<Assigned> all;
    std::vector<std::string> names;
    std::size_t p = 0;
    for (std::size_t s = 0; s < problem.slots.size(); ++s) {
      all.push_back({s, &problem.slots[s].adapter.fixed});
      for (; p < places.size() && places[p].slot == s; ++p) {
        all.push_back({s, &places[p].item->choices[digits[p]]});
        names.push_back(all.back().choice->name);
      }
    }
    if (const auto shared = cost(all, problem.planar); shared && (!best || *shared < best->shared))
      best = Best{*shared, names};
    std::size_t digit =
        digits.size();  // the last place turns fastest: this is the order of preference
    while (digit > 0 && ++digits[digit - 1] == places[digit - 1].item->choices.size())
      digits[--digit] = 0;
    if (digit == 0) return best;
  }
}

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
    if (random.below(2) == 0)
      problem.planar.push_back({"one", {ResourceKind::interrupt, 4, 4}, true});
    if (random.below(3) == 0)
      problem.planar.push_back({"two", {ResourceKind::interrupt, 3, 3}, false});
    if (random.below(3) == 0)
      problem.planar.push_back({"three", {ResourceKind::io, 0x1009, 0x1009}, false});

    const std::optional<Best> best = enumerate(problem);
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
