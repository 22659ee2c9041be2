// SPDX-License-Identifier: GPL-2.0-or-later
// Dear ImGui for one window: its style and font, at the scale of the display.
#pragma once

#include <SDL.h>

#include <memory>
#include <string>

#include "frontend/window/gui/gui_renderer.hpp"

struct ImGuiContext;

namespace planar {

/// ImGui has one current context; every window makes its own context current before it uses ImGui.
class GuiContext {
 public:
  explicit GuiContext(SDL_Renderer* renderer, double scale);
  ~GuiContext();
  GuiContext(const GuiContext&) = delete;

  void use() const;
  double scale() const { return scale_; }
  /// To be called between two pictures.
  void set_scale(double scale);
  /// Draws what ImGui has laid out.
  void draw();

  /// Positions of windows that the user has moved, in ImGui's format. To be set before the first picture.
  void place_windows(const std::string& text);
  std::string places_of_windows() const;

 private:
  ImGuiContext* context_;
  SDL_Renderer* sdl_;
  double scale_ = 0;
  std::unique_ptr<GuiRenderer> renderer_;
};

}  // namespace planar
