// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/published_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/common/error.hpp"
#include "core/common/toml.hpp"
#include "frontend/published/embedded_published.hpp"
#include "machines/machine_files.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

constexpr std::string_view figures_file = "frontend/published/ethernet-arnold-2002.csv";
constexpr std::string_view rows_file = "frontend/published/ethernet-rows.toml";

std::string_view embedded(std::string_view path) {
  for (const EmbeddedFile& file : embedded_published())
    if (file.path == path) return file.text;
  throw Error(fmt::format("this build holds no '{}'", path));
}

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> list{""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      list.emplace_back();
    else
      list.back() += c;
  }
  return list;
}

struct Names {
  toml::table table = toml::parse(embedded(rows_file), rows_file);
  std::string find(const char* kind, const std::string& printed, std::size_t line) const {
    if (const auto name = table[kind][printed].value<std::string>()) return *name;
    throw Error(fmt::format("{}:{}: '{}' has no name in [{}] of {}; add it there", figures_file, line, printed, kind,
                            rows_file));
  }
};

void append(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

/// Whether `use` lies within the rows that the frozen list keeps for fitting.
bool may_be_fitted(const toml::table& table, const PublishedUse& use) {
  const toml::array* list = table["may_be_fitted"].as_array();
  if (!list) return false;
  for (const toml::node& node : *list) {
    const toml::table& entry = *node.as_table();
    if (entry["machine"].value<std::string>() != use.machine || entry["card"].value<std::string>() != use.card)
      continue;
    if (use.load && !entry["load"].value_or(false)) return false;
    std::set<std::uint32_t> allowed;
    if (const toml::array* sizes = entry["sizes"].as_array())
      for (const toml::node& size : *sizes) allowed.insert(static_cast<std::uint32_t>(size.value_or<std::int64_t>(0)));
    return !use.sizes.empty() &&
           std::all_of(use.sizes.begin(), use.sizes.end(), [&](std::uint32_t size) { return allowed.contains(size); });
  }
  return false;
}

/// Marks what the values say of the rows.
void mark_uses(const toml::table& table, std::vector<PublishedRow>& rows) {
  for (const ChosenValue& chosen : chosen_by_print()) {
    const std::string name = chosen.owner + " " + chosen.from.value;
    for (const PublishedUse& use : chosen.from.published) {
      if (!use.figure.empty()) continue;
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const PublishedRow& r) {
        return r.machine == use.machine && r.card == use.card;
      });
      if (row == rows.end())
        throw Error(fmt::format("{} names {} {}, and no published row is that", name, use.machine, use.card));
      const bool fitted = chosen.from.confidence == "calibrated";
      if (fitted && !may_be_fitted(table, use))
        throw Error(
            fmt::format("{} was fitted on {}, which {} does not keep for that; take another row, or say what it is",
                        name, use.text(), rows_file));
      auto& sizes = fitted ? row->fitted_sizes : row->informed_sizes;
      if (use.sizes.empty())
        for (const auto& [size, value] : row->kb_per_s) sizes.insert(size);
      sizes.insert(use.sizes.begin(), use.sizes.end());
      row->load_fitted |= fitted && use.load;
      append(fitted ? row->calibrated : row->informed, name);
    }
  }
}

}  // namespace

double PublishedRow::plateau() const {
  double sum = 0;
  unsigned count = 0;
  for (const auto& [size, value] : kb_per_s)
    if (size >= 4096) {
      sum += value;
      ++count;
    }
  return count ? sum / count : 0;
}

std::vector<PublishedRow> published_ethernet() {
  const Names names;
  std::istringstream lines{std::string(embedded(figures_file))};
  std::string line;
  std::vector<PublishedRow> rows;
  std::getline(lines, line);  // the heading
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    const auto f = fields(line);
    if (f.size() != 11) throw Error(fmt::format("{}:{}: {} fields, expected 11", figures_file, number, f.size()));
    const std::string machine = names.find("machines", f[1], number), card = names.find("cards", f[2], number);
    auto row = std::find_if(rows.begin(), rows.end(),
                            [&](const PublishedRow& r) { return r.machine == machine && r.card == card; });
    if (row == rows.end()) {
      rows.push_back({machine, card, f[1] + ", " + f[2], {}, {}, {}, {}, false});
      row = rows.end() - 1;
    }
    const double value = std::stod(f[9]);
    if (f[8] == "throughput") {
      const auto size = static_cast<std::uint32_t>(std::stoul(f[7]));
      row->kb_per_s[size == 32768 ? 32767 : size] = value;
    } else if (f[8] == "cpu_load") {
      row->load = value;
    }
  }
  mark_uses(names.table, rows);
  return rows;
}

std::vector<ChosenValue> chosen_by_print() {
  std::vector<ChosenValue> list;
  for (const MachineFile& file : machine_files())
    for (Provenance& p : machine_provenance(file.name))
      if (!p.published.empty()) list.push_back({std::string(file.name), std::move(p)});
  for (const auto cards : {adapter_registry(), storage_registry()})
    for (const AdapterEntry& card : cards)
      for (TimingValue& v : card.timing())
        if (!v.published.empty())
          list.push_back({std::string(card.name), {v.name, v.source, v.confidence, std::move(v.published)}});
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
