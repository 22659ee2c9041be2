// SPDX-License-Identifier: GPL-2.0-or-later
// `planar published`: every published cell beside planar's, what each row was used for, and the overall agreement.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <set>

#include "core/common/error.hpp"
#include "frontend/cli/matrix_options.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/comparison/converged.hpp"
#include "frontend/guest/guest_image.hpp"
#include "frontend/guest_benchmarks/benchmark_run.hpp"
#include "frontend/matrix/cache_note.hpp"
#include "frontend/matrix/matrix_files.hpp"
#include "frontend/matrix/spread.hpp"
#include "frontend/output/output.hpp"
#include "frontend/published/published_report.hpp"
#include "frontend/published/residual_record.hpp"
#include "frontend/published/sensitivity_report.hpp"

namespace planar {
namespace {

struct PublishedOptions {
  MatrixCommand command;
  std::string folder;
  bool chosen = false;
  bool sensitivity = false;
  bool check = false;
  std::string record;  // file
  const CLI::App* verb = nullptr;
  unsigned placements = guest_placements;
};

/// A run of the row's machine, or of the one that it is a variant of.
bool same_machine(const Cell& cell, const PublishedRow& row) {
  return cell.machine == row.machine || cell.machine == row.group;
}

[[noreturn]] void refuse_empty(const std::vector<PublishedRow>& print, const std::vector<Cell>& asked) {
  std::set<std::string> cards;
  for (const PublishedRow& row : print)
    for (const Cell& cell : asked)
      if (same_machine(cell, row)) cards.insert(row.card);
  throw Error(fmt::format("no published row is of these machines and cards; {}",
                          cards.empty()
                              ? "docs/published.md has the machines that were measured"
                              : fmt::format("of these machines there are rows with {}", fmt::join(cards, ", "))));
}

/// Only cells with a row in the tables are run: the rows of the selected machines and cards, where a machine stands for
/// its variants. Each run lasts as long as the author's unless the user gives a duration (floods of a fraction of a
/// second keep theirs), and has the table's sizes unless the user gives `sizes`, which apply to the rows that have
/// several. Throws Error if there are none.
std::vector<Cell> cells_of(const std::vector<PublishedRow>& print, const std::vector<Cell>& asked, bool own_seconds,
                           bool sizes) {
  std::vector<Cell> cells;
  for (const PublishedRow& row : print) {
    if (row.repeats || !row.missing.empty()) continue;
    const auto found = std::find_if(asked.begin(), asked.end(),
                                    [&](const Cell& cell) { return same_machine(cell, row) && cell.card == row.card; });
    if (found == asked.end()) continue;
    Cell cell{row.machine, row.card, row.arguments, row.options, row.variant()};
    cell.placement = found->placement;
    if (own_seconds || (row.seconds && parse_seconds(*row.seconds) < 1_s)) cell.seconds = row.seconds;
    if (!sizes || row.single()) cell.sizes = row.sizes();
    cell.benchmark = &find_benchmark(row.benchmark);
    cell.settings.insert(cell.settings.end(), found->settings.begin(), found->settings.end());
    cells.push_back(std::move(cell));
  }
  if (cells.empty()) refuse_empty(print, asked);
  return cells;
}

/// Throws Error for --sizes with which no row would have a figure; with --sensitivity, which judges averages, with
/// which a row would have none.
void check_sizes(const PublishedOptions& o, const std::vector<PublishedRow>& print, const std::vector<Cell>& cells) {
  if (!o.command.sizes) return;
  std::set<std::uint32_t> published, average;
  for (const PublishedRow& row : print)
    if (std::any_of(cells.begin(), cells.end(),
                    [&](const Cell& cell) { return !cell.sizes && is_run_of(cell, row); })) {
      for (const auto& [size, figure] : row.figures) published.insert(size);
      average.insert(row.average_sizes.begin(), row.average_sizes.end());
    }
  if (published.empty())
    throw Error("--sizes: each of these rows has one published figure, of its own size; leave --sizes out");
  const auto asked = parse_sizes(*o.command.sizes, o.command.sizes->size(), 0xFFFF);
  const auto asked_for = [&](std::uint32_t size) { return std::find(asked.begin(), asked.end(), size) != asked.end(); };
  if (std::none_of(published.begin(), published.end(), asked_for))
    throw Error(fmt::format("--sizes {}: nothing was published for these sizes; choose from {}, or leave --sizes out",
                            *o.command.sizes, fmt::join(published, ",")));
  if (o.sensitivity && !std::all_of(average.begin(), average.end(), asked_for))
    throw Error(
        fmt::format("--sensitivity and --sizes {}: the averages that are judged are over {}; name these, or "
                    "leave --sizes out",
                    *o.command.sizes, fmt::join(average, ",")));
}

/// Throws Error for --sizes and --converge if they apply to none of the rows that are run.
void check_followed(const PublishedOptions& o, const std::vector<PublishedRow>& print, const std::vector<Cell>& cells,
                    const MatrixOptions& matrix) {
  const auto none = [&](auto follows) { return std::none_of(cells.begin(), cells.end(), follows); };
  check_sizes(o, print, cells);
  if (!matrix.converge.empty() && none([&](const Cell& cell) { return matrix.may_converge(cell); }))
    throw Error("--converge: netio alone can end early, and these rows are of other programs; leave --converge out");
}

/// Each cell in the first `placements` placements of the guest.
std::vector<Cell> in_placements(const std::vector<Cell>& cells, unsigned placements) {
  if (placements == 1) return cells;
  std::vector<Cell> list;
  for (const Cell& cell : cells)
    for (unsigned n = 0; n < placements; ++n) {
      list.push_back(cell);
      list.back().placement = n;
    }
  return list;
}

/// The machines whose scores are shown; a variant is scored with its base machine.
std::vector<std::string> scored(const std::vector<PublishedRow>& print, const std::vector<std::string>& machines) {
  std::vector<std::string> list;
  for (const auto& machine : machines) {
    const auto row = std::find_if(print.begin(), print.end(), [&](const auto& r) { return r.machine == machine; });
    const auto& group = row == print.end() ? machine : row->group;
    if (std::find(list.begin(), list.end(), group) == list.end()) list.push_back(group);
  }
  return list;
}

/// The additional runs of one row, in the order in which they are made: each uncertain value at its low and its high
/// end, then the tick phases.
struct Variations {
  std::vector<UncertainValue> values;

  explicit Variations(const Cell& cell) : values(uncertain_values(cell)) {
    const auto of_card = inferred_times(cell.card);
    values.insert(values.end(), of_card.begin(), of_card.end());
  }
  std::size_t runs() const { return 2 * values.size() + tick_phases.size(); }
  void add_to(std::vector<Cell>& cells, const Cell& cell) const {
    for (const UncertainValue& v : values)
      for (const std::string& end : {v.low, v.high}) cells.push_back(with_value(cell, v.name, end));
    for (const char* phase : tick_phases) cells.push_back(with_value(cell, "peer.tick_phase", phase));
  }
};

/// A row with the effects of its variations, whose outcomes start at `outcome`.
SensitiveRow varied(const ScoredRow& row, const Variations& variations, const CellOutcome* outcome) {
  SensitiveRow sensitive{row, {}, {}};
  const auto average = [&](const CellOutcome& o) {
    ScoredRow moved = row;
    moved.ours = &o;
    return moved.average();
  };
  for (const UncertainValue& v : variations.values) {
    sensitive.effects.push_back({v, average(outcome[0]), average(outcome[1])});
    outcome += 2;
  }
  for (const char* phase : tick_phases) {
    std::optional<double> load;
    if (outcome->result) load = (*outcome->result)["cpu_load_percent"].get<double>();
    sensitive.phases.push_back({phase, average(*outcome), load});
    ++outcome;
  }
  return sensitive;
}

void check_host(const std::vector<CellOutcome>& outcomes) {
  if (const auto failure = host_failure_text(outcomes); !failure.empty())
    throw Error(failure + "; nothing is written; running the same command again resumes", ExitCode::missing_file);
}

/// Runs each row unchanged, with each uncertain value at both ends, and with other tick phases.
int run_sensitivity(const PublishedOptions& o, const std::vector<PublishedRow>& print, const MatrixOptions& matrix) {
  const auto base = cells_of(print, o.command.cells(), !o.command.seconds, o.command.sizes.has_value());
  check_sizes(o, print, base);
  std::vector<Cell> cells = base;
  std::vector<Variations> variations;
  for (const Cell& cell : base) {
    variations.emplace_back(cell);
    variations.back().add_to(cells, cell);
  }
  const auto outcomes = run_matrix(cells, matrix);
  check_host(outcomes);
  if (const auto interrupted = interruption_text(outcomes, matrix); !interrupted.empty())
    throw Error(interrupted, interrupted_exit);
  const std::vector<CellOutcome> as_is(outcomes.begin(), outcomes.begin() + static_cast<std::ptrdiff_t>(base.size()));
  std::vector<SensitiveRow> rows;
  for (const ScoredRow& row : score_rows(print, as_is)) {
    if (!row.ours || row.print.repeats) continue;
    const auto place = static_cast<std::size_t>(row.ours - as_is.data());
    std::size_t first = base.size();
    for (std::size_t n = 0; n < place; ++n) first += variations[n].runs();
    rows.push_back(varied(row, variations[place], outcomes.data() + first));
  }
  const auto note = cache_note(outcomes);
  if (o.command.json != "-")
    fmt::print("{}{}", sensitivity_text(rows), note.empty() ? "" : "\n" + wrapped(note, 0) + "\n");
  if (o.command.json) {
    auto json = sensitivity_json(rows);
    if (!note.empty()) json["host"]["from_cache"] = note;
    write_json(*o.command.json, json);
  }
  return 0;
}

/// The conditions that the user gives; with --check those of the record, because figures of different durations cannot
/// be compared.
RecordConditions run_conditions(const PublishedOptions& o, const MatrixOptions& matrix) {
  const RecordConditions asked{o.command.seconds.value_or(std::string{}), matrix.converge};
  if (!o.check) return asked;
  const RecordConditions of_record = conditions_of(embedded_record());
  if (asked != RecordConditions{} && asked != of_record)
    throw Error(fmt::format("the recorded residuals are those of {}; leave --seconds and --converge out",
                            of_record.text().empty() ? "whole runs" : of_record.text()));
  return of_record;
}

void write_record(const PublishedOptions& o, const RecordConditions& conditions, const std::vector<ScoredRow>& rows,
                  const nlohmann::ordered_json& before) {
  write_json(o.record, merge_record(before, make_record(rows, conditions)), "--record");
  say("planar: the residuals are in {}\n", o.record);
}

int run(const PublishedOptions& o) {
  if (o.chosen) {
    refuse_beside(*o.verb, "--chosen", {"--quiet"}, "nothing is run, and the list is of all values, as text");
    fmt::print("{}", chosen_by_print_table());
    return 0;
  }
  MatrixOptions matrix = o.command.options();
  matrix.folder = o.folder;
  const RecordConditions conditions = run_conditions(o, matrix);
  if (!conditions.seconds.empty()) matrix.seconds = conditions.seconds;
  matrix.converge = conditions.converge;
  const auto print = published_rows();
  if (o.sensitivity && !matrix.converge.empty())
    throw Error(
        "--sensitivity and --converge: the effect of a value may be smaller than the uncertainty of figures that ended "
        "early; leave one of the two out");
  for (const char* option : {"--placements", "--check", "--record"})
    if (o.sensitivity && o.verb->count(option))
      throw Error(
          fmt::format("--sensitivity and {}: each row is run in one placement, and varied, not recorded; leave "
                      "one of the two out",
                      option));
  if (o.sensitivity) return run_sensitivity(o, print, matrix);
  const unsigned placements = o.command.placement ? 1 : o.placements;
  const auto rows_run = cells_of(print, o.command.cells(), conditions.seconds.empty(), o.command.sizes.has_value());
  check_followed(o, print, rows_run, matrix);
  const auto cells = in_placements(rows_run, placements);
  matrix_files(*o.verb, cells, matrix).check();
  const auto record = o.record.empty() ? nlohmann::ordered_json() : record_before(o.record, conditions);
  const auto runs = run_matrix(cells, matrix);
  check_host(runs);
  const auto outcomes = combine_outcomes(runs, placements);
  const auto rows = score_rows(print, outcomes);
  const auto machines = scored(print, o.command.machines);
  const auto failures = o.check ? outside_bands(rows, embedded_record()) : std::vector<std::string>{};
  const auto interrupted = interruption_text(runs, matrix);
  int status = failures.empty() ? 0 : 1;
  for (const CellOutcome& outcome : outcomes)
    if (!outcome.result && !outcome.interrupted()) status = std::max(status, outcome.status);
  if (!interrupted.empty()) status = static_cast<int>(interrupted_exit);
  if (!interrupted.empty()) say("planar: {}\n", interrupted);
  if (o.command.json != "-") {
    fmt::print("{}", published_text(rows, machines));
    if (placements > 1)
      fmt::print("\nfigures are means over {} placements of the guest; ± is half of their 95 % confidence interval\n",
                 placements);
    if (const auto note = converged_note(outcomes); !note.empty()) fmt::print("\n{}; it is not scored\n", note);
    if (const auto note = cache_note(outcomes); !note.empty()) fmt::print("\n{}\n", wrapped(note, 0));
    for (const auto& failure : failures) fmt::print("outside its band: {}\n", failure);
    if (o.check && failures.empty()) fmt::print("\nevery row that was run is within its recorded band\n");
  }
  if (!o.record.empty() && interrupted.empty()) write_record(o, conditions, rows, record);
  if (o.command.json) {
    auto j = published_json(rows, machines);
    j["missed"] = failures;
    if (!interrupted.empty()) j["interrupted"] = true;
    write_json(*o.command.json, j);
  }
  return status;
}

}  // namespace

Verb add_published(CLI::App& app) {
  auto o = std::make_shared<PublishedOptions>();
  CLI::App* verb = app.add_subcommand(
      "published", "Run the published measurements and show every figure beside planar's, with the score");
  o->verb = verb;
  o->command.add_to(*verb, false);
  o->command.add_converge(*verb);
  verb->add_option("--results", o->folder, "Keep finished runs in this folder; running the same command again resumes")
      ->type_name("DIR");
  verb->add_flag("--chosen", o->chosen,
                 "Run nothing: list the values that were calibrated to published figures or chosen knowing them");
  verb->add_flag(
      "--sensitivity", o->sensitivity,
      "Also run each row with the uncertain values that all cards share (server's turnaround, channel, DRAM, cable) "
      "and the "
      "card's own inferred times at both ends of their range, and with other phases between the two machines' clock "
      "ticks; say whether the published figure and load lie within the bands (15 to 50 runs per row)");
  verb->add_option("--placements", o->placements,
                   "Score the mean over this many of the guest's placements, with its 95 % confidence interval")
      ->type_name("N")
      ->check(CLI::Range(1u, guest_placements))
      ->capture_default_str();
  verb->add_flag("--check", o->check,
                 "Fail (exit code 1) with the name of each row whose residual is outside its recorded band: what the "
                 "placements of the guest gave when the record was made, and 1 % on either side");
  verb->add_option("--record", o->record,
                   "Write the residuals of the rows that are run to this file; the other rows are kept from it or, if "
                   "it is new, "
                   "taken from the built-in record, which is built from frontend/published/residuals.json")
      ->type_name("FILE");
  verb->add_flag("--fresh", o->command.matrix.fresh, "Repeat runs that are already in --results");
  verb->footer(
      "Examples:\n"
      "  planar published --machines model56sx,model95   Arnold's table: netio on Ethernet\n"
      "  planar published --machines model9595,att3325   Gehl's tables: netio on Token Ring\n"
      "  planar published --machines pc-p166 --seconds 10   Siegert's table: netperf on Fast Ethernet, 60 s without "
      "--seconds\n"
      "  planar published --check   every row within its recorded band?");
  return [o] { return run(*o); };
}

}  // namespace planar
