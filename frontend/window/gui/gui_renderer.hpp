// SPDX-License-Identifier: GPL-2.0-or-later
// Draws what Dear ImGui has laid out with SDL's renderer.
#pragma once

#include <SDL.h>

struct ImDrawData;

namespace planar {

class GuiRenderer {
 public:
  /// Makes the texture of the fonts of the current ImGui context.
  explicit GuiRenderer(SDL_Renderer* renderer);
  ~GuiRenderer();
  GuiRenderer(const GuiRenderer&) = delete;

  void draw(const ImDrawData& data);

 private:
  SDL_Renderer* renderer_;
  SDL_Texture* font_ = nullptr;
};

}  // namespace planar
