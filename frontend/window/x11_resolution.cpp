// SPDX-License-Identifier: GPL-2.0-or-later
// Needed because SDL 2.26 uses neither the resource Xft.dpi nor the screen's size in millimetres.
#include "frontend/window/x11_resolution.hpp"

#if PLANAR_HAVE_X11
#include <X11/Xlib.h>

#include <cstdlib>
#include <string_view>
#endif

namespace planar {

#if PLANAR_HAVE_X11

namespace {

double chosen(Display* display) {
  const char* const resources = XResourceManagerString(display);
  constexpr std::string_view name = "Xft.dpi:";
  const std::string_view all = resources ? resources : "";
  for (std::size_t at = 0; at < all.size();) {
    const auto line = all.substr(at, all.find('\n', at) - at);
    if (line.starts_with(name)) return std::strtod(line.data() + name.size(), nullptr);  // stops at the end of the line
    at += line.size() + 1;
  }
  return 0;
}

double of_screen(Display* display) {
  const int screen = DefaultScreen(display), millimetres = DisplayWidthMM(display, screen);
  return millimetres > 0 ? DisplayWidth(display, screen) * 25.4 / millimetres : 0;
}

}  // namespace

double x11_dots_per_inch(double of_display) {
  Display* const display = XOpenDisplay(nullptr);
  if (!display) return of_display;
  double found = chosen(display);
  if (!(found > 0)) found = of_display > 0 ? of_display : of_screen(display);
  XCloseDisplay(display);
  return found;
}

#else

double x11_dots_per_inch(double of_display) { return of_display; }

#endif

}  // namespace planar
