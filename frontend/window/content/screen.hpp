// SPDX-License-Identifier: GPL-2.0-or-later
// The machine's picture in the window: as wide as a monitor of the period made it (4:3), its lines whole multiples of
// the window's.
#pragma once

#include <cstdint>

#include "devices/board/at/video/vga_picture.hpp"
#include "frontend/window/content/rect.hpp"

struct SDL_Renderer;
struct SDL_Texture;

namespace planar {

enum class Scaling : std::uint8_t {
  whole,   ///< 4:3, every line as high as the next one
  fill,    ///< 4:3, as large as the window allows
  square,  ///< whole multiples both ways: square pixels
};

/// Where a picture of `width` by `height` goes in `area`, centred. `whole` is `fill` where it would make the picture
/// narrower than it has columns, or the area is too small.
Rect fit_picture(const Rect& area, unsigned width, unsigned height, Scaling scaling);

class Screen {
 public:
  explicit Screen(SDL_Renderer* renderer) : renderer_(renderer) {}
  ~Screen();
  Screen(const Screen&) = delete;

  void set(const Picture& picture);
  /// Draws the latest picture into `area`.
  void draw(const Rect& area, Scaling scaling);

 private:
  void release();

  SDL_Renderer* renderer_;
  SDL_Texture* picture_ = nullptr;  // as the machine made it
  unsigned width_ = 0, height_ = 0;
  SDL_Texture* enlarged_ = nullptr;  // the same with each pixel `factor_` times, so that smoothing keeps edges
  unsigned factor_ = 1;
};

}  // namespace planar
