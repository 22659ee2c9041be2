// SPDX-License-Identifier: GPL-2.0-or-later
// A device's description as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/state/description.hpp"

namespace planar {

/// One line per field; parts are indented below their device.
std::string to_text(const Description& description);

/// {"name", "fields": {NAME: value...}, "parts": [...]}: registers and numbers as numbers, flags as booleans, times in
/// picoseconds (null for never). Empty members are left out.
nlohmann::ordered_json to_json(const Description& description);

}  // namespace planar
