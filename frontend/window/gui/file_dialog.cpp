// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/gui/file_dialog.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "frontend/window/gui/gui_keys.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

void FileDialog::open(std::string title, const char* action) {
  title_ = std::move(title);
  action_ = action;
  opening_ = true;
  typed_ = {};
  std::error_code failed;
  enter(folder_.empty() ? std::filesystem::current_path(failed) : folder_);
}

void FileDialog::enter(const std::filesystem::path& folder) {
  folder_ = folder.lexically_normal();
  entries_.clear();
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder_, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    entries_.push_back({at->path().filename().string(), at->is_directory(unknown)});
  }
  std::erase_if(entries_, [](const Entry& e) { return e.name.starts_with('.'); });
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return std::pair(!a.folder, a.name) < std::pair(!b.folder, b.name); });
  if (folder_.has_relative_path()) entries_.insert(entries_.begin(), {"..", true});
}

std::optional<std::string> FileDialog::draw() {
  if (!is_open()) return {};
  const std::string id = title_ + "###file";
  const bool opening = std::exchange(opening_, false);
  if (opening) ImGui::OpenPopup(id.c_str());
  const ImVec2 whole = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowSize({std::min(widgets::px(640.0F), whole.x), std::min(widgets::px(440.0F), whole.y)},
                           ImGuiCond_Appearing);
  ImGui::SetNextWindowPos({whole.x / 2, whole.y / 2}, ImGuiCond_Appearing, {0.5F, 0.5F});
  bool open = true;
  std::optional<std::string> chosen;
  if (ImGui::BeginPopupModal(id.c_str(), &open, ImGuiWindowFlags_NoSavedSettings)) {
    ImGui::TextUnformatted(folder_.string().c_str());
    std::optional<std::filesystem::path> into;
    if (ImGui::BeginChild("files", {0, -2 * ImGui::GetFrameHeightWithSpacing()}, true)) {
      for (const Entry& entry : entries_) {
        const auto label = entry.folder ? entry.name + "/" : entry.name;
        if (!ImGui::Selectable(label.c_str(), entry.name == typed_.data(),
                               ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_DontClosePopups))
          continue;
        if (entry.folder)
          into = folder_ / entry.name;
        else if (ImGui::IsMouseDoubleClicked(0))
          chosen = (folder_ / entry.name).string();
        else
          fmt::format_to_n(typed_.begin(), typed_.size() - 1, "{}{}", entry.name, '\0');
      }
    }
    ImGui::EndChild();
    if (into) enter(*into);
    if (opening) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    const bool entered = ImGui::InputText("##name", typed_.data(), typed_.size(), ImGuiInputTextFlags_EnterReturnsTrue);
    const bool pressed = ImGui::Button(action_, {widgets::px(100.0F), 0});
    ImGui::SameLine();
    if (ImGui::Button("Cancel", {widgets::px(100.0F), 0}) || gui_keys::escape_pressed()) open = false;
    if ((entered || pressed) && typed_[0]) {
      const std::filesystem::path named = folder_ / typed_.data();  // an absolute path replaces the folder
      std::error_code unknown;
      if (std::filesystem::is_directory(named, unknown))
        enter(named);
      else
        chosen = named.string();
    }
    if (chosen || !open) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  if (chosen || !open) title_.clear();
  return chosen;
}

}  // namespace planar
