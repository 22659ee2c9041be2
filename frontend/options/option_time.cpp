// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/options/option_time.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"
#include "machines/config/units.hpp"

namespace planar {

Time option_time(std::string_view option, const std::string& text, std::string_view example) {
  const auto time = parse_time(text);
  if (!time || *time < Time{})
    throw Error(fmt::format("{} {}: is not a time of at most {}; write for example {} {}", option, text, longest_time,
                            option, example));
  return *time;
}

}  // namespace planar
