// SPDX-License-Identifier: GPL-2.0-or-later
#include <SDL.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "core/common/error.hpp"
#include "frontend/window/content/screen.hpp"
#include "frontend/window/content/window_settings.hpp"
#include "frontend/window/desktop.hpp"
#include "frontend/window/gui/gui.hpp"
#include "frontend/window/gui/gui_context.hpp"
#include "frontend/window/gui/gui_input.hpp"
#include "frontend/window/keys.hpp"
#include "frontend/window/pace.hpp"
#include "frontend/window/sound.hpp"
#include "frontend/window/window.hpp"

namespace planar {

namespace {

using Clock = Pace::Clock;
using std::chrono::milliseconds;

// 400 or 480 lines doubled, at 4:3, with menu and status bar.
constexpr Desktop::Size first_size{1088, 848};
// With panes opened at the start, if the desktop has room.
constexpr Desktop::Size wide_size{1440, 960};
constexpr Time shortest_frame = 10_ms, longest_frame = 40_ms;
/// The minimum interval between pictures (a machine at full speed produces more), and the maximum on a host that cannot
/// keep up.
constexpr auto shortest_picture_period = milliseconds(12), longest_picture_period = milliseconds(100);
constexpr auto input_period = milliseconds(4);
constexpr auto title_period = milliseconds(500);
constexpr auto modifier_time = milliseconds(300);
constexpr Time chord_time = 60_ms;  // how long keys pressed through the menu are down

/// Takes the next event, or none within `timeout`. SDL_WaitEventTimeout() is unsuitable for X11: for each event it
/// sends the window a message over a second connection (SDL 2.26), and a message that reaches the server after the
/// window has been destroyed is an X error, on which Xlib ends the program.
bool next_event(SDL_Event& event, std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!SDL_PollEvent(&event)) {
    if (std::chrono::steady_clock::now() >= end) return false;
    SDL_Delay(1);
  }
  return true;
}

}  // namespace

struct Window::State {
  Lab& lab;
  WindowActions& actions;
  WindowOptions options;
  WindowSettings settings;
  Desktop desktop;
  double scale = options.scale > 0 ? options.scale : settings.scale > 0 ? settings.scale : desktop.display_scale();
  GuiContext context{desktop.renderer(), scale};
  GuiInput input;
  Screen screen{desktop.renderer()};
  Recorder recorder{lab};
  WindowView view;
  Gui gui{lab, actions, recorder, view, settings};
  Activity activity;
  Sound sound;
  std::size_t heard = 0;  // the machine whose sound is played
  Pace pace;

  bool full_screen = false, mouse = false;  // as set in SDL
  bool fitted = false;                      // to the size of the display
  bool clicked = false;                     // on the screen area, where an open menu may be on top: draw() decides
  Rect screen_area;
  std::uint8_t buttons = 0;
  std::set<std::uint16_t> down;  // keys that are down at the machine
  // Ctrl and Alt that may begin a key combination of the window: the machine receives them with the next key or after a
  // short delay.
  std::vector<std::uint16_t> modifiers;
  Clock::time_point modifiers_since{};
  int windowed_width = 0, windowed_height = 0;
  std::vector<std::uint16_t> chord;
  Time chord_until = Time::never();
  Clock::time_point shown{}, polled{}, titled{};
  Clock::duration drawing{};  // how long the latest picture took

  State(Lab& l, WindowActions& a, const WindowOptions& o)
      : lab(l),
        actions(a),
        options(o),
        settings(load_window_settings(o.settings)),
        desktop(size_of(o, settings), start_scale()) {
    view.scaling = settings.scaling;
    view.scale = scale;
    view.sound = settings.sound && desktop.seen();
    gui.dock().set_shares(settings.shares);
    if (!options.panes.empty())
      gui.dock().open(options.panes);
    else if (!settings.panes.empty())
      open_kept_panes();
    SDL_StartTextInput();
  }

  static Desktop::Size size_of(const WindowOptions& options, const WindowSettings& settings) {
    Desktop::Size size = options.panes.empty() ? first_size : wide_size;
    size.kept_width = settings.width;
    size.kept_height = settings.height;
    return size;
  }
  double start_scale() const { return options.scale > 0 ? options.scale : settings.scale; }

  // ---- what is kept for the next run -------------------------------------------------------------------------------

  void open_kept_panes() {
    context.place_windows(settings.floating);
    try {
      gui.dock().open(settings.panes);
    } catch (const Error&) { gui.dock().close_all(); }  // a pane that this version does not have
  }
  void keep_settings() {
    int width = windowed_width, height = windowed_height;
    if (!full_screen) SDL_GetWindowSize(desktop.window(), &width, &height);
    settings.width = width;
    settings.height = height;
    settings.scaling = view.scaling;
    if (options.panes.empty()) {  // --panes applies to one run only
      settings.panes = gui.dock().layout();
      settings.shares = gui.dock().shares();
      settings.floating = context.places_of_windows();
    }
    keep_window_settings(options.settings, settings);
  }

  Machine& machine() { return lab.machine(view.machine); }

  // ---- drawing -----------------------------------------------------------------------------------------------------

  void draw(Time now) {
    const auto begin = Clock::now();
    shown = begin;
    if (!std::exchange(fitted, true)) desktop.fit();
    context.set_scale(view.scale);
    screen.set(machine().video().picture(now));
    input.new_frame(desktop.renderer(), view.mouse);
    ImGui::NewFrame();
    if (std::exchange(clicked, false) && !ImGui::GetIO().WantCaptureMouse) view.mouse = true;
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const auto speed = actions.held() ? std::nullopt : pace.speed(now, begin);
    screen_area = gui.draw({0, 0, static_cast<int>(size.x), static_cast<int>(size.y)},
                           {now, speed, activity.look(machine(), begin)});
    ImGui::Render();
    SDL_RenderSetViewport(desktop.renderer(), nullptr);  // the window may have another size now
    SDL_SetRenderDrawColor(desktop.renderer(), 0, 0, 0, 255);
    SDL_RenderClear(desktop.renderer());
    screen.draw(screen_area, view.scaling);
    context.draw();
    if (std::exchange(view.picture, false)) save_picture();
    SDL_RenderPresent(desktop.renderer());
    title(now, speed, begin);
    drawing = Clock::now() - begin;
  }

  void save_picture() {
    try {
      Picture picture = desktop.picture();
      gui.say(fmt::format("saved {}", actions.save_picture(picture.width, picture.height, std::move(picture.rgb))));
    } catch (const Error& e) { gui.say(e.what(), true); }
  }

  void title(Time now, std::optional<double> speed, Clock::time_point host) {
    if (host - titled < title_period) return;
    titled = host;
    SDL_SetWindowTitle(desktop.window(),
                       fmt::format("planar {} - {:.0f} s virtual, {}{}", machine().config().shown_name(), now.seconds(),
                                   actions.held() ? "paused"
                                   : speed        ? fmt::format("{:.0f} % speed", *speed)
                                                  : "...",
                                   view.mouse ? " - Ctrl-Alt-G releases the mouse" : "")
                           .c_str());
  }

  /// Applies the settings that the menu has changed.
  void follow(Time now) {
    if (view.full_screen != full_screen) {
      full_screen = view.full_screen;
      if (full_screen) SDL_GetWindowSize(desktop.window(), &windowed_width, &windowed_height);
      SDL_SetWindowFullscreen(desktop.window(), full_screen ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
      if (!full_screen)
        SDL_SetWindowSize(desktop.window(), windowed_width, windowed_height);  // without a window manager
    }
    if (view.mouse != mouse) {
      mouse = view.mouse;
      release_all();
      SDL_SetRelativeMouseMode(mouse ? SDL_TRUE : SDL_FALSE);
      SDL_SetWindowKeyboardGrab(desktop.window(), mouse ? SDL_TRUE : SDL_FALSE);
    }
    follow_sound(now);
    if (view.throttle != pace.throttle()) pace.set_throttle(view.throttle);
    if (!view.chord.empty()) {
      release_chord();
      release_all();
      chord = std::exchange(view.chord, {});
      for (const auto code : chord) key(code, true);
      chord_until = now + chord_time;
    }
    if (now >= chord_until) release_chord();
  }

  /// Follows the speaker of the machine that is shown, or none.
  void follow_sound(Time now) {
    if (view.sound == sound.listens() && (!view.sound || heard == view.machine)) return;
    heard = view.machine;
    settings.sound = view.sound;
    if (const auto why = sound.listen(view.sound ? &machine() : nullptr, now); !why.empty()) {
      view.sound = false;  // off for this run
      recorder.log(fmt::format("window: no sound: {}", why));
    }
  }

  void release_chord() {
    for (auto code = chord.rbegin(); code != chord.rend(); ++code) key(*code, false);
    chord.clear();
    chord_until = Time::never();
  }

  // ---- input -------------------------------------------------------------------------------------------------------

  void key(std::uint16_t code, bool pressed) {
    if (!code || pressed == down.contains(code)) return;
    if (pressed)
      down.insert(code);
    else
      down.erase(code);
    actions.key(view.machine, code, pressed);
    view.used = true;
  }
  void release_all() {
    modifiers.clear();
    while (!down.empty()) key(*down.begin(), false);
    if (buttons) press_buttons(0);
  }
  void press_buttons(std::uint8_t pressed) {
    buttons = pressed;
    actions.press_buttons(view.machine, pressed);
    view.used = true;
  }

  void send_modifiers() {
    for (const auto code : std::exchange(modifiers, {})) key(code, true);
  }
  /// A lone modifier goes to the machine after a short delay; Ctrl and Alt together may still begin a key combination
  /// of the window.
  void send_late_modifiers() {
    if (modifiers.empty() || Clock::now() - modifiers_since < modifier_time) return;
    const auto held_mod = SDL_GetModState();
    if (!(held_mod & KMOD_CTRL) || !(held_mod & KMOD_ALT)) send_modifiers();
  }

  void key_up(SDL_Scancode scancode) {
    const auto code = key_code(scancode);
    if (std::find(modifiers.begin(), modifiers.end(), code) != modifiers.end()) send_modifiers();
    key(code, false);
  }

  void key_down(const SDL_KeyboardEvent& event) {
    if (event.repeat) return;  // the machine's keyboard generates its own repeats
    const SDL_Scancode code = event.keysym.scancode;
    const auto mod = event.keysym.mod;
    if (const auto command = command_of(code, mod)) {
      release_all();
      gui.run(*command);
    } else if (const auto pane = pane_of(code, mod); pane && *pane < gui.dock().panes()) {
      release_all();
      gui.dock().toggle(*pane);
    } else if (code == SDL_SCANCODE_ESCAPE && gui.close_menu()) {
      release_all();
    } else if (!gui.takes_keys()) {
      const bool modifier = code == SDL_SCANCODE_LCTRL || code == SDL_SCANCODE_RCTRL || code == SDL_SCANCODE_LALT ||
                            code == SDL_SCANCODE_RALT;
      if (modifier && !mouse) {  // while the machine has the mouse, it receives keys at once
        modifiers.push_back(key_code(code));
        modifiers_since = Clock::now();
        return;
      }
      send_modifiers();
      key(key_code(code), true);
    }
  }

  void mouse_button(const SDL_MouseButtonEvent& event, Time now) {
    const bool pressed = event.type == SDL_MOUSEBUTTONDOWN;
    if (!view.mouse) {
      clicked = pressed && screen_area.contains(event.x, event.y);
      if (clicked) draw(now);  // at once, because the latest picture has an older pointer position
      return;
    }
    const unsigned bit = event.button == SDL_BUTTON_LEFT     ? 1
                         : event.button == SDL_BUTTON_RIGHT  ? 2
                         : event.button == SDL_BUTTON_MIDDLE ? 4
                                                             : 0;
    if (bit) press_buttons(static_cast<std::uint8_t>(pressed ? buttons | bit : buttons & ~bit));
  }

  void handle(const SDL_Event& event, Time now) {
    if (!mouse) input.handle(event);
    switch (event.type) {
      case SDL_QUIT: view.quit = true; break;
      case SDL_WINDOWEVENT:
        if (event.window.event == SDL_WINDOWEVENT_FOCUS_LOST) {
          release_all();
          view.mouse = false;
        }
        break;
      case SDL_KEYDOWN: key_down(event.key); break;
      case SDL_KEYUP: key_up(event.key.keysym.scancode); break;
      case SDL_MOUSEMOTION:
        if (!mouse) break;
        actions.move_mouse(view.machine, event.motion.xrel, -event.motion.yrel);
        view.used = true;
        break;
      case SDL_MOUSEBUTTONDOWN:
      case SDL_MOUSEBUTTONUP: mouse_button(event.button, now); break;
      case SDL_DROPFILE:
        gui.drop(event.drop.file);
        SDL_free(event.drop.file);
        break;
      default: break;
    }
    if (!view.moved) follow(now);
  }

  // ---- pacing ------------------------------------------------------------------------------------------------------

  void draw_if_due(Time now) {
    const auto host = Clock::now();
    // Limits drawing to half of the host's time.
    const auto period = std::max<Clock::duration>(shortest_picture_period, 2 * drawing);
    if (host - shown < std::max<Clock::duration>(longest_picture_period, 4 * drawing) &&
        (host - shown < period || pace.late(now, host)))
      return;
    draw(now);
    if (!view.moved) follow(now);
  }

  void poll(Time now) {
    polled = Clock::now();
    SDL_Event event;
    while (!view.moved && SDL_PollEvent(&event)) handle(event, now);
    send_late_modifiers();
  }
};

Window::Window(Lab& lab, WindowActions& actions, const WindowOptions& options)
    : state_(std::make_unique<State>(lab, actions, options)) {}
Window::~Window() {
  if (!state_) return;
  state_->context.use();
  state_->keep_settings();
}

Time Window::next(Time now) const {
  return now + std::clamp(state_->machine().video().frame_period(), shortest_frame, longest_frame);
}

bool Window::update(Time now) {
  State& s = *state_;
  s.context.use();
  if (std::exchange(s.view.moved, false)) {
    s.pace.restart();
    s.sound.listen(nullptr, now);  // virtual time has changed: start listening again
  }
  s.sound.play(now, s.view.throttle == 100);
  s.draw_if_due(now);
  if (s.view.moved) return !s.view.quit;
  if (s.actions.held()) {  // wait for the time of one picture
    s.pace.restart();
    SDL_Event event;
    if (next_event(event, shortest_picture_period)) s.handle(event, now);
    if (!s.view.moved) s.poll(now);
    return !s.view.quit;
  }
  // A machine at full speed calls this all the time.
  if (s.view.throttle != 0 || Clock::now() - s.polled >= input_period || SDL_HasEvents(SDL_FIRSTEVENT, SDL_LASTEVENT))
    s.poll(now);
  while (!s.view.moved) {
    const auto wait = std::chrono::duration_cast<milliseconds>(s.pace.ahead(now, Clock::now()));
    if (wait.count() < 1 || s.view.quit || s.actions.held()) break;
    SDL_Event event;
    if (next_event(event, std::chrono::milliseconds(std::min<long long>(wait.count(), 50)))) s.handle(event, now);
  }
  return !s.view.quit;
}

bool Window::used() const { return state_->view.used; }

void Window::log(std::string_view line) { state_->recorder.log(line); }

}  // namespace planar
