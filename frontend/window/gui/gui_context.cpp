// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/gui/gui_context.hpp"

#include <imgui.h>

#include <cmath>

namespace planar {

namespace {

constexpr float font_pixels = 13;  // of ImGui's own font, which is designed for this size

ImGuiStyle style_for(float scale) {
  ImGuiStyle style;
  ImGui::StyleColorsDark(&style);
  style.WindowRounding = style.TabRounding = style.FrameRounding = 2;
  style.WindowBorderSize = 0;
  style.AntiAliasedLines = style.AntiAliasedFill = true;
  style.Colors[ImGuiCol_WindowBg] = {0.11F, 0.12F, 0.14F, 1};
  style.Colors[ImGuiCol_PopupBg] = {0.14F, 0.15F, 0.18F, 1};
  style.Colors[ImGuiCol_MenuBarBg] = {0.17F, 0.18F, 0.21F, 1};
  style.ScaleAllSizes(scale);
  return style;
}

const char* clipboard_text(void*) {
  static std::string text;  // valid until the next call
  char* const held = SDL_GetClipboardText();
  text = held ? held : "";
  SDL_free(held);
  return text.c_str();
}

void set_clipboard_text(void*, const char* text) { SDL_SetClipboardText(text); }

}  // namespace

GuiContext::GuiContext(SDL_Renderer* renderer, double scale) : context_(ImGui::CreateContext()), sdl_(renderer) {
  use();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // WindowSettings stores these settings
  io.GetClipboardTextFn = clipboard_text;
  io.SetClipboardTextFn = set_clipboard_text;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  set_scale(scale);
}

GuiContext::~GuiContext() { ImGui::DestroyContext(context_); }

void GuiContext::use() const { ImGui::SetCurrentContext(context_); }

void GuiContext::set_scale(double scale) {
  if (scale == scale_) return;
  scale_ = scale;
  ImGui::GetStyle() = style_for(static_cast<float>(scale));
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  fonts.Clear();
  ImFontConfig config;
  config.SizePixels = std::round(font_pixels * static_cast<float>(scale));
  fonts.AddFontDefault(&config);
  renderer_.reset();
  renderer_ = std::make_unique<GuiRenderer>(sdl_);
}

void GuiContext::draw() { renderer_->draw(*ImGui::GetDrawData()); }

void GuiContext::place_windows(const std::string& text) { ImGui::LoadIniSettingsFromMemory(text.c_str(), text.size()); }

std::string GuiContext::places_of_windows() const {
  std::size_t size = 0;
  const char* const text = ImGui::SaveIniSettingsToMemory(&size);
  return {text, size};
}

}  // namespace planar
