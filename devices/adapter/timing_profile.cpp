// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/adapter/timing_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "core/common/error.hpp"
#include "core/common/quantity.hpp"
#include "core/common/toml.hpp"
#include "core/common/toml_text.hpp"
#include "devices/adapter/embedded_files.hpp"
#include "devices/adapter/provenance_toml.hpp"

namespace planar {
namespace {

struct Reader {
  std::string_view file;
  std::vector<ProfileValue>& values;

  [[noreturn]] void fail(const toml::node& node, std::string_view name, std::string_view problem) const {
    throw Error(fmt::format("{}:{}: timing value '{}' {}", file, node.source().begin.line, name, problem));
  }

  std::string text(const toml::table& table, std::string_view name, std::string_view key) const {
    const auto found = table[key].value<std::string>();
    if (!found)
      fail(table, name, fmt::format("lacks the text '{}'; every value states value, unit, source and confidence", key));
    return *found;
  }

  void read(const toml::table& table, const std::string& path) {
    if (!table.contains("value") && !table.contains("rule")) {
      for (const auto& [key, node] : table) {
        const std::string name = path.empty() ? std::string(key.str()) : path + "." + std::string(key.str());
        if (!node.is_table()) fail(node, name, "stands outside of a [name] table with value, unit, source, confidence");
        read(*node.as_table(), name);
      }
      return;
    }
    const Provenance from = provenance_of(table, file, fmt::format("timing value '{}'", path));
    ProfileValue v{path, 0, {}, from.source, from.confidence, from.published, {}, from.same_as};
    if (const auto rule = table["rule"].value<std::string>()) {
      v.rule = *rule;
      if (table.contains("value")) fail(table, path, "is a rule and has a value; it can be one of them");
    } else {
      const auto number = table["value"].value_exact<std::int64_t>();
      if (!number || *number < 0) fail(table, path, "needs a whole number of 0 or more as its value");
      v.value = *number;
      v.unit = text(table, path, "unit");
      if (find_unit(v.unit) == nullptr)
        fail(table, path,
             fmt::format("has the unit '{}'; use ps, ns, us, Hz, clocks, bytes, frames, tracks, flag or instructions",
                         v.unit));
    }
    values.push_back(std::move(v));
  }
};

}  // namespace

std::string profile_path(std::string_view card) {
  const std::string file = fmt::format("/{}.toml", card);
  for (const EmbeddedFile& f : embedded_files())
    if (f.path.ends_with(file)) return std::string(f.path);
  return fmt::format("devices/ethernet/{0}/{0}.toml", card);  // a missing file is reported by whoever opens it
}

TimingProfile TimingProfile::parse(std::string_view text, std::string_view file) {
  TimingProfile profile;
  profile.file_ = file;
  try {
    const toml::table table = toml::parse(AsciiToml(text, file).text(), file);
    Reader{file, profile.values_}.read(table, "");
  } catch (const toml::parse_error& e) {
    throw Error(fmt::format("{}:{}: {}; correct the TOML", file, e.source().begin.line, e.description()));
  }
  return profile;
}

TimingProfile TimingProfile::embedded(std::string_view path) {
  for (const EmbeddedFile& p : embedded_files())
    if (p.path == path) return parse(p.text, p.path);
  throw Error(fmt::format("this build holds no timing profile '{}'", path));
}

std::vector<TimingValue> TimingProfile::rows() const {
  std::vector<TimingValue> rows;
  for (const ProfileValue& v : values_)
    if (v.rule.empty())
      rows.push_back(
          {v.name, fmt::format("{} {}", v.value, v.unit), v.source, v.confidence, v.published, false, v.same_as});
    else
      rows.push_back({v.name, v.rule, v.source, v.confidence, v.published, true, v.same_as});
  return rows;
}

const ProfileValue& TimingProfile::get(std::string_view name) const {
  for (const ProfileValue& v : values_)
    if (v.name == name && v.rule.empty()) return v;
  throw Error(fmt::format("{}: there is no timing value '{}'", file_, name));
}

void TimingProfile::set(std::string_view name, std::string_view text) {
  const auto found = std::find_if(values_.begin(), values_.end(), [&](const auto& v) { return v.name == name; });
  if (found == values_.end()) {
    std::string names;
    for (const ProfileValue& v : values_)
      if (v.rule.empty()) names += (names.empty() ? "" : ", ") + v.name;
    throw Error(fmt::format("there is no timing value '{}'; {} has {}", name, file_, names));
  }
  if (!found->rule.empty())
    throw Error(fmt::format("'{}' is a rule that the model follows, not a number that could be set", name));
  const Unit& own = *find_unit(found->unit);
  const auto bad = [&]() -> Error {
    std::string others;
    for (const Unit& u : units)
      if (u.base == own.base && u.name != own.name && u.name != "µs")
        others += fmt::format("{}{}", others.empty() ? "" : ", ", u.name);
    return Error(fmt::format("'{}' is not a value for '{}'; write a number of 0 or more in {}{}", text, name,
                             found->unit, others.empty() ? "" : fmt::format(", or one with its unit ({})", others)));
  };
  // Integers only, so that a setting is exact.
  const auto q = parse_quantity(text);
  if (!q || q->num / q->den > 1'000'000'000'000) throw bad();
  const Unit* const unit = q->unit.empty() ? &own : find_unit(q->unit);
  if (unit == nullptr || unit->base != own.base) throw bad();
  const auto scaled = static_cast<__int128>(q->num) * unit->factor;
  const auto divisor = static_cast<__int128>(q->den) * own.factor;
  if (scaled % divisor || scaled / divisor > INT64_MAX / 1'000'000) throw bad();
  found->value = static_cast<std::int64_t>(scaled / divisor);
  found->confidence = "user";
  found->published.clear();
  found->source = "set on the command line or in a configuration file";
}

Time TimingProfile::time(std::string_view name) const {
  const ProfileValue& v = get(name);
  const auto scale = factor_of(v.unit, "ps");
  if (!scale) throw Error(fmt::format("{}: timing value '{}' is in {}, a time is wanted", file_, name, v.unit));
  return Time{v.value * *scale};
}

std::int64_t TimingProfile::integer(std::string_view name, std::int64_t least, std::int64_t most) const {
  const ProfileValue& v = get(name);
  if (factor_of(v.unit, "ps")) throw Error(fmt::format("{}: timing value '{}' is a time", file_, name));
  if (v.value < least || v.value > most)
    throw Error(
        v.confidence == "user"
            ? fmt::format("{}.{} is set to {} {}, which is out of range ({} to {})",
                          std::filesystem::path(file_).stem().string(), name, v.value, v.unit, least, most)
            : fmt::format("{}: {}: {} {} is out of range ({} to {})", file_, name, v.value, v.unit, least, most));
  return v.value;
}

}  // namespace planar
