// SPDX-License-Identifier: GPL-2.0-or-later
// Built instead of the rest of this folder if SDL2 or Dear ImGui is missing.
#include "core/common/error.hpp"
#include "frontend/window/start_page.hpp"
#include "frontend/window/window.hpp"

namespace planar {

struct Window::State {};

Window::Window(Lab&, WindowActions&, const WindowOptions&) {
  throw Error(
      "--window: this planar was built without SDL2 or Dear ImGui; install libsdl2-dev and libimgui-dev and configure "
      "again, or run without it and use --screen text or --screen png:FILE");
}
Window::~Window() = default;
Time Window::next(Time now) const { return now; }
bool Window::update(Time) { return false; }
bool Window::used() const { return false; }
void Window::log(std::string_view) {}
std::filesystem::path usual_window_settings() { return {}; }
bool start_page_possible() { return false; }
std::optional<StartChoice> show_start_page(StartChoice, const StartActions&, std::string, const std::string&) {
  return {};
}
std::vector<std::string> StartChoice::arguments() const { return {}; }
std::string StartChoice::command(std::string_view) const { return {}; }

}  // namespace planar
