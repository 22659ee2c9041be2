// SPDX-License-Identifier: GPL-2.0-or-later
// Timelines for a comparison: runs each card briefly once more and draws the path of one of its data frames.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "devices/medium/medium_kind.hpp"
#include "frontend/matrix/matrix.hpp"

namespace planar {

/// Pictures by machine and medium, each with the cards that have a result, once each, in the order of `outcomes`. The
/// timelines are left in `folder`. A card without a timeline is reported on standard error and omitted.
std::map<std::pair<std::string, MediumKind>, std::string> compare_timelines(const std::vector<CellOutcome>& outcomes,
                                                                            const MatrixOptions& options,
                                                                            const std::filesystem::path& folder);

}  // namespace planar
