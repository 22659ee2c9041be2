// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdlib>
#include <filesystem>

#include "frontend/window/window.hpp"

namespace planar {

std::filesystem::path usual_window_settings() {
  const auto folder = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return value ? std::filesystem::path(value) : std::filesystem::path();
  };
  auto base = folder("XDG_CONFIG_HOME");
  if (!base.is_absolute()) base = folder("HOME").is_absolute() ? folder("HOME") / ".config" : std::filesystem::path();
  return base.empty() ? base : base / "planar" / "window.ini";
}

}  // namespace planar
