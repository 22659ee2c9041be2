// SPDX-License-Identifier: GPL-2.0-or-later
// Built instead of window_sdl.cpp where there is no SDL2.
#include "core/common/error.hpp"
#include "frontend/window/window.hpp"

namespace planar {

struct Window::State {};

Window::Window(Machine&) {
  throw Error(
      "--window: this planar was built without SDL2; install libsdl2-dev and configure again, or run without it "
      "and use --screen text or --screen png:FILE");
}
Window::~Window() = default;
Time Window::next(Time now) const { return now; }
bool Window::update(Time) { return false; }
bool Window::used() const { return false; }

}  // namespace planar
