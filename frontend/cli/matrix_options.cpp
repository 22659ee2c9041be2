// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/cli/matrix_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <cstdint>

#include "core/common/error.hpp"
#include "frontend/guest_benchmarks/benchmark_run.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/guest_benchmarks/netio_converge.hpp"
#include "frontend/options/arguments.hpp"
#include "frontend/options/option_group.hpp"
#include "frontend/options/options.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

void MatrixCommand::add_to(CLI::App& app, bool any_benchmark) {
  const OptionGroup group(app, matrix_group);
  std::vector<std::string> names;
  for (const Benchmark* b : benchmarks()) names.emplace_back(b->name);
  if (any_benchmark)
    app.add_option("--do", benchmark, fmt::format("The benchmark to run: {}", fmt::join(names, ", ")))
        ->check(CLI::IsMember(names))
        ->type_name("BENCHMARK")
        ->capture_default_str();
  if (machines.empty())
    for (const auto& file : machine_files()) machines.emplace_back(file.name);
  app.add_option("--machines", machines, "Machines, comma-separated; see `planar list machines`")
      ->delimiter(',')
      ->type_name("MACHINE,...")
      ->transform(machine_argument)
      ->default_str("every built-in one");
  app.add_option("--cards", cards, "Cards, comma-separated, or all; see `planar list cards`")
      ->delimiter(',')
      ->type_name("CARD,...")
      ->transform(card_argument)
      ->capture_default_str();
  app.add_option("--seconds", seconds, "Duration of each size, virtual; the benchmark's own by default")
      ->type_name("N")
      ->transform(seconds_argument);
  app.add_option("--sizes", sizes,
                 "Sizes in bytes, in order (8K is 8192), or flood's rates in frames/s; the benchmark's own by default")
      ->type_name("LIST")
      ->transform(sizes_argument);
  app.add_option("--seed", matrix.seed, "Seed of everything random in the labs")
      ->type_name("N")
      ->check(seed_problem)
      ->capture_default_str();
  add_placement_option(app, placement, "Where the guest's functions, variables and pages are in all runs");
  app.add_option("--jobs", matrix.jobs, "Runs in parallel, at most 1024; 0 (the default): one per core")
      ->type_name("N")
      ->check(CLI::Range(0u, 1024u));
  repeatable(app.add_option("--set", values, "Override a timing value in the runs of its card: CARD.VALUE=X")
                 ->type_name("CARD.VALUE=X"));
  add_json_option(app, json, "As JSON");
  app.add_flag("--quiet", matrix.quiet, "No progress");
  cache.add_to(app);
}

void MatrixCommand::add_converge(CLI::App& app, bool hidden) {
  const OptionGroup group(app, hidden ? std::string() : matrix_group);
  app.add_option("--converge", converge,
                 "End a size early once its delivered rate has settled, for figures meant to be within PERCENT (0.1 to "
                 "10) of those of --seconds; saves host time, and the result says so")
      ->type_name("PERCENT");
}

MatrixOptions MatrixCommand::options(Workload Benchmark::*workload) const {
  MatrixOptions o = matrix;
  cache.validate();
  o.cache = !cache.off;
  o.check_cache = cache.check;
  o.benchmark = &find_benchmark(benchmark);
  o.seconds = seconds.value_or((o.benchmark->*workload).seconds);
  o.sizes = sizes.value_or((o.benchmark->*workload).sizes);
  parse_seconds(o.seconds);
  o.placement = placement.value_or(0);
  if (converge) {
    if (!o.benchmark->converges)
      throw Error(fmt::format("--converge with --do {}: only netio takes it; leave one of the two out", benchmark));
    o.converge = parse_converge(*converge);
  }
  return o;
}

std::vector<Cell> MatrixCommand::cells() const {
  auto list = matrix_cells(machines, cards);
  for (Cell& cell : list) cell.placement = placement;  // also part of its file name
  for (const auto& value : values) {
    const auto card = value.substr(0, value.find('.'));
    bool used = false;
    for (Cell& cell : list)
      if (cell.card == card) {
        cell.settings.insert(cell.settings.end(), {"--set", value});
        used = true;
      }
    if (!used && (find_mca(card) || find_pci(card)))
      throw Error(fmt::format("--set {}: no run holds a '{}'; add it to --cards", value, card));
    if (!used)
      throw Error(
          fmt::format("--set {}: '{}' is not a card, and this verb sets values of cards alone; write it into a "
                      "machine's file (planar config MACHINE > lab.toml) and name that with --machines",
                      value, card));
  }
  return list;
}

}  // namespace planar
