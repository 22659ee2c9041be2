// SPDX-License-Identifier: GPL-2.0-or-later
// The buses in the last milliseconds: one lane for the processor's accesses, one for its waits, and one for each other
// master.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "frontend/window/content/bus_recorder.hpp"
#include "frontend/window/panes/pane.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

namespace {

using Kind = BusSpan::Kind;

constexpr float lane_pixels = 20, gap_pixels = 6;  // at a scale of 1

ImU32 colour_of(Kind kind) {
  switch (kind) {
    case Kind::io: return widgets::accent;
    case Kind::memory: return widgets::blue;
    case Kind::acknowledge: return widgets::good;
    case Kind::wait: return widgets::bad;
    case Kind::refresh: return widgets::quiet;
    case Kind::owned: return widgets::line;
    case Kind::transfer: return IM_COL32(190, 130, 230, 255);
  }
  return widgets::line;
}

std::string text_of(const BusSpan& s) {
  const auto length = fmt::format("{:.3f} µs at {:.9f} s", (s.to - s.from).seconds() * 1e6, s.from.seconds());
  const char* const way = s.direction == Direction::read ? "read" : "write";
  switch (s.kind) {
    case Kind::io: return fmt::format("I/O {} {:04X}h: {:0{}X}h, {}", way, s.address, s.value, 2 * s.bytes, length);
    case Kind::memory:
      return fmt::format("memory {} {:08X}h: {:0{}X}h, {}", way, s.address, s.value, 2 * s.bytes, length);
    case Kind::acknowledge: return fmt::format("interrupt acknowledge: {:02X}h, {}", s.value, length);
    case Kind::wait: return fmt::format("the processor waits, {}", length);
    case Kind::refresh: return fmt::format("refresh, {}", length);
    case Kind::owned: return fmt::format("{} has the bus, {}", s.owner, length);
    case Kind::transfer:
      return s.bytes ? fmt::format("{}: {} {} bytes at {:08X}h, {}", s.owner, way, s.bytes, s.address, length)
                     : fmt::format("{}: cycles, {}", s.owner, length);
  }
  return {};
}

class BusPane final : public Pane {
 public:
  std::string_view name() const override { return "bus"; }
  const char* title() const override { return "Bus"; }
  const char* help() const override { return "Micro Channel, or PCI and ISA, in the last milliseconds"; }

  void draw(const Inspection& look) override {
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 14);
    ImGui::SliderFloat("shown", &shown_ms_, 0.02F, 20, "%.3f ms", ImGuiSliderFlags_Logarithmic);
    const Time now = look.machine.now();
    const Time length = Time{static_cast<std::int64_t>(static_cast<double>(shown_ms_) * 1e9)};
    const Time begin = now - length - back_;
    summary(look.bus, begin, begin + length);
    lanes(look.bus, begin, length);
    legend();
  }

 private:
  static void summary(const BusRecorder& bus, Time begin, Time end) {
    std::array<Time, 7> sums{};
    std::array<unsigned, 7> counts{};
    for (const BusSpan& s : bus.spans()) {
      if (s.to <= begin || s.from >= end) continue;
      sums[static_cast<std::size_t>(s.kind)] += std::min(s.to, end) - std::max(s.from, begin);
      ++counts[static_cast<std::size_t>(s.kind)];
    }
    const auto share = [&](Kind kind) {
      return sums[static_cast<std::size_t>(kind)].seconds() / (end - begin).seconds() * 100;
    };
    const auto count = [&](Kind kind) { return counts[static_cast<std::size_t>(kind)]; };
    widgets::text(fmt::format("{} I/O {:.1f} %, {} memory {:.1f} %, waits {:.1f} %, other masters {:.1f} %",
                              count(Kind::io), share(Kind::io), count(Kind::memory), share(Kind::memory),
                              share(Kind::wait), share(Kind::owned)));
  }

  static void legend() {
    constexpr std::pair<Kind, const char*> kinds[] = {
        {Kind::io, "I/O"},           {Kind::memory, "memory"},   {Kind::acknowledge, "interrupt acknowledge"},
        {Kind::wait, "wait"},        {Kind::refresh, "refresh"}, {Kind::owned, "owned"},
        {Kind::transfer, "transfer"}};
    for (const auto& [kind, name] : kinds) {
      widgets::coloured(colour_of(kind), name);
      widgets::next_in_line(12, kind == Kind::transfer ? "drag to scroll back" : "interrupt acknowledge");
    }
    ImGui::TextDisabled("drag to scroll back");
  }

  void lanes(const BusRecorder& bus, Time begin, Time length) {
    std::map<std::string, int> masters;
    for (const BusSpan& s : bus.spans())
      if (!s.owner.empty()) masters.emplace(s.owner, 0);
    int lane = 2;
    for (auto& [name, number] : masters) number = lane++;

    const float label = ImGui::GetFontSize() * 9;
    const float dot = widgets::px(1.0F), lane_height = lane_pixels * dot, lane_gap = gap_pixels * dot;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = std::max(ImGui::GetContentRegionAvail().x - label - 4 * dot, 50 * dot);
    const float height = static_cast<float>(lane) * (lane_height + lane_gap);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const auto top = [&](int n) { return at.y + static_cast<float>(n) * (lane_height + lane_gap); };
    const auto name_lane = [&](int n, const std::string& name) {
      list.AddText({at.x, top(n) + 3 * dot}, widgets::quiet, name.c_str());
      list.AddRectFilled({at.x + label, top(n)}, {at.x + label + width, top(n) + lane_height}, widgets::track);
    };
    name_lane(0, "processor");
    name_lane(1, "waits, refresh");
    for (const auto& [name, number] : masters) name_lane(number, name);

    const double scale = static_cast<double>(width) / static_cast<double>(length.ps);
    const auto x = [&](Time t) {
      return at.x + label +
             static_cast<float>(std::clamp(static_cast<double>((t - begin).ps) * scale, 0.0, double{width}));
    };
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const BusSpan* pointed = nullptr;
    std::array<std::array<float, 7>, 16> drawn{};  // by lane and kind: drawn up to here
    const auto draw_span = [&](const BusSpan& s) {
      if (s.to <= begin || s.from >= begin + length) return;
      const int n = s.kind == Kind::wait || s.kind == Kind::refresh ? 1 : s.owner.empty() ? 0 : masters[s.owner];
      const float left = x(s.from), right = std::max(x(s.to), left + 1);
      if (mouse.x >= left - 1 && mouse.x < right + 1 && mouse.y >= top(n) && mouse.y < top(n) + lane_height)
        pointed = &s;
      float& last = drawn[static_cast<std::size_t>(std::min(n, 15))][static_cast<std::size_t>(s.kind)];
      if (right <= last) return;  // hidden by what is already drawn
      const float inset = s.kind == Kind::transfer ? 4 * dot : 0;
      list.AddRectFilled({std::max(left, last), top(n) + inset}, {right, top(n) + lane_height - inset},
                         colour_of(s.kind));
      last = right;
    };
    for (const BusSpan& s : bus.spans())
      if (s.kind == Kind::owned) draw_span(s);
    for (const BusSpan& s : bus.spans())
      if (s.kind != Kind::owned) draw_span(s);

    ImGui::InvisibleButton("lanes", {label + width, height});
    if (ImGui::IsItemActive())
      back_ =
          std::clamp(back_ + Time{static_cast<std::int64_t>(static_cast<double>(ImGui::GetIO().MouseDelta.x) / scale)},
                     Time{}, BusRecorder::kept);
    if (ImGui::IsItemHovered() && pointed) ImGui::SetTooltip("%s", text_of(*pointed).c_str());
  }

  float shown_ms_ = 1;
  Time back_{};
};

}  // namespace

std::unique_ptr<Pane> make_bus_pane() { return std::make_unique<BusPane>(); }

}  // namespace planar
