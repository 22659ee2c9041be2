// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/comparison/result_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/common/error.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

/// Names and values in order of appearance.
using Values = std::vector<std::pair<std::string, ordered_json>>;

struct Row {
  std::string name;
  ordered_json seed;
  Values figures, configuration;
  ordered_json placement = 0;
};

struct Result {
  bool of_baseline = false;  ///< its figures have a baseline's names
  std::string benchmark;     ///< "netio", "netperf udp_stream"; empty: none of its runs has a result
  Values program;
  std::vector<Row> rows;
};

/// Flattens objects and arrays to one name per value: "frame_time.parts_us.wire", "rows.8192.kb_per_s". Series over
/// time are left to the plots.
void flatten(const std::string& name, const ordered_json& value, Values& out) {
  if (name.ends_with("_over_time")) return;
  const auto below = [&](const std::string& part) { return name.empty() ? part : name + "." + part; };
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) flatten(below(key), member, out);
  } else if (value.is_array() && !value.empty() && value.front().is_object()) {
    for (std::size_t n = 0; n < value.size(); ++n) {
      const auto& element = value[n];
      std::string row = std::to_string(n);
      for (const char* key : {"rate", "packet_bytes"})  // of a benchmark's row
        if (element.contains(key)) row = element[key].dump();
      flatten(below(row), element, out);
    }
  } else {
    out.emplace_back(name, value);
  }
}

/// Members of a result that say what was run.
constexpr const char* settings[] = {"slot",        "net",   "os",   "depth", "mode",      "timer_rate",
                                    "frame_bytes", "burst", "seed", "seeds", "placement", "placements"};

/// Adds the members of `result` that are figures: all but its name, configuration and origin, and what depends on the
/// host.
void add_figures(const ordered_json& result, Row& row) {
  static const std::vector<std::string> others{
      "schema",       "host",       "planar",        "configuration", "machine",   "card",      "guest_image_sha256",
      "card_options", "repeatable", "netio_version", "runs",          "benchmark", "converged", "hypothetical",
      "host_seconds"};
  const auto among = [](const auto& list, const std::string& key) {
    return std::find(std::begin(list), std::end(list), key) != std::end(list);
  };
  for (const auto& [key, value] : result.items())
    if (!among(others, key) && !among(settings, key)) flatten(key, value, row.figures);
  std::erase_if(row.figures, [](const auto& figure) {  // they say whose figures these are
    return figure.first == "against.machine" || figure.first == "against.card";
  });
}

/// The benchmark of a run's result; empty if it is not a result.
std::string benchmark_of(const ordered_json& result) {
  if (result.contains("netio_version")) return "netio";
  if (result.contains("test")) return "netperf " + result["test"].get<std::string>();
  if (result.value("schema", "") == "planar.flood-send/1") return "flood --send";
  return result.contains("depth") ? "flood" : "";
}

void add_program(const ordered_json& result, Values& program) {
  for (const auto* key : {"planar", "guest_image_sha256", "netio_version", "do", "seconds", "sizes", "baseline"})
    if (result.contains(key)) flatten(std::string(key) == "planar" ? "" : key, result[key], program);
}

/// Adds the options of the command that made a result and that no other member tells: how long, and how much.
void add_options(const ordered_json& result, Values& configuration) {
  if (!result.contains("host") || !result["host"].contains("command_line")) return;
  const auto words = result["host"]["command_line"].get<std::vector<std::string>>();
  for (const char* option : {"--seconds", "--sizes", "--rates", "--generation", "--response"}) {
    const auto at = std::find(words.rbegin(), words.rend(), option);
    configuration.emplace_back(option, at == words.rend() || at == words.rbegin() ? "default" : *std::prev(at));
  }
}

/// The row of a netio result, or of compare's entry for a run without a result.
Row benchmark_row(const ordered_json& result) {
  Row row{result.at("machine").get<std::string>() + " " + result.at("card").get<std::string>(), {}, {}, {}};
  if (result.contains("card_options")) row.name += ":" + result["card_options"].get<std::string>();
  if (result.contains("seed")) row.seed = result["seed"];
  if (result.contains("placement")) row.placement = result["placement"];
  add_figures(result, row);
  for (const auto* key : settings)
    if (result.contains(key)) row.configuration.emplace_back(key, result[key]);
  if (result.contains("against"))
    for (const auto* key : {"machine", "card"})
      row.configuration.emplace_back(std::string("against.") + key, result["against"].at(key));
  // A run of the full duration has no such member; compared with one that may have ended early, it counts as "no".
  row.configuration.emplace_back("converge", result.contains("converged") ? result["converged"]["percent"] : "no");
  if (result.contains("configuration"))
    for (const auto& [key, value] : result["configuration"].items())
      if (key != "sha256") flatten(key, value, row.configuration);
  if (result.value("net", "") != "peer")  // there is none whose settings would matter
    std::erase_if(row.configuration, [](const auto& value) { return value.first.starts_with("settings.peer."); });
  add_options(result, row.configuration);
  return row;
}

void add_timing(const ordered_json& groups, const std::string& name, Row& row) {
  if (groups.contains(name))
    for (const auto& [key, value] : groups[name].items()) row.configuration.emplace_back(name + "." + key, value);
}

Result read_baseline(const ordered_json& file) {
  Result result;
  result.of_baseline = true;
  result.benchmark = file.value("do", "");
  add_program(file, result.program);
  for (const auto& [machine, cards] : file.at("cells").items())
    for (const auto& [card, figures] : cards.items()) {
      Row row{machine + " " + card, file.value("seed", ordered_json()), {}, {}};
      flatten("", figures, row.figures);
      add_timing(file.at("cards"), card, row);
      add_timing(file.at("machines"), machine, row);
      result.rows.push_back(std::move(row));
    }
  return result;
}

Result read_regress(const ordered_json& file) {
  Result result;
  result.of_baseline = true;
  result.benchmark = file.value("do", "");
  add_program(file, result.program);
  for (const auto& entry : file.at("rows")) {
    const std::string machine = entry.at("machine"), card = entry.at("card");
    Row row{machine + " " + card, file.value("seed", ordered_json()), {}, {}};
    if (entry.contains("figures")) flatten("", entry["figures"], row.figures);
    add_timing(file.at("timing").at("cards"), card, row);
    add_timing(file.at("timing").at("machines"), machine, row);
    result.rows.push_back(std::move(row));
  }
  return result;
}

Result read_result(const ordered_json& file) {
  Result result;
  const auto add = [&](const ordered_json& entry) {
    if (result.program.empty()) add_program(entry, result.program);
    if (result.benchmark.empty()) result.benchmark = benchmark_of(entry);
    result.rows.push_back(benchmark_row(entry));
  };
  if (file.is_array()) {
    if (file.empty()) throw Error("holds no result; write one with --json FILE");
    for (const auto& entry : file) add(entry);
    return result;
  }
  const auto schema = file.at("schema").get<std::string>();
  if (schema == "planar.baseline/1") return read_baseline(file);
  if (schema == "planar.regress/1") return read_regress(file);
  if (schema == "planar.cell/1") {
    if (!file.contains("result")) throw Error("holds a run that failed: " + file.value("problem", ""));
    add(file["result"]);
  } else {
    add(file);
  }
  return result;
}

/// Adds seeds and placements to rows of the same name.
void name_by_seed(Result& result) {
  std::map<std::string, unsigned> count;
  for (const Row& row : result.rows) ++count[row.name];
  for (Row& row : result.rows)
    if (count[row.name] > 1)
      row.name += ", seed " + row.seed.dump() + (row.placement == 0 ? "" : ", placement " + row.placement.dump());
}

Result read(const ordered_json& file, const std::string& name) {
  try {
    Result result = read_result(file);
    name_by_seed(result);
    return result;
  } catch (const ordered_json::exception&) {
    throw Error(
        fmt::format("{}: is not a result of netio, netperf, flood, compare or regress; write one with --json FILE",
                    name),
        ExitCode::missing_file);
  } catch (const Error& e) { throw Error(name + ": " + e.what(), ExitCode::missing_file); }
}

/// Whether a value of this name names something: a percentage says nothing of how it differs.
bool identifies(const std::string& name) {
  static constexpr std::string_view names[] = {"slot", "seed", "placement", "port"};
  return std::find(std::begin(names), std::end(names), std::string_view(name).substr(name.rfind('.') + 1)) !=
         std::end(names);
}

std::vector<Difference> differences(const Values& a, const Values& b) {
  const auto find = [](const Values& values, const std::string& name) {
    const auto at = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == name; });
    return at == values.end() ? nullptr : &at->second;
  };
  std::vector<Difference> list;
  for (const auto& [name, was] : a) {
    const ordered_json* is = find(b, name);
    if (!is)
      list.push_back({name, difference_text(was), {}, {}});
    else if (*is != was)
      list.push_back({name, difference_text(was), difference_text(*is),
                      identifies(name) ? std::string() : difference_ratio(was, *is)});
  }
  for (const auto& [name, is] : b)
    if (!find(a, name)) list.push_back({name, {}, difference_text(is), {}});
  return list;
}

/// Only differences in values that both sides have: a kind of result without a value does not differ in it. If both
/// sides describe the cards, that description is complete: a choice missing on one side was left to the solver there,
/// or the card is absent.
std::vector<Difference> differences_of_both(const Values& a, const Values& b) {
  const auto of_cards = [](const std::string& name) { return name.starts_with("cards."); };
  const auto says = [&](const Values& values) {
    return std::any_of(values.begin(), values.end(), [&](const auto& value) { return of_cards(value.first); });
  };
  const bool both = says(a) && says(b);
  auto list = differences(a, b);
  std::erase_if(list,
                [&](const Difference& d) { return (d.was.empty() || d.is.empty()) && !(both && of_cards(d.name)); });
  return list;
}

std::string line(const Difference& d) {
  const auto side = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
  return fmt::format("{:<28} {} -> {}{}\n", d.name, side(d.was), side(d.is), d.by.empty() ? "" : "  (" + d.by + ")");
}

ordered_json to_json(const std::vector<Difference>& list) {
  auto out = ordered_json::array();
  for (const Difference& d : list) {
    ordered_json entry{{"name", d.name}, {"was", d.was}, {"is", d.is}};
    if (!d.by.empty()) entry["by"] = d.by;
    out.push_back(std::move(entry));
  }
  return out;
}

const char* name(RowDiff::Where where) {
  return where == RowDiff::Where::both ? "both" : where == RowDiff::Where::first ? "first" : "second";
}

}  // namespace

std::string difference_text(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string difference_ratio(const ordered_json& was, const ordered_json& is) {
  if (!was.is_number() || !is.is_number() || was.get<double>() == 0) return {};
  return fmt::format("{:+.2f} %", (is.get<double>() / was.get<double>() - 1) * 100);
}

bool ResultDiff::same_figures() const {
  return std::all_of(rows.begin(), rows.end(),
                     [](const RowDiff& row) { return row.where == RowDiff::Where::both && row.figures.empty(); });
}

std::string ResultDiff::text(const std::string& first, const std::string& second) const {
  std::string out;
  for (const Difference& d : program) out += line(d);
  std::size_t differing = 0;
  for (const RowDiff& row : rows) {
    out += row.name +
           (row.where == RowDiff::Where::first    ? fmt::format(": only in {}", first)
            : row.where == RowDiff::Where::second ? fmt::format(": only in {}", second)
                                                  : "") +
           "\n";
    for (const Difference& d : row.configuration) out += "  because " + line(d);
    for (const Difference& d : row.figures) out += "  " + line(d);
    if (!row.figures.empty() && row.configuration.empty())
      out += "  no setting or timing value present in both differs\n";
    differing += row.where == RowDiff::Where::both && !row.figures.empty();
  }
  return out + fmt::format("{} of {} rows differ in their figures\n", differing, compared);
}

ordered_json ResultDiff::json(const std::string& first, const std::string& second) const {
  ordered_json j{{"schema", "planar.diff/1"}, {"first", first},       {"second", second},
                 {"equal", same_figures()},   {"compared", compared}, {"program", to_json(program)}};
  j["rows"] = ordered_json::array();
  for (const RowDiff& row : rows)
    j["rows"].push_back({{"name", row.name},
                         {"in", name(row.where)},
                         {"configuration", to_json(row.configuration)},
                         {"figures", to_json(row.figures)}});
  return j;
}

ResultDiff diff_results(const ordered_json& a_file, const std::string& a_name, const ordered_json& b_file,
                        const std::string& b_name) {
  Result a = read(a_file, a_name), b = read(b_file, b_name);
  if (a.of_baseline != b.of_baseline)
    throw Error(fmt::format("{} and {}: one is of regress, the other of netio or compare; their figures do not compare",
                            a_name, b_name));
  if (!a.benchmark.empty() && !b.benchmark.empty() && a.benchmark != b.benchmark)
    throw Error(
        fmt::format("{} is of {}, {} of {}: results of different benchmarks cannot be compared; name two of the same",
                    a_name, a.benchmark, b_name, b.benchmark));
  ResultDiff diff;
  diff.program = differences_of_both(a.program, b.program);
  if (a.rows.size() == 1 && b.rows.size() == 1 && a.rows[0].name != b.rows[0].name) {  // two cards or machines
    a.rows[0].name = b.rows[0].name = fmt::format("{} -> {}", a.rows[0].name, b.rows[0].name);
  }
  for (const Row& was : a.rows) {
    const auto is = std::find_if(b.rows.begin(), b.rows.end(), [&](const Row& row) { return row.name == was.name; });
    RowDiff row{was.name, RowDiff::Where::first, {}, {}};
    if (is != b.rows.end()) {
      ++diff.compared;
      row.where = RowDiff::Where::both;
      row.figures = differences(was.figures, is->figures);
      row.configuration = differences_of_both(was.configuration, is->configuration);
    }
    if (!row.equal()) diff.rows.push_back(std::move(row));
  }
  for (const Row& is : b.rows)
    if (std::none_of(a.rows.begin(), a.rows.end(), [&](const Row& row) { return row.name == is.name; }))
      diff.rows.push_back({is.name, RowDiff::Where::second, {}, {}});
  return diff;
}

}  // namespace planar
