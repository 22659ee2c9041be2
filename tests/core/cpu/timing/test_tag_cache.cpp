// SPDX-License-Identifier: GPL-2.0-or-later
// The tags of a cache of any number of ways compared with a model that keeps each node of the replacement tree
// separately.
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "core/cpu/timing/cached/tag_cache.hpp"
#include "tests/archived.hpp"
#include "tests/catch.hpp"

using namespace planar;
using namespace planar::cpu;

namespace {

/// One set: the lowest empty way is filled first; without one, the tree is followed to its older half.
struct PlainSet {
  explicit PlainSet(unsigned ways) : lines(ways), older_right(2 * ways, true) {}

  /// Uses `line`, which may already be present; returns the line that it replaces.
  std::optional<std::uint32_t> use(std::uint32_t line) {
    std::optional<std::uint32_t> victim;
    unsigned way = 0;
    while (way < lines.size() && lines[way] != line) ++way;
    if (way == lines.size()) {
      for (way = 0; way < lines.size() && lines[way];) ++way;
      if (way == lines.size()) way = oldest();
      victim = lines[way];
      lines[way] = line;
    }
    unsigned node = 1;
    for (auto half = static_cast<unsigned>(lines.size()) / 2; half; half /= 2) {
      const bool right = way & half;
      older_right[node] = !right;
      node = 2 * node + right;
    }
    return victim;
  }
  unsigned oldest() const {
    unsigned node = 1;
    while (node < lines.size()) node = 2 * node + older_right[node];
    return node - static_cast<unsigned>(lines.size());
  }

  std::vector<std::optional<std::uint32_t>> lines;
  std::vector<bool> older_right;  // indexed by node; the root is 1
};

}  // namespace

TEST_CASE("tag cache: replacement equals a plain tree-LRU model, with one to eight ways") {
  const unsigned ways = GENERATE(1u, 2u, 4u, 8u);
  constexpr unsigned line = 32, sets = 16;
  TagCache cache(ways * line * sets, ways, line);
  CHECK(cache.lines() == ways * sets);
  std::vector<PlainSet> plain(sets, PlainSet(ways));
  std::minstd_rand random(7);
  for (unsigned n = 0; n < 20000; ++n) {
    const std::uint32_t address = random() % (3 * ways) * line * sets + random() % sets * line + random() % line;
    const std::uint32_t wanted = cache.line_of(address);
    PlainSet& set = plain[address / line % sets];
    if (random() % 16 == 0) {
      const bool held = cache.invalidate(address) != 0;
      bool in = false;
      for (auto& l : set.lines)
        if (l == wanted) in = true, l.reset();
      REQUIRE(held == in);
      continue;
    }
    std::optional<std::uint32_t> victim;
    if (!cache.find(address)) {
      const std::uint32_t tag = cache.fill(address);
      if (tag) victim = tag & ~(TagCache::valid | TagCache::dirty);
    }
    REQUIRE(victim == set.use(wanted));
    REQUIRE(cache.in_mru_way(address));
  }
}

TEST_CASE("tag cache: eight ways keep dirty lines across a snapshot") {
  TagCache cache(8 * 32 * 4, 8, 32);
  for (std::uint32_t n = 0; n < 8; ++n) {
    cache.fill(n * 128);
    if (n % 2) cache.find_for_write(n * 128);
  }
  TagCache copy(8 * 32 * 4, 8, 32);
  test::restore_state(copy, test::saved_state(cache));
  CHECK(copy.next_victim(0) == cache.next_victim(0));
  CHECK(copy.clean(7 * 128));
  CHECK(copy.flush() == 3);
  CHECK(cache.flush() == 4);
}
