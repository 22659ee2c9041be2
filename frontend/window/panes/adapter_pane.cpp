// SPDX-License-Identifier: GPL-2.0-or-later
// An adapter: a drawing of its buffers, then its registers and state.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/window/panes/buffer_bars.hpp"
#include "frontend/window/panes/pane.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

namespace {

constexpr float bar_pixels = 18;  // at a scale of 1
constexpr std::uint64_t most_cells = 512;

class AdapterPane final : public Pane {
 public:
  std::string_view name() const override { return "adapter"; }
  const char* title() const override { return "Adapter"; }
  const char* help() const override { return "an adapter's registers, its rings and buffers drawn"; }

  void draw(const Inspection& look) override {
    std::vector<std::string> adapters;
    for (const auto& device : look.machine.devices())
      if (device.starts_with("slot")) adapters.push_back(device);
    if (adapters.empty()) {
      widgets::coloured(widgets::quiet, "no adapter in any slot");
      return;
    }
    if (std::find(adapters.begin(), adapters.end(), chosen_) == adapters.end()) chosen_ = adapters.front();
    if (adapters.size() > 1 && ImGui::BeginCombo("##adapter", chosen_.c_str())) {
      for (const auto& adapter : adapters)
        if (ImGui::Selectable(adapter.c_str(), adapter == chosen_)) chosen_ = adapter;
      ImGui::EndCombo();
    }
    const Description d = look.machine.describe(chosen_);
    widgets::heading(chosen_);
    for (const BufferBar& bar : buffer_bars(d)) draw_bar(bar);
    widgets::device(d);
  }

 private:
  static void draw_bar(const BufferBar& bar) {
    widgets::coloured(widgets::quiet, bar.title);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float dot = widgets::px(1.0F), bar_height = bar_pixels * dot;
    const float width = std::max(ImGui::GetContentRegionAvail().x - 4 * dot, 40 * dot);
    const float text = bar.marks.empty() ? 0 : ImGui::GetTextLineHeight();
    const double units = static_cast<double>(bar.end - bar.first);
    const auto x = [&](std::uint64_t unit) {
      const std::uint64_t inside = std::clamp(unit, bar.first, bar.end) - bar.first;
      return at.x + static_cast<float>(static_cast<double>(inside) / units * width);
    };
    list.AddRectFilled(at, {at.x + width, at.y + bar_height}, widgets::track);
    for (const auto& fill : bar.fills)
      list.AddRectFilled({x(fill.from), at.y}, {x(fill.to), at.y + bar_height}, widgets::blue);
    if (bar.cells && bar.end - bar.first <= most_cells)
      for (std::uint64_t unit = bar.first; unit <= bar.end; ++unit)
        list.AddLine({x(unit), at.y}, {x(unit), at.y + bar_height}, widgets::line);
    float last = -1e9F;
    float lowest = 0;
    std::vector<BufferBar::Mark> marks = bar.marks;
    std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    for (const auto& mark : marks) {
      const float left = x(mark.at);
      list.AddTriangleFilled({left - 5 * dot, at.y + bar_height + 7 * dot},
                             {left + 5 * dot, at.y + bar_height + 7 * dot}, {left, at.y + bar_height - 3 * dot},
                             widgets::accent);
      const auto name = fmt::format("{} {:X}", mark.name, mark.at);
      const float size = ImGui::CalcTextSize(name.c_str()).x;
      const float begin = std::min(std::max(left - size / 2, at.x), at.x + width - size);
      lowest = begin < last ? lowest + text : 0;  // lower, if it would overlap its neighbour
      last = begin + size + 6 * dot;
      list.AddText({begin, at.y + bar_height + 8 * dot + lowest}, widgets::accent, name.c_str());
    }
    const float rows = marks.empty() ? 0 : 2 * text;
    ImGui::Dummy({width, bar_height + rows + 6 * dot});
  }

  std::string chosen_;
};

}  // namespace

std::unique_ptr<Pane> make_adapter_pane() { return std::make_unique<AdapterPane>(); }

}  // namespace planar
