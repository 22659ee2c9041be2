// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/content/screen.hpp"

#include <SDL.h>

#include <algorithm>

namespace planar {

namespace {
constexpr unsigned most_factor = 4;
}

Rect fit_picture(const Rect& area, unsigned width, unsigned height, Scaling scaling) {
  const int w = static_cast<int>(width), h = static_cast<int>(height);
  Rect r;
  const auto centred = [&] {
    r.x = area.x + (area.width - r.width) / 2;
    r.y = area.y + (area.height - r.height) / 2;
    return r;
  };
  const int factor = std::min(area.width / std::max(w, 1), area.height / std::max(h, 1));
  if (scaling == Scaling::square && factor > 0) {
    r.width = factor * w;
    r.height = factor * h;
    return centred();
  }
  // 4:3, as large as possible.
  r.height = std::min(area.height, area.width * 3 / 4);
  r.width = (r.height * 4 + 1) / 3;
  if (scaling == Scaling::whole && h > 0) {
    const int lines = r.height / h * h, columns = (lines * 4 + 1) / 3;
    if (lines > 0 && columns >= w) {
      r.height = lines;
      r.width = columns;
    }
  }
  return centred();
}

Screen::~Screen() { release(); }

void Screen::release() {
  if (picture_) SDL_DestroyTexture(picture_);
  if (enlarged_) SDL_DestroyTexture(enlarged_);
  picture_ = enlarged_ = nullptr;
}

void Screen::set(const Picture& picture) {
  if (!picture_ || width_ != picture.width || height_ != picture.height) {
    release();
    width_ = picture.width;
    height_ = picture.height;
    picture_ = SDL_CreateTexture(renderer_, SDL_PIXELFORMAT_RGB24, SDL_TEXTUREACCESS_STREAMING,
                                 static_cast<int>(width_), static_cast<int>(height_));
    if (!picture_) return;  // larger than the host's renderer supports: nothing is shown until the mode changes
    SDL_SetTextureScaleMode(picture_, SDL_ScaleModeNearest);
  }
  SDL_UpdateTexture(picture_, nullptr, picture.rgb.data(), static_cast<int>(3 * width_));
}

void Screen::draw(const Rect& area, Scaling scaling) {
  if (!picture_) return;
  const Rect place = fit_picture(area, width_, height_, scaling);
  const SDL_Rect target{place.x, place.y, place.width, place.height};
  const auto multiple = [](int size, unsigned of) { return size > 0 && static_cast<unsigned>(size) % of == 0; };
  if (multiple(place.width, width_) && multiple(place.height, height_)) {
    SDL_RenderCopy(renderer_, picture_, nullptr, &target);
    return;
  }
  // Enlarged by a whole factor, then scaled smoothly to its final size, so that pixel edges stay sharp.
  const unsigned across = (static_cast<unsigned>(std::max(place.width, 1)) + width_ - 1) / width_;
  const unsigned factor = std::clamp(across, 1u, most_factor);
  if (!enlarged_ || factor_ != factor) {
    if (enlarged_) SDL_DestroyTexture(enlarged_);
    factor_ = factor;
    enlarged_ = SDL_CreateTexture(renderer_, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_TARGET,
                                  static_cast<int>(width_ * factor), static_cast<int>(height_ * factor));
    if (enlarged_) SDL_SetTextureScaleMode(enlarged_, SDL_ScaleModeLinear);
  }
  if (!enlarged_) {
    SDL_RenderCopy(renderer_, picture_, nullptr, &target);
    return;
  }
  SDL_SetRenderTarget(renderer_, enlarged_);
  SDL_RenderCopy(renderer_, picture_, nullptr, nullptr);
  SDL_SetRenderTarget(renderer_, nullptr);
  SDL_RenderCopy(renderer_, enlarged_, nullptr, &target);
}

}  // namespace planar
