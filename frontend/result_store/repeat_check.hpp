// SPDX-License-Identifier: GPL-2.0-or-later
// The cache's own test: of the runs that are taken from it some are made again, and must be equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace planar {

/// One run in so many is made again.
inline constexpr unsigned check_interval = 20;
/// Runs that are made again cost no more than this in one command, except for the first of them: about a second of a
/// host's core. Unit: millions of host instructions, as estimated_cost() has them.
inline constexpr std::uint64_t check_budget = 4000;

/// Whether the run with this key is one of those.
bool is_checked(std::string_view key);

struct CheckCandidate {
  std::size_t place = 0;
  std::uint64_t cost = 0;  ///< of running it
  unsigned checks = 0;     ///< how often it was made again
};
/// The places of those that are made again now: as many as the budget allows, and one at least, if there is one. Those
/// on which least time was spent so far come first, so that in the end each is checked.
std::vector<std::size_t> runs_to_check(std::vector<CheckCandidate> candidates);

/// What is not equal in two results of one run, apart from what depends on the host; empty if all is.
/// "rows/0/kb_per_s is 512.3 in the cache and 512.4 now".
std::string unequal(const nlohmann::ordered_json& kept, const nlohmann::ordered_json& now);

}  // namespace planar
