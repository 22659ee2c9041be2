// SPDX-License-Identifier: GPL-2.0-or-later
// Uses SDL's renderer to draw what Dear ImGui has laid out.
#pragma once

#include <SDL.h>

struct ImDrawData;

namespace planar {

class GuiRenderer {
 public:
  /// Creates the font texture of the current ImGui context.
  explicit GuiRenderer(SDL_Renderer* renderer);
  ~GuiRenderer();
  GuiRenderer(const GuiRenderer&) = delete;

  void draw(const ImDrawData& data);

 private:
  SDL_Renderer* renderer_;
  SDL_Texture* font_ = nullptr;
};

}  // namespace planar
