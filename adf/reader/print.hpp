// SPDX-License-Identifier: GPL-2.0-or-later
// Adapter descriptions as human-readable text (`planar adf FILE`).
#pragma once

#include <string>

#include "adf/model.hpp"

namespace planar::adf {

/// The whole description: header, fixed resources, items with their choices, POS bits and claims, warnings.
std::string to_text(const Adapter& adapter);

/// "pos[0]=XXXX001Xb pos[2]=1XXXXXXXb"; empty when no bit is fixed.
std::string to_string(const PosSetting& setting);

/// A warning as one line, "file:line:column: warning: text".
std::string to_string(const Warning& warning, const std::string& file);

/// `text` wrapped to lines of at most `width` columns, each indented by `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 100);

}  // namespace planar::adf
