// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/start_page.hpp"

#include <SDL.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "core/common/error.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/screen_image.hpp"
#include "frontend/window/content/window_settings.hpp"
#include "frontend/window/desktop.hpp"
#include "frontend/window/gui/file_dialog.hpp"
#include "frontend/window/gui/gui_context.hpp"
#include "frontend/window/gui/gui_input.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

namespace {

constexpr Desktop::Size page_size{720, 330};
constexpr unsigned picture_period = 25;  // ms
constexpr float label_pixels = 110;

constexpr std::pair<const char*, const char*> networks[] = {{"", "as the machine has it"},
                                                            {"peer", "a reference station, in virtual time"},
                                                            {"slirp", "the host's network, without privileges"},
                                                            {"none", "nothing"}};

class Page {
 public:
  Page(StartChoice choice, const StartActions& actions, std::string problem, const std::string& settings_file)
      : actions_(actions),
        settings_file_(settings_file),
        settings_(load_window_settings(settings_file)),
        choice_(std::move(choice)),
        said_(std::move(problem)),
        desktop_(page_size, settings_.scale),
        context_(desktop_.renderer(), settings_.scale > 0 ? settings_.scale : desktop_.display_scale()) {
    put(diskette_, choice_.diskette);
    put(diskette_b_, choice_.diskette_b);
    put(disk_, choice_.disk);
    put(cdrom_, choice_.cdrom);
    cards_ = actions_.cards(choice_.machine);
    SDL_StartTextInput();
  }

  std::optional<StartChoice> show() {
    while (!closed_) {
      SDL_Event event;
      while (SDL_PollEvent(&event)) handle(event);
      draw();
      if (started_ && start()) return choice_;
      started_ = false;
      SDL_Delay(picture_period);
    }
    return {};
  }

 private:
  using Text = std::array<char, 1024>;

  static void put(Text& text, const std::string& value) { text[value.copy(text.data(), text.size() - 1)] = '\0'; }

  void handle(const SDL_Event& event) {
    input_.handle(event);
    if (event.type == SDL_QUIT) closed_ = true;
    if (event.type == SDL_DROPFILE) {
      insert(event.drop.file);
      SDL_free(event.drop.file);
    }
    if (event.type != SDL_KEYDOWN || dialog_.is_open()) return;
    const auto key = event.key.keysym;
    const bool both = (key.mod & KMOD_CTRL) && (key.mod & KMOD_ALT);
    if (key.scancode == SDL_SCANCODE_RETURN && !popup_) started_ = true;
    if (key.scancode == SDL_SCANCODE_W && both) picture_ = true;
    if (key.scancode == SDL_SCANCODE_Q && both) closed_ = true;
  }

  bool start() {
    read_texts();
    try {
      actions_.check(choice_);
    } catch (const Error& e) {
      said_ = e.what();
      return false;
    }
    for (const auto* file : {&choice_.diskette, &choice_.diskette_b, &choice_.disk, &choice_.cdrom})
      if (!file->empty() && *file != empty_drive) settings_.remember(std::filesystem::absolute(*file).string());
    keep_window_settings(settings_file_, settings_);
    return true;
  }

  void read_texts() {
    choice_.diskette = diskette_.data();
    choice_.diskette_b = diskette_b_.data();
    choice_.disk = disk_.data();
    choice_.cdrom = cdrom_.data();
  }

  /// Puts an image into the appropriate field, judged by its name and size.
  void insert(const std::string& file) {
    constexpr std::uintmax_t largest_diskette = 2949120;
    const auto kind = std::filesystem::path(file).extension();
    std::error_code unknown;
    const auto size = std::filesystem::file_size(file, unknown);
    if (kind == ".toml")
      set_machine(file);
    else
      put(kind == ".iso" || kind == ".ISO" ? cdrom_ : !unknown && size > largest_diskette ? disk_ : diskette_, file);
  }

  void set_machine(const std::string& machine) {
    choice_.machine = machine;
    cards_ = actions_.cards(machine);
    if (std::none_of(cards_.begin(), cards_.end(), [&](const auto& card) { return card.name == choice_.card; }))
      choice_.card.clear();
  }

  void draw() {
    context_.use();
    if (!std::exchange(fitted_, true)) desktop_.fit();
    input_.new_frame(desktop_.renderer(), false);
    ImGui::NewFrame();
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    popup_ = false;
    ImGui::Begin("##start", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus);
    page();
    ImGui::End();
    if (const auto file = dialog_.draw()) chosen(*file);
    ImGui::Render();
    SDL_RenderSetViewport(desktop_.renderer(), nullptr);
    SDL_SetRenderDrawColor(desktop_.renderer(), 0, 0, 0, 255);
    SDL_RenderClear(desktop_.renderer());
    context_.draw();
    if (std::exchange(picture_, false)) write_png(desktop_.picture(), "planar-start.png");
    SDL_RenderPresent(desktop_.renderer());
  }

  void page() {
    widgets::coloured(widgets::accent, "planar");
    widgets::coloured(widgets::quiet,
                      "A cycle-counted emulator of IBM PS/2 Micro Channel machines, PCI PCs and their "
                      "network adapters");
    ImGui::Spacing();
    machine_row();
    card_row();
    image_row("Diskette A", diskette_, false);
    image_row("Diskette B", diskette_b_, true);
    image_row("Hard disk", disk_, false);
    image_row("CD-ROM", cdrom_, true);
    network_row();
    ImGui::Spacing();
    read_texts();
    ImGui::PushTextWrapPos(0);
    widgets::coloured(widgets::quiet, choice_.command("run") + " --window");
    if (!said_.empty()) widgets::coloured(widgets::accent, said_);
    ImGui::PopTextWrapPos();
    ImGui::Spacing();
    const ImVec2 size{widgets::px(140.0F), 0};
    if (ImGui::Button("Start (Enter)", size)) started_ = true;
    ImGui::SameLine();
    if (ImGui::Button("Save machine file", size)) open_dialog(Asked::save, "Save as machine file", "Save");
    ImGui::SameLine();
    if (ImGui::Button("Quit", size)) closed_ = true;
  }

  static void label(const char* text) {
    ImGui::AlignTextToFramePadding();
    widgets::text(text);
    ImGui::SameLine(widgets::px(label_pixels));
    ImGui::SetNextItemWidth(-1);
  }

  void machine_row() {
    label("Machine");
    const auto& all = actions_.machines();
    const auto built_in =
        std::find_if(all.begin(), all.end(), [&](const auto& machine) { return machine.name == choice_.machine; });
    const std::string shown = built_in == all.end() ? choice_.machine : built_in->title;
    if (!ImGui::BeginCombo("##machine", shown.c_str(), ImGuiComboFlags_HeightLarge)) return;
    popup_ = true;
    for (const auto& machine : all)
      if (ImGui::Selectable(machine.title.c_str(), machine.name == choice_.machine)) set_machine(machine.name);
    ImGui::Separator();
    if (ImGui::Selectable("A machine file...")) open_dialog(Asked::machine, "Machine file", "Open");
    ImGui::EndCombo();
  }

  void card_row() {
    label("Card");
    const auto present =
        std::find_if(cards_.begin(), cards_.end(), [&](const auto& card) { return card.name == choice_.card; });
    const char* const none = "none, or those of the machine file";
    if (!ImGui::BeginCombo("##card", present == cards_.end() ? none : present->title.c_str(),
                           ImGuiComboFlags_HeightLarge))
      return;
    popup_ = true;
    if (ImGui::Selectable(none, choice_.card.empty())) choice_.card.clear();
    for (const auto& card : cards_)
      if (ImGui::Selectable(card.title.c_str(), card.name == choice_.card)) choice_.card = card.name;
    ImGui::EndCombo();
  }

  void network_row() {
    label("Network");
    const auto* const present = std::find_if(std::begin(networks), std::end(networks),
                                             [&](const auto& network) { return network.first == choice_.net; });
    if (!ImGui::BeginCombo("##network", present == std::end(networks) ? choice_.net.c_str() : present->second)) return;
    popup_ = true;
    for (const auto& [net, title] : networks)
      if (ImGui::Selectable(title, choice_.net == net)) choice_.net = net;
    ImGui::EndCombo();
  }

  /// `may_be_empty`: without an image the machine lacks this drive, so it can also be chosen as present but empty.
  void image_row(const char* name, Text& text, bool may_be_empty) {
    ImGui::PushID(name);
    label(name);
    const float button = widgets::px(70.0F), gap = ImGui::GetStyle().ItemSpacing.x;
    ImGui::SetNextItemWidth(-2 * (button + gap));
    ImGui::InputTextWithHint("##file", may_be_empty ? "no drive" : "none", text.data(), text.size());
    ImGui::SameLine();
    if (ImGui::Button("Open...", {button, 0})) {
      target_ = &text;
      open_dialog(Asked::image, name, "Open");
    }
    ImGui::SameLine();
    if (ImGui::Button("Recent", {button, 0})) ImGui::OpenPopup("recent");
    if (ImGui::BeginPopup("recent")) {
      popup_ = true;
      if (may_be_empty && ImGui::MenuItem("A drive with nothing in it")) put(text, std::string(empty_drive));
      for (const auto& file : settings_.recent)
        if (ImGui::MenuItem(file.c_str())) put(text, file);
      if (settings_.recent.empty()) ImGui::TextDisabled("no image was inserted yet");
      ImGui::EndPopup();
    }
    ImGui::PopID();
  }

  enum class Asked : std::uint8_t { machine, image, save };
  void open_dialog(Asked what, const char* title, const char* action) {
    asked_ = what;
    dialog_.open(title, action);
  }
  void chosen(const std::string& file) {
    if (asked_ == Asked::machine) set_machine(file);
    if (asked_ == Asked::image) put(*target_, file);
    if (asked_ != Asked::save) return;
    try {
      actions_.save(choice_, file);
      said_ = fmt::format("saved; planar run {} runs it", file);
    } catch (const Error& e) { said_ = e.what(); }
  }

  const StartActions& actions_;
  std::string settings_file_;
  WindowSettings settings_;
  StartChoice choice_;
  std::vector<StartActions::Entry> cards_;
  std::string said_;
  Desktop desktop_;
  GuiContext context_;
  GuiInput input_;
  FileDialog dialog_;
  Asked asked_ = Asked::image;
  Text diskette_{}, diskette_b_{}, disk_{}, cdrom_{};
  Text* target_ = &diskette_;
  bool closed_ = false, fitted_ = false, started_ = false, picture_ = false;
  bool popup_ = false;  // a list is open, to which Enter belongs
};

}  // namespace

bool start_page_possible() { return std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY"); }

std::optional<StartChoice> show_start_page(StartChoice choice, const StartActions& actions, std::string problem,
                                           const std::string& settings) {
  return Page(std::move(choice), actions, std::move(problem), settings).show();
}

}  // namespace planar
