// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/comparison/plan.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/kept/kept_json.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"
#include "frontend/kept/schema.hpp"
#include "frontend/output/output.hpp"
#include "frontend/output/provenance.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

/// This program as its user has called it ("./planar"), so that the commands of a plan can be pasted.
std::string called_as() {
  const auto words = host_command_line();
  return words.empty() || words.front().empty() ? "planar" : words.front();
}

std::string command(const std::string& program, const Cell& cell, const MatrixOptions& o) {
  std::vector<std::string> words{program,      "compare",
                                 "--do",       std::string(o.benchmark->name),
                                 "--machines", cell.machine,
                                 "--cards",    cell.card_option(),
                                 "--seconds",  o.seconds,
                                 "--sizes",    o.sizes,
                                 "--seed",     std::to_string(cell.seed.value_or(o.seed)),
                                 "--results",  o.folder.string(),
                                 "--jobs",     "1",
                                 "--quiet"};
  if (!o.converge.empty()) words.insert(words.end(), {"--converge", o.converge});
  if (cell.placement) words.insert(words.end(), {"--placement", std::to_string(*cell.placement)});
  words.insert(words.end(), cell.settings.begin(), cell.settings.end());
  return shell_line(words);
}

ordered_json cell_json(const Cell& cell, const MatrixOptions& o) {
  ordered_json j{{"machine", cell.machine}, {"card", cell.card}};
  if (!cell.options.empty()) j["card_options"] = cell.options;
  j["seed"] = cell.seed.value_or(o.seed);
  j["placement"] = cell.placement.value_or(0);
  j["settings"] = cell.settings;
  j["file"] = o.file_of(cell);
  return j;
}

}  // namespace

std::string SweepPlan::lines() const {
  std::string out;
  const std::string program = called_as();
  for (const std::size_t n : longest_first(cells, options))
    out += fmt::format("{}\t{}\t{}\n", estimated_cost(cells[n], options),
                       (options.folder / options.file_of(cells[n])).string(), command(program, cells[n], options));
  return out;
}

ordered_json SweepPlan::json() const {
  ordered_json j{{"schema", "planar.plan/1"},
                 {"planar", program_provenance()},
                 {"do", options.benchmark->name},
                 {"seconds", options.seconds},
                 {"sizes", options.sizes},
                 {"seed", options.seed},
                 {"runs", runs},
                 {"machines", machines},
                 {"cells", ordered_json::array()}};
  if (!options.converge.empty()) j["converge"] = options.converge;
  for (const Cell& cell : cells) j["cells"].push_back(cell_json(cell, options));
  return j;
}

void save_plan(const SweepPlan& plan, const fs::path& folder) {
  fs::create_directories(plan.options.folder);
  write_json((folder / "plan.json").string(), plan.json());
}

SweepPlan load_plan(const fs::path& folder) {
  const fs::path file = folder / "plan.json";
  constexpr const char* remedy = "make it again with planar compare --report DIR --plan";
  const auto j =
      read_json(file.string(), 256 << 20, "there is no plan; make one with planar compare --report DIR --plan",
                "is no plan (it has at most 256 MB)", remedy);
  const auto refuse = [&](const std::string& problem) {
    throw Error(fmt::format("{}: is not a plan: {}; {}", file.string(), problem, remedy), ExitCode::missing_file);
  };
  if (const auto problem = Schemas().problem("plan", j); !problem.empty()) refuse(problem);
  try {
    SweepPlan plan;
    plan.options.benchmark = &find_benchmark(j.at("do").get<std::string>());
    plan.options.seconds = j.at("seconds").get<std::string>();
    plan.options.sizes = j.at("sizes").get<std::string>();
    plan.options.converge = j.value("converge", "");
    plan.options.seed = j.at("seed");
    plan.options.folder = folder / "runs";
    plan.runs = j.at("runs");
    plan.machines = j.at("machines").get<std::vector<std::string>>();
    for (const auto& entry : j.at("cells")) {
      Cell cell{entry.at("machine"), entry.at("card"), entry.at("settings").get<std::vector<std::string>>()};
      cell.options = entry.value("card_options", "");
      cell.seed = entry.at("seed").get<std::uint64_t>();
      cell.placement = entry.value("placement", 0u);
      plan.cells.push_back(std::move(cell));
    }
    if (plan.cells.size() % plan.runs) refuse("the number of cells is not a multiple of the number of runs");
    for (std::size_t n = 0; n < plan.cells.size(); ++n) {  // those that combine_outcomes() merges into one
      const Cell &cell = plan.cells[n], &first = plan.cells[n - n % plan.runs];
      if (cell.machine != first.machine || cell.card_option() != first.card_option() || cell.settings != first.settings)
        refuse(fmt::format("cells/{}: is of another card or machine than those of its runs", n));
    }
    return plan;
  } catch (const ordered_json::exception& e) {
    throw Error(fmt::format("{}: {}; {}", file.string(), json_problem(e), remedy), ExitCode::missing_file);
  }
}

}  // namespace planar
