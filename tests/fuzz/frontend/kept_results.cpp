// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for the JSON files that planar reads again: finished runs, baselines, plans, results for comparison. The
// first byte selects: arbitrary text as each of them; or documents allowed by their schema, generated from the
// following bytes, and the functions that process them; or such a document with one change.
//
// A finding: a crash or sanitizer report, an error that is not planar's own, a document that the schema from which it
// was generated does not allow, and a kept run that is mistaken for something else.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/common/error.hpp"
#include "frontend/comparison/compare_report.hpp"
#include "frontend/comparison/plan.hpp"
#include "frontend/comparison/result_diff.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/kept/kept_json.hpp"
#include "frontend/kept/kept_run.hpp"
#include "frontend/matrix/spread.hpp"
#include "frontend/processor_bench/bench_result.hpp"
#include "frontend/regression/baseline.hpp"
#include "frontend/regression/regress_report.hpp"
#include "tests/fuzz/frontend/made_document.hpp"

namespace {

using namespace planar;
using fuzz::expect;
using fuzz::Input;
using nlohmann::ordered_json;

constexpr std::size_t longest = 8192;

const Schemas& schemas() {
  static const Schemas all;
  return all;
}
const fuzz::DocumentMaker& maker() {
  static const fuzz::DocumentMaker one;
  return one;
}

ordered_json made(const std::string& name, Input& input) {
  ordered_json document = maker().make(name, input);
  const auto problem = schemas().problem(name, document);
  if (!problem.empty()) std::fprintf(stderr, "%s: %s\n%s\n", name.c_str(), problem.c_str(), document.dump(1).c_str());
  expect(problem.empty(), "a document that its schema does not allow");
  return document;
}

void diff(const ordered_json& a, const ordered_json& b) {
  try {
    const ResultDiff d = diff_results(a, "a", b, "b");
    static_cast<void>(d.text("a", "b"));
    static_cast<void>(d.json("a", "b").dump());
  } catch (const Error&) {}
}

SweepPlan plan_of(const std::string& text) {
  static const auto folder = [] {
    auto path = std::filesystem::temp_directory_path() / ("planar-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directory(path);
    return path;
  }();
  std::ofstream(folder / "plan.json", std::ios::binary) << text;
  return load_plan(folder);
}

void plan(const std::string& text) {
  try {
    const SweepPlan read = plan_of(text);
    expect(!read.cells.empty() ? read.cells.size() % read.runs == 0 : true, "a plan whose cells are not whole");
    static_cast<void>(read.json().dump());
  } catch (const Error&) {}
}

/// Changes one value somewhere in the document.
void change(ordered_json& document, Input& input) {
  ordered_json* at = &document;
  for (unsigned depth = 0; depth < 12 && at->is_structured() && !at->empty(); ++depth) {
    const unsigned which = input.u8();
    if (which >= 0xF0 && depth > 0) break;
    at = &*std::next(at->begin(), static_cast<std::ptrdiff_t>(which % at->size()));
  }
  switch (input.u8() & 7) {
    case 0: *at = nullptr; break;
    case 1: *at = ordered_json::array(); break;
    case 2: *at = ordered_json::object(); break;
    case 3: *at = -1.5; break;
    case 4: *at = "x"; break;
    case 5: *at = ordered_json::array({1, "x", nullptr}); break;
    case 6: *at = true; break;
    default: *at = input.u32(); break;
  }
}

/// A run as stored in its file.
void run(Input& input) {
  const ordered_json result = made("result", input), other = made("result", input);
  RunIdentity identity;
  identity.program_sha256 = std::string(64, 'a');
  identity.arguments = {"netio", "--seed", "1"};
  identity.machine_sha256 = std::string(64, 'b');
  identity.machine = result.at("machine");
  identity.card = result.at("card");
  identity.seed = 1;
  const auto text = kept_run_text({0, "", result}, identity);
  identity.row_key = "packet_bytes";
  for (const auto& row : result.at("rows"))
    if (row.contains("packet_bytes") && row["packet_bytes"].get<double>() < 1e9)
      identity.sizes.push_back(row["packet_bytes"].get<std::uint32_t>());
  const auto read = read_kept_run(text, identity, schemas());
  expect(read.run.has_value() || !read.problem.empty(), "a run of this program that is passed over");
  if (read.run) expect(read.run->result == result, "another result than the one that was kept");
  ordered_json changed = parse_json(text);
  change(changed, input);
  const auto again = read_kept_run(changed.dump(), identity, schemas());
  if (again.run) expect(changed == parse_json(text), "a changed run that is taken");
  seal(changed.is_object() ? changed : changed = ordered_json::object());
  static_cast<void>(read_kept_run(changed.dump(), identity, schemas()));

  const unsigned report = input.u8();
  if (report & 1) return diff(result, other);
  const Benchmark& benchmark = *benchmarks()[(report >> 1) % benchmarks().size()];
  for (const auto* one : {&result, &other}) {  // read_kept_run() accepts no others
    if (const auto load = one->find("cpu_load_percent"); load != one->end() && load->is_null()) return;
    for (const auto& row : one->at("rows"))
      if (!row.contains(benchmark.row_key)) return;
  }
  std::vector<CellOutcome> outcomes(4);
  for (std::size_t n = 0; n < outcomes.size(); ++n) {
    outcomes[n].cell = {"model95", n < 2 ? "ne2" : "lanstreamer", {}};
    if (n < 3)
      outcomes[n].result = n & 1 ? other : result;
    else
      outcomes[n].problem = "none";
  }
  Comparison c{benchmark, outcomes, {"model95"}, {1024, 8192}, "1", 1};
  static_cast<void>(comparison_text(c) + comparison_markdown(c) + comparison_csv(c) + comparison_html(c));
  static_cast<void>(comparison_json(c).dump());
  c.outcomes = combine_outcomes(outcomes, 2);
  static_cast<void>(comparison_text(c) + comparison_markdown(c) + comparison_csv(c) + comparison_html(c));
  static_cast<void>(comparison_json(c).dump());
  diff(result, other);
  diff(ordered_json::array({result, other}), combine_runs({result, other}));
}

void baseline(Input& input) {
  ordered_json a = made("baseline", input), b = made("baseline", input);
  a.erase("digest");
  expect(baseline_problem(a).empty(), "an older baseline that is none");
  static_cast<void>(history_text(a));
  for (const Change& change : changes(a, b)) static_cast<void>(timing_changes(a, b, change.machine, change.card));
  try {
    check_comparable(a, b);
  } catch (const Error&) {}
  diff(a, b);
  continue_history(b, a, 1, "2026-11-25");
  expect(baseline_problem(b).empty(), "a new baseline that is none");
  change(b, input);
  static_cast<void>(baseline_problem(b));
}

void any(const std::string& text) {
  try {
    const ordered_json document = parse_json(text);
    for (const char* name : {"cell", "baseline", "plan", "bench-cpu"})
      static_cast<void>(schemas().problem(name, document));
    if (baseline_problem(document).empty()) static_cast<void>(history_text(document));
    diff(document, document);
  } catch (const Error&) {}
  const auto read = read_kept_run(text, {}, schemas());
  expect(!read.run, "a text that is taken for a run");
  plan(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(std::span(data, std::min(size, longest)));
  switch (const unsigned first = input.u8(); first & 7) {
    case 0: {
      const auto rest = input.take(longest);
      any({rest.begin(), rest.end()});
      break;
    }
    case 1: baseline(input); break;
    case 2: {
      const auto a = made("bench-cpu", input), b = made("bench-cpu", input);
      static_cast<void>(compare_bench_cpu(a, b, "a"));
      break;
    }
    case 3: {
      ordered_json document = made("plan", input);
      plan(document.dump());
      change(document, input);
      plan(document.dump());
      break;
    }
    case 4: {  // any of them with one change
      static constexpr const char* names[] = {"netio",   "netperf", "flood", "flood-send", "runs",
                                              "compare", "regress", "cell",  "baseline"};
      ordered_json a = made(names[(first >> 3) % std::size(names)], input), b = a;
      change(b, input);
      diff(a, b);
      diff(b, a);
      break;
    }
    default: run(input); break;
  }
  return 0;
}
