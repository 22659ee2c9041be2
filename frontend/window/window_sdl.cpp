// SPDX-License-Identifier: GPL-2.0-or-later
#include <SDL.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "core/common/error.hpp"
#include "frontend/window/window.hpp"

namespace planar {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int first_width = 960, first_height = 720;  // 4:3, like the monitors of the period
constexpr Time shortest_frame = 10_ms, longest_frame = 40_ms;
/// If the machine falls behind by more than this, it does not catch up: the host is too slow, or was asleep.
constexpr auto most_lag = std::chrono::milliseconds(200);
constexpr auto title_period = std::chrono::seconds(1);
/// The minimum interval between pictures (a machine at full speed produces more), and the maximum on a host that cannot
/// keep up.
constexpr auto shortest_picture_period = std::chrono::milliseconds(12),
               longest_picture_period = std::chrono::milliseconds(100);
constexpr auto late = std::chrono::milliseconds(20);

struct KeyCode {
  SDL_Scancode scancode;
  std::uint16_t code;  // the code for Ps2Keyboard::key
};

// clang-format off
constexpr KeyCode key_codes[] = {
    {SDL_SCANCODE_ESCAPE, 0x01}, {SDL_SCANCODE_1, 0x02}, {SDL_SCANCODE_2, 0x03}, {SDL_SCANCODE_3, 0x04},
    {SDL_SCANCODE_4, 0x05}, {SDL_SCANCODE_5, 0x06}, {SDL_SCANCODE_6, 0x07}, {SDL_SCANCODE_7, 0x08},
    {SDL_SCANCODE_8, 0x09}, {SDL_SCANCODE_9, 0x0A}, {SDL_SCANCODE_0, 0x0B}, {SDL_SCANCODE_MINUS, 0x0C},
    {SDL_SCANCODE_EQUALS, 0x0D}, {SDL_SCANCODE_BACKSPACE, 0x0E}, {SDL_SCANCODE_TAB, 0x0F},
    {SDL_SCANCODE_Q, 0x10}, {SDL_SCANCODE_W, 0x11}, {SDL_SCANCODE_E, 0x12}, {SDL_SCANCODE_R, 0x13},
    {SDL_SCANCODE_T, 0x14}, {SDL_SCANCODE_Y, 0x15}, {SDL_SCANCODE_U, 0x16}, {SDL_SCANCODE_I, 0x17},
    {SDL_SCANCODE_O, 0x18}, {SDL_SCANCODE_P, 0x19}, {SDL_SCANCODE_LEFTBRACKET, 0x1A},
    {SDL_SCANCODE_RIGHTBRACKET, 0x1B}, {SDL_SCANCODE_RETURN, 0x1C}, {SDL_SCANCODE_LCTRL, 0x1D},
    {SDL_SCANCODE_A, 0x1E}, {SDL_SCANCODE_S, 0x1F}, {SDL_SCANCODE_D, 0x20}, {SDL_SCANCODE_F, 0x21},
    {SDL_SCANCODE_G, 0x22}, {SDL_SCANCODE_H, 0x23}, {SDL_SCANCODE_J, 0x24}, {SDL_SCANCODE_K, 0x25},
    {SDL_SCANCODE_L, 0x26}, {SDL_SCANCODE_SEMICOLON, 0x27}, {SDL_SCANCODE_APOSTROPHE, 0x28},
    {SDL_SCANCODE_GRAVE, 0x29}, {SDL_SCANCODE_LSHIFT, 0x2A}, {SDL_SCANCODE_BACKSLASH, 0x2B},
    {SDL_SCANCODE_NONUSHASH, 0x2B}, {SDL_SCANCODE_Z, 0x2C}, {SDL_SCANCODE_X, 0x2D}, {SDL_SCANCODE_C, 0x2E},
    {SDL_SCANCODE_V, 0x2F}, {SDL_SCANCODE_B, 0x30}, {SDL_SCANCODE_N, 0x31}, {SDL_SCANCODE_M, 0x32},
    {SDL_SCANCODE_COMMA, 0x33}, {SDL_SCANCODE_PERIOD, 0x34}, {SDL_SCANCODE_SLASH, 0x35},
    {SDL_SCANCODE_RSHIFT, 0x36}, {SDL_SCANCODE_KP_MULTIPLY, 0x37}, {SDL_SCANCODE_LALT, 0x38},
    {SDL_SCANCODE_SPACE, 0x39}, {SDL_SCANCODE_CAPSLOCK, 0x3A}, {SDL_SCANCODE_F1, 0x3B}, {SDL_SCANCODE_F2, 0x3C},
    {SDL_SCANCODE_F3, 0x3D}, {SDL_SCANCODE_F4, 0x3E}, {SDL_SCANCODE_F5, 0x3F}, {SDL_SCANCODE_F6, 0x40},
    {SDL_SCANCODE_F7, 0x41}, {SDL_SCANCODE_F8, 0x42}, {SDL_SCANCODE_F9, 0x43}, {SDL_SCANCODE_F10, 0x44},
    {SDL_SCANCODE_F11, 0x57}, {SDL_SCANCODE_F12, 0x58}, {SDL_SCANCODE_NUMLOCKCLEAR, 0x45},
    {SDL_SCANCODE_SCROLLLOCK, 0x46}, {SDL_SCANCODE_KP_7, 0x47}, {SDL_SCANCODE_KP_8, 0x48},
    {SDL_SCANCODE_KP_9, 0x49}, {SDL_SCANCODE_KP_MINUS, 0x4A}, {SDL_SCANCODE_KP_4, 0x4B}, {SDL_SCANCODE_KP_5, 0x4C},
    {SDL_SCANCODE_KP_6, 0x4D}, {SDL_SCANCODE_KP_PLUS, 0x4E}, {SDL_SCANCODE_KP_1, 0x4F}, {SDL_SCANCODE_KP_2, 0x50},
    {SDL_SCANCODE_KP_3, 0x51}, {SDL_SCANCODE_KP_0, 0x52}, {SDL_SCANCODE_KP_PERIOD, 0x53},
    {SDL_SCANCODE_NONUSBACKSLASH, 0x56}, {SDL_SCANCODE_KP_ENTER, 0xE01C}, {SDL_SCANCODE_RCTRL, 0xE01D},
    {SDL_SCANCODE_KP_DIVIDE, 0xE035}, {SDL_SCANCODE_PRINTSCREEN, 0xE037}, {SDL_SCANCODE_RALT, 0xE038},
    {SDL_SCANCODE_HOME, 0xE047}, {SDL_SCANCODE_UP, 0xE048}, {SDL_SCANCODE_PAGEUP, 0xE049},
    {SDL_SCANCODE_LEFT, 0xE04B}, {SDL_SCANCODE_RIGHT, 0xE04D}, {SDL_SCANCODE_END, 0xE04F},
    {SDL_SCANCODE_DOWN, 0xE050}, {SDL_SCANCODE_PAGEDOWN, 0xE051}, {SDL_SCANCODE_INSERT, 0xE052},
    {SDL_SCANCODE_DELETE, 0xE053}, {SDL_SCANCODE_PAUSE, 0xE11D},
};
// clang-format on

/// Returns 0 for keys that the machine's keyboard does not have.
std::uint16_t code_of(SDL_Scancode scancode) {
  for (const auto& key : key_codes)
    if (key.scancode == scancode) return key.code;
  return 0;
}

[[noreturn]] void no_window(const std::string& why) {
  throw Error(
      fmt::format("--window: no window can be opened ({}); start planar in a graphical session (DISPLAY or "
                  "WAYLAND_DISPLAY is set there), or run without it and use --screen text or --screen "
                  "png:FILE",
                  why));
}

}  // namespace

struct Window::State {
  Machine& machine;
  SDL_Window* window = nullptr;
  SDL_Renderer* renderer = nullptr;
  SDL_Texture* texture = nullptr;
  unsigned width = 0, height = 0;  // of the texture
  bool captured = false;
  bool used = false;
  bool unthrottled = false;
  bool closed = false;
  std::uint8_t buttons = 0;
  std::set<std::uint16_t> down;  // keys that are pressed as far as the machine knows
  // The point at which virtual and host time were last synchronised, also for the speed in the title.
  Clock::time_point host_start = Clock::now(), host_title{}, host_shown{};
  Time start{};
  Time title_at{};
  bool started = false;

  explicit State(Machine& m) : machine(m) {
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");  // Ctrl-C on the terminal ends the run, as without a window
    SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "linear");
    if (SDL_Init(SDL_INIT_VIDEO) != 0) no_window(SDL_GetError());
    // Without a display SDL may choose a driver without output; it is accepted only if the user selects it explicitly.
    if (const std::string driver = SDL_GetCurrentVideoDriver();
        (driver == "offscreen" || driver == "dummy") && !SDL_GetHint(SDL_HINT_VIDEODRIVER)) {
      SDL_QuitSubSystem(SDL_INIT_VIDEO);
      no_window("there is no display");
    }
    window = SDL_CreateWindow("planar", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, first_width, first_height,
                              SDL_WINDOW_RESIZABLE);
    if (window) renderer = SDL_CreateRenderer(window, -1, 0);
    if (!renderer) {
      const std::string why = SDL_GetError();
      close();
      no_window(why);
    }
    SDL_RenderSetLogicalSize(renderer, first_width, first_height);
  }
  ~State() { close(); }
  State(const State&) = delete;

  void close() {
    if (texture) SDL_DestroyTexture(texture);
    if (renderer) SDL_DestroyRenderer(renderer);
    if (window) SDL_DestroyWindow(window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
  }

  void show(Time now) {
    const Picture picture = machine.video().picture(now);
    if (!texture || width != picture.width || height != picture.height) {
      if (texture) SDL_DestroyTexture(texture);
      width = picture.width;
      height = picture.height;
      texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_RGB24, SDL_TEXTUREACCESS_STREAMING, static_cast<int>(width),
                                  static_cast<int>(height));
      if (!texture) return;  // larger than the host's renderer supports: nothing is shown until the mode changes
    }
    SDL_UpdateTexture(texture, nullptr, picture.rgb.data(), static_cast<int>(3 * width));
    SDL_RenderClear(renderer);
    SDL_RenderCopy(renderer, texture, nullptr, nullptr);
    SDL_RenderPresent(renderer);
  }

  void title(Time now) {
    const auto host = Clock::now();
    if (host - host_title < title_period) return;
    const double passed = std::chrono::duration<double>(host - host_title).count();
    const double speed = (now - title_at).seconds() / passed * 100;
    SDL_SetWindowTitle(
        window, fmt::format("planar {} - {:.0f} s virtual, {:.0f} % speed{}", machine.config().name, now.seconds(),
                            started ? speed : 100.0, captured ? " - Ctrl-Alt-G releases the mouse" : "")
                    .c_str());
    host_title = host;
    title_at = now;
  }

  void capture(bool on) {
    captured = on;
    SDL_SetRelativeMouseMode(on ? SDL_TRUE : SDL_FALSE);
    SDL_SetWindowKeyboardGrab(window, on ? SDL_TRUE : SDL_FALSE);
    host_title = {};
  }

  void key(std::uint16_t code, bool pressed, Time now) {
    if (!code || pressed == down.contains(code)) return;
    if (pressed)
      down.insert(code);
    else
      down.erase(code);
    machine.keyboard_controller().keyboard().key(code, pressed, now);
    used = true;
  }
  void release_all(Time now) {
    while (!down.empty()) key(*down.begin(), false, now);
    if (buttons) press_buttons(0, now);
  }
  void press_buttons(std::uint8_t pressed, Time now) {
    buttons = pressed;
    machine.keyboard_controller().mouse().buttons(pressed, now);
    used = true;
  }

  void handle(const SDL_Event& event, Time now) {
    switch (event.type) {
      case SDL_QUIT: closed = true; break;
      case SDL_WINDOWEVENT:
        if (event.window.event == SDL_WINDOWEVENT_FOCUS_LOST) {
          release_all(now);
          capture(false);
        }
        break;
      case SDL_KEYDOWN:
        if (event.key.repeat) break;  // the machine's keyboard generates its own repeats
        if (event.key.keysym.mod & KMOD_CTRL && event.key.keysym.mod & KMOD_ALT) {
          if (event.key.keysym.scancode == SDL_SCANCODE_G) {
            release_all(now);
            capture(!captured);
            break;
          }
          if (event.key.keysym.scancode == SDL_SCANCODE_F) {
            release_all(now);
            unthrottled = !unthrottled;
            started = false;
            break;
          }
        }
        key(code_of(event.key.keysym.scancode), true, now);
        break;
      case SDL_KEYUP: key(code_of(event.key.keysym.scancode), false, now); break;
      case SDL_MOUSEMOTION:
        if (!captured) break;
        machine.keyboard_controller().mouse().moved(event.motion.xrel, -event.motion.yrel, now);
        used = true;
        break;
      case SDL_MOUSEBUTTONDOWN:
      case SDL_MOUSEBUTTONUP: {
        if (!captured) {
          if (event.type == SDL_MOUSEBUTTONDOWN) capture(true);
          break;
        }
        const unsigned bit = event.button.button == SDL_BUTTON_LEFT     ? 1
                             : event.button.button == SDL_BUTTON_RIGHT  ? 2
                             : event.button.button == SDL_BUTTON_MIDDLE ? 4
                                                                        : 0;
        if (bit)
          press_buttons(static_cast<std::uint8_t>(event.type == SDL_MOUSEBUTTONDOWN ? buttons | bit : buttons & ~bit),
                        now);
        break;
      }
      default: break;
    }
  }

  /// How far virtual time is ahead of host time.
  std::chrono::nanoseconds ahead(Time now) {
    if (unthrottled) return {};
    const auto host = Clock::now();
    const auto virtual_time = std::chrono::nanoseconds((now - start).ps / 1000);
    const auto lead = virtual_time - (host - host_start);
    if (started && lead > -most_lag) return std::chrono::duration_cast<std::chrono::nanoseconds>(lead);
    started = true;
    start = now;
    host_start = host;
    return {};
  }
};

Window::Window(Machine& machine) : state_(std::make_unique<State>(machine)) {}
Window::~Window() = default;

Time Window::next(Time now) const {
  return now + std::clamp(state_->machine.video().frame_period(), shortest_frame, longest_frame);
}

bool Window::update(Time now) {
  const auto since = Clock::now() - state_->host_shown;
  if (since >= longest_picture_period || (since >= shortest_picture_period && state_->ahead(now) > -late)) {
    state_->host_shown = Clock::now();
    state_->show(now);
    state_->title(now);
  }
  SDL_Event event;
  while (SDL_PollEvent(&event)) state_->handle(event, now);
  for (auto lead = state_->ahead(now); lead > std::chrono::milliseconds(1) && !state_->closed;
       lead = state_->ahead(now)) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(lead).count();
    if (SDL_WaitEventTimeout(&event, static_cast<int>(std::min<long long>(ms, 50)))) state_->handle(event, now);
  }
  return !state_->closed;
}

bool Window::used() const { return state_->used; }

}  // namespace planar
