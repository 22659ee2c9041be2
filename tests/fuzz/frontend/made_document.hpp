// SPDX-License-Identifier: GPL-2.0-or-later
// JSON documents generated from a schema; the input chooses among the values that it allows.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "frontend/kept/embedded_schemas.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace planar::fuzz {

class DocumentMaker {
 public:
  using Json = nlohmann::ordered_json;

  DocumentMaker() {
    for (const EmbeddedFile& file : embedded_schemas()) {
      const std::string path(file.path), name = path.substr(path.rfind('/') + 1);
      files_.emplace(name, Json::parse(file.text));
    }
  }

  /// A document that the schema `name` ("netio") allows.
  Json make(const std::string& name, Input& input) const {
    const Json& schema = files_.at(name + ".json");
    return make(schema, schema, input);
  }

 private:
  static std::string text(Input& input) {
    static constexpr const char* texts[] = {"ne2", "model95", "model56sx", "netio",  "1024",
                                            "0.5", "",        "x",         "\u00e4", "peer"};
    const unsigned kind = input.u8();
    if (kind < 0xE0) return texts[kind % std::size(texts)];
    std::string any;
    for (const std::uint8_t c : input.take(kind & 31)) any += static_cast<char>(c & 0x7F);
    return any;
  }
  static std::string of_pattern(const std::string& pattern, Input& input) {
    if (pattern == "^[0-9]{4}-[0-9]{2}-[0-9]{2}$") return "2026-11-25";
    if (pattern == "^/") return "/" + text(input);
    return std::string(pattern == "^[0-9a-f]{4}$" ? 4 : 64, "0123456789abcdef"[input.u8() & 15]);
  }
  static Json number(const Json& schema, bool whole, Input& input) {
    const double least = schema.value("minimum", 0.0);
    if (schema.contains("maximum")) {
      const std::uint64_t first = static_cast<std::uint64_t>(least), last = schema["maximum"].get<std::uint64_t>();
      const std::uint64_t made = first + (last - first < 256 ? input.u8() : input.u32()) % (last - first + 1);
      return whole && (made & 0x40) ? Json(static_cast<double>(made)) : Json(made);  // written as 64.0
    }
    switch (const unsigned kind = input.u8(); kind & 7) {
      case 0: return whole ? Json(static_cast<std::int64_t>(least)) : Json(least);
      case 1: return 1024;
      case 2: return std::max<std::uint64_t>(input.u32(), static_cast<std::uint64_t>(least));
      case 3: return whole ? Json(UINT64_MAX) : Json(1e300);
      case 4: return whole ? Json(8192) : Json(least + input.u16() / 16.0);
      default: return static_cast<std::uint64_t>(least) + kind / 8;
    }
  }

  Json make(const Json& schema, const Json& root, Input& input) const {
    if (schema.contains("$ref")) {
      const auto reference = schema["$ref"].get<std::string>();
      const auto hash = reference.find('#');
      const Json& target = hash == 0 ? root : files_.at(reference.substr(0, hash));
      return make(hash == std::string::npos ? target : target.at(Json::json_pointer(reference.substr(hash + 1))),
                  target, input);
    }
    if (schema.contains("const")) return schema["const"];
    if (schema.contains("enum")) return schema["enum"][input.u8() % schema["enum"].size()];
    const Json* kinds = schema.contains("anyOf")   ? &schema["anyOf"]
                        : schema.contains("oneOf") ? &schema["oneOf"]
                                                   : nullptr;
    const Json* const kind = kinds ? &(*kinds)[input.u8() % kinds->size()] : nullptr;
    if (kind && !schema.contains("properties")) return make(*kind, root, input);
    const Json none;
    const Json& types = schema.contains("type") ? schema["type"] : none;
    const Json& chosen = types.is_array() ? types[input.u8() % types.size()] : types;
    const std::string type = chosen.is_string() ? chosen.get<std::string>() : std::string("null");
    if (type == "object") return object(schema, kind, root, input);
    if (type == "array") {
      Json list = Json::array();
      const std::size_t least = schema.value("minItems", 0u), most = schema.value("maxItems", 1000u);
      const std::size_t count = std::min<std::size_t>(least + (input.u8() & 3), most);
      for (std::size_t n = 0; n < count; ++n)
        list.push_back(schema.contains("items") ? make(schema["items"], root, input) : Json(input.u8()));
      return list;
    }
    if (type == "string") return schema.contains("pattern") ? of_pattern(schema["pattern"], input) : text(input);
    if (type == "number" || type == "integer") return number(schema, type == "integer", input);
    if (type == "boolean") return (input.u8() & 1) != 0;
    return nullptr;
  }

  /// `kind`: the chosen alternative of a oneOf next to the members, which says what else is required.
  Json object(const Json& schema, const Json* kind, const Json& root, Input& input) const {
    Json made = Json::object();
    const auto required = [&](const Json& of, const std::string& name) {
      if (!of.contains("required")) return false;
      const auto& list = of["required"];
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    const auto of_other_kind = [&](const std::string& name) {
      if (!kind) return false;
      for (const auto& other : schema["oneOf"])
        if (&other != kind && required(other, name)) return true;
      return false;
    };
    if (schema.contains("properties"))
      for (const auto& [name, member] : schema["properties"].items())
        if (required(schema, name) || (kind && required(*kind, name)) || (!of_other_kind(name) && (input.u8() & 1)))
          made[name] = make(member, root, input);
    if (schema.contains("patternProperties"))
      for (const auto& [pattern, member] : schema["patternProperties"].items())
        for (unsigned left = input.u8() & 1; left > 0; --left)
          made[of_pattern(pattern, input)] = make(member, root, input);
    if (schema.contains("required"))
      for (const auto& name : schema["required"]) {
        if (made.contains(name.get<std::string>())) continue;
        const Json others = schema.value("additionalProperties", Json(true));  // true: anything is allowed
        made[name.get<std::string>()] = others.is_object() ? make(others, root, input) : Json(text(input));
      }
    if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
      for (unsigned left = input.u8() & 3; left > 0; --left) {
        const std::string name = text(input);
        if (!schema.contains("properties") || !schema["properties"].contains(name))
          made[name] = make(schema["additionalProperties"], root, input);
      }
    return made;
  }

  std::map<std::string, Json> files_;
};

}  // namespace planar::fuzz
