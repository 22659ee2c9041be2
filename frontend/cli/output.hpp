// SPDX-License-Identifier: GPL-2.0-or-later
// Where results go.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace planar {

/// Writes `text` as it is. Throws Error (exit 3) naming the file, behind `option` if one named it.
void write_text_file(const std::filesystem::path& file, std::string_view text, const std::string& option = {});

/// Writes `json` to `target`, a file or "-" for standard output. Throws Error (exit 3) naming the file.
void write_json(const std::string& target, const nlohmann::ordered_json& json);

/// `value` with so many decimals: figures are stored with the digits that they have, so that two runs compare as text.
double rounded(double value, int decimals);

}  // namespace planar
