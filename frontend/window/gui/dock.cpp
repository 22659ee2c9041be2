// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/gui/dock.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "core/common/error.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

namespace {

// In pixels at a scale of 1.
constexpr int border_pixels = 5;
constexpr float drag_distance = 24;  // a shorter drag counts as a click on the tab
constexpr auto fixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                       ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                       ImGuiWindowFlags_NoBringToFrontOnFocus;

void next_window(const Rect& rect) {
  ImGui::SetNextWindowPos({static_cast<float>(rect.x), static_cast<float>(rect.y)});
  ImGui::SetNextWindowSize({static_cast<float>(rect.width), static_cast<float>(rect.height)});
}

/// The place for a tab dropped at `at`: a side if within its outer quarter of the area, otherwise floating.
Place place_at(const Rect& area, ImVec2 at) {
  const float x = (at.x - static_cast<float>(area.x)) / static_cast<float>(area.width);
  const float y = (at.y - static_cast<float>(area.y)) / static_cast<float>(area.height);
  if (x < 0.25F) return y < 0.5F ? Place::left : Place::left_below;
  if (x > 0.75F) return y < 0.5F ? Place::right : Place::right_below;
  return y > 0.75F ? Place::bottom : Place::floating;
}

/// The part of the area that is highlighted for a place while a tab is dragged.
Rect mark_of(const Rect& area, Place place) {
  const int width = area.width / 4, half = area.height / 2;
  switch (place) {
    case Place::left: return {area.x, area.y, width, half};
    case Place::left_below: return {area.x, area.y + half, width, half};
    case Place::right: return {area.x + 3 * width, area.y, width, half};
    case Place::right_below: return {area.x + 3 * width, area.y + half, width, half};
    case Place::bottom: return {area.x + width, area.y + area.height * 3 / 4, 2 * width, area.height / 4};
    default: return {area.x + width, area.y + area.height / 4, 2 * width, half};
  }
}

int part_of(int whole, float share) { return static_cast<int>(static_cast<float>(whole) * share); }

}  // namespace

Dock::Dock() {
  const auto add = [&](std::unique_ptr<Pane> pane, Place home) {
    panes_.push_back({std::move(pane), Place::closed, home, false});
  };
  add(make_cpu_pane(), Place::right);
  add(make_memory_pane(), Place::right_below);
  add(make_slots_pane(), Place::left);
  add(make_planar_pane(), Place::left);
  add(make_adapter_pane(), Place::right);
  add(make_bus_pane(), Place::bottom);
  add(make_wire_pane(), Place::bottom);
  add(make_log_pane(), Place::bottom);
}

void Dock::open(const std::string& list) {
  const auto fail = [&](const std::string& problem) {
    std::vector<std::string_view> names;
    for (const Entry& e : panes_) names.push_back(e.pane->name());
    throw Error(
        fmt::format("--panes {}: {}; write some of {}, each with =left, left-below, right, right-below, "
                    "bottom or float if it is to be there",
                    list, problem, fmt::join(names, ", ")));
  };
  for (std::size_t at = 0; at <= list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    const auto item = list.substr(at, end - at);
    const auto equals = item.find('=');
    const auto name = item.substr(0, equals);
    const auto entry =
        std::find_if(panes_.begin(), panes_.end(), [&](const Entry& e) { return e.pane->name() == name; });
    if (entry == panes_.end()) fail(fmt::format("there is no pane '{}'", name));
    Place place = entry->home;
    if (equals != std::string::npos) {
      const auto* const found = std::find(std::begin(place_names) + 1, std::end(place_names), item.substr(equals + 1));
      if (found == std::end(place_names)) fail(fmt::format("'{}' is not a place", item.substr(equals + 1)));
      place = static_cast<Place>(found - std::begin(place_names));
    }
    const bool taken = used(place);
    put(static_cast<std::size_t>(entry - panes_.begin()), place);
    entry->front = !taken;  // the first one named for a place
    at = end + 1;
  }
}

bool Dock::shows(std::string_view pane) const {
  return std::any_of(panes_.begin(), panes_.end(),
                     [&](const Entry& e) { return e.pane->name() == pane && e.place != Place::closed; });
}

void Dock::put(std::size_t n, Place place) {
  Entry& entry = panes_[n];
  entry.place = place;
  if (place != Place::closed) entry.home = place;
  entry.front = true;
}

void Dock::toggle(std::size_t n) { put(n, panes_[n].place == Place::closed ? panes_[n].home : Place::closed); }

void Dock::close_all() {
  for (Entry& entry : panes_) entry.place = Place::closed;
}

std::string Dock::layout() const {
  std::string list;
  for (const bool shown : {true, false})  // open() shows the first one of each place
    for (const Entry& entry : panes_)
      if (entry.place != Place::closed && entry.shown == shown)
        list += fmt::format("{}{}={}", list.empty() ? "" : ",", entry.pane->name(),
                            place_names[static_cast<std::size_t>(entry.place)]);
  return list;
}

bool Dock::used(Place place) const {
  return std::any_of(panes_.begin(), panes_.end(), [=](const Entry& e) { return e.place == place; });
}

void Dock::place_menu(Entry& entry) {
  if (!ImGui::BeginPopupContextItem()) return;
  constexpr std::pair<Place, const char*> places[] = {{Place::left, "Left"},     {Place::left_below, "Left, below"},
                                                      {Place::right, "Right"},   {Place::right_below, "Right, below"},
                                                      {Place::bottom, "Bottom"}, {Place::floating, "Float"},
                                                      {Place::closed, "Close"}};
  for (const auto& [place, title] : places)
    if (ImGui::MenuItem(title, nullptr, entry.place == place))
      put(static_cast<std::size_t>(&entry - panes_.data()), place);
  ImGui::EndPopup();
}

void Dock::drag(const Entry& entry) {
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, widgets::px(drag_distance)))
    dragged_ = static_cast<std::size_t>(&entry - panes_.data());
}

void Dock::drop(const Rect& area) {
  if (!dragged_) return;
  const Place place = place_at(area, ImGui::GetIO().MousePos);
  const Rect mark = mark_of(area, place);
  ImGui::GetForegroundDrawList()->AddRectFilled(
      {static_cast<float>(mark.x), static_cast<float>(mark.y)},
      {static_cast<float>(mark.x + mark.width), static_cast<float>(mark.y + mark.height)},
      ImGui::GetColorU32(ImGuiCol_SeparatorHovered, 0.4F));
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) put(*std::exchange(dragged_, std::nullopt), place);
}

void Dock::tabs(Place place, const Rect& rect, const Inspection& look) {
  next_window(rect);
  const auto name = fmt::format("##{}", place_names[static_cast<unsigned>(place)]);
  if (ImGui::Begin(name.c_str(), nullptr, fixed) && ImGui::BeginTabBar("panes")) {
    for (Entry& entry : panes_) {
      if (entry.place != place) continue;
      bool open = true;
      const bool front = std::exchange(entry.front, false);
      const bool shown = ImGui::BeginTabItem(entry.pane->title(), &open,
                                             front ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None);
      entry.shown = shown;
      drag(entry);
      place_menu(entry);
      if (shown) {
        if (ImGui::BeginChild(entry.pane->title(), {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar))
          entry.pane->draw(look);
        ImGui::EndChild();
        ImGui::EndTabItem();
      }
      if (!open) entry.place = Place::closed;
    }
    ImGui::EndTabBar();
  }
  ImGui::End();
}

void Dock::floating(Entry& entry, const Rect& area, const Inspection& look) {
  ImGui::SetNextWindowPos({static_cast<float>(area.x + area.width / 4), static_cast<float>(area.y + area.height / 4)},
                          ImGuiCond_FirstUseEver);
  ImGui::SetNextWindowSize({static_cast<float>(area.width) / 2, static_cast<float>(area.height) / 2},
                           ImGuiCond_FirstUseEver);
  bool open = true;
  if (ImGui::Begin(entry.pane->title(), &open, ImGuiWindowFlags_HorizontalScrollbar)) {
    place_menu(entry);
    entry.pane->draw(look);
  } else {
    place_menu(entry);
  }
  ImGui::End();
  if (!open) entry.place = Place::closed;
}

// Drawn last, on top of the panes that it separates.
void Dock::border(const char* name, const Rect& rect, bool vertical, float& share, int whole, bool from_end) {
  next_window(rect);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin(name, nullptr, fixed | ImGuiWindowFlags_NoScrollbar);
  ImGui::InvisibleButton("grip", {static_cast<float>(rect.width), static_cast<float>(rect.height)});
  if (ImGui::IsItemActive() && whole > 0) {
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    const float delta = (vertical ? moved.x : moved.y) / static_cast<float>(whole);
    share = std::clamp(share + (from_end ? -delta : delta), 0.1F, 0.8F);
  }
  if (ImGui::IsItemActive() || ImGui::IsItemHovered())
    ImGui::GetWindowDrawList()->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
                                              ImGui::GetColorU32(ImGuiCol_SeparatorHovered));
  ImGui::End();
  ImGui::PopStyleVar(2);
}

void Dock::column(Place upper, Place lower, const Rect& rect, float& share, const Inspection& look) {
  if (!used(upper) || !used(lower)) {
    tabs(used(upper) ? upper : lower, rect, look);
    return;
  }
  const int height = part_of(rect.height, share), border_width = widgets::px(border_pixels);
  tabs(upper, {rect.x, rect.y, rect.width, height}, look);
  tabs(lower, {rect.x, rect.y + height + border_width, rect.width, rect.height - height - border_width}, look);
  border(upper == Place::left ? "##left split" : "##right split", {rect.x, rect.y + height, rect.width, border_width},
         false, share, rect.height, false);
}

Rect Dock::draw(const Rect& area, const Inspection& look) {
  Rect rest = area;
  const int border_width = widgets::px(border_pixels);
  if (used(Place::bottom)) {
    const int height = part_of(area.height, bottom_);
    rest.height -= height + border_width;
    const int top = rest.y + rest.height;
    tabs(Place::bottom, {area.x, top + border_width, area.width, height}, look);
    border("##bottom border", {area.x, top, area.width, border_width}, false, bottom_, area.height, true);
  }
  if (used(Place::left) || used(Place::left_below)) {
    const int width = part_of(area.width, left_);
    column(Place::left, Place::left_below, {rest.x, rest.y, width, rest.height}, left_split_, look);
    border("##left border", {rest.x + width, rest.y, border_width, rest.height}, true, left_, area.width, false);
    rest.x += width + border_width;
    rest.width -= width + border_width;
  }
  if (used(Place::right) || used(Place::right_below)) {
    const int width = part_of(area.width, right_);
    rest.width -= width + border_width;
    const int left = rest.x + rest.width;
    column(Place::right, Place::right_below, {left + border_width, rest.y, width, rest.height}, right_split_, look);
    border("##right border", {left, rest.y, border_width, rest.height}, true, right_, area.width, true);
  }
  for (Entry& entry : panes_)
    if (entry.place == Place::floating) floating(entry, area, look);
  drop(area);
  return rest;
}

}  // namespace planar
