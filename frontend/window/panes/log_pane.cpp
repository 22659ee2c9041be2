// SPDX-License-Identifier: GPL-2.0-or-later
// What the machine and the window have reported: trace lines (--trace chooses them), files written, errors.
#include <array>
#include <string>
#include <vector>

#include "frontend/window/panes/pane.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

namespace {

class LogPane final : public Pane {
 public:
  std::string_view name() const override { return "log"; }
  const char* title() const override { return "Log"; }
  const char* help() const override { return "trace lines (--trace) and messages"; }

  void draw(const Inspection& look) override {
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 14);
    ImGui::InputTextWithHint("##only", "only lines with this text", only_.data(), only_.size());
    std::vector<const std::string*> shown;
    const std::string only = only_.data();
    for (const auto& line : look.recorder.lines())
      if (only.empty() || line.find(only) != std::string::npos) shown.push_back(&line);
    if (!ImGui::BeginChild("lines", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar)) return ImGui::EndChild();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(shown.size()));
    while (clipper.Step())
      for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; ++n)
        widgets::text(*shown[static_cast<std::size_t>(n)]);
    if (ImGui::GetScrollY() >= ImGui::GetScrollMaxY()) ImGui::SetScrollHereY(1);
    ImGui::EndChild();
  }

 private:
  std::array<char, 64> only_{};
};

}  // namespace

std::unique_ptr<Pane> make_log_pane() { return std::make_unique<LogPane>(); }

}  // namespace planar
