// SPDX-License-Identifier: GPL-2.0-or-later
// Passes SDL's events to Dear ImGui as input.
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
  /// Before each ImGui frame: passes the size of the window's picture, and the input since the last frame. There is no
  /// pointer while the machine has the mouse.
  void new_frame(SDL_Renderer* renderer, bool mouse_is_away);

 private:
  std::array<bool, 3> down_{}, clicked_{};  // so that a click within one frame is not lost
  // A key that is tapped within one frame is down for one frame.
  std::vector<int> fresh_, released_, tapped_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace planar
