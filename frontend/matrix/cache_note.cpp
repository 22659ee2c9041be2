// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/matrix/cache_note.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/matrix/spread.hpp"

namespace planar {
namespace {

/// The runs of one card in one machine.
struct Counted {
  std::string name;
  std::size_t runs = 0, taken = 0;
};

std::string names(const std::vector<Counted>& list) {
  std::vector<std::string> words;
  for (const Counted& c : list)
    words.push_back(c.taken == 0 || c.taken == c.runs ? c.name : fmt::format("{} ({} of {})", c.name, c.taken, c.runs));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::string cache_note(const std::vector<CellOutcome>& outcomes) {
  std::vector<Counted> all;
  std::size_t runs = 0, taken = 0, checked = 0;
  for (const CellOutcome& o : outcomes) {
    if (o.refused()) continue;
    const std::size_t made = o.result ? o.result->value("runs", std::size_t{1}) : 1;
    const std::size_t cached = o.result ? runs_from_cache(*o.result) : 0;
    const auto name = o.cell.machine + " " + o.cell.card_option();
    auto there = std::find_if(all.begin(), all.end(), [&](const Counted& c) { return c.name == name; });
    if (there == all.end()) there = all.insert(all.end(), {name, 0, 0});
    there->runs += made;
    there->taken += cached;
    runs += made;
    taken += cached;
    checked += o.checked;
  }
  if (taken == 0) return {};
  std::string out;
  if (taken == runs) {
    out = fmt::format("{} from the cache of results",
                      runs == 1 ? "the run was taken" : fmt::format("all {} runs were taken", runs));
  } else {
    std::vector<Counted> from, others;
    for (const Counted& c : all) (c.taken ? from : others).push_back(c);
    const bool few = from.size() <= others.size() || others.empty();
    out = fmt::format("{} of {} runs were taken from the cache of results: {}{}", taken, runs, few ? "" : "all but ",
                      names(few ? from : others));
    for (const Counted& c : from)
      if (!few && c.taken < c.runs) out += ", " + names({c});
  }
  if (checked)
    out += fmt::format("; {} of them {} made again and {} equal", checked, checked == 1 ? "was" : "were",
                       checked == 1 ? "is" : "are");
  return out + " (--no-cache makes every run)";
}

}  // namespace planar
