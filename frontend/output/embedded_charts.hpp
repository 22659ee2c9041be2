// SPDX-License-Identifier: GPL-2.0-or-later
// What a page needs to draw its plots in a browser: uPlot 1.6.32 (MIT; frontend/output/uplot/ has the unmodified files
// of its npm package), charts.js, which feeds it, and charts.css.
#pragma once

#include <span>

#include "core/common/embedded_file.hpp"

namespace planar {

std::span<const EmbeddedFile> embedded_charts();

}  // namespace planar
