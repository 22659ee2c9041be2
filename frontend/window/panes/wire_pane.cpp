// SPDX-License-Identifier: GPL-2.0-or-later
// The frames on the wires, decoded; the chosen one with its bytes.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/window/panes/frame_text.hpp"
#include "frontend/window/panes/pane.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

namespace {

class WirePane final : public Pane {
 public:
  std::string_view name() const override { return "wire"; }
  const char* title() const override { return "Wire"; }
  const char* help() const override { return "frames on the network, decoded"; }

  void draw(const Inspection& look) override {
    const auto& frames = look.recorder.frames();
    const auto chosen =
        std::find_if(frames.begin(), frames.end(), [&](const auto& frame) { return frame.number == chosen_; });
    const float height = ImGui::GetContentRegionAvail().y * (chosen == frames.end() ? 1 : 0.6F);
    table(frames, height);
    if (chosen != frames.end()) details(*chosen);
  }

 private:
  void table(const std::deque<Recorder::Frame>& frames, float height) {
    if (frames.empty()) widgets::coloured(widgets::quiet, "no frame since this pane was opened");
    constexpr auto flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit;
    if (frames.empty() || !ImGui::BeginTable("frames", 5, flags, {0, height})) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const char* column : {"ms", "from", "to", "bytes"}) ImGui::TableSetupColumn(column);
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableHeadersRow();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(frames.size()));
    while (clipper.Step())
      for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; ++n) row(frames[static_cast<std::size_t>(n)]);
    if (ImGui::GetScrollY() >= ImGui::GetScrollMaxY()) ImGui::SetScrollHereY(1);
    ImGui::EndTable();
  }

  void row(const Recorder::Frame& frame) {
    const FrameText what = frame_text(frame.medium->format().link, frame.bytes);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(frame.number));
    const auto time = fmt::format("{:.4f}", frame.end.seconds() * 1e3);
    if (ImGui::Selectable(time.c_str(), frame.number == chosen_, ImGuiSelectableFlags_SpanAllColumns))
      chosen_ = frame.number == chosen_ ? 0 : frame.number;
    ImGui::PopID();
    for (const auto& cell : {what.from, what.to, fmt::format("{}", frame.bytes.size())}) {
      ImGui::TableNextColumn();
      widgets::text(cell);
    }
    ImGui::TableNextColumn();
    widgets::coloured(widgets::accent, what.protocol);
    ImGui::SameLine();
    if (frame.damage == net::Damage::none)
      widgets::text(what.info);
    else
      widgets::coloured(widgets::bad, frame.damage == net::Damage::collision ? "collision" : "damaged");
  }

  static void details(const Recorder::Frame& frame) {
    if (!ImGui::BeginChild("details")) return ImGui::EndChild();
    widgets::heading(fmt::format("frame {} of {} on {}, {:.9f} to {:.9f} s", frame.number, frame.sender,
                                 frame.medium->name(), frame.start.seconds(), frame.end.seconds()));
    for (const auto& line : frame_text(frame.medium->format().link, frame.bytes).lines) widgets::text(line);
    for (std::size_t at = 0; at < frame.bytes.size(); at += 16) {
      std::string bytes, characters;
      for (std::size_t n = at; n < std::min(at + 16, frame.bytes.size()); ++n) {
        bytes += fmt::format("{:02X} ", frame.bytes[n]);
        characters += frame.bytes[n] >= 0x20 && frame.bytes[n] < 0x7F ? static_cast<char>(frame.bytes[n]) : '.';
      }
      widgets::text(fmt::format("{:04X}  {:<48}  {}", at, bytes, characters));
    }
    ImGui::EndChild();
  }

  std::uint64_t chosen_ = 0;
};

}  // namespace

std::unique_ptr<Pane> make_wire_pane() { return std::make_unique<WirePane>(); }

}  // namespace planar
