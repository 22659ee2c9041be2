// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/result_store/repeat_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace planar {

using nlohmann::ordered_json;

bool is_checked(std::string_view key) {
  std::uint32_t number = 0;
  std::from_chars(key.data(), key.data() + std::min<std::size_t>(key.size(), 8), number, 16);
  return number % check_interval == 0;
}

std::vector<std::size_t> runs_to_check(std::vector<CheckCandidate> candidates) {
  const auto spent = [](const CheckCandidate& c) { return (std::uint64_t{c.checks} + 1) * c.cost; };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const CheckCandidate& a, const CheckCandidate& b) { return spent(a) < spent(b); });
  std::vector<std::size_t> places;
  std::uint64_t sum = 0;
  for (const CheckCandidate& c : candidates) {
    sum += c.cost;
    if (!places.empty() && sum > check_budget) break;
    places.push_back(c.place);
  }
  return places;
}

std::string unequal(const ordered_json& kept, const ordered_json& now) {
  ordered_json was = kept, is = now;
  was.erase("host");
  is.erase("host");
  const auto changes = ordered_json::diff(was, is);
  if (changes.empty()) return {};
  const auto path = changes[0]["path"].get<std::string>();
  const ordered_json::json_pointer place(path);
  const auto value = [&](const ordered_json& of) { return of.contains(place) ? of.at(place).dump() : "absent"; };
  return fmt::format("{} is {} in the cache and {} now", path.empty() ? path : path.substr(1), value(was), value(is));
}

}  // namespace planar
