// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/kept/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <stdexcept>
#include <vector>

#include "frontend/kept/embedded_schemas.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

/// Also accepts integers written as 1.0 or 1e3, within the range in which a double represents every integer.
bool whole(const ordered_json& value) {
  constexpr double counted = 9007199254740992;  // 2^53
  if (!value.is_number_float()) return value.is_number_integer();
  const auto number = value.get<double>();
  return std::floor(number) == number && std::abs(number) <= counted;
}

bool is_of(const ordered_json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  if (type == "integer") return whole(value);
  throw std::out_of_range("a schema's type " + type);
}

bool matches(const std::string& text, const ordered_json& pattern) {
  return std::regex_search(text, std::regex(pattern.get<std::string>()));
}

/// Checks one document against one schema, up to the first problem.
class Check {
 public:
  explicit Check(const Schemas& schemas) : schemas_(schemas) {}

  /// False: problem() says what is wrong. `root` is the file that contains `schema`.
  bool fits(const ordered_json& value, const ordered_json& schema, const ordered_json& root) {
    for (const auto& [keyword, wanted] : schema.items())
      if (!keyword_fits(keyword, wanted, value, schema, root)) return false;
    return true;
  }

  std::string problem() const {
    std::string place;
    for (const auto& part : place_) place += (place.empty() ? "" : "/") + part;
    return (place.empty() ? "" : place + ": ") + problem_;
  }

 private:
  bool wrong(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool keyword_fits(const std::string& keyword, const ordered_json& wanted, const ordered_json& value,
                    const ordered_json& schema, const ordered_json& root) {
    if (keyword == "type") return type_fits(wanted, value);
    if (keyword == "const") return value == wanted || wrong("is not " + wanted.dump());
    if (keyword == "enum")
      return std::find(wanted.begin(), wanted.end(), value) != wanted.end() || wrong("is none of " + wanted.dump());
    if (keyword == "minimum")
      return !value.is_number() || value.get<double>() >= wanted.get<double>() || wrong("is below " + wanted.dump());
    if (keyword == "maximum")
      return !value.is_number() || value.get<double>() <= wanted.get<double>() || wrong("is above " + wanted.dump());
    if (keyword == "pattern")
      return !value.is_string() || matches(value.get_ref<const std::string&>(), wanted) ||
             wrong("does not match the pattern that the schema requires");
    if (keyword == "minItems")
      return !value.is_array() || value.size() >= wanted.get<std::size_t>() || wrong("has too few entries");
    if (keyword == "maxItems")
      return !value.is_array() || value.size() <= wanted.get<std::size_t>() || wrong("has too many entries");
    if (keyword == "items") return items_fit(wanted, value, root);
    if (keyword == "required") return required_there(wanted, value);
    if (keyword == "properties" || keyword == "patternProperties" || keyword == "additionalProperties")
      return keyword != first_of_members(schema) || members_fit(schema, value, root);
    if (keyword == "$ref") return reference_fits(wanted.get<std::string>(), value, root);
    if (keyword == "anyOf" || keyword == "oneOf") return some_fit(wanted, value, root, keyword == "oneOf");
    for (const char* remark : {"description", "title", "$schema", "$id", "$defs"})
      if (keyword == remark) return true;
    throw std::out_of_range("a schema's keyword " + keyword);
  }

  bool type_fits(const ordered_json& wanted, const ordered_json& value) {
    const auto types = wanted.is_array() ? wanted.get<std::vector<std::string>>()
                                         : std::vector<std::string>{wanted.get<std::string>()};
    if (std::any_of(types.begin(), types.end(), [&](const std::string& type) { return is_of(value, type); }))
      return true;
    std::string names;
    for (const auto& type : types) names += (names.empty() ? "" : " or ") + type;
    return wrong(fmt::format("is not {} {}", names.find_first_of("aio") == 0 ? "an" : "a", names));
  }

  bool items_fit(const ordered_json& wanted, const ordered_json& value, const ordered_json& root) {
    if (!value.is_array()) return true;
    for (std::size_t n = 0; n < value.size(); ++n)
      if (!below(std::to_string(n), value[n], wanted, root)) return false;
    return true;
  }

  bool required_there(const ordered_json& wanted, const ordered_json& value) {
    if (!value.is_object()) return true;
    for (const auto& name : wanted)
      if (!value.contains(name.get<std::string>())) return wrong(name.get<std::string>() + " is missing");
    return true;
  }

  /// The three keywords about members are checked together, at the first of them.
  static std::string first_of_members(const ordered_json& schema) {
    for (const char* keyword : {"properties", "patternProperties", "additionalProperties"})
      if (schema.contains(keyword)) return keyword;
    return {};
  }

  bool members_fit(const ordered_json& schema, const ordered_json& value, const ordered_json& root) {
    if (!value.is_object()) return true;
    static const ordered_json none = ordered_json::object(), anything = true;
    const ordered_json& named = schema.contains("properties") ? schema["properties"] : none;
    const ordered_json& patterns = schema.contains("patternProperties") ? schema["patternProperties"] : none;
    const ordered_json& others = schema.contains("additionalProperties") ? schema["additionalProperties"] : anything;
    for (const auto& [name, member] : value.items()) {
      bool known = false;
      if (const auto found = named.find(name); found != named.end()) {
        known = true;
        if (!below(name, member, *found, root)) return false;
      }
      for (const auto& [pattern, wanted] : patterns.items())
        if (matches(name, pattern)) {
          known = true;
          if (!below(name, member, wanted, root)) return false;
        }
      if (known || others == anything) continue;
      if (others.is_boolean()) return wrong(fmt::format("{:.40} is not a member of it", name));
      if (!below(name, member, others, root)) return false;
    }
    return true;
  }

  bool reference_fits(const std::string& reference, const ordered_json& value, const ordered_json& root) {
    const auto hash = reference.find('#');
    const auto file = reference.substr(0, hash);
    const ordered_json& target = file.empty() ? root : schemas_.file(file.substr(0, file.rfind(".json")));
    if (hash == std::string::npos) return fits(value, target, target);
    return fits(value, target.at(ordered_json::json_pointer(reference.substr(hash + 1))), target);
  }

  /// The problem reported is that of the kind that the value is closest to: the one that its member `schema` names,
  /// otherwise the one that it fits to the greatest depth.
  bool some_fit(const ordered_json& kinds, const ordered_json& value, const ordered_json& root, bool exactly_one) {
    std::size_t fitting = 0;
    const auto here = place_;
    auto deepest = here;
    std::string said;
    std::size_t nearest = 0;
    for (const auto& kind : kinds) {
      place_ = here;
      if (fits(value, kind, root)) {
        ++fitting;
        continue;
      }
      const bool of_another = place_.size() == here.size() + 1 && place_.back() == "schema";
      const std::size_t near = of_another ? 1 : 2 + place_.size();
      if (near <= nearest) continue;
      nearest = near;
      deepest = place_;
      said = problem_;
    }
    place_ = here;
    if (exactly_one ? fitting == 1 : fitting > 0) return true;
    if (fitting > 1) return wrong("is of two kinds at once");
    place_ = deepest;
    return wrong(said);
  }

  bool below(const std::string& name, const ordered_json& value, const ordered_json& schema, const ordered_json& root) {
    place_.push_back(fmt::format("{:.40}", name));
    if (!fits(value, schema, root)) return false;
    place_.pop_back();
    return true;
  }

  const Schemas& schemas_;
  std::vector<std::string> place_;
  std::string problem_;
};

}  // namespace

const ordered_json& Schemas::file(const std::string& name) const {
  const auto there = files_.find(name);
  if (there != files_.end()) return there->second;
  for (const EmbeddedFile& file : embedded_schemas())
    if (file.path == "docs/schemas/" + name + ".json")
      return files_.emplace(name, ordered_json::parse(file.text)).first->second;
  throw std::out_of_range("a schema " + name);
}

std::string Schemas::problem(const std::string& name, const ordered_json& document) const {
  const ordered_json& schema = file(name);
  Check check(*this);
  return check.fits(document, schema, schema) ? std::string{} : check.problem();
}

}  // namespace planar
