// SPDX-License-Identifier: GPL-2.0-or-later
// planar's own adapter descriptions (adf/files/*.ADF), compiled into the program by adf/embed.cmake.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace planar::adf {

struct EmbeddedAdf {
  std::uint16_t id;
  std::string_view file_name;  // "@7154.ADF"
  std::string_view text;
};

/// All of them, in ascending order of ID.
std::span<const EmbeddedAdf> embedded_adfs();

/// The built-in description of adapter `id`, if there is one.
std::optional<EmbeddedAdf> embedded_adf(std::uint16_t id);

}  // namespace planar::adf
