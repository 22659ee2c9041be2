// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "core/time/time.hpp"

namespace planar {

/// The time that is the value of `option`. Throws Error with `example`, a value as the user would type it: "\"2.5 s\"".
Time option_time(std::string_view option, const std::string& text, std::string_view example);

}  // namespace planar
