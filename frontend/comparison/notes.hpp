// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "frontend/comparison/compare_report.hpp"

namespace planar {

/// What readers of the tables must know, a note each, without its full stop: cards without a table, figures that count
/// something else, waits that lowered them, runs that ended early or came from the cache.
std::vector<std::string> notes_of(const Comparison& c);

}  // namespace planar
