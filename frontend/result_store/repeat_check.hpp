// SPDX-License-Identifier: GPL-2.0-or-later
// The cache's self-test: some of the runs taken from it are repeated and must give equal results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace planar {

/// One run in this many is repeated.
inline constexpr unsigned check_interval = 20;
/// The most that repeated runs may cost in one command, not counting the first one: about a second of one host core.
/// Unit: millions of host instructions, as in estimated_cost().
inline constexpr std::uint64_t check_budget = 4000;

/// Whether the run with this key is one to be repeated.
bool is_checked(std::string_view key);

struct CheckCandidate {
  std::size_t place = 0;
  std::uint64_t cost = 0;  ///< cost of running it
  unsigned checks = 0;     ///< how often it has been repeated
};
/// The places of the runs to repeat now: as many as the budget allows, but at least one if there are any. Runs on which
/// the least time has been spent so far come first, so that each is checked eventually.
std::vector<std::size_t> runs_to_check(std::vector<CheckCandidate> candidates);

/// The first difference between two results of one run, apart from what depends on the host: "rows/0/kb_per_s is 512.3
/// in the cache and 512.4 now". Empty if they are equal.
std::string unequal(const nlohmann::ordered_json& kept, const nlohmann::ordered_json& now);

}  // namespace planar
