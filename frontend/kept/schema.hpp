// SPDX-License-Identifier: GPL-2.0-or-later
// Checks files that an earlier run has written against their schemas (docs/schemas/) before anything relies on their
// members. The keywords are those that these schemas use, with the meaning of JSON Schema 2020-12.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace planar {

class Schemas {
 public:
  /// What in `document` the schema `name` ("netio", "baseline") does not allow, with its place: "rows/0/kb_per_s: is
  /// no number"; empty if it allows everything. Throws std::out_of_range for an unknown name.
  std::string problem(const std::string& name, const nlohmann::ordered_json& document) const;

  /// Throws std::out_of_range for an unknown name.
  const nlohmann::ordered_json& file(const std::string& name) const;

 private:
  mutable std::map<std::string, nlohmann::ordered_json> files_;  // loaded when needed
};

}  // namespace planar
