// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/regression/regress_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "frontend/matrix/cache_note.hpp"
#include "frontend/matrix/spread.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/output/output.hpp"
#include "frontend/output/provenance.hpp"
#include "frontend/output/svg_plot.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;
using Status = RegressRow::Status;

const char* name(Status status) {
  switch (status) {
    case Status::equal: return "equal";
    case Status::refused: return "refused";
    case Status::differs: return "differs";
    case Status::added: return "new";
    case Status::unfinished: return "unfinished";
  }
  return "";
}

const ordered_json* cell(const ordered_json& baseline, const std::string& machine, const std::string& card) {
  const auto& cells = baseline.at("cells");
  const auto row = cells.find(machine);
  if (row == cells.end()) return nullptr;
  const auto found = row->find(card);
  return found == row->end() ? nullptr : &*found;
}

RegressRow judged(const CellOutcome& outcome, const ordered_json& baseline, const ordered_json& made) {
  RegressRow row{outcome.cell.machine, outcome.cell.card_option(), Status::equal, {}, {}, {}, 0};
  if (outcome.interrupted()) {
    row.status = Status::unfinished;
    return row;
  }
  const ordered_json* was = cell(baseline, row.machine, row.card);
  row.figures = *cell(made, row.machine, row.card);
  if (outcome.result && outcome.result->contains("host")) row.host_seconds = (*outcome.result)["host"]["seconds"];
  row.from_cache = outcome.result && runs_from_cache(*outcome.result);
  ordered_json one{{"cells", ordered_json::object()}}, other = one;
  if (was) one["cells"][row.machine][row.card] = *was;
  other["cells"][row.machine][row.card] = row.figures;
  row.changes = changes(one, other);
  row.timing = timing_changes(baseline, made, row.machine, row.card);
  row.status = !was                              ? Status::added
               : !row.changes.empty()            ? Status::differs
               : row.figures.contains("problem") ? Status::refused
                                                 : Status::equal;
  return row;
}

/// "1 figure differs", "2 figures differ".
std::string differing(std::size_t figures) {
  return fmt::format("{} {}", counted(figures, "figure"), figures == 1 ? "differs" : "differ");
}

std::string explained(const RegressRow& row) {
  if (row.status == Status::added)
    return fmt::format("  the baseline has no such run{}\n",
                       row.figures.contains("problem")
                           ? " and there can be none: " + row.figures["problem"].get<std::string>()
                           : "; --accept adds it");
  std::string out;
  for (const Change& c : row.changes)
    out += fmt::format("  {:<18} {} -> {}{}\n", c.figure, c.was, c.is, c.by.empty() ? "" : "  (" + c.by + ")");
  for (const auto& t : row.timing) out += fmt::format("  because {} is {}, was {}\n", t.name, t.is, t.was);
  if (row.timing.empty()) out += "  no timing value differs, so the code has changed\n";
  return out;
}

ordered_json change_json(const RegressRow& row, const Change& c) {
  ordered_json entry{{"machine", c.machine}, {"card", c.card}, {"figure", c.figure},
                     {"was", c.was},         {"is", c.is},     {"by", c.by}};
  entry["timing"] = ordered_json::array();
  for (const auto& t : row.timing) entry["timing"].push_back({{"name", t.name}, {"was", t.was}, {"is", t.is}});
  return entry;
}

}  // namespace

RegressReport::RegressReport(std::string name, ordered_json stored, ordered_json run,
                             const std::vector<CellOutcome>& outcomes)
    : baseline_name(std::move(name)), baseline(std::move(stored)), made(std::move(run)) {
  for (const CellOutcome& outcome : outcomes) rows.push_back(judged(outcome, baseline, made));
  cached = cache_note(outcomes);
}

std::size_t RegressReport::count(Status status) const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const RegressRow& row) { return row.status == status; }));
}

std::size_t RegressReport::figures_that_differ() const {
  std::size_t sum = 0;
  for (const RegressRow& row : rows) sum += row.changes.size();
  return sum;
}

std::string RegressReport::text() const {
  std::string out;
  for (const RegressRow& row : rows)
    if (!row.changes.empty()) out += fmt::format("{} {}\n{}", row.machine, row.card, explained(row));
  if (const auto figures = figures_that_differ())
    out += fmt::format("{} from the baseline ({})\n", differing(figures), baseline_name);
  else
    out += fmt::format("{} {} the baseline ({}), cycle for cycle\n", counted(finished(), "run"),
                       finished() == 1 ? "equals" : "equal", baseline_name);
  return cached.empty() ? out : out + wrapped(cached, 0) + "\n";
}

ordered_json RegressReport::json() const {
  ordered_json j{{"schema", "planar.regress/1"}, {"green", figures_that_differ() == 0}};
  j["planar"] = program_provenance();
  j["baseline"] = {{"name", baseline_name}, {"reason", baseline.value("reason", "")}};
  for (const auto* key : {"do", "guest_image_sha256", "seconds", "sizes", "seed", "placement"}) j[key] = made[key];
  j["counts"]["runs"] = rows.size();
  for (const Status s : {Status::equal, Status::refused, Status::differs, Status::added, Status::unfinished})
    j["counts"][name(s)] = count(s);
  if (finished() < rows.size()) j["interrupted"] = true;
  j["changes"] = ordered_json::array();
  j["rows"] = ordered_json::array();
  ordered_json seconds = ordered_json::object(), from_cache = ordered_json::array();
  for (const RegressRow& row : rows) {
    for (const Change& c : row.changes) j["changes"].push_back(change_json(row, c));
    ordered_json entry{{"machine", row.machine}, {"card", row.card}, {"status", name(row.status)}};
    if (!row.figures.is_null()) entry["figures"] = row.figures;
    j["rows"].push_back(std::move(entry));
    if (row.host_seconds > 0) seconds[row.machine + " " + row.card] = row.host_seconds;
    if (row.from_cache) from_cache.push_back(row.machine + " " + row.card);
  }
  j["timing"] = {{"machines", made["machines"]}, {"cards", made["cards"]}};
  j["host"] = {{"seconds", host_seconds}, {"run_seconds", seconds}, {"command_line", host_command_line()}};
  if (!from_cache.empty()) j["host"]["from_cache"] = std::move(from_cache);
  return j;
}

std::string RegressReport::junit() const {
  std::map<std::string, std::vector<const RegressRow*>> suites;
  for (const RegressRow& row : rows) suites[row.machine].push_back(&row);
  const auto sums = [](const auto& list) {
    std::size_t failures = 0, skipped = 0;
    double seconds = 0;
    for (const RegressRow* row : list) {
      skipped += row->status == Status::refused || row->status == Status::unfinished;
      failures += row->status == Status::differs || row->status == Status::added;
      seconds += row->host_seconds;
    }
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3f}\"", list.size(),
                       failures, skipped, seconds);
  };
  std::vector<const RegressRow*> all;
  for (const RegressRow& row : rows) all.push_back(&row);
  std::string out =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"planar regress\" {}>\n", sums(all));
  const ordered_json program = program_provenance();
  for (const auto& [machine, list] : suites) {
    out += fmt::format("  <testsuite name=\"{}\" {}>\n    <properties>\n", escaped(machine), sums(list));
    const std::pair<const char*, std::string> properties[] = {
        {"version", program["version"].get<std::string>()},
        {"commit", program["commit"].get<std::string>()},
        {"baseline", baseline_name},
        {"guest_image_sha256", made["guest_image_sha256"].get<std::string>()}};
    for (const auto& [key, value] : properties)
      out += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", key, escaped(value));
    out += "    </properties>\n";
    for (const RegressRow* row : list) {
      out += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", escaped(machine),
                         escaped(row->card), row->host_seconds);
      if (row->status == Status::refused)
        out +=
            fmt::format("><skipped message=\"{}\"/></testcase>\n", escaped(row->figures["problem"].get<std::string>()));
      else if (row->status == Status::unfinished)
        out += "><skipped message=\"interrupted\"/></testcase>\n";
      else if (!row->good())
        out += fmt::format("><failure type=\"{}\" message=\"{} from the baseline\">{}</failure></testcase>\n",
                           name(row->status), differing(row->changes.size()), escaped(explained(*row)));
      else
        out += "/>\n";
    }
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

std::string history_text(const ordered_json& baseline) {
  std::string out;
  for (const auto& entry : accepted_history(baseline))
    out +=
        fmt::format("{:<10}  {:<8} {:.12}  {}\n", entry.value("date", "-"),
                    entry.contains("planar") ? entry["planar"].value("version", "-") : "-",
                    entry.contains("planar") ? entry["planar"].value("commit", "-") : "-", entry.value("reason", ""));
  return out;
}

}  // namespace planar
