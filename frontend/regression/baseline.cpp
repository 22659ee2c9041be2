// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/regression/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>

#include "core/common/error.hpp"
#include "core/state/archive.hpp"
#include "frontend/comparison/result_diff.hpp"
#include "frontend/kept/kept_json.hpp"
#include "frontend/kept/schema.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/output/provenance.hpp"
#include "machines/config/machine_config.hpp"
#include "machines/config/machine_files.hpp"
#include "roms/images.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

/// A machine's resolved file as "path = value" pairs, without the values that the matrix itself sets.
ordered_json machine_timing(const std::string& name) {
  Config config = load_machine(name);
  read_machine(config);
  ordered_json values;
  std::istringstream lines(config.explained());
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find(" = "), comment = line.find("  #");
    if (equals == std::string::npos) continue;
    const auto path = line.substr(0, equals);
    if (path.starts_with("identity.") || path == "title" || path.starts_with("run.")) continue;
    auto value = line.substr(equals + 3, comment == std::string::npos ? comment : comment - equals - 3);
    while (value.ends_with(' ')) value.pop_back();
    values[path] = value;
  }
  return values;
}

/// A card's timing values, with the cell's --set applied.
ordered_json card_timing(const Cell& cell) {
  ordered_json values = timing_values(cell.card);
  for (std::size_t n = 0; n + 1 < cell.settings.size(); n += 2) {
    const auto& text = cell.settings[n + 1];
    const auto dot = text.find('.'), equals = text.find('=');
    values[text.substr(dot + 1, equals - dot - 1)] = text.substr(equals + 1);
  }
  return values;
}

ordered_json figures(const ordered_json& result, const MatrixOptions& options) {
  const Benchmark& benchmark = *options.benchmark;
  ordered_json f;
  f["cycles"] = result["cycles"];
  f["instructions"] = result["instructions"];
  for (const std::uint32_t size : benchmark.sizes(options.sizes))
    if (const auto value = benchmark.figure(result, size))
      f[fmt::format("{} {}", size_name(size), benchmark.unit)] = *value;
  f["load %"] = result["cpu_load_percent"];
  f["busy %"] = result["true_busy_percent"];
  for (const auto& [name, value] : result["frames"].items()) f["frames " + name] = value;
  f["state hash"] = result["state_hash"];
  return f;
}

void compare_cell(const std::string& machine, const std::string& card, const ordered_json& was, const ordered_json& is,
                  std::vector<Change>& list) {
  const auto run = [](const ordered_json& side) {
    return side.empty()               ? std::string("missing")
           : side.contains("problem") ? difference_text(side["problem"])
                                      : "completed";
  };
  if (run(was) != run(is)) {
    list.push_back({machine, card, "run", run(was), run(is), {}});
    return;
  }
  for (const auto& [name, value] : was.items()) {
    if (!is.contains(name))
      list.push_back({machine, card, name, difference_text(value), "missing", {}});
    else if (is[name] != value)
      list.push_back(
          {machine, card, name, difference_text(value), difference_text(is[name]), difference_ratio(value, is[name])});
  }
  for (const auto& [name, value] : is.items())
    if (!was.contains(name)) list.push_back({machine, card, name, "missing", difference_text(value), {}});
}

void compare_values(const std::string& prefix, const ordered_json& was, const ordered_json& is,
                    std::vector<TimingChange>& list) {
  for (const auto& [name, value] : was.items())
    if (!is.contains(name) || is[name] != value)
      list.push_back(
          {prefix + "." + name, difference_text(value), is.contains(name) ? difference_text(is[name]) : "missing"});
  for (const auto& [name, value] : is.items())
    if (!was.contains(name)) list.push_back({prefix + "." + name, "missing", difference_text(value)});
}

/// A member of a baseline; baselines from before placements existed have placement 0.
ordered_json stored(const ordered_json& baseline, const char* key) {
  if (key == std::string_view("placement")) return baseline.value(key, 0u);
  return baseline.value(key, ordered_json());
}

const ordered_json& at(const ordered_json& object, const char* part, const std::string& name) {
  static const ordered_json none = ordered_json::object();
  const auto group = object.find(part);
  if (group == object.end()) return none;
  const auto found = group->find(name);
  return found == group->end() ? none : *found;
}

}  // namespace

ordered_json make_baseline(const std::vector<CellOutcome>& outcomes, const MatrixOptions& options,
                           const std::string& reason) {
  ordered_json b{{"schema", "planar.baseline/1"}, {"reason", reason},
                 {"do", options.benchmark->name}, {"guest_image_sha256", sha256_hex(roms::guest())},
                 {"seconds", options.seconds},    {"sizes", options.sizes},
                 {"seed", options.seed}};
  b["placement"] = options.placement;
  b["machines"] = b["cards"] = b["cells"] = ordered_json::object();
  for (const CellOutcome& o : outcomes) {
    if (!b["machines"].contains(o.cell.machine)) b["machines"][o.cell.machine] = machine_timing(o.cell.machine);
    const auto card = o.cell.card_option();
    if (!b["cards"].contains(card)) b["cards"][card] = card_timing(o.cell);
    b["cells"][o.cell.machine][card] = o.result ? figures(*o.result, options) : ordered_json{{"problem", o.problem}};
  }
  return b;
}

std::string baseline_problem(const ordered_json& file) {
  if (auto problem = Schemas().problem("baseline", file); !problem.empty()) return problem;
  return file.contains("digest") ? seal_problem(file) : std::string{};  // older ones have none
}

ordered_json accepted_history(const ordered_json& baseline) {
  if (!baseline.is_object()) return ordered_json::array();
  if (const auto history = baseline.find("history"); history != baseline.end() && history->is_array()) return *history;
  if (!baseline.contains("reason")) return ordered_json::array();
  return ordered_json::array({ordered_json{{"reason", baseline["reason"]}}});
}

std::vector<std::string> rows_beside(const ordered_json& baseline, const std::vector<Cell>& cells) {
  std::vector<std::string> rows;
  for (const auto& [machine, cards] : baseline["cells"].items())
    for (const auto& [card, figures] : cards.items())
      if (std::none_of(cells.begin(), cells.end(), [&, &m = machine, &c = card](const Cell& cell) {
            return cell.machine == m && cell.card_option() == c;
          }))
        rows.push_back(machine + " " + card);
  return rows;
}

void drop_rows(ordered_json& baseline, const std::vector<std::string>& names) {
  ordered_json& cells = baseline["cells"];
  for (const std::string& name : names) {
    bool found = cells.erase(name) != 0;
    for (auto& [machine, cards] : cells.items()) {
      found |= cards.erase(name) != 0;
      if (name.starts_with(machine + " ")) found |= cards.erase(name.substr(machine.size() + 1)) != 0;
    }
    if (!found) throw Error(fmt::format("--drop {}: the baseline has no such row, machine or card", name));
    for (auto machine = cells.begin(); machine != cells.end();)
      machine = machine->empty() ? cells.erase(machine) : std::next(machine);
  }
  // Timing values of machines and cards without rows are not needed any more.
  const auto used = [&](const std::string& card) {
    return std::any_of(cells.begin(), cells.end(), [&](const ordered_json& cards) { return cards.contains(card); });
  };
  for (auto machine = baseline["machines"].begin(); machine != baseline["machines"].end();)
    machine = cells.contains(machine.key()) ? std::next(machine) : baseline["machines"].erase(machine);
  for (auto card = baseline["cards"].begin(); card != baseline["cards"].end();)
    card = used(card.key()) ? std::next(card) : baseline["cards"].erase(card);
}

namespace {

/// A setting in which two baselines differ.
struct OtherSetting {
  std::string_view title;
  std::string was, is;
};

/// The first such setting, if there is one. Throws Error if the baselines are of different benchmarks.
std::optional<OtherSetting> other_setting(const ordered_json& baseline, const ordered_json& run) {
  if (baseline.contains("do") && baseline["do"] != run["do"])
    throw Error(fmt::format("the baseline is one of {}, not of {}; name the right one with --baseline FILE",
                            difference_text(baseline["do"]), difference_text(run["do"])));
  for (const char* key : {"guest_image_sha256", "seconds", "sizes", "seed", "placement"})
    if (const auto was = stored(baseline, key), is = stored(run, key); was != is)
      return OtherSetting{key == std::string_view("guest_image_sha256") ? "guest image" : key, difference_text(was),
                          difference_text(is)};
  return std::nullopt;
}

}  // namespace

void check_mergeable(const ordered_json& baseline, const ordered_json& run, const std::vector<Cell>& cells) {
  const auto other = other_setting(baseline, run);
  const auto beside = rows_beside(baseline, cells);
  if (other && !beside.empty())
    throw Error(fmt::format(
        "--accept: {} of the baseline's rows are not run ({}{}), and they were made with {} {} instead of {}; "
        "run them all, or take them out by name with --drop",
        beside.size(), beside.front(), beside.size() > 1 ? ", ..." : "", other->title, other->was, other->is));
}

ordered_json merge_baseline(const ordered_json& baseline, ordered_json made) {
  for (const char* part : {"machines", "cards", "cells"}) {
    ordered_json merged = baseline.value(part, ordered_json::object());
    for (const auto& [name, value] : made[part].items())
      if (std::string_view(part) == "cells" && merged.contains(name))
        merged[name].update(value);
      else
        merged[name] = value;
    made[part] = std::move(merged);
  }
  return made;
}

void continue_history(ordered_json& made, const ordered_json& replaced, std::size_t runs, const std::string& date) {
  ordered_json history = accepted_history(replaced);
  ordered_json entry{{"reason", made["reason"]}, {"date", date}, {"planar", program_provenance()}, {"runs", runs}};
  if (replaced.is_object() && replaced.contains("cells")) entry["figures_changed"] = changes(replaced, made).size();
  history.push_back(std::move(entry));
  made["history"] = std::move(history);
  seal(made);
}

void check_comparable(const ordered_json& baseline, const ordered_json& run) {
  if (const auto other = other_setting(baseline, run))
    throw Error(
        fmt::format("the baseline was made with {} {} instead of {}; such figures cannot be compared. "
                    "{}planar regress --accept \"reason\"",
                    other->title, other->was, other->is,
                    other->title == "guest image"
                        ? "After a change of the guest, run "
                        : "Leave out the option that changes it; or, if the change is meant, check the models with "
                          "the old setting first, then run "));
}

std::vector<Change> changes(const ordered_json& baseline, const ordered_json& run) {
  std::vector<Change> list;
  for (const auto& [machine, cards] : baseline["cells"].items())
    for (const auto& [card, was] : cards.items())
      compare_cell(machine, card, was, at(run["cells"], machine.c_str(), card), list);
  for (const auto& [machine, cards] : run["cells"].items())
    for (const auto& [card, is] : cards.items())
      if (at(baseline["cells"], machine.c_str(), card).empty())
        list.push_back({machine, card, "run", "missing", "new", {}});
  return list;
}

std::vector<TimingChange> timing_changes(const ordered_json& baseline, const ordered_json& run,
                                         const std::string& machine, const std::string& card) {
  std::vector<TimingChange> list;
  compare_values(card, at(baseline, "cards", card), at(run, "cards", card), list);
  compare_values(machine, at(baseline, "machines", machine), at(run, "machines", machine), list);
  return list;
}

}  // namespace planar
