// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/gui/gui_keys.hpp"

#include <SDL.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace planar::gui_keys {

namespace {

#if IMGUI_VERSION_NUM >= 18900
using Key = ImGuiKey;
constexpr Key keypad_enter = ImGuiKey_KeypadEnter;
#else
using Key = ImGuiKey_;
constexpr Key keypad_enter = ImGuiKey_KeyPadEnter;
#endif

// The keys that ImGui's widgets use.
constexpr std::pair<Key, SDL_Scancode> keys[] = {{ImGuiKey_Tab, SDL_SCANCODE_TAB},
                                                 {ImGuiKey_LeftArrow, SDL_SCANCODE_LEFT},
                                                 {ImGuiKey_RightArrow, SDL_SCANCODE_RIGHT},
                                                 {ImGuiKey_UpArrow, SDL_SCANCODE_UP},
                                                 {ImGuiKey_DownArrow, SDL_SCANCODE_DOWN},
                                                 {ImGuiKey_PageUp, SDL_SCANCODE_PAGEUP},
                                                 {ImGuiKey_PageDown, SDL_SCANCODE_PAGEDOWN},
                                                 {ImGuiKey_Home, SDL_SCANCODE_HOME},
                                                 {ImGuiKey_End, SDL_SCANCODE_END},
                                                 {ImGuiKey_Insert, SDL_SCANCODE_INSERT},
                                                 {ImGuiKey_Delete, SDL_SCANCODE_DELETE},
                                                 {ImGuiKey_Backspace, SDL_SCANCODE_BACKSPACE},
                                                 {ImGuiKey_Space, SDL_SCANCODE_SPACE},
                                                 {ImGuiKey_Enter, SDL_SCANCODE_RETURN},
                                                 {ImGuiKey_Escape, SDL_SCANCODE_ESCAPE},
                                                 {keypad_enter, SDL_SCANCODE_KP_ENTER},
                                                 {ImGuiKey_A, SDL_SCANCODE_A},
                                                 {ImGuiKey_C, SDL_SCANCODE_C},
                                                 {ImGuiKey_V, SDL_SCANCODE_V},
                                                 {ImGuiKey_X, SDL_SCANCODE_X},
                                                 {ImGuiKey_Y, SDL_SCANCODE_Y},
                                                 {ImGuiKey_Z, SDL_SCANCODE_Z}};

}  // namespace

#if IMGUI_VERSION_NUM >= 18900

void name_keys() { ImGui::GetIO().ConfigInputTrickleEventQueue = false; }  // GuiInput spreads a tap over two frames

void set(int code, bool down) {
  for (const auto& [key, scancode] : keys)
    if (scancode == code) ImGui::GetIO().AddKeyEvent(key, down);
}

void set_modifiers(bool shift, bool ctrl, bool alt) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiMod_Shift, shift);
  io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  io.AddKeyEvent(ImGuiMod_Alt, alt);
}

void release_all() {
  for (const auto& [key, scancode] : keys) ImGui::GetIO().AddKeyEvent(key, false);
  set_modifiers(false, false, false);
}

bool escape_pressed() { return ImGui::IsKeyPressed(ImGuiKey_Escape); }

#else

void name_keys() {
  for (const auto& [key, code] : keys) ImGui::GetIO().KeyMap[key] = code;
}

void set(int code, bool down) { ImGui::GetIO().KeysDown[code] = down; }

void set_modifiers(bool shift, bool ctrl, bool alt) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyShift = shift;
  io.KeyCtrl = ctrl;
  io.KeyAlt = alt;
}

void release_all() {
  ImGuiIO& io = ImGui::GetIO();
  std::fill(std::begin(io.KeysDown), std::end(io.KeysDown), false);
  set_modifiers(false, false, false);
}

bool escape_pressed() { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape)); }

#endif

}  // namespace planar::gui_keys
