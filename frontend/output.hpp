// SPDX-License-Identifier: GPL-2.0-or-later
// Where results go.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace planar {

/// Writes `json` to `target`, a file or "-" for standard output. Throws Error (exit 3) naming the file.
void write_json(const std::string& target, const nlohmann::ordered_json& json);

/// `value` with so many decimals: figures are stored with the digits that they have, so that two runs compare as text.
double rounded(double value, int decimals);

}  // namespace planar
