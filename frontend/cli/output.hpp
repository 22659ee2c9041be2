// SPDX-License-Identifier: GPL-2.0-or-later
// Writing of results.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace planar {

/// Writes `text` unchanged. Throws Error (exit 3) naming the file, preceded by `option` if given.
void write_text_file(const std::filesystem::path& file, std::string_view text, const std::string& option = {});

/// Writes `json` to `target`, a file or "-" for standard output. Throws Error (exit 3) naming the file.
void write_json(const std::string& target, const nlohmann::ordered_json& json);

/// `value` rounded to `decimals` decimals, so that the figures of two runs can be compared as text.
double rounded(double value, int decimals);

}  // namespace planar
