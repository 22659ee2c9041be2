// SPDX-License-Identifier: GPL-2.0-or-later
// `planar published`: every published cell beside ours, what each row was used for, and how near the whole comes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/common/error.hpp"
#include "frontend/cli/matrix_options.hpp"
#include "frontend/cli/output.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/published/score.hpp"
#include "frontend/report/labels.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

/// What is asked of a machine's rows; `planar published` is red (exit 1) when one is missed.
struct Demand {
  const char* machine;
  double mape, rank, prediction_mape;
  std::optional<double> load_error;
};
constexpr Demand demands[] = {{"model56sx", 5, 0.85, 6, {}}, {"model95", 4, 0.85, 5, 3.0}};

struct Options {
  MatrixCommand command;
  std::string folder;
  bool chosen = false;
};

/// What the row was used for.
std::string use_of(const PublishedRow& p) {
  if (p.prediction()) return "prediction";
  std::string use;
  if (!p.calibrated.empty()) use = "calibrated: " + p.calibrated;
  if (!p.informed.empty()) use += (use.empty() ? "" : "; ") + std::string("informed: ") + p.informed;
  return use;
}

std::string signed_percent(std::optional<double> value) { return value ? fmt::format("{:+.1f}", *value) : "-"; }

std::string figure(std::optional<double> value, int decimals = 1) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

void print_row(const ScoredRow& row) {
  const auto& p = row.print;
  std::string use = use_of(p);
  if (row.hypothetical) use = "prediction, hypothetical interface";
  fmt::print("{:<30}", p.title);
  for (const auto size : published_sizes) {
    const auto cell = p.kb_per_s.find(size);
    const char mark = p.fitted_sizes.contains(size) ? '*' : p.informed_sizes.contains(size) ? '~' : ' ';
    fmt::print(" {:>8}{}", cell == p.kb_per_s.end() ? "-" : fmt::format("{:.1f}", cell->second), mark);
  }
  fmt::print(" {:>7}{}  {}\n", p.load ? fmt::format("{:.1f} %", *p.load) : "-", p.load_fitted ? '*' : ' ', use);
  if (!row.run()) {
    fmt::print("{:<30} not run: {}\n", "  planar", row.ours ? row.ours->problem : "not among --machines and --cards");
    return;
  }
  fmt::print("{:<30}", "  planar");
  for (const auto size : published_sizes)
    fmt::print(" {:>8} ", figure(row.ours->figure(find_benchmark(published_benchmark), size)));
  fmt::print(" {:>5.1f} %\n{:<30}", (*row.ours->result)["cpu_load_percent"].get<double>(),
             "  residual %, load in points");
  for (const auto size : published_sizes) fmt::print(" {:>8} ", signed_percent(row.residual(size)));
  fmt::print(" {:>7}   plateau {} %\n", signed_percent(row.load_residual()), signed_percent(row.plateau_residual()));
}

ordered_json number(std::optional<double> value, int decimals) {
  if (!value) return nullptr;
  const double scale = std::pow(10.0, decimals);
  return std::round(*value * scale) / scale;
}

ordered_json score_json(const Score& s) {
  return {{"rows", s.rows},
          {"plateau_mape_percent", number(s.mape, 2)},
          {"all_sizes_mape_percent", number(s.all_sizes, 2)},
          {"rank_correlation", number(s.rank, 3)},
          {"load_error_points", number(s.load_error, 2)},
          {"median_predictor_mape_percent", number(s.median_mape, 2)},
          {"skill", number(s.skill, 3)}};
}

void print_score(const std::string& machine, const char* which, const Score& s) {
  fmt::print("{:<11} {:<12} {:>4} {:>9} {:>9} {:>8} {:>10} {:>12} {:>7}\n", machine, which, s.rows, figure(s.mape, 2),
             figure(s.all_sizes, 2), figure(s.rank, 3), figure(s.load_error, 2), figure(s.median_mape, 2),
             figure(s.skill, 2));
}

/// Demands that are missed, in words.
std::vector<std::string> missed(const std::vector<ScoredRow>& rows) {
  std::vector<std::string> list;
  const auto check = [&](const Demand& d, const char* what, std::optional<double> value, double limit, bool at_most) {
    if (value && (at_most ? *value > limit : *value < limit))
      list.push_back(fmt::format("{}: {} is {:.2f}, wanted {} {}", d.machine, what, *value,
                                 at_most ? "at most" : "at least", limit));
  };
  for (const Demand& d : demands) {
    const Score all = score(rows, d.machine, Rows::all), predicted = score(rows, d.machine, Rows::prediction);
    check(d, "plateau MAPE (%)", all.mape, d.mape, true);
    check(d, "rank correlation", all.rank, d.rank, false);
    check(d, "plateau MAPE of predictions (%)", predicted.mape, d.prediction_mape, true);
    if (d.load_error) check(d, "load error (points)", all.load_error, *d.load_error, true);
  }
  return list;
}

ordered_json row_json(const ScoredRow& row) {
  ordered_json j{{"machine", row.print.machine},
                 {"card", row.print.card},
                 {"printed_as", row.print.title},
                 {"medium", to_string(find_adapter(row.print.card).medium)},
                 {"hypothetical", row.hypothetical},
                 {"use", row.hypothetical               ? "apart"
                         : row.print.prediction()       ? "prediction"
                         : row.print.calibrated.empty() ? "informed-by-published"
                                                        : "calibration"}};
  if (!row.print.calibrated.empty()) j["calibrated"] = row.print.calibrated;
  if (!row.print.informed.empty()) j["informed"] = row.print.informed;
  j["cells"] = ordered_json::array();
  for (const auto& [size, value] : row.print.kb_per_s)
    j["cells"].push_back(
        {{"packet_bytes", size},
         {"print_kb_per_s", value},
         {"kb_per_s",
          row.run() ? number(row.ours->figure(find_benchmark(published_benchmark), size), 2) : ordered_json()},
         {"residual_percent", number(row.residual(size), 2)},
         {"fitted", row.print.fitted_sizes.contains(size)},
         {"in_view", row.print.informed_sizes.contains(size)}});
  if (row.print.load) j["print_load_percent"] = *row.print.load;
  if (row.run())
    j["load_percent"] = (*row.ours->result)["cpu_load_percent"];
  else
    j["not_run"] = row.ours ? row.ours->problem : "not asked for";
  return j;
}

int run(const Options& o) {
  if (o.chosen) {
    fmt::print("{}", chosen_by_print_table());
    return 0;
  }
  MatrixOptions matrix = o.command.options();
  matrix.folder = o.folder;
  // Only what print has a row for is run.
  const auto print = published_ethernet();
  std::vector<Cell> cells;
  for (const Cell& cell : o.command.cells())
    for (const PublishedRow& row : print)
      if (row.machine == cell.machine && row.card == cell.card) cells.push_back(cell);
  const auto outcomes = run_matrix(cells, matrix);
  const auto rows = score_rows(print, outcomes);
  const auto failures = missed(rows);
  if (o.command.json) {
    ordered_json j{
        {"schema", "planar.published/1"}, {"rows", ordered_json::array()}, {"scores", ordered_json::array()}};
    for (const ScoredRow& row : rows) j["rows"].push_back(row_json(row));
    for (const auto& machine : o.command.machines)
      j["scores"].push_back({{"machine", machine},
                             {"all", score_json(score(rows, machine, Rows::all))},
                             {"calibration", score_json(score(rows, machine, Rows::calibration))},
                             {"informed_by_published", score_json(score(rows, machine, Rows::informed))},
                             {"prediction", score_json(score(rows, machine, Rows::prediction))},
                             {"apart", score_json(score(rows, machine, Rows::apart))}});
    j["missed"] = failures;
    write_json(*o.command.json, j);
    if (*o.command.json == "-") return failures.empty() ? 0 : 1;
  }
  fmt::print("{:<30}", "KB/s; * fitted, ~ in view");
  for (const auto size : published_sizes) fmt::print(" {:>8} ", size_name(size));
  fmt::print(" {:>7}\n", "load");
  const bool apart = std::any_of(rows.begin(), rows.end(), [](const ScoredRow& row) { return row.hypothetical; });
  for (const ScoredRow& row : rows)
    if (!row.hypothetical) print_row(row);
  if (apart) fmt::print("\nApart, in no score below but its own: cards whose interface is planar's own declaration\n");
  for (const ScoredRow& row : rows)
    if (row.hypothetical) print_row(row);
  fmt::print("\n{:<11} {:<12} {:>4} {:>9} {:>9} {:>8} {:>10} {:>12} {:>7}\n", "machine", "rows of", "rows", "plateau %",
             "all %", "rank", "load pts", "median pr. %", "skill");
  for (const auto& machine : o.command.machines) {
    print_score(machine, "all", score(rows, machine, Rows::all));
    print_score(machine, "calibration", score(rows, machine, Rows::calibration));
    print_score(machine, "informed", score(rows, machine, Rows::informed));
    print_score(machine, "prediction", score(rows, machine, Rows::prediction));
    if (const Score s = score(rows, machine, Rows::apart); s.rows) print_score(machine, "apart", s);
  }
  for (const auto& failure : failures) fmt::print("missed: {}\n", failure);
  return failures.empty() ? 0 : 1;
}

}  // namespace

Verb add_published(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("published", "Run what was published and print every cell beside ours, with the score");
  o->command.add_to(*verb, false);
  o->command.benchmark = published_benchmark;
  verb->add_option("--results", o->folder, "Keep finished runs in this folder; the same command goes on from them")
      ->type_name("DIR");
  verb->add_flag("--chosen", o->chosen,
                 "Run nothing: list the values that were fitted on print or chosen with it in view");
  verb->add_flag("--fresh", o->command.matrix.fresh, "Do runs again that are in --results already");
  return [o] { return run(*o); };
}

}  // namespace planar
