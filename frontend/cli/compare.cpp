// SPDX-License-Identifier: GPL-2.0-or-later
// `planar compare`: machines x cards, all else equal.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <memory>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "frontend/bond/bond.hpp"
#include "frontend/cli/matrix_options.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/comparison/compare_report.hpp"
#include "frontend/comparison/compare_timelines.hpp"
#include "frontend/comparison/plan.hpp"
#include "frontend/comparison/side_by_side.hpp"
#include "frontend/files/option_files.hpp"
#include "frontend/matrix/matrix_files.hpp"
#include "frontend/matrix/spread.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/output.hpp"

namespace planar {
namespace {

namespace fs = std::filesystem;

struct CompareOptions {
  MatrixCommand command;
  std::string folder;   ///< of the report
  std::string results;  ///< of the finished runs; default: the report's
  std::string merge;
  std::string timelines;  ///< their folder
  unsigned runs = 1;
  unsigned bond = 0;  ///< adapters of each run; 0: one
  bool plan = false;
  const CLI::App* verb = nullptr;
};

/// Throws Error if an output file is also another of the command's files.
void check_files(const CompareOptions& o, const SweepPlan& plan, const std::string& report_folder) {
  FileList files = matrix_files(*o.verb, plan.cells, plan.options);
  if (!report_folder.empty())
    add_folder_files(files, "--report", report_folder,
                     {"compare.json", "compare.csv", "compare.md", "compare.html", "plan.json"});
  files.check();
}

/// Throws Error if the benchmark's verb takes no --bond.
void check_bond(const CompareOptions& o, const Benchmark& benchmark) {
  const CLI::App* run = o.verb->get_parent()->get_subcommand(std::string(benchmark.verb));
  if (o.bond && !run->get_option_no_throw("--bond"))
    throw Error(fmt::format("--bond with --do {}: only netio and netperf use bonded adapters; leave one of the two out",
                            benchmark.name));
}

SweepPlan sweep(const CompareOptions& o) {
  SweepPlan plan;
  plan.options = o.command.options();
  check_bond(o, *plan.options.benchmark);
  for (const auto& machine : o.command.machines)
    if (std::find(plan.machines.begin(), plan.machines.end(), machine) == plan.machines.end())
      plan.machines.push_back(machine);
  plan.runs = o.runs;
  if (!o.folder.empty()) plan.options.folder = fs::path(o.folder) / "runs";
  if (!o.results.empty()) plan.options.folder = o.results;
  auto cells = o.command.cells();
  leave_out_other_buses(cells);
  for (Cell& cell : cells)
    if (o.bond) cell.settings.insert(cell.settings.end(), {"--bond", std::to_string(o.bond)});
  plan.cells = with_runs(cells, {plan.options.seed, o.command.placement, o.runs});
  return plan;
}

/// Whether every machine refuses its card.
bool nothing_fits(const std::vector<CellOutcome>& outcomes) {
  return !outcomes.empty() && std::all_of(outcomes.begin(), outcomes.end(), [](const CellOutcome& outcome) {
    return !outcome.result && outcome.refused();
  });
}

/// Writes and prints the results of a plan's runs; returns the exit code of the worst of them.
int report(const SweepPlan& plan, const std::vector<CellOutcome>& outcomes, const std::string& folder_name,
           const std::string& timelines, const std::optional<std::string>& json_file) {
  const MatrixOptions& matrix = plan.options;
  Comparison c{*matrix.benchmark, {},         plan.machines, matrix.benchmark->sizes(matrix.sizes),
               matrix.seconds,    matrix.seed};
  c.outcomes = combine_outcomes(outcomes, plan.runs);
  const bool interrupted = !interruption_text(outcomes, matrix).empty();
  if (!timelines.empty() && !interrupted) c.pictures = compare_timelines(outcomes, matrix, timelines);
  const auto json = comparison_json(c);
  const auto failure = host_failure_text(outcomes);
  const bool print = json_file != "-" && !nothing_fits(outcomes);
  if (print) fmt::print("{}", comparison_text(c));  // before anything that may fail
  if (json_file) write_json(*json_file, json);
  if (!folder_name.empty() && failure.empty()) {
    const fs::path folder = folder_name;
    make_folder(folder);  // --merge has created no folder for runs in it
    write_json((folder / "compare.json").string(), json, "--report");
    replace_file(folder / "compare.csv", comparison_csv(c), "--report");
    replace_file(folder / "compare.md", comparison_markdown(c), "--report");
    replace_file(folder / "compare.html", comparison_html(c), "--report");
    if (print) fmt::print("\nreport: {}\n", (folder / "compare.html").string());
  }
  if (!folder_name.empty() && !failure.empty())
    say("planar: {}; the report in {} is unchanged; running the same command again resumes\n", failure, folder_name);
  int status = 0;
  for (const CellOutcome& outcome : outcomes)
    if (!outcome.result && !outcome.refused() && !outcome.interrupted()) status = std::max(status, outcome.status);
  return status;
}

/// Reports on runs made by other processes.
int merge(const CompareOptions& o) {
  const SweepPlan plan = load_plan(o.merge);
  check_files(o, plan, o.folder.empty() ? o.merge : o.folder);
  const auto outcomes = finished_runs(plan.cells, plan.options);
  const int status = report(plan, outcomes, o.folder.empty() ? o.merge : o.folder, {}, o.command.json);
  std::vector<std::string> missing;
  for (const CellOutcome& outcome : outcomes)
    if (outcome.interrupted()) missing.push_back(outcome.cell.key());
  if (missing.empty()) return status;
  throw Error(
      fmt::format("{} of {} runs are not finished in {}, or were made by another build or from another plan; {}{}",
                  missing.size(), outcomes.size(), plan.options.folder.string(),
                  fmt::join(missing.begin(), missing.begin() + std::min<std::ptrdiff_t>(3, std::ssize(missing)), ", "),
                  missing.size() > 3 ? ", ..." : ""),
      ExitCode::scenario_failed);
}

int run(const CompareOptions& o) {
  if (!o.merge.empty()) {
    refuse_beside(*o.verb, "--merge", {"--report", "--json", "--quiet"},
                  "the plan says what was run, and nothing is run now");
    return merge(o);
  }
  if (o.plan && !o.timelines.empty())
    throw Error(fmt::format("--timeline {}: --plan runs nothing here; leave one of the two out", o.timelines));
  if (o.plan && o.command.json)
    throw Error("--plan and --json: a plan has no figures yet; give --json with the command that runs it");
  const SweepPlan plan = sweep(o);
  check_files(o, plan, o.folder);
  if (o.plan) {
    if (o.folder.empty()) throw Error("--plan: name the folder of the report with --report DIR; the runs go below it");
    save_plan(plan, o.folder);
    fmt::print("{}", plan.lines());
    return 0;
  }
  if (!o.folder.empty()) {  // refused before the runs, not after them
    make_folder(o.folder);
    check_place((fs::path(o.folder) / "compare.html").string(), "--report " + o.folder);
  }
  const auto outcomes = run_matrix(plan.cells, plan.options);
  const int status = report(plan, outcomes, o.folder, o.timelines, o.command.json);
  if (const auto text = interruption_text(outcomes, plan.options); !text.empty()) throw Error(text, interrupted_exit);
  // A line of a plan may name a card that does not fit the machine; its refusal is the stored result.
  if (nothing_fits(outcomes)) {
    const auto text = fmt::format("nothing was compared: {}", outcomes.front().problem);
    if (o.results.empty()) throw Error(text);
    say("planar: {}\n", text);
  }
  return status;
}

}  // namespace

Verb add_compare(CLI::App& app) {
  auto o = std::make_shared<CompareOptions>();
  CLI::App* verb =
      app.add_subcommand("compare", "Run the same benchmark with many cards in many machines, side by side");
  o->verb = verb;
  o->command.add_to(*verb);
  o->command.add_converge(*verb);
  verb->add_option("--report", o->folder,
                   "Write compare.html, .md, .csv and .json into this folder and keep the finished runs there; running "
                   "the same command again resumes")
      ->type_name("DIR");
  verb->add_option("--results", o->results, "Keep the finished runs in this folder; the report's by default")
      ->type_name("DIR");
  verb->add_option("--timeline", o->timelines,
                   "Run each card briefly once more and write the timeline of one of its data frames into this folder; "
                   "the report draws each frame's path, one card above the other (docs/timeline.md)")
      ->type_name("DIR");
  verb->add_flag("--fresh", o->command.matrix.fresh, "Repeat runs that are already in the folder");
  add_runs_option(*verb, o->runs,
                  "Runs of each card in each machine, each with the next seed (from --seed on) and in the next of the "
                  "guest's eight placements (unless --placement names one): the tables then hold means and their 95 % "
                  "confidence");
  verb->add_option("--bond", o->bond, "Put this many of its card into each machine and bond them (planar netio --help)")
      ->type_name("N")
      ->check(CLI::Range(2u, BondOptions::most));
  verb->add_flag("--plan", o->plan,
                 "Only list the runs, one per line (estimated cost, result file, command), for GNU parallel, Slurm or "
                 "Dask, and save the plan in the folder of --report");
  verb->add_option("--merge", o->merge,
                   "Write the report from the finished runs of the plan in this folder; run nothing")
      ->type_name("DIR");
  verb->footer(
      "Examples:\n"
      "  planar compare --machines model95 --report out   every card in one machine: table, plots, JSON\n"
      "  planar compare --machines model95 --cards ne2,3c527 --report out --timeline out/timelines   why they differ\n"
      "  planar compare --machines model95 --cards ne2,3c527 --runs 8   means and 95 % confidence over eight "
      "placements\n"
      "  planar compare --machines model95,pc-p166 --cards ne2,3c905b   a Micro Channel card and a PCI card, each "
      "where "
      "it fits\n"
      "  planar compare --runs 100 --report sweep --plan > plan.tsv   one line per run (docs/sweeps.md)\n"
      "  planar compare --machines model95 --converge 1   packet sizes end early once they have settled\n"
      "  planar compare --do netio-receive --machines model95   the other direction: the guest receives\n"
      "  planar compare --merge sweep   the report of the finished runs");
  return [o] { return run(*o); };
}

}  // namespace planar
