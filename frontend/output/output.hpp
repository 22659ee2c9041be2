// SPDX-License-Identifier: GPL-2.0-or-later
// What verbs say and write.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace planar {

/// Says something to the user on standard error. One that cannot be written to changes nothing else about the run.
template <class... T>
void say(fmt::format_string<T...> format, T&&... values) {
  const auto text = fmt::format(format, std::forward<T>(values)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Writes `json` to `target`, a file or "-" for standard output. Throws Error (exit 3) naming the file.
void write_json(const std::string& target, const nlohmann::ordered_json& json, const std::string& option = "--json");

/// `value` rounded to `decimals` decimals, so that the figures of two runs can be compared as text.
double rounded(double value, int decimals);
/// The middle one of `values`, or the mean of the middle two; 0 of none.
double median(std::vector<double> values);

/// `text` in lines of at most `width` columns, all but the first indented by `indent`. Ends without a newline.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 80);

/// `word` as a POSIX shell takes it for itself, and several with a blank between them.
std::string shell_quoted(const std::string& word);
std::string shell_line(const std::vector<std::string>& words);

}  // namespace planar
