// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/published_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/common/error.hpp"
#include "core/common/toml_text.hpp"
#include "frontend/published/embedded_published.hpp"

namespace planar {
namespace {

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

/// A line of the figures.
struct Line {
  std::string machine, adapter, driver, version, duplex, option, size, metric, value;
  std::size_t number = 0;

  /// The word after `key=` in the option column ("server=TALENT; table=IV").
  std::string option_of(const std::string& key) const {
    std::istringstream items(option);
    for (std::string item; std::getline(items >> std::ws, item, ';');)
      if (item.starts_with(key + "=")) return item.substr(key.size() + 1);
    return {};
  }
};

/// Reads the figures of a table, with the names that its TOML gives to what they say.
class Reader {
 public:
  Reader(const toml::table& names, std::string_view file)
      : names_(names),
        names_file_(file),
        figures_(fmt::format("frontend/published/{}", names["figures"].value_or(std::string{}))) {}

  std::vector<PublishedRow> rows() {
    std::istringstream lines{std::string(embedded(figures_))};
    std::string text;
    std::getline(lines, text);  // the heading
    for (std::size_t number = 2; std::getline(lines, text); ++number) {
      const auto f = fields(text);
      if (f.size() != 11) throw Error(fmt::format("{}:{}: {} fields, expected 11", figures_, number, f.size()));
      const Line line{f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], number};
      // Sections of averages ("IV-sequenced") repeat what the others say.
      if (line.option_of("table").find('-') == std::string::npos) add(line);
    }
    mark_repeats();
    mark("released", [](PublishedRow& row) { row.released = true; });
    mark("repeats", [](PublishedRow& row) { row.repeats = true; });
    return std::move(rows_);
  }

 private:
  template <class T>
  T find(const char* kind, const std::string& printed, const char* key, const Line& line) const {
    const auto entry = names_[kind][printed];
    const auto name = key ? entry[key].template value<T>() : entry.template value<T>();
    if (name) return *name;
    throw Error(fmt::format("{}:{}: '{}' has no name in [{}] of {}; add it there", figures_, line.number, printed, kind,
                            names_file_));
  }

  void add(const Line& line) {
    const auto machine = find<std::string>("machines", line.machine, "name", line);
    const auto card = find<std::string>("cards", line.adapter, nullptr, line);
    const auto section = line.option_of("table"), server = line.option_of("server");
    auto row = std::find_if(rows_.begin(), rows_.end(), [&](const PublishedRow& r) {
      return r.machine == machine && r.card == card && r.driver == line.version && r.duplex == line.duplex &&
             r.section == section && r.server == server;
    });
    if (row == rows_.end()) row = rows_.insert(rows_.end(), new_row(line, machine, card));
    if (line.metric == "throughput") {
      const auto size = static_cast<std::uint32_t>(std::stoul(line.size));
      row->kb_per_s[size == 32768 ? 32767 : size] = std::stod(line.value);
    } else if (line.metric == "cpu_load") {
      row->load = std::stod(line.value);
    } else if (line.metric == "cpu_rating") {
      row->rating = line.value;
    }
  }

  PublishedRow new_row(const Line& line, const std::string& machine, const std::string& card) const {
    PublishedRow row;
    row.source = names_["source"].value_or(std::string{});
    row.section = line.option_of("table");
    row.machine = machine;
    row.group = names_["machines"][line.machine]["group"].value_or(machine);
    row.card = card;
    row.title = fmt::format("{}, {}", line.machine.substr(0, line.machine.find(" (")), line.adapter);
    if (!line.version.empty()) row.title += fmt::format(", {} {}", line.driver, line.version);
    row.medium = names_["medium"].value_or(std::string{}) == to_string(MediumKind::token_ring)
                     ? MediumKind::token_ring
                     : MediumKind::ethernet_10;
    row.hypothetical_apart = names_["hypothetical_apart"].value_or(true);
    row.driver = line.version;
    row.duplex = line.duplex;
    row.server = line.option_of("server");
    if (!row.driver.empty()) row.options = "driver=" + row.driver;
    // What the table says of the card's setup stands before the first "key=value".
    if (const auto setup = line.option.substr(0, line.option.find(';'));
        !setup.empty() && setup.find('=') == std::string::npos)
      row.options += "," + find<std::string>("options", setup, nullptr, line);
    row.seconds = names_["seconds"].value<std::string>();
    append_texts(names_["arguments"].as_array(), row.arguments);
    append_texts(names_["machines"][line.machine]["arguments"].as_array(), row.arguments);
    if (!row.duplex.empty()) row.arguments.insert(row.arguments.end(), {"--duplex", row.duplex});
    if (!row.server.empty()) {
      if (!names_["servers"][row.server].is_array())
        throw Error(fmt::format("{}:{}: '{}' is not in [servers] of {}; add it there", figures_, line.number,
                                row.server, names_file_));
      append_texts(names_["servers"][row.server].as_array(), row.arguments);
    }
    if (const toml::array* sizes = names_["average"].as_array())
      for (const toml::node& size : *sizes)
        row.average_sizes.push_back(static_cast<std::uint32_t>(size.value_or<std::int64_t>(0)));
    if (const toml::array* ratings = names_["rating"].as_array())
      for (const toml::node& node : *ratings)
        row.ratings.push_back(
            {(*node.as_table())["from"].value_or(0.0), (*node.as_table())["word"].value_or(std::string{})});
    if (const toml::array* limits = names_["limit"].as_array())
      for (const toml::node& node : *limits)
        if (const toml::table& limit = *node.as_table(); limit["duplex"].value_or(row.duplex) == row.duplex) {
          std::vector<std::string> others;
          append_texts(limit["not_for"].as_array(), others);
          if (std::find(others.begin(), others.end(), card) == others.end())
            row.limit = limit["kb_per_s"].value<double>();
        }
    return row;
  }

  static void append_texts(const toml::array* list, std::vector<std::string>& texts) {
    if (!list) return;
    for (const toml::node& node : *list) texts.push_back(node.value_or(std::string{}));
  }

  /// Each entry of the list `key` names rows as a value's `published` does.
  void mark(const char* key, void (*how)(PublishedRow&)) {
    const toml::array* list = names_[key].as_array();
    if (!list) return;
    for (const toml::node& node : *list) {
      const toml::table& entry = *node.as_table();
      const PublishedUse use{
          entry["machine"].value_or(std::string{}), entry["card"].value_or(std::string{}), {}, false, {}};
      bool found = false;
      for (PublishedRow& row : rows_)
        if (names_row(use, row)) {
          how(row);
          found = true;
        }
      if (!found)
        throw Error(fmt::format("{}:{}: [[{}]] names {}, and no published row is that", names_file_,
                                node.source().begin.line, key, use.text()));
    }
  }

  void mark_repeats() {
    for (auto row = rows_.begin(); row != rows_.end(); ++row)
      row->repeats = std::any_of(rows_.begin(), row, [&](const PublishedRow& r) {
        return r.machine == row->machine && r.card == row->card && r.driver == row->driver && r.duplex == row->duplex &&
               r.server == row->server && r.kb_per_s == row->kb_per_s;
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
    if (const auto cell = kb_per_s.find(size); cell != kb_per_s.end()) {
      sum += cell->second;
      ++count;
    }
  return count ? sum / count : 0;
}

std::string PublishedRow::name() const {
  std::string text = machine + " " + card, words;
  for (const std::string* word : {&driver, &duplex, &section})
    if (!word->empty()) words += " " + *word;
  return words.empty() ? text : text + ":" + words;
}

std::string PublishedRow::rating_of(double load_percent) const {
  std::string word;
  for (const LoadRating& r : ratings)
    if (load_percent >= r.from) word = r.word;
  return word;
}

PublishedTable::PublishedTable(std::string_view path)
    : file(path), names(toml::parse(AsciiToml(embedded(path), path).text(), path)) {
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
  while (words >> word)
    if (word != row.driver && word != row.duplex && word != row.section) return false;
  return true;
}

}  // namespace planar
