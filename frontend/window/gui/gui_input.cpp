// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/gui/gui_input.hpp"

#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <utility>

#include "frontend/window/gui/gui_keys.hpp"

namespace planar {

namespace {

/// ImGui's number for an SDL button; -1: none.
int button_of(Uint8 button) {
  return button == SDL_BUTTON_LEFT ? 0 : button == SDL_BUTTON_RIGHT ? 1 : button == SDL_BUTTON_MIDDLE ? 2 : -1;
}

}  // namespace

GuiInput::GuiInput() { gui_keys::name_keys(); }

void GuiInput::handle(const SDL_Event& event) {
  ImGuiIO& io = ImGui::GetIO();
  switch (event.type) {
    case SDL_MOUSEMOTION: io.MousePos = {static_cast<float>(event.motion.x), static_cast<float>(event.motion.y)}; break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP: {
      const int button = button_of(event.button.button);
      if (button < 0) break;
      io.MousePos = {static_cast<float>(event.button.x), static_cast<float>(event.button.y)};
      const auto n = static_cast<std::size_t>(button);
      down_[n] = event.type == SDL_MOUSEBUTTONDOWN;
      clicked_[n] = clicked_[n] || down_[n];
      break;
    }
    case SDL_MOUSEWHEEL: io.MouseWheel += static_cast<float>(event.wheel.y); break;
    case SDL_TEXTINPUT: io.AddInputCharactersUTF8(event.text.text); break;
    case SDL_KEYDOWN:
    case SDL_KEYUP: {
      const int code = event.key.keysym.scancode;
      if (event.type == SDL_KEYDOWN) {
        gui_keys::set(code, true);
        fresh_.push_back(code);
      } else if (std::find(fresh_.begin(), fresh_.end(), code) != fresh_.end()) {
        released_.push_back(code);
      } else {
        gui_keys::set(code, false);
      }
      const auto mod = event.key.keysym.mod;
      gui_keys::set_modifiers(mod & KMOD_SHIFT, mod & KMOD_CTRL, mod & KMOD_ALT);
      break;
    }
    case SDL_WINDOWEVENT:
      if (event.window.event == SDL_WINDOWEVENT_LEAVE) io.MousePos = {-FLT_MAX, -FLT_MAX};
      if (event.window.event == SDL_WINDOWEVENT_FOCUS_LOST) gui_keys::release_all();
      break;
    default: break;
  }
}

void GuiInput::new_frame(SDL_Renderer* renderer, bool mouse_is_away) {
  ImGuiIO& io = ImGui::GetIO();
  int width = 0, height = 0;
  SDL_GetRendererOutputSize(renderer, &width, &height);
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  const auto now = std::chrono::steady_clock::now();
  io.DeltaTime = std::clamp(std::chrono::duration<float>(now - last_).count(), 0.001F, 0.1F);
  last_ = now;
  if (mouse_is_away) {
    io.MousePos = {-FLT_MAX, -FLT_MAX};
    down_ = clicked_ = {};
  }
  for (const int code : std::exchange(tapped_, std::exchange(released_, {}))) gui_keys::set(code, false);
  fresh_.clear();
  for (std::size_t n = 0; n < down_.size(); ++n) io.MouseDown[n] = down_[n] || std::exchange(clicked_[n], false);
}

}  // namespace planar
