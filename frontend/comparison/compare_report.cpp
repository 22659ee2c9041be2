// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/comparison/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/comparison/delivered.hpp"
#include "frontend/comparison/notes.hpp"
#include "frontend/comparison/reasons.hpp"
#include "frontend/comparison/side_by_side.hpp"
#include "frontend/comparison/spread_table.hpp"
#include "frontend/meters/frame_time.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/output/output.hpp"
#include "machines/config/machine_config.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

constexpr std::size_t line_width = 80;  // of the tables for a terminal

/// Calls `line(outcome)` for the outcomes of `machine` on `medium`, except for cards that the machine refuses.
template <class F>
void each(const Comparison& c, const std::string& machine, MediumKind medium, F&& line) {
  for (const CellOutcome& o : c.outcomes)
    if (o.cell.machine == machine && find_adapter(o.cell.card).medium == medium && !o.refused()) line(o);
}

/// Frame time and its parts in µs, "-" if there are none.
std::vector<std::string> frame_cells(const Comparison& c, const CellOutcome& o) {
  std::vector<std::string> cells;
  const auto* const frame = c.frame_time(o);
  if (!frame) return std::vector<std::string>(1 + FrameTime::parts, "-");
  cells.push_back(fmt::format("{:.1f}", (*frame)["us"].get<double>()));
  for (const auto* name : FrameTime::names)
    cells.push_back(fmt::format("{:.1f}", (*frame)["parts_us"].value(name, 0.0)));
  return cells;
}

std::string problem(const CellOutcome& o) { return o.interrupted() ? o.problem : "failed: " + o.problem; }

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

std::vector<MediumKind> Comparison::media(const std::string& machine) const {
  std::vector<MediumKind> list;
  for (const CellOutcome& o : outcomes)
    if (const auto medium = find_adapter(o.cell.card).medium;
        o.cell.machine == machine && !o.refused() && std::find(list.begin(), list.end(), medium) == list.end())
      list.push_back(medium);
  return list;
}

const nlohmann::ordered_json* Comparison::frame_time(const CellOutcome& o) const {
  const auto* const frame = o.frame_time(benchmark);
  return frame && (*frame)["packet_bytes"] == *std::max_element(sizes.begin(), sizes.end()) ? frame : nullptr;
}

std::string card_name(const Cell& cell) {
  return fmt::format("{}{}{}{}", find_adapter(cell.card).title, cell.options.empty() ? "" : ", ", cell.options,
                     cell.bonded() > 1 ? fmt::format(", {} bonded", cell.bonded()) : "");
}

std::string card_title(const Cell& cell) {
  return card_name(cell) + (find_adapter(cell.card).hypothetical ? " (hypothetical interface)" : "");
}

std::string machine_title(const std::string& machine) {
  Config config = load_machine(machine);
  const auto title = read_machine(config).title;
  return is_built_in(machine) ? title : fmt::format("{} ({})", title, machine);
}

std::string table_title(const std::string& machine, MediumKind medium) {
  return fmt::format("{}, {}", machine_title(machine), title(medium));
}

std::string in_column(const std::string& name, std::size_t width) {
  return name.size() <= width ? fmt::format("{:<{}}", name, width) : fmt::format("{}\n{:<{}}", name, "", width);
}

std::string wrapped_heading(const std::string& text) {
  if (text.size() <= line_width) return text;
  std::size_t best = std::string::npos;
  const auto off = [&](std::size_t at) { return at < text.size() / 2 ? text.size() / 2 - at : at - text.size() / 2; };
  for (std::size_t at = text.find(", "); at != std::string::npos; at = text.find(", ", at + 1))
    if (best == std::string::npos || off(at) < off(best)) best = at;
  return best == std::string::npos ? text : text.substr(0, best + 1) + "\n  " + text.substr(best + 2);
}

namespace {

std::string frame_text(const Comparison& c, const std::string& machine, MediumKind medium) {
  if (!c.benchmark.frame_times) return {};
  std::string rows;
  each(c, machine, medium, [&](const CellOutcome& o) {
    if (!o.result) return;
    rows += in_column(card_title(o.cell), 16);
    for (const auto& cell : frame_cells(c, o)) rows += fmt::format(" {:>8}", cell);
    rows += "\n";
  });
  if (rows.empty()) return {};  // no run has finished
  std::string out = fmt::format("µs per data frame, largest packets\n{:<16} {:>8}", "", "all");
  for (const auto* name : FrameTime::names) out += fmt::format(" {:>8}", frame_part_title(name));
  return out + "\n" + rows;
}

std::string frame_markdown(const Comparison& c, const std::string& machine, MediumKind medium) {
  if (!c.benchmark.frame_times) return {};
  std::string rows;
  each(c, machine, medium, [&](const CellOutcome& o) {
    if (!o.result) return;
    rows += fmt::format("| {} |", card_title(o.cell));
    for (const auto& cell : frame_cells(c, o)) rows += fmt::format(" {} |", cell);
    rows += "\n";
  });
  if (rows.empty()) return {};  // no run has finished
  std::string out = "\nµs per data frame with the largest packets:\n\n| card | all |";
  for (const auto* name : FrameTime::names) out += fmt::format(" {} |", frame_part_title(name));
  out += "\n|---|---:|";
  for (std::size_t n = 0; n < FrameTime::parts; ++n) out += "---:|";
  return out + "\n" + rows;
}

}  // namespace

std::string comparison_text(const Comparison& c) {
  std::string out;
  c.each_table([&](const std::string& machine, MediumKind medium) {
    out += fmt::format("{}{}\n{:<16}", out.empty() ? "" : "\n", wrapped_heading(table_title(machine, medium)),
                       c.benchmark.unit);
    for (const auto size : c.sizes) out += fmt::format(" {:>7}", c.benchmark.row_name(size));
    out += fmt::format(" {:>7} {:>7}\n", "load %", "busy %");
    each(c, machine, medium, [&](const CellOutcome& o) {
      if (!o.result) {
        out += fmt::format("{}: {}\n", card_title(o.cell), problem(o));
        return;
      }
      out += in_column(card_title(o.cell), 16);
      for (const auto size : c.sizes) out += fmt::format(" {:>7}", figure_text(c.benchmark, o, size));
      out += fmt::format(" {:>7} {:>7}\n", c.benchmark.load_text(*o.result, "cpu_load_percent"),
                         c.benchmark.load_text(*o.result, "true_busy_percent"));
    });
    out += frame_text(c, machine, medium);
    const Reasons reasons = reasons_of(c, machine, medium);
    for (const auto* list : {&reasons.cards, &reasons.pairs})
      for (const auto& sentence : *list) out += "- " + wrapped(sentence, 2) + "\n";
  });
  out += side_by_side_text(c);
  for (const auto& note : notes_of(c)) out += "\n" + wrapped(note, 0) + "\n";
  return out + spread_text(c);
}

std::string comparison_markdown(const Comparison& c) {
  std::string out = fmt::format(
      "# {}\n\n{} virtual second{} per {}, seed {}. Load: by the guest's clock ticks; busy: the share of time "
      "in which the processor really executed. Hypothetical interface: no programming information for that card is "
      "public; planar defines an interface of its own.\n",
      c.benchmark.heading, c.seconds, c.seconds == "1" ? "" : "s",
      c.benchmark.row_key == "rate" ? "rate" : "packet size", c.seed);
  if (c.benchmark.frame_times) out += "\n" + std::string(frame_parts_explained) + "\n";
  c.each_table([&](const std::string& machine, MediumKind medium) {
    out += fmt::format("\n## {}\n\n| card |", table_title(machine, medium));
    for (const auto size : c.sizes) out += fmt::format(" {} |", c.benchmark.row_name(size));
    out += " load % | busy % |\n|---|";
    for (std::size_t n = 0; n < c.sizes.size() + 2; ++n) out += "---:|";
    out += "\n";
    each(c, machine, medium, [&](const CellOutcome& o) {
      out += fmt::format("| {} |", card_title(o.cell));
      if (!o.result) {
        out += fmt::format(" {} |\n", problem(o));
        return;
      }
      for (const auto size : c.sizes) out += fmt::format(" {} |", figure_text(c.benchmark, o, size));
      out += fmt::format(" {} | {} |\n", c.benchmark.load_text(*o.result, "cpu_load_percent"),
                         c.benchmark.load_text(*o.result, "true_busy_percent"));
    });
    out += frame_markdown(c, machine, medium);
    const Reasons reasons = reasons_of(c, machine, medium);
    if (!reasons.cards.empty()) out += "\n";
    for (const auto* list : {&reasons.cards, &reasons.pairs})
      for (const auto& sentence : *list) out += "- " + sentence + "\n";
  });
  out += side_by_side_markdown(c);
  for (const auto& note : notes_of(c)) out += fmt::format("\n{}{}.\n", note.front() == '*' ? "\\" : "", note);
  return out + spread_markdown(c);
}

std::string comparison_csv(const Comparison& c) {
  std::string out = fmt::format("machine,card,{},metric,value,unit,hypothetical\n", c.benchmark.row_key);
  for (const CellOutcome& o : c.outcomes) {
    if (!o.result) continue;
    const auto machine = csv_field(o.cell.machine), card = csv_field(o.cell.card_option());
    const char* apart = find_adapter(o.cell.card).hypothetical ? "yes" : "no";
    for (const auto size : c.sizes)
      if (const auto value = o.figure(c.benchmark, size))
        out += fmt::format("{},{},{},{},{:.2f},{},{}\n", machine, card, size, c.benchmark.metric, *value,
                           c.benchmark.unit, apart);
    for (const auto* metric : {"cpu_load", "true_busy"})
      if (c.benchmark.one_load)
        out += fmt::format("{},{},,{},{},%,{}\n", machine, card, metric,
                           c.benchmark.load_text(*o.result, (std::string(metric) + "_percent").c_str()), apart);
    const auto* const frame = o.frame_time(c.benchmark);
    if (!frame) continue;
    const auto row = [&](const std::string& metric, double value) {
      out += fmt::format("{},{},{},{},{:.3f},us,{}\n", machine, card, (*frame)["packet_bytes"].dump(), metric, value,
                         apart);
    };
    row("frame_time", (*frame)["us"].get<double>());
    for (const auto& [name, value] : (*frame)["parts_us"].items()) row("frame_" + name, value.get<double>());
  }
  return out + delivered_csv(c) + spread_csv(c);
}

nlohmann::ordered_json comparison_json(const Comparison& c) {
  auto list = nlohmann::ordered_json::array();
  for (const CellOutcome& o : c.outcomes) {
    if (o.result)
      list.push_back(*o.result);
    else
      list.push_back({{"machine", o.cell.machine},
                      {"card", o.cell.card},
                      {"hypothetical", find_adapter(o.cell.card).hypothetical},
                      {"refused", o.refused()},
                      {"problem", o.problem}});
    if (o.interrupted()) list.back()["interrupted"] = true;
    if (!o.cell.options.empty()) list.back()["card_options"] = o.cell.options;
  }
  return list;
}

}  // namespace planar
