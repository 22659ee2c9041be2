// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/gui/gui.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "core/common/error.hpp"
#include "frontend/scenario/keys.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

Gui::Gui(Lab& lab, WindowActions& actions, Recorder& recorder, WindowView& view, WindowSettings& settings)
    : lab_(lab), actions_(actions), recorder_(recorder), view_(view), settings_(settings) {}

bool Gui::takes_keys() const { return menu_open_ || dialog_.is_open() || ImGui::GetIO().WantTextInput; }

void Gui::say(const std::string& text, bool problem) {
  said_ = text;
  problem_ = problem;
  recorder_.log(fmt::format("window: {}", text));
}

template <class F>
void Gui::attempt(F&& action) {
  try {
    action();
  } catch (const std::exception& e) { say(e.what(), true); }
}

void Gui::choose(Command what) {
  choosing_ = what;
  dialog_.open(what == Command::change_diskette     ? "Diskette for drive A"
               : what == Command::change_diskette_b ? "Diskette for drive B"
               : what == Command::change_cdrom      ? "CD"
                                                    : "Snapshot");
}

void Gui::chosen(const std::string& file) {
  attempt([&] {
    if (choosing_ == Command::change_diskette || choosing_ == Command::change_diskette_b) {
      actions_.change_diskette(view_.machine, choosing_ == Command::change_diskette_b, file);
    } else if (choosing_ == Command::change_cdrom) {
      actions_.change_cdrom(view_.machine, cdrom(), file);
    } else {
      actions_.load_snapshot(file);
      view_.moved = true;
    }
    view_.used = true;
    if (choosing_ != Command::load_snapshot) settings_.remember(std::filesystem::absolute(file).string());
    say(fmt::format("{} is {}", file,
                    choosing_ == Command::change_diskette     ? "in drive A"
                    : choosing_ == Command::change_diskette_b ? "in drive B"
                    : choosing_ == Command::change_cdrom      ? "in the CD-ROM drive"
                                                              : "loaded"));
  });
}

unsigned Gui::cdrom() const {
  const auto id = lab_.cdrom(view_.machine);
  if (!id) throw Error("this machine has no CD-ROM drive; start it with --cdrom FILE, or --cdrom empty");
  return *id;
}

void Gui::drop(const std::string& file) {
  constexpr std::uintmax_t largest_diskette = 2949120;
  const auto kind = std::filesystem::path(file).extension();
  std::error_code unknown;
  choosing_ = kind == ".snap"                                                            ? Command::load_snapshot
              : kind == ".iso" || kind == ".ISO"                                         ? Command::change_cdrom
              : std::filesystem::file_size(file, unknown) <= largest_diskette || unknown ? Command::change_diskette
                                                                                         : Command::change_cdrom;
  chosen(file);
}

void Gui::run(Command command) {
  switch (command) {
    case Command::hold: actions_.hold(!actions_.held()); break;
    case Command::step: actions_.step_held(view_.machine); break;
    case Command::full_speed: view_.throttle = view_.throttle == 0 ? 100 : 0; break;
    case Command::reset:
      attempt([&] {
        actions_.reset_machine(view_.machine);
        view_.used = true;
        say("the machine was reset");
      });
      break;
    case Command::ctrl_alt_del: view_.chord = parse_chord("ctrl-alt-del"); break;
    case Command::eject_diskette:
    case Command::eject_diskette_b:
      attempt([&] {
        const unsigned drive = command == Command::eject_diskette_b;
        actions_.eject_diskette(view_.machine, drive);
        view_.used = true;
        say(drive == 0 ? "drive A is empty" : "drive B is empty");
      });
      break;
    case Command::eject_cdrom:
    case Command::force_cdrom:
      attempt([&] {
        actions_.eject_cdrom(view_.machine, cdrom(), command == Command::force_cdrom);
        view_.used = true;
        say("the CD-ROM drive is empty");
      });
      break;
    case Command::change_diskette_b:
      if (!lab_.machine(view_.machine).diskette().drive(1).installed)
        return say("this machine has no diskette drive B; start it with --floppy-b FILE, or --floppy-b empty", true);
      choose(command);
      break;
    case Command::change_diskette:
    case Command::change_cdrom:
    case Command::load_snapshot: choose(command); break;
    case Command::save_snapshot: attempt([&] { say(fmt::format("saved {}", actions_.save_snapshot())); }); break;
    case Command::rewind:
      attempt([&] {
        if (actions_.last_snapshot().empty()) throw Error("there is no snapshot yet; save one with Ctrl-Alt-S");
        actions_.load_snapshot(std::string(actions_.last_snapshot()));
        view_.moved = view_.used = true;
        say(fmt::format("back at {}", actions_.last_snapshot()));
      });
      break;
    case Command::save_screen:
      attempt([&] { say(fmt::format("saved {}", actions_.save_screen(view_.machine))); });
      break;
    case Command::save_picture: view_.picture = true; break;
    case Command::capture:
      attempt([&] {
        const bool on = !actions_.capturing();
        const auto file = actions_.capture(on);
        say((on ? "capturing into " : "the capture is in ") + file);
      });
      break;
    case Command::record:
      attempt([&] {
        const bool on = !actions_.recording();
        const auto file = actions_.record(on);
        say((on ? "recording steps into " : "the steps are in ") + file);
      });
      break;
    case Command::copy: copy(); break;
    case Command::paste: paste(); break;
    case Command::sound: view_.sound = !view_.sound; break;
    case Command::mouse: view_.mouse = !view_.mouse; break;
    case Command::full_screen:
      view_.full_screen = !view_.full_screen;
      view_.bars = !view_.full_screen;
      break;
    case Command::menu: view_.bars = !view_.bars; break;
    case Command::help: help_ = !help_; break;
    case Command::quit: view_.quit = true; break;
  }
}

void Gui::copy() {
  std::string text;
  for (const auto& line : lab_.machine(view_.machine).video().text_lines()) text += line + "\n";
  while (text.ends_with("\n\n")) text.pop_back();
  if (text.empty()) return say("the screen is in a graphics mode: there is no text to copy", true);
  ImGui::SetClipboardText(text.c_str());
  say("the screen's text is in the clipboard");
}

void Gui::paste() {
  if (actions_.typing()) {
    actions_.stop_typing();
    return say("the rest of the text was not typed");
  }
  const char* const clipboard = ImGui::GetClipboardText();
  std::string text, untyped;
  for (const char c : std::string_view(clipboard ? clipboard : ""))
    if (c != '\r') (key_for(c) ? text : untyped) += c;
  if (text.empty()) return say("the clipboard has no text that the machine's keyboard could type", true);
  actions_.type(view_.machine, text);
  view_.used = true;
  say(fmt::format("typing {} characters; Ctrl-Alt-V stops{}", text.size(),
                  untyped.empty() ? "" : "; those without a key on the US keyboard are left out"));
}

void Gui::item(Command command, bool checked, bool enabled) {
  const CommandRow& row = row_of(command);
  if (ImGui::MenuItem(row.title, row.keys, checked, enabled)) run(command);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", row.help);
}

void Gui::machine_menu() {
  item(Command::hold, actions_.held());
  item(Command::step);
  if (ImGui::BeginMenu("Speed")) {
    for (const unsigned percent : {10u, 25u, 50u, 100u, 200u, 400u})
      if (ImGui::MenuItem(percent == 100 ? "real time" : fmt::format("{} %", percent).c_str(), nullptr,
                          view_.throttle == percent))
        view_.throttle = percent;
    item(Command::full_speed, view_.throttle == 0);
    ImGui::EndMenu();
  }
  ImGui::Separator();
  item(Command::reset);
  item(Command::ctrl_alt_del);
  item(Command::paste, actions_.typing());
  item(Command::copy);
  if (ImGui::BeginMenu("Press keys")) {
    for (const char* chord : {"f11", "f12", "alt-enter", "ctrl-alt-f", "ctrl-alt-g", "ctrl-esc", "alt-tab", "alt-f4",
                              "printscreen", "pause"})
      if (ImGui::MenuItem(chord)) view_.chord = parse_chord(chord);
    ImGui::EndMenu();
  }
  if (lab_.machines() > 1) {
    ImGui::Separator();
    for (std::size_t n = 0; n < lab_.machines(); ++n)
      if (ImGui::MenuItem(lab_.name(n).c_str(), nullptr, view_.machine == n)) view_.machine = n;
  }
  ImGui::Separator();
  item(Command::quit);
}

void Gui::media_menu() {
  const I82077& diskette = lab_.machine(view_.machine).diskette();
  item(Command::change_diskette);
  item(Command::eject_diskette, false, diskette.drive(0).image.has_value());
  if (diskette.drive(1).installed) {
    item(Command::change_diskette_b);
    item(Command::eject_diskette_b, false, diskette.drive(1).image.has_value());
  }
  const auto id = lab_.cdrom(view_.machine);
  const storage::Drive* const cd = id ? lab_.machine(view_.machine).storage()->drive(*id) : nullptr;
  item(Command::change_cdrom, false, cd);
  item(Command::eject_cdrom, false, cd && cd->loaded());
  if (cd && cd->loaded() && cd->locked() && !cd->tray_open()) item(Command::force_cdrom);
  recent_menu();
  ImGui::Separator();
  item(Command::save_snapshot);
  item(Command::load_snapshot);
  item(Command::rewind, false, !actions_.last_snapshot().empty());
  ImGui::Separator();
  item(Command::save_screen);
  item(Command::save_picture);
  item(Command::capture, actions_.capturing());
  item(Command::record, actions_.recording());
}

void Gui::recent_menu() {
  if (!ImGui::BeginMenu("Recent images", !settings_.recent.empty())) return;
  std::optional<std::string> wanted;
  for (const auto& file : settings_.recent)
    if (ImGui::MenuItem(file.c_str())) wanted = file;
  ImGui::EndMenu();
  if (wanted) drop(*wanted);
}

void Gui::view_menu() {
  item(Command::full_screen, view_.full_screen);
  item(Command::menu, view_.bars);
  item(Command::mouse, view_.mouse);
  item(Command::sound, view_.sound);
  ImGui::Separator();
  constexpr std::pair<Scaling, const char*> ways[] = {{Scaling::whole, "4:3, whole multiples of lines"},
                                                      {Scaling::fill, "4:3, as large as possible"},
                                                      {Scaling::square, "Square pixels"}};
  for (const auto& [way, title] : ways)
    if (ImGui::MenuItem(title, nullptr, view_.scaling == way)) view_.scaling = way;
  ImGui::Separator();
  if (ImGui::BeginMenu("Size of text and panes")) {
    for (const double scale : {1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0})
      if (ImGui::MenuItem(fmt::format("{:.0f} %", scale * 100).c_str(), nullptr, view_.scale == scale))
        view_.scale = settings_.scale = scale;
    ImGui::EndMenu();
  }
}

void Gui::panes_menu() {
  for (std::size_t n = 0; n < dock_.panes(); ++n) {
    const Pane& pane = dock_.pane(n);
    const auto keys = fmt::format("Ctrl-Alt-{}", n + 1);
    if (ImGui::MenuItem(pane.title(), keys.c_str(), dock_.place(n) != Place::closed)) dock_.toggle(n);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", pane.help());
  }
  ImGui::Separator();
  if (ImGui::MenuItem("Close all")) dock_.close_all();
  ImGui::TextDisabled("drag a tab to move it, or right-click it");
}

void Gui::menu() {
  menu_open_ = false;
  if (!ImGui::BeginMainMenuBar()) return;
  const auto below = [&](const char* title, auto&& items) {
    if (!ImGui::BeginMenu(title)) return;
    menu_open_ = !closing_menu_;
    if (closing_menu_)
      ImGui::CloseCurrentPopup();
    else
      items();
    ImGui::EndMenu();
  };
  below("Machine", [&] { machine_menu(); });
  below("Media", [&] { media_menu(); });
  below("View", [&] { view_menu(); });
  below("Panes", [&] { panes_menu(); });
  below("Help", [&] { item(Command::help, help_); });
  closing_menu_ = false;
  ImGui::EndMainMenuBar();
}

void Gui::status_bar(const Rect& rect, const Status& status) {
  ImGui::SetNextWindowPos({static_cast<float>(rect.x), static_cast<float>(rect.y)});
  ImGui::SetNextWindowSize({static_cast<float>(rect.width), static_cast<float>(rect.height)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {widgets::px(8.0F), widgets::px(3.0F)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin("##status", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  const auto light = [](const char* name, bool on, ImU32 colour) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float size = ImGui::GetTextLineHeight();
    ImGui::GetWindowDrawList()->AddCircleFilled({at.x + size / 2, at.y + size / 2}, size * 0.36F,
                                                on ? colour : widgets::track, 12);
    ImGui::Dummy({size, size});
    ImGui::SameLine(0, widgets::px(3.0F));
    widgets::coloured(on ? ImGui::GetColorU32(ImGuiCol_Text) : widgets::quiet, name);
    ImGui::SameLine(0, widgets::px(12.0F));
  };
  light("disk", status.lights.disk, widgets::accent);
  light("diskette", status.lights.diskette, widgets::good);
  light("network", status.lights.network, widgets::blue);
  const bool several = lab_.machines() > 1;
  const Machine& machine = lab_.machine(view_.machine);
  widgets::text(several ? lab_.name(view_.machine) : machine.config().shown_name());
  ImGui::SameLine(0, widgets::px(12.0F));
  widgets::text(fmt::format("{:.3f} s", status.now.seconds()));
  ImGui::SameLine(0, widgets::px(12.0F));
  if (actions_.held())
    widgets::coloured(widgets::accent, "paused");
  else if (status.speed)
    widgets::text(fmt::format("{:.0f} % of real time{}", *status.speed, view_.throttle == 0 ? ", full speed" : ""));
  else
    widgets::text("...");
  if (actions_.capturing()) {
    ImGui::SameLine(0, widgets::px(12.0F));
    widgets::coloured(widgets::bad, "capture");
  }
  if (actions_.recording()) {
    ImGui::SameLine(0, widgets::px(12.0F));
    widgets::coloured(widgets::bad, "steps");
  }
  ImGui::SameLine(0, widgets::px(16.0F));
  if (view_.mouse)
    widgets::coloured(widgets::accent, "Ctrl-Alt-G releases the mouse");
  else
    widgets::coloured(problem_ ? widgets::bad : widgets::quiet, said_);
  ImGui::End();
  ImGui::PopStyleVar(2);
}

void Gui::help() {
  if (!help_) return;
  const ImVec2 whole = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({whole.x / 2, whole.y / 2}, ImGuiCond_Appearing, {0.5F, 0.5F});
  if (ImGui::Begin(
          "Keys", &help_,
          ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings)) {
    if (ImGui::BeginTable("keys", 3, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg)) {
      const auto row = [](const char* keys, const char* title, const char* what) {
        ImGui::TableNextColumn();
        widgets::coloured(widgets::accent, keys);
        ImGui::TableNextColumn();
        widgets::text(title);
        ImGui::TableNextColumn();
        widgets::coloured(widgets::quiet, what);
      };
      for (const CommandRow& command : window_commands())
        if (*command.keys) row(command.keys, command.title, command.help);
      row("Ctrl-Alt-1 to -8", "Panes", "opened or closed, in the menu's order");
      ImGui::EndTable();
    }
    ImGui::TextDisabled("All other keys are the machine's, by their position.");
  }
  ImGui::End();
}

Rect Gui::draw(const Rect& window, const Status& status) {
  Rect rest = window;
  if (view_.bars) {
    menu();
    const int top = static_cast<int>(ImGui::GetFrameHeight()), bottom = top;
    rest.y += top;
    rest.height -= top + bottom;
    status_bar({window.x, rest.y + rest.height, window.width, bottom}, status);
  }
  rest = dock_.draw(rest, {lab_.machine(view_.machine), recorder_, bus_, actions_.held()});
  help();
  if (const auto file = dialog_.draw()) chosen(*file);
  recorder_.listen_to_wire(dock_.shows("wire"));
  bus_.watch(dock_.shows("bus") ? &lab_.machine(view_.machine) : nullptr);
  return rest;
}

}  // namespace planar
