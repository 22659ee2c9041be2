// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/published_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "core/common/error.hpp"
#include "core/common/toml_text.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/published/embedded_published.hpp"
#include "machines/config/machine_files.hpp"

namespace planar {
namespace {

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

/// A line of the figures: the text in each column.
struct Line {
  std::map<std::string, std::string> columns;
  std::size_t number = 0;

  /// Empty if the table has no such column.
  std::string operator[](const std::string& heading) const {
    const auto found = columns.find(heading);
    return found == columns.end() ? std::string{} : found->second;
  }
  /// The word after `key=` in the option column ("server=TALENT; table=IV").
  std::string option_of(const std::string& key) const {
    std::istringstream items((*this)["option"]);
    for (std::string item; std::getline(items >> std::ws, item, ';');)
      if (item.starts_with(key + "=")) return item.substr(key.size() + 1);
    return {};
  }
};

/// Reads the figures of a table and translates their names as its TOML says.
class Reader {
 public:
  Reader(const toml::table& names, std::string_view file)
      : names_(names),
        names_file_(file),
        figures_(fmt::format("frontend/published/{}", names["figures"].value_or(std::string{}))) {}

  std::vector<PublishedRow> rows() {
    std::istringstream lines{std::string(embedded_text(embedded_published(), figures_))};
    std::string text;
    std::getline(lines, text);
    const auto headings = fields(text);
    for (std::size_t number = 2; std::getline(lines, text); ++number) {
      const auto f = fields(text);
      if (f.size() != headings.size())
        throw Error(fmt::format("{}:{}: {} fields, expected {}", figures_, number, f.size(), headings.size()));
      Line line{{}, number};
      for (std::size_t n = 0; n < f.size(); ++n) line.columns[headings[n]] = f[n];
      // Sections of averages ("IV-sequenced") repeat the other sections.
      if (line.option_of("table").find('-') == std::string::npos) add(line);
    }
    for (PublishedRow& row : rows_)
      if (row.average_sizes.empty())
        for (const auto& [size, figure] : row.figures) row.average_sizes.push_back(size);
    mark_repeats();
    mark("released", [](PublishedRow& row) { row.released = true; });
    mark("repeats", [](PublishedRow& row) { row.repeats = true; });
    return std::move(rows_);
  }

 private:
  /// The entry of [KIND] for a name in the figures: a text or a table. Throws Error if there is none.
  toml::node_view<const toml::node> entry(const char* kind, const std::string& printed, const Line& line) const {
    const auto found = names_[kind][printed];
    if (found) return found;
    throw Error(fmt::format("{}:{}: '{}' is not in [{}] of {}; add it there", figures_, line.number, printed, kind,
                            names_file_));
  }
  std::string name_of(const toml::node_view<const toml::node>& entry) const {
    return entry.is_table() ? text_of(entry["name"]) : text_of(entry);
  }
  static std::string text_of(const toml::node_view<const toml::node>& node) { return node.value_or(std::string{}); }

  void add(const Line& line) {
    if (line["metric"] == "cpu_load" || line["metric"] == "cpu_rating") {
      PublishedRow& row = row_of(line, nullptr);
      if (line["metric"] == "cpu_load")
        row.load = std::stod(line["value"]);
      else
        row.rating = line["value"];
      return;
    }
    const auto metric = entry("metrics", line["metric"], line);
    const auto size = metric["size"].value<std::int64_t>();
    const auto bytes = static_cast<std::uint32_t>(size ? *size : std::stol(line["packet_bytes"]));
    row_of(line, &metric).figures[size || bytes != 32768 ? bytes : 32767] = std::stod(line["value"]);
  }

  /// The row of the line. A new `metric` of the same machine and card begins a new row if it names its test.
  PublishedRow& row_of(const Line& line, const toml::node_view<const toml::node>* metric) {
    PublishedRow row = new_row(line);
    if (metric) {
      row.test = text_of((*metric)["test"]);
      row.benchmark = text_of((*metric)["benchmark"]);
      if (!row.test.empty()) row.title += ", " + row.test;
    }
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const PublishedRow& r) {
      return r.machine == row.machine && r.card == row.card && r.words() == row.words() && r.server == row.server;
    });
    if (found != rows_.end()) return *found;
    set_limit(row);
    return rows_.emplace_back(std::move(row));
  }

  PublishedRow new_row(const Line& line) const {
    const auto machine = entry("machines", line["machine"], line), card = entry("cards", line["adapter"], line);
    PublishedRow row;
    row.source = text_of(names_["source"]);
    row.section = line.option_of("table");
    row.machine = name_of(machine);
    row.group = machine["group"].value_or(row.machine);
    row.card = name_of(card);
    if (!is_built_in(row.machine)) row.missing = fmt::format("machine '{}'", row.machine);
    row.title = fmt::format("{}, {}", machine["title"].value_or(line["machine"].substr(0, line["machine"].find(" ("))),
                            card["title"].value_or(line["adapter"]));
    row.driver = line["driver_version"];
    if (!row.driver.empty()) row.title += fmt::format(", {} {}", line["driver"], row.driver);
    row.medium = medium();
    row.hypothetical_apart = names_["hypothetical_apart"].value_or(true);
    row.duplex = line["duplex"];
    row.server = machine["server"].value_or(line.option_of("server"));
    row.direction = text_of(machine["direction"]);
    row.setup = text_of(card["setup"]);
    if (!row.driver.empty()) row.options = "driver=" + row.driver;
    // The card's setup precedes the first "key=value".
    if (const auto option = line["option"], setup = option.substr(0, option.find(';'));
        !setup.empty() && setup.find('=') == std::string::npos)
      row.options += "," + text_of(entry("options", setup, line));
    row.seconds = names_["seconds"].value<std::string>();
    add_arguments(row, machine, card, line);
    for_each_of("average", [&](const toml::node& size) {
      row.average_sizes.push_back(static_cast<std::uint32_t>(size.value_or<std::int64_t>(0)));
    });
    for_each_of("rating", [&](const toml::node& node) {
      const toml::table& rating = *node.as_table();
      row.ratings.push_back({rating["from"].value_or(0.0), rating["word"].value_or(std::string{})});
    });
    return row;
  }

  void add_arguments(PublishedRow& row, const toml::node_view<const toml::node>& machine,
                     const toml::node_view<const toml::node>& card, const Line& line) const {
    append_texts(names_["arguments"].as_array(), row.arguments);
    append_texts(machine["arguments"].as_array(), row.arguments);
    append_texts(card["arguments"].as_array(), row.arguments);
    if (machine["alike"].value_or(false))  // both ends are this machine
      row.arguments.insert(row.arguments.end(), {"--against", row.machine + ":" + row.card});
    if (!row.duplex.empty()) row.arguments.insert(row.arguments.end(), {"--duplex", row.duplex});
    if (const auto condition = line["condition"]; !condition.empty())
      append_texts(entry("conditions", condition, line).as_array(), row.arguments);
    if (row.server.empty()) return;
    const auto server = entry("servers", row.server, line);
    append_texts(server["arguments"].as_array(), row.arguments);
    if (const auto assumed = text_of(server["set"]); !assumed.empty()) {
      row.assumed.push_back({assumed, text_of(server["source"]), text_of(server["confidence"])});
      row.arguments.insert(row.arguments.end(), {"--set", assumed});
    }
  }

  MediumKind medium() const {
    const std::string name = text_of(names_["medium"]);
    for (const auto kind :
         {MediumKind::ethernet_10, MediumKind::ethernet_100, MediumKind::ethernet_1000, MediumKind::token_ring})
      if (name == to_string(kind)) return kind;
    throw Error(fmt::format("{}: '{}' is not a medium", names_file_, name));
  }

  /// A later [[limit]] applies to fewer rows than an earlier one and overrides it.
  void set_limit(PublishedRow& row) const {
    for_each_of("limit", [&](const toml::node& node) {
      const toml::table& limit = *node.as_table();
      const auto words = row.words();
      std::vector<std::string> of, others;
      append_texts(limit["of"].as_array(), of);
      append_texts(limit["not_for"].as_array(), others);
      const auto has = [](const auto& list, const auto& word) {
        return std::find(list.begin(), list.end(), word) != list.end();
      };
      if (!has(others, row.card) && std::all_of(of.begin(), of.end(), [&](const auto& w) { return has(words, w); }))
        row.limit = limit["figure"].value<double>();
    });
  }

  template <class Do>
  void for_each_of(const char* key, Do what) const {
    if (const toml::array* list = names_[key].as_array())
      for (const toml::node& node : *list) what(node);
  }

  static void append_texts(const toml::array* list, std::vector<std::string>& texts) {
    if (!list) return;
    for (const toml::node& node : *list) texts.push_back(node.value_or(std::string{}));
  }

  /// Each entry of the list `key` names rows in the same way as a value's `published`.
  void mark(const char* key, void (*how)(PublishedRow&)) {
    for_each_of(key, [&](const toml::node& node) {
      const toml::table& named = *node.as_table();
      const PublishedUse use{
          named["machine"].value_or(std::string{}), named["card"].value_or(std::string{}), {}, false, {}};
      bool found = false;
      for (PublishedRow& row : rows_)
        if (names_row(use, row)) {
          how(row);
          found = true;
        }
      if (!found)
        throw Error(fmt::format("{}:{}: [[{}]] names {}, which matches no published row", names_file_,
                                node.source().begin.line, key, use.text()));
    });
  }

  void mark_repeats() {
    for (auto row = rows_.begin(); row != rows_.end(); ++row)
      row->repeats = std::any_of(rows_.begin(), row, [&](const PublishedRow& r) {
        auto words = r.words(), own = row->words();
        std::erase(words, r.section);
        std::erase(own, row->section);
        return r.machine == row->machine && r.card == row->card && words == own && r.server == row->server &&
               r.figures == row->figures;
      });
  }

  const toml::table& names_;
  std::string_view names_file_;
  std::string figures_;
  std::vector<PublishedRow> rows_;
};

}  // namespace

double PublishedRow::average() const {
  double sum = 0;
  unsigned count = 0;
  for (const auto size : average_sizes)
    if (const auto cell = figures.find(size); cell != figures.end()) {
      sum += cell->second;
      ++count;
    }
  return count ? sum / count : 0;
}

std::vector<std::string> PublishedRow::words() const {
  std::vector<std::string> list;
  for (const std::string* word : {&driver, &duplex, &test, &direction, &setup, &section})
    if (!word->empty()) list.push_back(*word);
  return list;
}

std::string PublishedRow::name() const {
  const std::string text = machine + " " + card;
  const auto list = words();
  return list.empty() ? text : fmt::format("{}: {}", text, fmt::join(list, " "));
}

std::string PublishedRow::variant() const {
  std::vector<std::string> list;
  for (const std::string* word : {&duplex, &test, &direction, &setup})
    if (!word->empty()) list.push_back(*word);
  if (!server.empty() && direction.empty()) list.push_back(server);  // else the direction names it
  return fmt::format("{}", fmt::join(list, "-"));
}

std::string_view PublishedRow::unit() const { return find_benchmark(benchmark).unit; }

std::string PublishedRow::sizes() const {
  std::vector<std::uint32_t> list;
  for (const auto& [size, figure] : figures) list.push_back(size);
  return fmt::format("{}", fmt::join(list, ","));
}

std::string PublishedRow::rating_of(double load_percent) const {
  std::string word;
  for (const LoadRating& r : ratings)
    if (load_percent >= r.from) word = r.word;
  return word;
}

PublishedTable::PublishedTable(std::string_view path)
    : file(path), names(toml::parse(AsciiToml(embedded_text(embedded_published(), path), path).text(), path)) {
  rows = Reader(names, file).rows();
}

bool PublishedTable::may_be_fitted(const PublishedUse& use) const {
  const toml::array* list = names["may_be_fitted"].as_array();
  if (!list) return false;
  for (const toml::node& node : *list) {
    const toml::table& entry = *node.as_table();
    const auto text = [&](const char* key) { return entry[key].value_or(std::string{}); };
    if (text("machine") != use.machine || text("card") != use.card) continue;
    if (use.load && !entry["load"].value_or(false)) return false;
    const toml::array* sizes = entry["sizes"].as_array();
    if (!sizes) return true;
    std::set<std::uint32_t> allowed;
    for (const toml::node& size : *sizes) allowed.insert(static_cast<std::uint32_t>(size.value_or<std::int64_t>(0)));
    return !use.sizes.empty() &&
           std::all_of(use.sizes.begin(), use.sizes.end(), [&](std::uint32_t size) { return allowed.contains(size); });
  }
  return false;
}

bool names_row(const PublishedUse& use, const PublishedRow& row) {
  std::istringstream words(use.card);
  std::string card, word;
  std::getline(words, card, ':');
  if (use.machine != row.machine || card != row.card) return false;
  const auto of_row = row.words();
  while (words >> word)
    if (std::find(of_row.begin(), of_row.end(), word) == of_row.end()) return false;
  return true;
}

}  // namespace planar
