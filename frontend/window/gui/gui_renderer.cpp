// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/gui/gui_renderer.hpp"

#include <imgui.h>

#include <algorithm>

namespace planar {

GuiRenderer::GuiRenderer(SDL_Renderer* renderer) : renderer_(renderer) {
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  font_ = SDL_CreateTexture(renderer_, SDL_PIXELFORMAT_ABGR8888, SDL_TEXTUREACCESS_STATIC, width, height);
  if (!font_) return;
  SDL_UpdateTexture(font_, nullptr, pixels, 4 * width);
  SDL_SetTextureBlendMode(font_, SDL_BLENDMODE_BLEND);
  SDL_SetTextureScaleMode(font_, SDL_ScaleModeNearest);
  ImGui::GetIO().Fonts->SetTexID(font_);
}

GuiRenderer::~GuiRenderer() {
  if (font_) SDL_DestroyTexture(font_);
}

void GuiRenderer::draw(const ImDrawData& data) {
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback || command.ElemCount == 0) continue;
      const SDL_Rect clip{std::max(static_cast<int>(command.ClipRect.x), 0),
                          std::max(static_cast<int>(command.ClipRect.y), 0),
                          static_cast<int>(command.ClipRect.z - command.ClipRect.x),
                          static_cast<int>(command.ClipRect.w - command.ClipRect.y)};
      if (clip.w <= 0 || clip.h <= 0) continue;
      SDL_RenderSetClipRect(renderer_, &clip);
      const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
      SDL_RenderGeometryRaw(
          renderer_, static_cast<SDL_Texture*>(command.GetTexID()), &vertices->pos.x, sizeof(ImDrawVert),
          reinterpret_cast<const SDL_Color*>(&vertices->col), sizeof(ImDrawVert), &vertices->uv.x, sizeof(ImDrawVert),
          list.VtxBuffer.Size - static_cast<int>(command.VtxOffset), list.IdxBuffer.Data + command.IdxOffset,
          static_cast<int>(command.ElemCount), sizeof(ImDrawIdx));
    }
  }
  SDL_RenderSetClipRect(renderer_, nullptr);
}

}  // namespace planar
