// SPDX-License-Identifier: GPL-2.0-or-later
// `planar regress`: every adapter in every machine against the stored baseline, cycle for cycle.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "frontend/cli/matrix_options.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/kept/kept_json.hpp"
#include "frontend/matrix/matrix_files.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/output/output.hpp"
#include "frontend/regression/baseline.hpp"
#include "frontend/regression/embedded_baselines.hpp"
#include "frontend/regression/regress_report.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

struct RegressOptions {
  MatrixCommand command;
  std::optional<std::string> baseline;  ///< default: the source tree's, or the embedded one
  std::string reason;
  std::vector<std::string> dropped;  ///< baseline rows that --accept removes
  std::string folder;
  std::optional<std::string> junit;
  bool history = false;
  const CLI::App* verb = nullptr;
  bool all_machines = true, all_cards = true;  ///< --machines, --cards was not given
};

struct Baseline {
  std::string name;
  ordered_json content;
};

/// The file given by --baseline, or tests/baselines/BENCHMARK.json below the current folder.
std::string baseline_file(const RegressOptions& o) {
  return o.baseline.value_or(fmt::format("tests/baselines/{}.json", o.command.benchmark));
}

/// Throws Error with `remedy` for a file that is damaged or no baseline, and with `unreadable` for one that cannot be
/// read.
ordered_json whole_baseline(const std::string& file, const std::string& unreadable, const std::string& remedy) {
  ordered_json baseline = read_json(file, 64 << 20, unreadable, "is no baseline (it has at most 64 MB)", remedy);
  if (const auto problem = baseline_problem(baseline); !problem.empty())
    throw Error(fmt::format("{}: is not a baseline: {}; {}", file, problem, remedy), ExitCode::missing_file);
  return baseline;
}

/// Outside a source tree, the baseline embedded in this program.
Baseline read_baseline(const RegressOptions& o) {
  const auto file = baseline_file(o);
  if (!o.baseline && !std::filesystem::exists(file))
    for (const EmbeddedFile& embedded : embedded_baselines())
      if (embedded.path == file) return {"this program's own", ordered_json::parse(embedded.text)};
  return {file, whole_baseline(
                    file, "there is no baseline; name one with --baseline FILE, or make one with --accept \"reason\"",
                    "restore it, or move it away and make a new one with --accept \"reason\"")};
}

/// Machines and cards that are not in the baseline are run only if they are named.
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
    fmt::print(stderr, "planar: not in the baseline and not run: {}; name them, or add them with --accept\n",
               fmt::join(left_out, ", "));
}

/// Throws Error if every run was of a machine that refuses the card and the baseline holds none of them.
void check_possible(const RegressReport& report, const std::vector<CellOutcome>& outcomes) {
  for (const RegressRow& row : report.rows)
    if (row.status != RegressRow::Status::added || !row.figures.contains("problem")) return;
  if (outcomes.empty() || !outcomes.front().refused()) return;
  const Cell& cell = outcomes.front().cell;
  throw Error(fmt::format("the baseline ({}) has no run of {} in {}, because the card does not fit: {}",
                          report.baseline_name, cell.card_option(), cell.machine, outcomes.front().problem));
}

/// Throws Error before the runs, not after them.
void check_accept(const RegressOptions& o) {
  if (!o.command.values.empty()) throw Error("--accept with --set: a baseline holds the values of the source tree");
  if (!o.baseline && !std::filesystem::is_directory("tests/baselines"))
    throw Error("--accept: this is not a source tree; name the file to write with --baseline FILE");
}

/// Throws Error if an output file is also another of the command's files.
void check_files(const RegressOptions& o, const std::vector<Cell>& cells, const MatrixOptions& matrix) {
  FileList files = matrix_files(*o.verb, cells, matrix);
  const auto file = baseline_file(o), named_by = "--baseline " + file;
  o.reason.empty() ? files.reads(file, named_by) : files.writes(file, named_by);
  files.check();
}

/// Throws the problem of a refused run if --set may be the cause: that is not a figure to compare.
void check_values(const RegressOptions& o, const std::vector<CellOutcome>& outcomes) {
  for (const CellOutcome& outcome : outcomes)
    if (!o.command.values.empty() && outcome.refused() && outcome.problem.starts_with("--set "))
      throw Error(outcome.problem);
}

/// Throws the problem of a run that failed because of the host: that is not a figure to store.
void check_whole(const std::vector<CellOutcome>& outcomes) {
  for (const CellOutcome& outcome : outcomes)
    if (outcome.broken())
      throw Error(outcome.failure() + "; the baseline is unchanged", static_cast<ExitCode>(outcome.status));
}

/// The baseline that --accept continues, without the rows that --drop names; null if there is none. Throws Error,
/// before the runs, if rows that are not run could not be kept, and for a file that is damaged or no baseline: it may
/// hold rows and a history that are worth more than the new ones.
ordered_json replaced_baseline(const RegressOptions& o, const std::vector<Cell>& cells, const MatrixOptions& matrix) {
  const auto file = baseline_file(o);
  if (!std::filesystem::exists(file)) return {};
  auto baseline = whole_baseline(file, "cannot be read", "restore it, or move it away to begin a new one");
  drop_rows(baseline, o.dropped);
  check_mergeable(baseline, make_baseline({}, matrix, {}), cells);
  return baseline;
}

MatrixOptions matrix_of(const RegressOptions& o) {
  MatrixOptions matrix = o.command.options(&Benchmark::regression);
  matrix.folder = o.folder;
  return matrix;
}

/// --accept: writes new measurements into the baseline and keeps those of its rows that were not run.
int accept(const RegressOptions& o) {
  check_accept(o);
  const MatrixOptions matrix = matrix_of(o);
  const auto cells = o.command.cells();
  check_files(o, cells, matrix);
  const ordered_json replaced = replaced_baseline(o, cells, matrix);
  const auto outcomes = run_matrix(cells, matrix);
  check_values(o, outcomes);
  if (const auto interrupted = interruption_text(outcomes, matrix); !interrupted.empty())
    throw Error(interrupted + "; the baseline is unchanged", interrupted_exit);
  check_whole(outcomes);
  auto made = make_baseline(outcomes, matrix, o.reason);
  const auto file = baseline_file(o);
  const std::size_t kept = replaced.is_null() ? 0 : rows_beside(replaced, cells).size();
  if (kept) made = merge_baseline(replaced, std::move(made));
  continue_history(made, replaced, cells.size(), fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))));
  const auto& entry = made["history"].back();
  if (const auto folder = std::filesystem::path(file).parent_path(); !folder.empty()) make_folder(folder);
  write_json(file, made, "--baseline");
  fmt::print("{}: {} accepted{}{}: {}\n", file, counted(cells.size(), "run"),
             kept ? fmt::format(", {} kept as {}", counted(kept, "other"), kept == 1 ? "it was" : "they were") : "",
             entry.contains("figures_changed")
                 ? fmt::format(", {} changed", counted(entry["figures_changed"].get<std::size_t>(), "figure"))
                 : "",
             o.reason);
  return 0;
}

int compare(const RegressOptions& o) {
  if (!o.dropped.empty()) throw Error("--drop takes rows out of the baseline that --accept writes");
  const MatrixOptions matrix = matrix_of(o);
  const Baseline stored = read_baseline(o);
  check_comparable(stored.content, make_baseline({}, matrix, {}));  // before the runs, not after them
  auto cells = o.command.cells();
  leave_out_new_cells(stored.content, o, cells);
  check_files(o, cells, matrix);
  const auto start = std::chrono::steady_clock::now();
  const auto outcomes = run_matrix(cells, matrix);
  check_values(o, outcomes);
  auto finished = outcomes;
  std::erase_if(finished, [](const CellOutcome& outcome) { return outcome.interrupted(); });
  RegressReport report(stored.name, stored.content, make_baseline(finished, matrix, {}), outcomes);
  check_possible(report, outcomes);
  report.host_seconds = rounded(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 3);
  const auto& json = o.command.json;
  if (json != "-") fmt::print("{}", report.text());
  if (o.junit) replace_file(*o.junit, report.junit(), "--junit");
  if (json) write_json(*json, report.json());
  if (const auto interrupted = interruption_text(outcomes, matrix); !interrupted.empty())
    throw Error(interrupted, interrupted_exit);
  return report.figures_that_differ() ? 1 : 0;
}

int run(const RegressOptions& o) {
  if (o.history) {
    refuse_beside(*o.verb, "--history", {"--baseline", "--do", "--quiet"},
                  "nothing is run, and the history is that of the whole baseline, whose file is JSON itself");
    fmt::print("{}", history_text(read_baseline(o).content));
    return 0;
  }
  if (o.command.converge) throw Error("--converge: a baseline holds exact figures, cycle for cycle; leave it out here");
  return o.reason.empty() ? compare(o) : accept(o);
}

}  // namespace

Verb add_regress(CLI::App& app) {
  auto o = std::make_shared<RegressOptions>();
  CLI::App* verb =
      app.add_subcommand("regress", "Run every card in every machine and compare with the stored baseline");
  o->verb = verb;
  o->command.add_to(*verb);
  o->command.add_converge(*verb, true);
  verb->add_option("--baseline", o->baseline,
                   "The baseline; unless given, tests/baselines/BENCHMARK.json where there is one (the source tree), "
                   "otherwise the one that this program was built with")
      ->type_name("FILE");
  verb->add_option("--results", o->folder, "Keep finished runs in this folder; running the same command again resumes")
      ->type_name("DIR");
  verb->add_flag("--fresh", o->command.matrix.fresh, "Repeat runs that are already in --results");
  verb->add_option("--accept", o->reason,
                   "Write what is measured now into the baseline, with the reason for the change; its rows that are "
                   "not run stay")
      ->type_name("REASON")
      ->check([](const std::string& reason) {
        return reason.empty() ? "is empty; say in a sentence why the figures change" : std::string();
      });
  verb->add_option("--drop", o->dropped,
                   "With --accept: rows that the baseline no longer has, by machine, card or \"MACHINE CARD\"")
      ->delimiter(',')
      ->type_name("ROW,...");
  verb->add_option("--junit", o->junit, "Write JUnit XML for build servers, one test case per run")->type_name("FILE");
  verb->add_flag("--history", o->history, "Run nothing: list when and why the baseline was accepted");
  verb->footer(
      "Examples:\n"
      "  planar regress   every card in every machine; exit 1 if a figure differs\n"
      "  planar regress --machines model56sx --cards ne2 --json now.json   one run, with every figure\n"
      "  planar regress --junit regress.xml --results runs   for a build server; resumes after an interruption\n"
      "  planar regress --history   when and why the baseline was accepted");
  return [o, verb] {
    o->all_machines = verb->count("--machines") == 0;
    o->all_cards = verb->count("--cards") == 0;
    return run(*o);
  };
}

}  // namespace planar
