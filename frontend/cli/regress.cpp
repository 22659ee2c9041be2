// SPDX-License-Identifier: GPL-2.0-or-later
// `planar regress`: every adapter in every machine against the stored baseline, cycle for cycle.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "frontend/cli/matrix_options.hpp"
#include "frontend/cli/output.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/session/baseline.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

struct RegressOptions {
  MatrixCommand command;
  std::optional<std::string> baseline;  ///< tests/baselines/BENCHMARK.json unless given
  std::string reason;
  std::string folder;
  bool all_machines = true, all_cards = true;  ///< --machines, --cards was not given
};

ordered_json read_baseline(const std::string& file) {
  const auto text = read_host_file(
      file, 64 << 20,
      "there is no baseline; run from the top of the source tree, name one with --baseline FILE, or make one with "
      "--accept \"reason\"",
      "is no baseline (it has at most 64 MB)");
  try {
    return ordered_json::parse(text);
  } catch (const ordered_json::parse_error& e) {
    throw Error(fmt::format("{}: {}; restore it or make a new one with --accept \"reason\"", file, e.what()),
                ExitCode::missing_file);
  }
}

ordered_json report(const std::vector<Change>& list, const ordered_json& baseline, const ordered_json& run) {
  ordered_json j{{"schema", "planar.regress/1"}, {"green", list.empty()}, {"changes", ordered_json::array()}};
  for (const Change& c : list) {
    ordered_json entry{{"machine", c.machine}, {"card", c.card}, {"figure", c.figure},
                       {"was", c.was},         {"is", c.is},     {"by", c.by}};
    entry["timing"] = ordered_json::array();
    for (const auto& t : timing_changes(baseline, run, c.machine, c.card))
      entry["timing"].push_back({{"name", t.name}, {"was", t.was}, {"is", t.is}});
    j["changes"].push_back(std::move(entry));
  }
  return j;
}

void print(const std::vector<Change>& list, const ordered_json& baseline, const ordered_json& run) {
  std::map<std::pair<std::string, std::string>, std::vector<const Change*>> cells;
  for (const Change& c : list) cells[{c.machine, c.card}].push_back(&c);
  for (const auto& [cell, figures] : cells) {
    fmt::print("{} {}\n", cell.first, cell.second);
    for (const Change* c : figures)
      fmt::print("  {:<18} {} -> {}{}\n", c->figure, c->was, c->is, c->by.empty() ? "" : "  (" + c->by + ")");
    const auto timing = timing_changes(baseline, run, cell.first, cell.second);
    for (const auto& t : timing) fmt::print("  because {} is {}, was {}\n", t.name, t.is, t.was);
    if (timing.empty()) fmt::print("  no timing value differs: the code does\n");
  }
}

/// Machines and cards that the baseline does not hold are run only where they are asked for by name.
void leave_out_new_cells(const ordered_json& baseline, const RegressOptions& o, std::vector<Cell>& cells) {
  std::vector<std::string> left_out;
  std::erase_if(cells, [&](const Cell& cell) {
    const auto machine = baseline["cells"].find(cell.machine);
    const bool known = machine != baseline["cells"].end();
    const bool out = known ? o.all_cards && !machine->contains(cell.card_option()) : o.all_machines;
    const auto& name = known ? cell.card : cell.machine;
    if (out && std::find(left_out.begin(), left_out.end(), name) == left_out.end()) left_out.push_back(name);
    return out;
  });
  if (!left_out.empty())
    fmt::print(stderr, "planar: not in the baseline and not run: {}; name them, or let --accept take all in\n",
               fmt::join(left_out, ", "));
}

int run(const RegressOptions& o) {
  std::optional<ordered_json> baseline;
  const MatrixCommand& command = o.command;
  MatrixOptions matrix = command.options(&Benchmark::regression);
  matrix.folder = o.folder;
  const std::string file = o.baseline.value_or(fmt::format("tests/baselines/{}.json", command.benchmark));
  if (o.reason.empty()) {
    baseline = read_baseline(file);
    // Refused before the work, not after it.
    check_comparable(*baseline, make_baseline({}, matrix, {}));
  }
  auto cells = command.cells();
  if (baseline) leave_out_new_cells(*baseline, o, cells);
  auto outcomes = run_matrix(cells, matrix);
  const auto interrupted = interruption_text(outcomes, matrix);
  std::erase_if(outcomes, [](const CellOutcome& outcome) { return outcome.interrupted(); });
  if (!interrupted.empty() && !o.reason.empty())
    throw Error(interrupted + "; the baseline is as it was", interrupted_exit);
  if (!o.reason.empty())
    for (const CellOutcome& outcome : outcomes)
      if (outcome.broken())
        throw Error(fmt::format("{} {}: {}; the baseline is as it was", outcome.cell.machine,
                                outcome.cell.card_option(), outcome.problem),
                    static_cast<ExitCode>(outcome.status));
  const auto made = make_baseline(outcomes, matrix, o.reason);
  if (!o.reason.empty()) {
    if (!command.values.empty()) throw Error("--accept with --set: a baseline holds the values of the source tree");
    if (const auto folder = std::filesystem::path(file).parent_path(); !folder.empty()) make_folder(folder);
    write_json(file, made, "--baseline");
    fmt::print("{}: {} runs accepted: {}\n", file, outcomes.size(), o.reason);
    return 0;
  }
  // Only what was run is judged: --machines and --cards may name less than the baseline holds.
  ordered_json judged = *baseline;
  judged["cells"] = ordered_json::object();
  for (const CellOutcome& outcome : outcomes)
    if (const auto& [machine, card] = std::pair(outcome.cell.machine, outcome.cell.card_option());
        (*baseline)["cells"].contains(machine) && (*baseline)["cells"][machine].contains(card))
      judged["cells"][machine][card] = (*baseline)["cells"][machine][card];
  const auto list = changes(judged, made);
  if (command.json) {
    auto j = report(list, *baseline, made);
    if (!interrupted.empty()) j["interrupted"] = true;
    write_json(*command.json, j);
  }
  if (!command.json || *command.json != "-") {
    print(list, *baseline, made);
    if (list.empty())
      fmt::print("{} runs equal the baseline ({}), cycle for cycle\n", outcomes.size(), file);
    else
      fmt::print("{} figures differ from the baseline ({})\n", list.size(), file);
  }
  if (!interrupted.empty()) throw Error(interrupted, interrupted_exit);
  return list.empty() ? 0 : 1;
}

}  // namespace

Verb add_regress(CLI::App& app) {
  auto o = std::make_shared<RegressOptions>();
  CLI::App* verb =
      app.add_subcommand("regress", "Run every card in every machine and compare with the stored baseline");
  o->command.add_to(*verb);
  verb->add_option("--baseline", o->baseline, "The baseline; tests/baselines/BENCHMARK.json by default")
      ->type_name("FILE");
  verb->add_option("--results", o->folder, "Keep finished runs in this folder; the same command goes on from them")
      ->type_name("DIR");
  verb->add_flag("--fresh", o->command.matrix.fresh, "Do runs again that are in --results already");
  verb->add_option("--accept", o->reason,
                   "Write what is measured now as the new baseline, with the reason for the change")
      ->type_name("REASON");
  return [o, verb] {
    o->all_machines = verb->count("--machines") == 0;
    o->all_cards = verb->count("--cards") == 0;
    return run(*o);
  };
}

}  // namespace planar
