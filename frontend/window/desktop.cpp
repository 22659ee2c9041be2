// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/desktop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/common/error.hpp"
#include "frontend/window/x11_resolution.hpp"

namespace planar {

namespace {

constexpr double usual_dots_per_inch = 96, most_display_scale = 4;
constexpr const char* without_window = "run without it and use --screen text or --screen png:FILE";

[[noreturn]] void no_display() {
  throw Error(
      fmt::format("--window: neither DISPLAY nor WAYLAND_DISPLAY is set, so there is no display; start planar in "
                  "a graphical session, or {}",
                  without_window));
}

[[noreturn]] void no_window(const std::string& why) {
  throw Error(fmt::format("--window: no window can be opened ({}); start planar in a graphical session, or {}", why,
                          without_window));
}

double scale_of_display(int display) {
  // Where the desktop itself scales (Wayland), pixels are not those of the display.
  if (std::string_view(SDL_GetCurrentVideoDriver()) != "x11") return 1;
  float dots_per_inch = 0;
  if (SDL_GetDisplayDPI(display, &dots_per_inch, nullptr, nullptr) != 0) dots_per_inch = 0;
  return scale_of(x11_dots_per_inch(static_cast<double>(dots_per_inch)));
}

}  // namespace

double scale_of(double dots_per_inch) {
  // Displays that do not report their size give 0.
  if (!(dots_per_inch > 0)) return 1;
  return std::clamp(std::floor(dots_per_inch / usual_dots_per_inch * 2 + 0.25) / 2, 1.0, most_display_scale);
}

Desktop::Desktop(const Size& size, double scale) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY") && !SDL_GetHint(SDL_HINT_VIDEODRIVER)) no_display();
  SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");  // Ctrl-C on the terminal ends the run, as without a window
  if (SDL_Init(SDL_INIT_VIDEO) != 0) no_window(SDL_GetError());
  // Without a display SDL may choose a driver without output; it is accepted only if the user selects it explicitly.
  if (!seen() && !SDL_GetHint(SDL_HINT_VIDEODRIVER)) {
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    no_display();
  }
  display_scale_ = scale_of_display(0);
  const double used = scale > 0 ? scale : display_scale_;
  const auto first = [&](int kept, int usual) {
    return kept > 0 ? kept : static_cast<int>(static_cast<double>(usual) * used);
  };
  int width = first(size.kept_width, size.width), height = first(size.kept_height, size.height);
  if (SDL_Rect room; SDL_GetDisplayUsableBounds(0, &room) == 0) {
    width = std::min(width, room.w);
    height = std::min(height, room.h);
  }
  window_ =
      SDL_CreateWindow("planar", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, width, height, SDL_WINDOW_RESIZABLE);
  if (window_) renderer_ = SDL_CreateRenderer(window_, -1, 0);
  if (!renderer_) {
    const std::string why = SDL_GetError();
    close();
    no_window(why);
  }
}

Desktop::~Desktop() { close(); }

void Desktop::close() {
  if (renderer_) SDL_DestroyRenderer(renderer_);
  if (window_) SDL_DestroyWindow(window_);
  SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

bool Desktop::seen() const {
  const std::string_view driver = SDL_GetCurrentVideoDriver();
  return driver != "offscreen" && driver != "dummy";
}

Picture Desktop::picture() const {
  int width = 0, height = 0;
  SDL_GetRendererOutputSize(renderer_, &width, &height);
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  if (SDL_RenderReadPixels(renderer_, nullptr, SDL_PIXELFORMAT_RGB24, rgb.data(), 3 * width) != 0)
    throw Error(fmt::format("the window's picture cannot be read: {}", SDL_GetError()), ExitCode::missing_file);
  return {static_cast<unsigned>(width), static_cast<unsigned>(height), std::move(rgb)};
}

void Desktop::fit() {
  SDL_Rect room;
  if (SDL_GetWindowFlags(window_) & (SDL_WINDOW_MAXIMIZED | SDL_WINDOW_FULLSCREEN)) return;
  if (SDL_GetDisplayUsableBounds(std::max(SDL_GetWindowDisplayIndex(window_), 0), &room) != 0) return;
  int top = 0, left = 0, bottom = 0, right = 0, width = 0, height = 0, x = 0, y = 0;
  SDL_GetWindowBordersSize(window_, &top, &left, &bottom, &right);  // leaves 0 if the desktop does not report it
  SDL_GetWindowSize(window_, &width, &height);
  SDL_GetWindowPosition(window_, &x, &y);
  const int fits_width = std::min(width, room.w - left - right), fits_height = std::min(height, room.h - top - bottom);
  if (fits_width != width || fits_height != height) SDL_SetWindowSize(window_, fits_width, fits_height);
  const int fits_x = std::clamp(x, room.x + left, room.x + room.w - right - fits_width);
  const int fits_y = std::clamp(y, room.y + top, room.y + room.h - bottom - fits_height);
  if (fits_x != x || fits_y != y) SDL_SetWindowPosition(window_, fits_x, fits_y);
}

}  // namespace planar
