// SPDX-License-Identifier: GPL-2.0-or-later
// `planar diff`: what differs between two results.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "frontend/cli/verbs.hpp"
#include "frontend/comparison/result_diff.hpp"
#include "frontend/kept/kept_json.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/output.hpp"
#include "frontend/timeline_analysis/timeline_diff.hpp"
#include "frontend/timeline_analysis/timeline_reader.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

struct Options {
  std::string first, second;
  std::vector<std::string> timelines;  ///< of both runs
  std::optional<std::string> json;
};

ordered_json read_result(const std::string& file) {
  return read_json(file, 256 << 20, "there is no such result; name a file that --json has written",
                   "is no result (it has at most 256 MB)", "name a file that --json has written");
}

int compare_timelines_only(const Options& o) {
  const TimelineDiff diff = diff_timelines(o.first, o.second);
  if (o.json != "-") fmt::print("{}", diff.text(o.first, o.second));
  if (o.json) write_json(*o.json, diff.json(o.first, o.second));
  return diff.same() ? 0 : 1;
}

int run(const Options& o) {
  if (o.timelines.empty() && TimelineReader::is_timeline(o.first)) return compare_timelines_only(o);
  const ResultDiff diff = diff_results(read_result(o.first), o.first, read_result(o.second), o.second);
  ordered_json json = diff.json(o.first, o.second);
  std::string text = diff.text(o.first, o.second);
  if (!o.timelines.empty()) {
    const TimelineDiff parting = diff_timelines(o.timelines[0], o.timelines[1]);
    json["timeline"] = parting.json(o.timelines[0], o.timelines[1]);
    text += parting.text(o.timelines[0], o.timelines[1]);
  }
  if (o.json != "-") fmt::print("{}", text);
  if (o.json) write_json(*o.json, json);
  return diff.same_figures() ? 0 : 1;
}

}  // namespace

Verb add_diff(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "diff",
      "Compare two results: rows, figures, configuration, timing values and program. Exit 1 if a figure differs");
  verb->add_option("first", o->first,
                   "A result of netio, compare or regress, a baseline, a finished run, or a timeline")
      ->required()
      ->type_name("FILE");
  verb->add_option("second", o->second, "The one to compare it with")->required()->type_name("FILE");
  verb->add_option("--timeline", o->timelines,
                   "The timelines of the two runs: names the first cycle on the bus at which they diverge")
      ->type_name("FIRST SECOND")
      ->expected(2);
  add_json_option(*verb, o->json, "As JSON");
  verb->footer(
      "Examples:\n"
      "  planar netio --seconds 1 --json a.json\n"
      "  planar netio --seconds 1 --set ne2.data_port.ready_delay='500 ns' --json b.json\n"
      "  planar diff a.json b.json\n"
      "  planar diff a.timeline.json b.timeline.json   where two runs with --timeline diverge, cycle by cycle");
  return [o] { return run(*o); };
}

}  // namespace planar
