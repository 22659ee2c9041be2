// SPDX-License-Identifier: GPL-2.0-or-later
// `planar compare`: machines x cards, all else equal.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "frontend/cli/matrix_options.hpp"
#include "frontend/cli/output.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/report/compare_report.hpp"

namespace planar {
namespace {

namespace fs = std::filesystem;

struct CompareOptions {
  MatrixCommand command;
  std::string folder;
};

int run(const CompareOptions& o) {
  MatrixOptions matrix = o.command.options();
  if (!o.folder.empty()) matrix.folder = fs::path(o.folder) / "runs";
  Comparison c{*matrix.benchmark, {},         o.command.machines, matrix.benchmark->sizes(matrix.sizes),
               matrix.seconds,    matrix.seed};
  c.outcomes = run_matrix(o.command.cells(), matrix);
  const auto json = comparison_json(c);
  const auto failure = host_failure_text(c.outcomes);
  if (!o.folder.empty() && failure.empty()) {
    const fs::path folder = o.folder;
    write_json((folder / "compare.json").string(), json, "--report");
    replace_file(folder / "compare.csv", comparison_csv(c), "--report");
    replace_file(folder / "compare.md", comparison_markdown(c), "--report");
    replace_file(folder / "compare.html", comparison_html(c), "--report");
  }
  if (o.command.json) write_json(*o.command.json, json);
  if (!o.command.json || *o.command.json != "-") {
    fmt::print("{}", comparison_text(c));
    if (!o.folder.empty() && failure.empty())
      fmt::print("\nreport: {}\n", (fs::path(o.folder) / "compare.html").string());
  }
  if (!o.folder.empty() && !failure.empty())
    say("planar: {}; the report in {} is as it was, the same command goes on\n", failure, o.folder);
  if (const auto text = interruption_text(c.outcomes, matrix); !text.empty()) throw Error(text, interrupted_exit);
  int status = 0;
  for (const CellOutcome& outcome : c.outcomes)
    if (!outcome.result && !outcome.refused()) status = std::max(status, outcome.status);
  return status;
}

}  // namespace

Verb add_compare(CLI::App& app) {
  auto o = std::make_shared<CompareOptions>();
  CLI::App* verb =
      app.add_subcommand("compare", "Run the same benchmark with many cards in many machines, side by side");
  o->command.add_to(*verb);
  verb->add_option("--report", o->folder,
                   "Write compare.html, .md, .csv and .json into this folder and keep the finished runs "
                   "there; the same command goes on from them")
      ->type_name("DIR");
  verb->add_flag("--fresh", o->command.matrix.fresh, "Do runs again that are in the folder already");
  return [o] { return run(*o); };
}

}  // namespace planar
