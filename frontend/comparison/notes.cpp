// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/comparison/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/comparison/converged.hpp"
#include "frontend/comparison/delivered.hpp"
#include "frontend/comparison/side_by_side.hpp"
#include "frontend/matrix/cache_note.hpp"
#include "frontend/matrix/spread.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

/// Of a medium whose cards the machine refuses, all of them: it has no table.
void add_refused(const Comparison& c, std::vector<std::string>& notes) {
  for (const CellOutcome& o : c.outcomes) {
    const auto media = c.media(o.cell.machine);
    if (o.refused() && std::find(media.begin(), media.end(), find_adapter(o.cell.card).medium) == media.end())
      notes.push_back(fmt::format("{} in {}: {}", card_name(o.cell), o.cell.machine, o.problem));
  }
}

void add_of_results(const Comparison& c, std::vector<std::string>& notes) {
  for (const CellOutcome& o : c.outcomes)
    if (const auto note = o.result ? note_of(c.benchmark, *o.result) : std::string{}; !note.empty())
      notes.push_back(fmt::format("{} in {}: {}", card_name(o.cell), o.cell.machine, note));
}

}  // namespace

std::vector<std::string> notes_of(const Comparison& c) {
  std::vector<std::string> notes;
  add_refused(c, notes);
  notes.push_back(left_out_note(c));
  notes.push_back(delivered_note(c));
  add_of_results(c, notes);
  notes.push_back(converged_note(c.outcomes));
  notes.push_back(cache_note(c.outcomes));
  std::erase(notes, std::string{});
  for (std::string& note : notes)
    if (note.ends_with('.')) note.pop_back();
  return notes;
}

}  // namespace planar
