// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/results/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "core/common/error.hpp"
#include "frontend/cli/output.hpp"
#include "frontend/session/provenance.hpp"
#include "machines/machine_config.hpp"
#include "machines/machine_files.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

/// Power-on to the first packet. Unit: virtual seconds.
constexpr double boot_seconds = 6;

/// Millions of emulated clocks: what the host's time goes with.
std::uint64_t estimated_cost(const Cell& cell, const MatrixOptions& o) {
  Config config = load_machine(cell.machine);
  const double mhz = static_cast<double>(read_machine(config).clock.hz()) / 1e6;
  const auto sizes = static_cast<double>(o.benchmark->sizes(o.sizes).size());
  return static_cast<std::uint64_t>(
      std::llround((boot_seconds + std::strtod(o.seconds.c_str(), nullptr) * sizes) * mhz));
}

std::string command(const Cell& cell, const MatrixOptions& o) {
  std::vector<std::string> words{"planar",     "compare",
                                 "--do",       std::string(o.benchmark->name),
                                 "--machines", cell.machine,
                                 "--cards",    cell.card_option(),
                                 "--seconds",  o.seconds,
                                 "--sizes",    o.sizes,
                                 "--seed",     std::to_string(cell.seed.value_or(o.seed)),
                                 "--results",  o.folder.string(),
                                 "--jobs",     "1",
                                 "--quiet"};
  words.insert(words.end(), cell.settings.begin(), cell.settings.end());
  return shell_line(words);
}

ordered_json cell_json(const Cell& cell, const MatrixOptions& o) {
  ordered_json j{{"machine", cell.machine}, {"card", cell.card}};
  if (!cell.options.empty()) j["card_options"] = cell.options;
  j["seed"] = cell.seed.value_or(o.seed);
  j["settings"] = cell.settings;
  j["file"] = cell.key() + ".json";
  return j;
}

}  // namespace

std::string SweepPlan::lines() const {
  std::map<std::string, std::uint64_t> costs;  // of a machine: nothing else matters here
  for (const Cell& cell : cells)
    if (!costs.contains(cell.machine)) costs[cell.machine] = estimated_cost(cell, options);
  std::vector<const Cell*> order;
  for (const Cell& cell : cells) order.push_back(&cell);
  std::stable_sort(order.begin(), order.end(),
                   [&](const Cell* a, const Cell* b) { return costs[a->machine] > costs[b->machine]; });
  std::string out;
  for (const Cell* cell : order)
    out += fmt::format("{}\t{}\t{}\n", costs[cell->machine], (options.folder / (cell->key() + ".json")).string(),
                       command(*cell, options));
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
  try {
    if (j.at("schema") != "planar.plan/1") throw Error(file.string() + ": is no planar.plan/1 file");
    SweepPlan plan;
    plan.options.benchmark = &find_benchmark(j.at("do").get<std::string>());
    plan.options.seconds = j.at("seconds").get<std::string>();
    plan.options.sizes = j.at("sizes").get<std::string>();
    plan.options.seed = j.at("seed");
    plan.options.folder = folder / "runs";
    plan.runs = j.at("runs");
    plan.machines = j.at("machines").get<std::vector<std::string>>();
    for (const auto& entry : j.at("cells")) {
      Cell cell{entry.at("machine"), entry.at("card"), entry.at("settings").get<std::vector<std::string>>()};
      cell.options = entry.value("card_options", "");
      cell.seed = entry.at("seed").get<std::uint64_t>();
      plan.cells.push_back(std::move(cell));
    }
    if (plan.runs == 0 || plan.cells.size() % plan.runs) throw Error(file.string() + ": its cells are not whole");
    return plan;
  } catch (const ordered_json::exception& e) {
    throw Error(fmt::format("{}: {}; {}", file.string(), e.what(), remedy), ExitCode::missing_file);
  }
}

}  // namespace planar
