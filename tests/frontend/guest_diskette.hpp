// SPDX-License-Identifier: GPL-2.0-or-later
// The guest's diskette with settings, as a file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/guest/guest_image.hpp"
#include "roms/images.hpp"
#include "tests/frontend/program.hpp"

namespace program {

inline std::string guest_with(const Scratch& scratch, const std::vector<std::pair<std::string, std::string>>& settings,
                              const std::string& name = "guest.img") {
  const auto image = planar::with_settings(planar::roms::guest(), settings);
  return scratch.write(name, {image.begin(), image.end()});
}

}  // namespace program
