// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/residual_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/common/error.hpp"
#include "frontend/kept/kept_json.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/output/output.hpp"
#include "frontend/published/embedded_published.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view record_file = "frontend/published/residuals.json", schema = "planar.residuals/1";
constexpr std::uint64_t most_bytes = 64 << 20;

/// The range of a residual over the runs of a row, in percent.
struct Range {
  double mean = 0, least = 0, most = 0;
};

template <class Residual>
std::optional<Range> range_of(const ScoredRow& row, Residual residual) {
  const auto mean = residual(row);
  if (!mean) return {};
  Range range{*mean, *mean, *mean};
  for (std::size_t n = 0; n < runs_of(row); ++n) {
    const CellOutcome run = run_of(row, n);
    ScoredRow one = row;
    one.ours = &run;
    if (const auto value = residual(one)) {
      range.least = std::min(range.least, *value);
      range.most = std::max(range.most, *value);
    }
  }
  return range;
}

/// The figures of a row that have a residual: its average and each size; for a row with one size, only the average.
template <class Do>
void for_each_figure(const ScoredRow& row, Do what) {
  if (const auto range = range_of(row, [](const ScoredRow& r) { return r.average_residual(); }))
    what("average", *range);
  if (row.print.single()) return;
  for (const auto& [size, published] : row.print.figures)
    if (const auto range = range_of(row, [size = size](const ScoredRow& r) { return r.residual(size); }))
      what(size_name(size), *range);
}

}  // namespace

std::string RecordConditions::text() const {
  std::string out;
  if (!seconds.empty()) out += "--seconds " + seconds;
  if (!converge.empty()) out += (out.empty() ? "" : " ") + ("--converge " + converge);
  return out;
}

ordered_json make_record(const std::vector<ScoredRow>& rows, const RecordConditions& conditions) {
  ordered_json record{{"schema", schema},
                      {"seconds", conditions.seconds},
                      {"converge", conditions.converge},
                      {"rows", ordered_json::object()}};
  for (const ScoredRow& row : rows) {
    if (!row.run() || row.print.repeats) continue;
    ordered_json figures{{"placements", runs_of(row)}};
    for_each_figure(row, [&](const std::string& name, const Range& r) {
      figures[name] = {rounded(r.mean, 2), rounded(r.least, 2), rounded(r.most, 2)};
    });
    record["rows"][row.print.name()] = std::move(figures);
  }
  return record;
}

ordered_json merge_record(const ordered_json& record, ordered_json made) {
  if (!record.contains("rows")) return made;
  ordered_json merged = record;
  for (const auto& [name, figures] : made["rows"].items()) merged["rows"][name] = figures;
  return merged;
}

RecordConditions conditions_of(const ordered_json& record) {
  return {record.value("seconds", std::string{}), record.value("converge", std::string{})};
}

ordered_json record_before(const std::string& file, const RecordConditions& conditions) {
  if (!std::filesystem::exists(file))
    return conditions_of(embedded_record()) == conditions ? embedded_record() : ordered_json();
  const std::string remedy = "name another file for --record";
  ordered_json record =
      read_json(file, most_bytes, "cannot be read; " + remedy, "is no record of residuals; " + remedy, remedy);
  const auto has_text = [&](const char* key) { return record.contains(key) && record[key].is_string(); };
  if (!record.is_object() || record.value("schema", ordered_json()) != schema || !has_text("seconds") ||
      !has_text("converge") || !record.value("rows", ordered_json()).is_object())
    throw Error(fmt::format("{}: is not a record of residuals ({}); {}", file, schema, remedy));
  const RecordConditions its = conditions_of(record);
  if (its != conditions)
    throw Error(fmt::format("{}: contains residuals of {}; run with that, or {}", file,
                            its.text().empty() ? "whole runs, without --seconds and --converge" : its.text(), remedy));
  return record;
}

const ordered_json& embedded_record() {
  static const ordered_json record = ordered_json::parse(embedded_text(embedded_published(), record_file));
  return record;
}

std::vector<std::string> outside_bands(const std::vector<ScoredRow>& rows, const ordered_json& record) {
  std::vector<std::string> list;
  for (const ScoredRow& row : rows) {
    if (!row.run() || row.print.repeats) continue;
    const std::string name = row.print.name();
    const auto known = record["rows"].find(name);
    if (known == record["rows"].end()) {
      list.push_back(fmt::format("{}: no residual is recorded; write one with --record {}", name, record_file));
      continue;
    }
    for_each_figure(row, [&](const std::string& figure, const Range& r) {
      const auto band = known->find(figure);
      if (band == known->end()) return;
      const double least = band->at(1).get<double>() - band_margin, most = band->at(2).get<double>() + band_margin;
      if (r.mean < least || r.mean > most)
        list.push_back(fmt::format("{}: {} is {:+.1f} % from the published figure, recorded were {:+.1f} to {:+.1f} %",
                                   name, figure, r.mean, band->at(1).get<double>(), band->at(2).get<double>()));
    });
  }
  return list;
}

}  // namespace planar
