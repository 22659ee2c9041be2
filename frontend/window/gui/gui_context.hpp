// SPDX-License-Identifier: GPL-2.0-or-later
// Dear ImGui for one window: its style and font, at the size that the display asks for.
#pragma once

#include <SDL.h>

#include <memory>
#include <string>

#include "frontend/window/gui/gui_renderer.hpp"

struct ImGuiContext;

namespace planar {

/// ImGui keeps one current context; every window makes its own the current one before it uses it.
class GuiContext {
 public:
  explicit GuiContext(SDL_Renderer* renderer, double scale);
  ~GuiContext();
  GuiContext(const GuiContext&) = delete;

  void use() const;
  double scale() const { return scale_; }
  /// Between two pictures.
  void set_scale(double scale);
  /// Draws what ImGui has laid out.
  void draw();

  /// Where windows are that the user has moved, as ImGui keeps it. To be set before the first picture.
  void place_windows(const std::string& text);
  std::string places_of_windows() const;

 private:
  ImGuiContext* context_;
  SDL_Renderer* sdl_;
  double scale_ = 0;
  std::unique_ptr<GuiRenderer> renderer_;
};

}  // namespace planar
