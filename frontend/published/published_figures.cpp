// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/published_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include "core/common/toml.hpp"

#include "core/common/error.hpp"
#include "frontend/published/embedded_published.hpp"

namespace planar {
namespace {

constexpr std::string_view figures_file = "frontend/published/ethernet-arnold-2002.csv";
constexpr std::string_view rows_file = "frontend/published/ethernet-rows.toml";

std::string_view embedded(std::string_view path) {
  for (const EmbeddedFile& file : embedded_published())
    if (file.path == path) return file.text;
  throw Error(fmt::format("this build holds no '{}'", path));
}

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> list{""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      list.emplace_back();
    else
      list.back() += c;
  }
  return list;
}

struct Names {
  toml::table table = toml::parse(embedded(rows_file), rows_file);
  std::string find(const char* kind, const std::string& printed, std::size_t line) const {
    if (const auto name = table[kind][printed].value<std::string>()) return *name;
    throw Error(fmt::format("{}:{}: '{}' has no name in [{}] of {}; add it there", figures_file, line, printed, kind,
                            rows_file));
  }
};

void mark_calibration(const toml::table& table, std::vector<PublishedRow>& rows) {
  const toml::array* list = table["calibration"].as_array();
  if (!list) return;
  for (const toml::node& node : *list) {
    const toml::table& entry = *node.as_table();
    const auto machine = entry["machine"].value<std::string>(), card = entry["card"].value<std::string>();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const PublishedRow& r) { return r.machine == machine && r.card == card; });
    if (row == rows.end())
      throw Error(fmt::format("{}:{}: no published row is {} {}", rows_file, entry.source().begin.line,
                              machine.value_or("?"), card.value_or("?")));
    row->calibrated = entry["what"].value_or<std::string>("?");
    row->load_fitted = entry["load"].value_or(false);
    if (const toml::array* sizes = entry["sizes"].as_array())
      for (const toml::node& size : *sizes)
        row->fitted_sizes.insert(static_cast<std::uint32_t>(size.value_or<std::int64_t>(0)));
  }
}

}  // namespace

double PublishedRow::plateau() const {
  double sum = 0;
  unsigned count = 0;
  for (const auto& [size, value] : kb_per_s)
    if (size >= 4096) {
      sum += value;
      ++count;
    }
  return count ? sum / count : 0;
}

std::vector<PublishedRow> published_ethernet() {
  const Names names;
  std::istringstream lines{std::string(embedded(figures_file))};
  std::string line;
  std::vector<PublishedRow> rows;
  std::getline(lines, line);  // the heading
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    const auto f = fields(line);
    if (f.size() != 11) throw Error(fmt::format("{}:{}: {} fields, expected 11", figures_file, number, f.size()));
    const std::string machine = names.find("machines", f[1], number), card = names.find("cards", f[2], number);
    auto row = std::find_if(rows.begin(), rows.end(),
                            [&](const PublishedRow& r) { return r.machine == machine && r.card == card; });
    if (row == rows.end()) {
      rows.push_back({machine, card, f[1] + ", " + f[2], {}, {}, {}, {}, false});
      row = rows.end() - 1;
    }
    const double value = std::stod(f[9]);
    if (f[8] == "throughput") {
      const auto size = static_cast<std::uint32_t>(std::stoul(f[7]));
      row->kb_per_s[size == 32768 ? 32767 : size] = value;
    } else if (f[8] == "cpu_load") {
      row->load = value;
    }
  }
  mark_calibration(names.table, rows);
  return rows;
}

}  // namespace planar
