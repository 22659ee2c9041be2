// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/published_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/common/error.hpp"
#include "frontend/published/published_table.hpp"
#include "frontend/systems/operating_system.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

void append(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

void mark_row(const ChosenValue& chosen, const PublishedUse& use, PublishedRow& row) {
  const bool fitted = chosen.from.confidence == "calibrated";
  auto& sizes = fitted ? row.fitted_sizes : row.informed_sizes;
  if (use.sizes.empty())
    for (const auto& [size, value] : row.figures) sizes.insert(size);
  sizes.insert(use.sizes.begin(), use.sizes.end());
  row.load_fitted |= fitted && use.load;
  append(fitted ? row.calibrated : row.informed, chosen.owner + " " + chosen.from.value);
}

/// Marks in the tables the rows that a value names as used for it.
void mark_use(const ChosenValue& chosen, const PublishedUse& use, std::vector<PublishedTable>& tables) {
  const std::string name = chosen.owner + " " + chosen.from.value;
  bool found = false;
  for (PublishedTable& table : tables)
    for (PublishedRow& row : table.rows) {
      if (!names_row(use, row)) continue;
      if (chosen.from.confidence == "calibrated" && !table.may_be_fitted(use))
        throw Error(
            fmt::format("{} was fitted to {}, which is not under [[may_be_fitted]] in {}; use another row, or change "
                        "its confidence",
                        name, use.text(), table.file));
      mark_row(chosen, use, row);
      found = true;
    }
  if (!found) throw Error(fmt::format("{} names {}, which matches no published row", name, use.text()));
}

}  // namespace

std::vector<PublishedRow> published_rows() {
  std::vector<PublishedTable> tables;
  for (const auto file : published_tables) tables.emplace_back(file);
  for (const ChosenValue& chosen : chosen_by_print())
    for (const PublishedUse& use : chosen.from.published)
      if (use.figure.empty()) mark_use(chosen, use, tables);
  std::vector<PublishedRow> rows;
  for (PublishedTable& table : tables) std::move(table.rows.begin(), table.rows.end(), std::back_inserter(rows));
  return rows;
}

std::vector<ChosenValue> chosen_by_print() {
  std::vector<ChosenValue> list;
  const auto add = [&](std::string_view owner, std::vector<TimingValue> values) {
    for (TimingValue& v : values)
      if (!v.published.empty())
        list.push_back(
            {std::string(owner), {v.name, v.source, v.confidence, std::move(v.published), std::move(v.same_as)}});
  };
  for (const MachineFile& file : machine_files())
    for (Provenance& p : machine_provenance(file.name))
      if (!p.published.empty()) list.push_back({std::string(file.name), std::move(p)});
  for (const auto system : operating_system_names()) add(system, find_operating_system(system).profile.rows());
  for (const AdapterEntry& card : card_registry()) add(card.name, card.timing());
  return list;
}

std::string chosen_by_print_table() {
  std::string out;
  for (const std::string_view confidence : {"calibrated", "informed-by-published"})
    for (const ChosenValue& chosen : chosen_by_print())
      if (chosen.from.confidence == confidence)
        out += fmt::format("{:<21}  {:<12} {:<46}  {}\n", confidence, chosen.owner, chosen.from.value,
                           published_text(chosen.from.published));
  return out;
}

}  // namespace planar
