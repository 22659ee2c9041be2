// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/seed_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/common/error.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/matrix/cache_note.hpp"
#include "frontend/output/output.hpp"
#include "frontend/systems/operating_system.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

std::string line(const std::string& what, const Spread& s) {
  return fmt::format("{:>12}  {:>12.1f}  {:>10.2f}  {:>10.2f}  {:>10.1f}  {:>10.1f}\n", what, s.mean, s.ci95, s.stddev,
                     s.least, s.most);
}

std::string text(const Benchmark& benchmark, const ordered_json& combined) {
  const auto words = [](const ordered_json& of, const char* key) { return of.at(key).get<std::string>(); };
  const auto system = combined.value("os", std::string(default_system));
  const auto what = combined.contains("test") ? fmt::format("{} {}", benchmark.verb, words(combined, "test"))
                                              : std::string(benchmark.name);
  std::string out = fmt::format(
      "{}{} on {} with {}, {}{}, {} runs, {}\n\n", what,
      combined.value("direction", "") == "receive" ? ", received by the guest" : "", words(combined, "machine"),
      words(combined, "card"), system == default_system ? "" : fmt::format("network stack of {}, ", system),
      combined.contains("against")
          ? fmt::format("against {} with {}", words(combined["against"], "machine"), words(combined["against"], "card"))
          : "net " + words(combined, "net"),
      combined["runs"].get<unsigned>(), runs_text(combined));
  out +=
      fmt::format("{:>12}  {:>12}  {:>10}  {:>10}  {:>10}  {:>10}\n", benchmark.row_key == "rate" ? "offered" : "size",
                  benchmark.unit, "± (95 %)", "std. dev.", "least", "most");
  std::string delivered;
  for (const auto& row : combined["rows"]) {
    const auto size = row[std::string(benchmark.row_key)].get<std::uint32_t>();
    const bool differs = benchmark.differs_from_delivered(combined, size);
    if (const auto spread = figure_spread(benchmark, combined, size))
      out += line(benchmark.row_name(size) + (differs ? "*" : ""), *spread);
    if (row.contains("received_kb_per_s"))  // netio --generation 2 and 3
      if (const auto received = figure_spread(netio_receive_benchmark, combined, size))
        out += line(benchmark.row_name(size) + " received", *received);
    if (differs)
      delivered += fmt::format("{}{} {:.1f}", delivered.empty() ? "" : ", ", benchmark.row_name(size),
                               benchmark.delivered(combined, size).value_or(0));
  }
  for (const auto& [what, key] : {std::pair("CPU load %", "cpu_load_percent"), {"busy %", "true_busy_percent"}}) {
    if (!benchmark.one_load) break;
    std::vector<double> values;
    for (const auto& result : combined["results"]) values.push_back(result[key].get<double>());
    out += line(what, spread_of(values));
  }
  if (!delivered.empty()) out += "\n" + wrapped(benchmark.delivered_note(delivered), 0) + "\n";
  if (const auto note = note_of(benchmark, combined); !note.empty()) out += "\n" + wrapped(note, 0) + "\n";
  return out;
}

}  // namespace

void refuse_single(const CLI::App& verb, std::string_view several, std::string_view reason) {
  for (const char* single : {"--capture", "--trace", "--trace-file", "--timeline", "--serial", "--screen",
                             "--snapshot-at", "--restore", "--gdb"})
    if (const auto* option = verb.get_option_no_throw(single); option && option->count())
      throw Error(fmt::format("{} and {}: {}", several, single, reason));
}

std::vector<std::string> given_words(const Benchmark& benchmark, const CLI::App& verb) {
  constexpr std::string_view others[] = {"--runs",      "--json",     "--quiet",      "--seed",
                                         "--placement", "--no-cache", "--check-cache"};
  std::vector<std::string> words{std::string(benchmark.verb)};
  for (const CLI::Option* option : verb.get_options()) {
    const auto name = option->get_name();
    if (option->count() == 0 || std::find(std::begin(others), std::end(others), name) != std::end(others)) continue;
    for (const auto& result : option->results()) words.push_back(option->get_type_size() ? name + "=" + result : name);
  }
  return words;
}

int run_seeds(const Benchmark& benchmark, const CLI::App& verb, const std::string& machine, const RunSeries& series,
              const std::optional<std::string>& json, bool quiet, const CacheOptions& cache) {
  cache.validate();
  refuse_single(verb, "--runs", "that is of a single run; leave one of them out");
  MatrixOptions matrix;
  matrix.benchmark = &benchmark;
  matrix.seconds = benchmark.comparison.seconds;
  matrix.sizes = benchmark.comparison.sizes;
  matrix.quiet = quiet;
  matrix.cache = !cache.off;
  matrix.check_cache = cache.check;
  Cell cell{machine, std::string(benchmark.name), {}};
  cell.command = given_words(benchmark, verb);
  const auto outcomes = run_matrix(with_runs({cell}, series), matrix);
  if (const auto cut = interruption_text(outcomes, matrix); !cut.empty()) throw Error(cut, interrupted_exit);
  std::vector<ordered_json> results;
  for (const CellOutcome& outcome : outcomes) {
    if (!outcome.result)
      throw Error(
          fmt::format("seed {}, placement {}: {}", *outcome.cell.seed, *outcome.cell.placement, outcome.problem),
          static_cast<ExitCode>(outcome.status));
    results.push_back(*outcome.result);
  }
  const auto combined = combine_runs(results);
  const auto note = cache_note(outcomes);
  if (json != "-") fmt::print("{}{}", text(benchmark, combined), note.empty() ? "" : "\n" + wrapped(note, 0) + "\n");
  if (json) write_json(*json, combined);
  return 0;
}

}  // namespace planar
