// SPDX-License-Identifier: GPL-2.0-or-later
// The timelines of a comparison: one more short run of each card, and its data frame's path as a picture.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "devices/medium/medium_kind.hpp"
#include "frontend/matrix/matrix.hpp"

namespace planar {

/// By machine and medium, a picture of the cards in the order of `outcomes`: those that have a result, each once. Their
/// timelines are left in `folder`. A card whose timeline does not come about is said on standard error and left out.
std::map<std::pair<std::string, MediumKind>, std::string> compare_timelines(const std::vector<CellOutcome>& outcomes,
                                                                            const MatrixOptions& options,
                                                                            const std::filesystem::path& folder);

}  // namespace planar
