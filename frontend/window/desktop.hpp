// SPDX-License-Identifier: GPL-2.0-or-later
// An SDL window with a renderer on the host's desktop, never larger than the display, and the scale of text on that
// display.
#pragma once

#include <SDL.h>

#include "devices/board/at/video/vga_picture.hpp"

namespace planar {

class Desktop {
 public:
  struct Size {
    int width = 0, height = 0;            ///< at a scale of 1
    int kept_width = 0, kept_height = 0;  ///< from an earlier run, in pixels; 0: none
  };
  /// `scale`: 0 uses that of the display. Throws Error (exit 2) with the remedy if there is no display.
  Desktop(const Size& size, double scale);
  ~Desktop();
  Desktop(const Desktop&) = delete;

  SDL_Window* window() const { return window_; }
  SDL_Renderer* renderer() const { return renderer_; }
  /// Scale of text and panes for this display: 1 at 96 dpi, in steps of 0.5.
  double display_scale() const { return display_scale_; }

  /// True if the window is visible: SDL's drivers without output are for tests.
  bool seen() const;

  /// The picture drawn since the last one was shown. Throws Error if the host cannot provide it.
  Picture picture() const;
  /// Fits the window with its borders into the display. To be called once the desktop has shown the window.
  void fit();

 private:
  void close();

  SDL_Window* window_ = nullptr;
  SDL_Renderer* renderer_ = nullptr;
  double display_scale_ = 1;
};

/// The scale for a display with this many dots per inch.
double scale_of(double dots_per_inch);

}  // namespace planar
