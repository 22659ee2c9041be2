// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/comparison/side_by_side.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "devices/adapter/pci/pci_entry.hpp"
#include "frontend/comparison/delivered.hpp"
#include "frontend/comparison/reasons.hpp"
#include "frontend/output/output.hpp"
#include "frontend/output/svg_plot.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

constexpr std::size_t most_named = 4;  // cards of one machine in left_out_note()

std::string_view slots_of(const std::string& machine) { return board_kind_of(load_machine(machine)).slot_bus; }

std::string_view bus_title(std::string_view bus) { return bus == Pci::name ? "PCI" : "Micro Channel"; }

bool fits(const std::string& card, std::string_view bus) { return find_adapter(card).bus() == bus; }

SideBySide table_of(const Comparison& c, std::string title, const std::string& machine) {
  SideBySide table{std::move(title), {}, {}};
  std::multimap<double, SideBySide::Row, std::greater<>> means;
  for (const CellOutcome& o : c.outcomes) {
    if ((!machine.empty() && o.cell.machine != machine) || !o.result) continue;
    double sum = 0;
    unsigned count = 0;
    bool marked = false;
    for (const auto size : c.sizes)
      if (const auto value = o.figure(c.benchmark, size)) {
        sum += *value;
        ++count;
        marked = marked || differs_from_delivered(c.benchmark, o, size);
      }
    if (count == 0) continue;
    const auto name =
        machine.empty() ? fmt::format("{} in {}", card_title(o.cell), o.cell.machine) : card_title(o.cell);
    means.emplace(sum / count, SideBySide::Row{&o, fmt::format("{:.1f}{}", sum / count, marked ? "*" : ""), name});
  }
  for (auto& [mean, row] : means) table.rows.push_back(std::move(row));
  return table;
}

std::string medium_of(const SideBySide::Row& row) {
  return std::string(title(find_adapter(row.outcome->cell.card).medium));
}

/// "KB/s, mean of the sizes"
std::string mean_heading(const Comparison& c) {
  return fmt::format("{}, mean of the {}", c.benchmark.unit, c.benchmark.row_key == "rate" ? "rates" : "sizes");
}

}  // namespace

std::vector<SideBySide> side_by_side(const Comparison& c) {
  std::set<std::string_view> buses;
  for (const CellOutcome& o : c.outcomes)
    if (o.result) buses.insert(find_adapter(o.cell.card).bus());
  std::vector<SideBySide> list;
  if (buses.size() > 1) {
    SideBySide all = table_of(c, "All machines, side by side", {});
    all.pairs = separations(c);
    list.push_back(std::move(all));
    return list;
  }
  for (const std::string& machine : c.machines)
    if (c.media(machine).size() > 1)
      if (auto table = table_of(c, machine_title(machine) + ", side by side", machine); !table.rows.empty())
        list.push_back(std::move(table));
  return list;
}

std::string side_by_side_text(const Comparison& c) {
  std::string out;
  for (const SideBySide& table : side_by_side(c)) {
    out += fmt::format("\n{}\n{:<32} {:<20} {:>8} {:>8} {:>8}\n", wrapped_heading(table.title), mean_heading(c), "",
                       "mean", "load %", "busy %");
    for (const auto& row : table.rows)
      out += fmt::format("{} {:<20} {:>8} {:>8} {:>8}\n", in_column(row.name, 32), medium_of(row), row.mean,
                         c.benchmark.load_text(*row.outcome->result, "cpu_load_percent"),
                         c.benchmark.load_text(*row.outcome->result, "true_busy_percent"));
    for (const auto& sentence : table.pairs) out += "- " + wrapped(sentence, 2) + "\n";
  }
  return out;
}

std::string side_by_side_markdown(const Comparison& c) {
  std::string out;
  for (const SideBySide& table : side_by_side(c)) {
    out += fmt::format("\n## {}\n\n| card | medium | {} | load % | busy % |\n|---|---|---:|---:|---:|\n", table.title,
                       mean_heading(c));
    for (const auto& row : table.rows)
      out += fmt::format("| {} | {} | {} | {} | {} |\n", row.name, medium_of(row), row.mean,
                         c.benchmark.load_text(*row.outcome->result, "cpu_load_percent"),
                         c.benchmark.load_text(*row.outcome->result, "true_busy_percent"));
    if (!table.pairs.empty()) out += "\n";
    for (const auto& sentence : table.pairs) out += "- " + sentence + "\n";
  }
  return out;
}

std::string side_by_side_html(const Comparison& c) {
  std::string out;
  for (const SideBySide& table : side_by_side(c)) {
    out += fmt::format(
        "<h2>{}</h2>\n<table><tr><th>card</th><th>medium</th><th>{}</th>"
        "<th>load %</th><th>busy %</th></tr>\n",
        escaped(table.title), mean_heading(c));
    for (const auto& row : table.rows)
      out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(row.name),
                         medium_of(row), row.mean, c.benchmark.load_text(*row.outcome->result, "cpu_load_percent"),
                         c.benchmark.load_text(*row.outcome->result, "true_busy_percent"));
    out += "</table>\n";
    if (table.pairs.empty()) continue;
    out += "<ul>\n";
    for (const auto& sentence : table.pairs) out += fmt::format("<li>{}</li>\n", escaped(sentence));
    out += "</ul>\n";
  }
  return out;
}

void leave_out_other_buses(std::vector<Cell>& cells) {
  std::map<std::string, std::string_view> slots;
  for (const Cell& cell : cells)
    if (!slots.contains(cell.machine)) slots[cell.machine] = slots_of(cell.machine);
  std::erase_if(cells, [&](const Cell& cell) {
    return !fits(cell.card, slots[cell.machine]) &&
           std::any_of(slots.begin(), slots.end(), [&](const auto& s) { return fits(cell.card, s.second); });
  });
}

std::string left_out_note(const Comparison& c) {
  std::vector<std::string> notes;
  for (const std::string& machine : c.machines) {
    const std::string_view slots = slots_of(machine);
    std::vector<std::string> cards;
    for (const CellOutcome& o : c.outcomes)
      if (const auto name = card_title(o.cell); o.cell.machine != machine && !fits(o.cell.card, slots) &&
                                                std::find(cards.begin(), cards.end(), name) == cards.end() &&
                                                std::none_of(c.outcomes.begin(), c.outcomes.end(), [&](const auto& p) {
                                                  return p.cell.machine == machine && p.cell.card == o.cell.card;
                                                }))
        cards.push_back(name);
    if (cards.empty()) continue;
    notes.push_back(fmt::format(
        "{} has {} slots: without {}", machine, bus_title(slots),
        cards.size() > most_named ? fmt::format("{} cards", cards.size()) : fmt::format("{}", fmt::join(cards, ", "))));
  }
  return fmt::format("{}", fmt::join(notes, "; "));
}

}  // namespace planar
