// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by the tests of files that planar writes and reads again.
#pragma once

#include "frontend/kept/kept_json.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

namespace program {

inline const std::string kept_brief = " --quiet --seconds 0.05 --sizes 1024 --jobs 1";

inline nlohmann::ordered_json read_json(const std::string& file) {
  return nlohmann::ordered_json::parse(read_file(file));
}
inline void write(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

/// Texts that are not a file of any kind.
inline const std::vector<std::string>& strange_texts() {
  static const std::vector<std::string> texts{
      "", "{", "{}", "[]", "null", "1", "\"x\"", "[[[]]]", "1e999", std::string(200'000, '['), "\xFF"};
  return texts;
}

}  // namespace program
