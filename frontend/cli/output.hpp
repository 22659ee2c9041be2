// SPDX-License-Identifier: GPL-2.0-or-later
// Writing of results.
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

/// The JSON in `file`. Throws Error (exit 3): as read_host_file() with `unreadable` and `too_large`, or where it stops
/// being JSON and `remedy`.
nlohmann::ordered_json read_json(const std::string& file, std::uint64_t most_bytes, const std::string& unreadable,
                                 const std::string& too_large, const std::string& remedy);

/// `value` rounded to `decimals` decimals, so that the figures of two runs can be compared as text.
double rounded(double value, int decimals);

/// `word` as a POSIX shell takes it for itself, and several with a blank between them.
std::string shell_quoted(const std::string& word);
std::string shell_line(const std::vector<std::string>& words);

}  // namespace planar
