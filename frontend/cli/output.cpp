// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/cli/output.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "frontend/kept/kept_json.hpp"

namespace planar {

void write_json(const std::string& target, const nlohmann::ordered_json& json, const std::string& option) {
  // A name of the host need not be UTF-8, and JSON can hold nothing else: what is not becomes U+FFFD.
  const auto text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (target == "-") {
    fmt::print("{}", text);
    return;
  }
  replace_file(target, text, option);
}

nlohmann::ordered_json read_json(const std::string& file, std::uint64_t most_bytes, const std::string& unreadable,
                                 const std::string& too_large, const std::string& remedy) {
  const auto text = read_host_file(file, most_bytes, unreadable, too_large);
  try {
    return parse_json(text);
  } catch (const Error& e) { throw Error(fmt::format("{}: {}; {}", file, e.what(), remedy), e.code()); }
}

std::string shell_quoted(const std::string& word) {
  static const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./,:=@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + shell_quoted(word);
  return line;
}

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

}  // namespace planar
