// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/config/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "core/common/edit_distance.hpp"
#include "core/common/toml.hpp"
#include "core/common/toml_text.hpp"
#include "core/host/host_files.hpp"

namespace planar {

namespace {

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const auto dot = path.find('.');
    parts.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

const toml::node* find_in(const toml::table& table, std::string_view path) {
  const toml::node* node = &table;
  for (const auto& part : split_path(path)) {
    const auto* t = node->as_table();
    if (!t) return nullptr;
    node = t->get(part);
    if (!node) return nullptr;
  }
  return node;
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::optional<std::string> quoted(const std::optional<std::string>& text) {
  return text ? std::optional(toml_string(*text)) : std::nullopt;
}

/// Throws Error for a key that only quotes make possible: a dot in it would stand for another table, and the resolved
/// file, whose keys are not quoted, could not be read.
void refuse_quoted_paths(const toml::table& table, const AsciiToml& text, const std::string& name) {
  for (const auto& [key, node] : table) {
    const std::string_view part = key.str();
    const auto bare = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
    if (part.empty() || !std::all_of(part.begin(), part.end(), bare)) {
      const TextPlace at = text.place(key.source().begin.line, key.source().begin.column);
      throw Error(fmt::format("{}:{}:{}: \"{}\" is one key in quotes; {}", name, at.line, at.column, part,
                              part.find('.') == std::string_view::npos
                                  ? "a name has letters, digits, - and _ only"
                                  : fmt::format("without them, {} = ..., it is a key in a table", part)));
    }
    if (const auto* below = node.as_table()) refuse_quoted_paths(*below, text, name);
    if (const auto* list = node.as_array())
      for (const auto& entry : *list)
        if (const auto* below = entry.as_table()) refuse_quoted_paths(*below, text, name);
  }
}

}  // namespace

struct Config::Impl {
  struct Layer {
    std::string name;
    toml::table table;
    std::optional<AsciiToml> text;  ///< a file's text; nothing for a command-line value
    bool file = false;              ///< `name` is a file on the host
  };
  /// FILE:LINE:COLUMN, or the option.
  static std::string where(const Layer& layer, const toml::node& node) {
    if (!layer.text) return layer.name;
    const TextPlace at = layer.text->place(node.source().begin.line, node.source().begin.column);
    return fmt::format("{}:{}:{}", layer.name, at.line, at.column);
  }

  struct Read {
    std::string path;
    std::string value;   // as TOML
    std::string origin;  // file:line, option or "default"
  };
  std::vector<Layer> layers;
  std::vector<Read> reads;
  std::vector<Asked> asked;

  struct Found {
    const Layer* layer = nullptr;
    const toml::node* node = nullptr;
  };
  Found find(std::string_view path) const {
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
      if (const auto* node = find_in(layer->table, path)) return {&*layer, node};
    return {};
  }
  void remember(const std::string& path, std::string value, std::string origin) {
    for (auto& read : reads)
      if (read.path == path) {
        read.value = std::move(value);
        read.origin = std::move(origin);
        return;
      }
    reads.push_back({path, std::move(value), std::move(origin)});
  }
  /// The first request determines the type: a time is also read as a text.
  void ask(const std::string& path, std::string type, std::string range, std::optional<std::string> fallback) {
    for (const auto& known : asked)
      if (known.path == path) return;
    asked.push_back({path, std::move(type), std::move(range), std::move(fallback)});
  }
};

Config::Config() : impl_(std::make_unique<Impl>()) {}
Config::~Config() = default;
Config::Config(Config&&) noexcept = default;
Config& Config::operator=(Config&&) noexcept = default;

void Config::add_text(std::string_view text, const std::string& name) {
  AsciiToml ascii(text, name);
  try {
    toml::table table = toml::parse(ascii.text(), name);
    refuse_quoted_paths(table, ascii, name);
    impl_->layers.push_back({name, std::move(table), std::move(ascii)});
  } catch (const toml::parse_error& e) {
    const TextPlace at = ascii.place(e.source().begin.line, e.source().begin.column);
    throw Error(fmt::format("{}:{}:{}: {}; correct the line, or compare with `planar config MACHINE`", name, at.line,
                            at.column, e.description()));
  } catch (const TomlDamage& e) {
    throw Error(fmt::format("{}: {}; look for brackets without a name, or compare with `planar config MACHINE`", name,
                            e.what()));
  }
}

void Config::add_file(const std::filesystem::path& path) {
  const auto text = read_host_file(path, 1 << 20, "cannot be read; check the name and its permissions",
                                   "is not a TOML machine file (it has at most 1 MB); see `planar config MACHINE`");
  if (text.find('\0') != std::string::npos)
    throw Error(
        fmt::format("{}:1:1: is a binary file, not a TOML machine file; see `planar config MACHINE`", path.string()));
  add_text(text, path.string());
  impl_->layers.back().file = true;
}

std::vector<std::string> Config::files() const {
  std::vector<std::string> names;
  for (const Impl::Layer& layer : impl_->layers)
    if (layer.file) names.push_back(layer.name);
  return names;
}

namespace {
template <class T>
toml::table nested(const std::string& path, T value) {
  toml::table table;
  toml::table* at = &table;
  const auto parts = split_path(path);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    at->insert_or_assign(parts[i], toml::table{});
    at = at->get(parts[i])->as_table();
  }
  at->insert_or_assign(parts.back(), std::move(value));
  return table;
}
}  // namespace

void Config::set(const std::string& path, const std::string& value, const std::string& origin) {
  if (value == "true" || value == "false")
    impl_->layers.push_back({origin, nested(path, value == "true"), {}});
  else if (const auto n = parse_number(value); n && *n <= INT64_MAX)
    impl_->layers.push_back({origin, nested(path, static_cast<std::int64_t>(*n)), {}});
  else
    set_text(path, value, origin);
}

void Config::set_text(const std::string& path, const std::string& value, const std::string& origin) {
  impl_->layers.push_back({origin, nested(path, value), {}});
}

void Config::set_texts(const std::string& path, const std::vector<std::string>& values, const std::string& origin) {
  toml::array array;
  for (const auto& value : values) array.push_back(value);
  impl_->layers.push_back({origin, nested(path, std::move(array)), {}});
}

std::string Config::peek_text(const std::string& path) const {
  const auto found = impl_->find(path);
  if (!found.node) return {};
  if (const auto* s = found.node->as_string()) return s->get();
  if (const auto* n = found.node->as_integer()) return std::to_string(n->get());
  if (const auto* b = found.node->as_boolean()) return b->get() ? "true" : "false";
  return {};
}

bool Config::has(std::string_view path) const { return impl_->find(path).node != nullptr; }

std::vector<std::string> Config::children(std::string_view path) const {
  std::vector<std::string> names;
  for (const auto& layer : impl_->layers)
    if (const auto* node = find_in(layer.table, path))
      if (const auto* table = node->as_table())
        for (const auto& [key, value] : *table)
          if (std::find(names.begin(), names.end(), key.str()) == names.end()) names.emplace_back(key.str());
  return names;
}

std::string Config::origin(const std::string& path, std::optional<std::size_t> entry) const {
  const auto found = impl_->find(path);
  if (!found.node) {  // not in the file: the location of the table that it would be in
    const auto dot = path.rfind('.');
    const auto table = impl_->find(path.substr(0, dot == std::string::npos ? 0 : dot));
    if (dot != std::string::npos && table.node && table.layer->file) return Impl::where(*table.layer, *table.node);
    return impl_->layers.empty() ? "configuration" : impl_->layers.back().name;
  }
  const auto* list = found.node->as_array();
  const auto* node = entry && list ? list->get(*entry) : nullptr;
  return Impl::where(*found.layer, node ? *node : *found.node);
}

const std::vector<Config::Asked>& Config::asked() const { return impl_->asked; }

void Config::fail(const std::string& path, const std::string& problem) const {
  throw Error(fmt::format("{}: {}: {}", origin(path), path, problem));
}

std::string Config::text(const std::string& path, std::optional<std::string> fallback) {
  impl_->ask(path, "text", {}, quoted(fallback));
  const auto found = impl_->find(path);
  if (!found.node) {
    if (!fallback) fail(path, "is missing; add it to the machine file");
    impl_->remember(path, toml_string(*fallback), "default");
    return *fallback;
  }
  std::string value;
  if (const auto* s = found.node->as_string())
    value = s->get();
  else if (const auto* n = found.node->as_integer())
    value = std::to_string(n->get());
  else
    fail(path, "expects a text in quotes");
  impl_->remember(path, toml_string(value), Impl::where(*found.layer, *found.node));
  return value;
}

std::int64_t Config::integer(const std::string& path, std::int64_t low, std::int64_t high,
                             std::optional<std::int64_t> fallback) {
  impl_->ask(path, "whole number", fmt::format("{} to {}", low, high == INT64_MAX ? "2^63 - 1" : std::to_string(high)),
             fallback ? std::optional(std::to_string(*fallback)) : std::nullopt);
  const auto found = impl_->find(path);
  std::int64_t value = 0;
  std::string origin = "default";
  if (!found.node) {
    if (!fallback) fail(path, fmt::format("is missing; expects a whole number from {} to {}", low, high));
    value = *fallback;
  } else {
    const auto* n = found.node->as_integer();
    if (!n) fail(path, fmt::format("expects a whole number from {} to {}", low, high));
    value = n->get();
    origin = Impl::where(*found.layer, *found.node);
  }
  if (value < low || value > high) fail(path, fmt::format("is {}, expects {} to {}", value, low, high));
  impl_->remember(path, std::to_string(value), origin);
  return value;
}

bool Config::flag(const std::string& path, std::optional<bool> fallback) {
  impl_->ask(path, "true or false", {},
             fallback ? std::optional<std::string>(*fallback ? "true" : "false") : std::nullopt);
  const auto found = impl_->find(path);
  if (!found.node) {
    if (!fallback) fail(path, "is missing; expects true or false");
    impl_->remember(path, *fallback ? "true" : "false", "default");
    return *fallback;
  }
  const auto* b = found.node->as_boolean();
  if (!b) fail(path, "expects true or false");
  impl_->remember(path, b->get() ? "true" : "false", Impl::where(*found.layer, *found.node));
  return b->get();
}

Time Config::time(const std::string& path, std::optional<std::string> fallback) {
  impl_->ask(path, "time", {}, quoted(fallback));
  const auto value = parse_time(text(path, std::move(fallback)));
  if (!value)
    fail(path,
         fmt::format("expects a time with its unit, such as \"200 ns\" (ps, ns, us, ms, s), at most {}", longest_time));
  return *value;
}

Frequency Config::frequency(const std::string& path, std::optional<std::string> fallback) {
  impl_->ask(path, "frequency", {}, quoted(fallback));
  const auto value = parse_frequency(text(path, std::move(fallback)));
  if (!value)
    fail(path,
         "expects a frequency with its unit, such as \"20 MHz\" or \"100/3 MHz\" (Hz, kHz, MHz), from 1 Hz to 10000 "
         "MHz");
  return *value;
}

std::uint64_t Config::size(const std::string& path, std::optional<std::string> fallback) {
  impl_->ask(path, "size", {}, quoted(fallback));
  const auto value = parse_size(text(path, std::move(fallback)));
  if (!value) fail(path, "expects a size with its unit, such as \"16 MB\" (bytes, KB, MB)");
  return *value;
}

std::vector<std::int64_t> Config::integers(const std::string& path, std::int64_t low, std::int64_t high) {
  impl_->ask(path, "list of whole numbers", fmt::format("{} to {}", low, high), {});
  const auto found = impl_->find(path);
  const auto* array = found.node ? found.node->as_array() : nullptr;
  if (!array) fail(path, "expects a list of whole numbers in brackets");
  std::vector<std::int64_t> values;
  for (const auto& element : *array) {
    const auto* n = element.as_integer();
    if (!n || n->get() < low || n->get() > high)
      fail(path, fmt::format("expects a list of whole numbers from {} to {}", low, high));
    values.push_back(n->get());
  }
  impl_->remember(path, fmt::format("[{}]", fmt::join(values, ", ")), Impl::where(*found.layer, *found.node));
  return values;
}

std::vector<std::string> Config::texts(const std::string& path) {
  impl_->ask(path, "list of texts", {}, "[]");
  const auto found = impl_->find(path);
  std::vector<std::string> values, written;
  if (!found.node) return values;
  const auto* array = found.node->as_array();
  if (!array) fail(path, "expects a list of texts in brackets, such as [\"one\", \"two\"]");
  for (const auto& element : *array) {
    const auto* s = element.as_string();
    if (!s) fail(path, "expects a list of texts in brackets, such as [\"one\", \"two\"]");
    values.push_back(s->get());
    written.push_back(toml_string(s->get()));
  }
  impl_->remember(path, fmt::format("[{}]", fmt::join(written, ", ")), Impl::where(*found.layer, *found.node));
  return values;
}

std::string Config::choice(const std::string& path, const std::vector<std::string>& words,
                           std::optional<std::string> fallback) {
  impl_->ask(path, "text", fmt::format("`\"{}\"`", fmt::join(words, "\"`, `\"")), quoted(fallback));
  const auto value = text(path, std::move(fallback));
  if (std::find(words.begin(), words.end(), value) == words.end())
    fail(path, fmt::format("'{}' is not one of {}", value, fmt::join(words, ", ")));
  return value;
}

namespace {
void leaves(const toml::table& table, const std::string& prefix,
            std::vector<std::pair<std::string, const toml::node*>>& out) {
  for (const auto& [key, node] : table) {
    const auto path = prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
    if (const auto* t = node.as_table())
      leaves(*t, path, out);
    else
      out.emplace_back(path, &node);
  }
}
}  // namespace

void Config::reject_unknown(const std::function<std::string(const std::string& path)>& known_elsewhere) const {
  std::vector<std::string> known;
  for (const auto& read : impl_->reads) known.push_back(read.path);
  for (const auto& layer : impl_->layers) {
    std::vector<std::pair<std::string, const toml::node*>> all;
    leaves(layer.table, "", all);
    for (const auto& [path, node] : all) {
      if (std::find(known.begin(), known.end(), path) != known.end()) continue;
      if (&layer != &impl_->layers.back() && layer.name.ends_with("(built in)"))
        throw Error(
            fmt::format("{}: '{}' of {} belongs to no machine with what is changed here; start from a machine "
                        "that is nearer to it, or set a key (such as board) back",
                        impl_->layers.back().name, path, layer.name));
      if (const auto reason = known_elsewhere(path); !reason.empty())
        throw Error(fmt::format("{}: {}: {}", Impl::where(layer, *node), path, reason));
      const auto below = [table = path + "."](const std::string& other) { return other.starts_with(table); };
      const bool is_table = std::any_of(known.begin(), known.end(), below);
      if (is_table)
        throw Error(
            fmt::format("{0}: {1} is a table; write [{1}] and its keys below", Impl::where(layer, *node), path));
      const auto guess = nearest(path, known);
      throw Error(fmt::format(
          "{}: no setting '{}'{}", Impl::where(layer, *node), path,
          guess.empty() ? "; `planar config MACHINE` prints them all" : fmt::format("; did you mean '{}'?", guess)));
    }
  }
}

bool Config::is_list(const std::string& path) const {
  const auto found = impl_->find(path);
  return found.node && found.node->is_array();
}

bool Config::is_number(const std::string& path) const {
  const auto found = impl_->find(path);
  return found.node && found.node->is_number();
}

void Config::add_layers(Config other) {
  for (auto& layer : other.impl_->layers) impl_->layers.push_back(std::move(layer));
}

Config Config::only(const std::vector<std::string>& keys) const {
  Config part;
  for (const Impl::Layer& layer : impl_->layers) {
    toml::table table;
    for (const auto& key : keys)
      if (const auto* node = layer.table.get(key)) table.insert(key, *node);
    part.impl_->layers.push_back({layer.name, std::move(table), layer.text, layer.file});
  }
  return part;
}

void Config::remove(const std::vector<std::string>& keys) {
  for (Impl::Layer& layer : impl_->layers)
    for (const auto& key : keys) {
      const auto dot = key.rfind('.');
      toml::table* const table =
          dot == std::string::npos ? &layer.table : layer.table.at_path(key.substr(0, dot)).as_table();
      if (table) table->erase(dot == std::string::npos ? key : key.substr(dot + 1));
    }
}

void Config::discard(const std::vector<std::string>& keys) {
  remove(keys);
  std::erase_if(impl_->reads, [&](const auto& read) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const auto& key) { return read.path == key || read.path.starts_with(key + "."); });
  });
}

std::vector<Config> Config::split(const std::string& list, const std::vector<std::string>& shared) {
  Impl::Layer& file = impl_->layers.back();
  toml::array& entries = *file.table.get(list)->as_array();
  std::vector<Config> parts;
  for (auto& entry : entries) {
    toml::table* const table = entry.as_table();
    if (!table)
      throw Error(fmt::format("{}: {} expects tables, each begun with [[{}]]", Impl::where(file, entry), list, list));
    for (const auto& name : shared)
      if (const auto* node = table->get(name))
        throw Error(fmt::format("{}: {} is for the whole lab; write [{}] once, before the first [[{}]]",
                                Impl::where(file, *node), name, name, list));
    parts.emplace_back().impl_->layers.push_back({file.name, std::move(*table), file.text, file.file});
  }
  for (const auto& [key, node] : file.table)
    if (key.str() != list && std::find(shared.begin(), shared.end(), key.str()) == shared.end())
      throw Error(
          fmt::format("{}: {} is not a setting of a lab; write it below the [[{}]] that it applies to (a lab's own "
                      "settings are {})",
                      Impl::where(file, node), key.str(), list, fmt::join(shared, ", ")));
  file.table.erase(list);
  const auto put_below = [](Config& part, Impl::Layer layer) {
    auto& layers = part.impl_->layers;
    layers.insert(layers.begin(), std::move(layer));
  };
  for (std::size_t n = 1; n < parts.size(); ++n) {
    toml::table again = toml::parse(file.text->text(), file.name);  // a copy would lose its line numbers
    again.erase(list);
    put_below(parts[n], {file.name, std::move(again), file.text});
  }
  if (!parts.empty()) put_below(parts.front(), std::move(file));
  return parts;
}

std::string Config::resolved() const { return resolved({}, {}, false); }

std::string Config::resolved(const std::string& above, const std::vector<std::string>& keys, bool keep) const {
  // TOML requires the values of a table to be together, and root values before the first table.
  const auto wanted = [&](const std::string& path) {
    return keep == (std::find(keys.begin(), keys.end(), path.substr(0, path.find('.'))) != keys.end());
  };
  std::vector<std::string> tables;
  auto parent = [](const std::string& path) {
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? std::string{} : path.substr(0, dot);
  };
  tables.emplace_back();
  for (const auto& read : impl_->reads)
    if (wanted(read.path) && std::find(tables.begin(), tables.end(), parent(read.path)) == tables.end())
      tables.push_back(parent(read.path));
  std::string out;
  for (const auto& table : tables) {
    if (!table.empty()) out += fmt::format("\n[{}{}]\n", above, table);
    for (const auto& read : impl_->reads)
      if (wanted(read.path) && parent(read.path) == table)
        out += fmt::format("{} = {}\n", table.empty() ? read.path : read.path.substr(table.size() + 1), read.value);
  }
  return out;
}

std::string Config::explained() const {
  std::string out;
  for (const auto& read : impl_->reads) out += fmt::format("{} = {}  # {}\n", read.path, read.value, read.origin);
  return out;
}

std::vector<std::pair<std::string, std::string>> Config::values() const {
  std::vector<std::pair<std::string, std::string>> list;
  for (const auto& read : impl_->reads) list.emplace_back(read.path, read.value);
  return list;
}

}  // namespace planar
