// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/panes/widgets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/time/time.hpp"

namespace planar::widgets {

float px(float pixels) {
  constexpr float usual_font = 13;
  return pixels * ImGui::GetFontSize() / usual_font;
}

void text(std::string_view text) { ImGui::TextUnformatted(text.data(), text.data() + text.size()); }

void coloured(ImU32 colour, std::string_view t) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  text(t);
  ImGui::PopStyleColor();
}

void heading(std::string_view t) {
  ImGui::Spacing();
  coloured(accent, t);
  ImGui::Separator();
}

void next_in_line(float gap, std::string_view next) {
  const float end = ImGui::GetItemRectMax().x + px(gap) + ImGui::CalcTextSize(next.data(), next.data() + next.size()).x;
  const float room = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x - ImGui::GetScrollX();
  if (end <= room) ImGui::SameLine(0, px(gap));
}

int characters_that_fit() { return static_cast<int>(ImGui::GetContentRegionAvail().x / ImGui::CalcTextSize("0").x); }

std::string field_text(const Field& field) {
  switch (field.kind) {
    case Field::Kind::reg: return fmt::format("{:0{}X}h", field.value, (field.bits + 3) / 4);
    case Field::Kind::number: return fmt::format("{}", field.value);
    case Field::Kind::flag: return field.value ? "yes" : "no";
    case Field::Kind::time: {
      const Time t{static_cast<std::int64_t>(field.value)};
      return t == Time::never() ? "never" : fmt::format("{:.9f} s", t.seconds());
    }
    case Field::Kind::text: return field.text;
  }
  return {};
}

namespace {
ImU32 value_colour(const Field& field) {
  if (field.kind == Field::Kind::flag) return field.value ? good : quiet;
  return ImGui::GetColorU32(ImGuiCol_Text);
}
}  // namespace

void fields(const Description& d) {
  if (d.fields().empty()) return;
  std::size_t longest = 1;  // characters
  for (const Field& f : d.fields()) longest = std::max(longest, f.name.size() + field_text(f).size() + 4);
  const int columns = std::clamp(characters_that_fit() / static_cast<int>(longest), 1, 6);
  if (!ImGui::BeginTable(d.name().c_str(), 2 * columns, ImGuiTableFlags_SizingFixedFit)) return;
  const bool wraps = columns == 1;  // values wider than the pane are wrapped
  if (wraps) {
    ImGui::TableSetupColumn("name");
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  }
  for (const Field& f : d.fields()) {
    ImGui::TableNextColumn();
    coloured(quiet, f.name);
    ImGui::TableNextColumn();
    if (wraps) ImGui::PushTextWrapPos(0);
    coloured(value_colour(f), field_text(f));
    if (wraps) ImGui::PopTextWrapPos();
  }
  ImGui::EndTable();
}

void device(const Description& d) {
  ImGui::PushID(d.name().c_str());
  fields(d);
  for (const Description& p : d.parts())
    if (ImGui::CollapsingHeader(p.name().c_str(), ImGuiTreeNodeFlags_DefaultOpen)) device(p);
  ImGui::PopID();
}

}  // namespace planar::widgets
