// SPDX-License-Identifier: GPL-2.0-or-later
// SDL's events as Dear ImGui's input.
#pragma once

#include <SDL.h>

#include <array>
#include <chrono>
#include <vector>

namespace planar {

class GuiInput {
 public:
  /// Names the keys of the current ImGui context.
  GuiInput();

  void handle(const SDL_Event& event);
  /// Before each ImGui frame: the size of the window's picture, and what has come since the last one. While the machine
  /// has the mouse there is no pointer.
  void new_frame(SDL_Renderer* renderer, bool mouse_is_away);

 private:
  std::array<bool, 3> down_{}, clicked_{};  // a click within one frame is not lost
  // A key that is tapped within one frame is down for that frame.
  std::vector<int> fresh_, released_, tapped_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace planar
