// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/host/host_files.hpp"

namespace planar {

void write_json(const std::string& target, const nlohmann::ordered_json& json, const std::string& option) {
  // File names of the host need not be valid UTF-8, but JSON must be: invalid bytes become U+FFFD.
  const auto text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (target == "-") {
    fmt::print("{}", text);
    return;
  }
  replace_file(target, text, option);
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

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out, line;
  const std::size_t room = std::max<std::size_t>(width - indent, 20);
  const auto end_line = [&] {
    out += (out.empty() ? "" : "\n" + std::string(indent, ' ')) + line;
    line.clear();
  };
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > room) end_line();
    line += (line.empty() ? "" : " ") + word;
  }
  const auto lead = text.find_first_not_of(' ');
  if (!line.empty()) end_line();
  return lead == std::string::npos ? out : std::string(lead, ' ') + out;
}

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

nlohmann::ordered_json rounded_or_null(const std::optional<double>& value, int decimals) {
  return value ? nlohmann::ordered_json(rounded(*value, decimals)) : nlohmann::ordered_json();
}
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = values.size();
  if (n == 0) return 0;
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace planar
