// SPDX-License-Identifier: GPL-2.0-or-later
// Provenance as stored in a TOML table; used by the readers in this folder.
#pragma once

#include <string>
#include <string_view>

#include "core/common/toml.hpp"
#include "devices/adapter/provenance.hpp"

namespace planar {

/// Source, confidence and published figures of `table`. `what` names the value in errors ("timing value 'chip.wait'").
Provenance provenance_of(const toml::table& table, std::string_view file, const std::string& what);

}  // namespace planar
