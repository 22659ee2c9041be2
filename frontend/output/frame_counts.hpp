// SPDX-License-Identifier: GPL-2.0-or-later
// An adapter's counters in results.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "devices/medium/net_counters.hpp"

namespace planar {

/// The member "frames" of a JSON object, and the same as text.
nlohmann::ordered_json counted(const NetCounters& frames);
std::string counted_text(const NetCounters& frames);

}  // namespace planar
