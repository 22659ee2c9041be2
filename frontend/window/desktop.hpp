// SPDX-License-Identifier: GPL-2.0-or-later
// A window of SDL's on the host's desktop with a renderer, never larger than the display, and the size that text has on
// it.
#pragma once

#include <SDL.h>

#include "devices/board/at/video/vga_picture.hpp"

namespace planar {

class Desktop {
 public:
  struct Size {
    int width = 0, height = 0;            ///< at a scale of 1
    int kept_width = 0, kept_height = 0;  ///< of an earlier run, in pixels; 0: none
  };
  /// `scale`: 0 takes the display's. Throws Error (exit 2) with the remedy if there is no display.
  Desktop(const Size& size, double scale);
  ~Desktop();
  Desktop(const Desktop&) = delete;

  SDL_Window* window() const { return window_; }
  SDL_Renderer* renderer() const { return renderer_; }
  /// How large text and panes are: 1 on a display of 96 dpi, in steps of a half.
  double display_scale() const { return display_scale_; }

  /// Somebody sees it: SDL's drivers without output are for tests.
  bool seen() const;

  /// What was drawn since the last time that it was shown. Throws Error if the host does not give it.
  Picture picture() const;
  /// Keeps the window with its borders within the display, once the desktop has shown it.
  void fit();

 private:
  void close();

  SDL_Window* window_ = nullptr;
  SDL_Renderer* renderer_ = nullptr;
  double display_scale_ = 1;
};

/// The scale for a display with that many dots per inch.
double scale_of(double dots_per_inch);

}  // namespace planar
