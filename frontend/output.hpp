// SPDX-License-Identifier: GPL-2.0-or-later
// Where results go.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace planar {

/// Writes `json` to `target`, a file or "-" for standard output. Throws Error (exit 3) naming the file.
void write_json(const std::string& target, const nlohmann::ordered_json& json);

}  // namespace planar
