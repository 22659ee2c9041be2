// SPDX-License-Identifier: GPL-2.0-or-later
// What verbs print and write.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace planar {

/// Prints a message for the user on standard error. Failure to write it does not affect the run.
template <class... T>
void say(fmt::format_string<T...> format, T&&... values) {
  const auto text = fmt::format(format, std::forward<T>(values)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Writes `json` to `target`, a file or "-" for standard output. Throws Error (exit 3) naming the file.
void write_json(const std::string& target, const nlohmann::ordered_json& json, const std::string& option = "--json");

/// `value` rounded to `decimals` decimal places, so that the figures of two runs can be compared as text.
double rounded(double value, int decimals);
/// The value, or null without one.
template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}
nlohmann::ordered_json rounded_or_null(const std::optional<double>& value, int decimals);
/// The median of `values`; 0 if there are none.
double median(std::vector<double> values);

/// `text` in lines of at most `width` columns, all but the first indented by `indent`. Ends without a newline.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 80);

/// `word` quoted where a POSIX shell requires it; shell_line() joins several such words with blanks.
std::string shell_quoted(const std::string& word);
std::string shell_line(const std::vector<std::string>& words);

}  // namespace planar
