// SPDX-License-Identifier: GPL-2.0-or-later
// Basis of the window's tests: a host that records the window's actions, and a display with a real keyboard and mouse.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "devices/board/at/video/vga_picture.hpp"
#include "frontend/window/content/actions.hpp"
#include "machines/lab/lab.hpp"

namespace window_rig {

class NotingActions final : public planar::WindowActions {
 public:
  explicit NotingActions(planar::Lab& lab) : lab_(lab) {}

  bool held_now = false, captures = false, records = false, types = false;
  unsigned steps = 0, resets = 0;
  std::vector<std::string> notes;
  std::optional<planar::Picture> picture;  ///< the latest one of the window
  std::string last;

  bool held() const override { return held_now; }
  void hold(bool on) override { held_now = on; }
  void step_held(std::size_t) override {
    held_now = true;
    ++steps;
  }
  void key(std::size_t n, std::uint16_t code, bool pressed) override {
    lab_.machine(n).keyboard_controller().keyboard().key(code, pressed, lab_.scheduler().now());
  }
  void move_mouse(std::size_t n, int right, int up) override {
    lab_.machine(n).keyboard_controller().mouse().moved(right, up, lab_.scheduler().now());
  }
  void press_buttons(std::size_t n, std::uint8_t pressed) override {
    lab_.machine(n).keyboard_controller().mouse().buttons(pressed, lab_.scheduler().now());
  }
  void type(std::size_t, const std::string& text) override {
    notes.push_back("type " + text);
    types = true;
  }
  bool typing() const override { return types; }
  void stop_typing() override { types = false; }
  void reset_machine(std::size_t) override { ++resets; }
  void eject_diskette(std::size_t, unsigned drive) override { notes.emplace_back(drive ? "eject b" : "eject"); }
  void change_diskette(std::size_t, unsigned drive, const std::string& file) override {
    notes.push_back((drive ? "diskette b " : "diskette ") + file);
  }
  void eject_cdrom(std::size_t, unsigned, bool by_force) override {
    notes.emplace_back(by_force ? "eject cd by force" : "eject cd");
  }
  void change_cdrom(std::size_t, unsigned, const std::string& file) override { notes.push_back("cd " + file); }
  void load_snapshot(const std::string& file) override { notes.push_back("load " + file); }
  std::string save_snapshot() override { return last = "window-1.snap"; }
  const std::string& last_snapshot() const override { return last; }
  std::string save_screen(std::size_t) override {
    notes.push_back("screen");
    return "screen-1.png";
  }
  std::string save_picture(unsigned width, unsigned height, std::vector<std::uint8_t> rgb) override {
    picture = planar::Picture{width, height, std::move(rgb)};
    return "window-1.png";
  }
  bool capturing() const override { return captures; }
  std::string capture(bool on) override {
    captures = on;
    return "window-1.pcapng";
  }
  bool recording() const override { return records; }
  std::string record(bool on) override {
    records = on;
    return "session-1.steps";
  }

 private:
  planar::Lab& lab_;
};

/// An X server without a screen (Xvfb), and a user who types and clicks there (xdotool).
class Display {
 public:
  const int width, height;

  explicit Display(int w = 1280, int h = 1024, int dots_per_inch = 96) : width(w), height(h) {
    if (std::system("command -v Xvfb >/dev/null && command -v xdotool >/dev/null") != 0) return;
    std::array<int, 2> told{};
    if (pipe(told.data()) != 0) return;
    server_ = fork();
    if (server_ == 0) {
      close(told[0]);
      const auto fd = std::to_string(told[1]), dpi = std::to_string(dots_per_inch);
      const auto screen = std::to_string(width) + "x" + std::to_string(height) + "x24";
      execlp("Xvfb", "Xvfb", "-displayfd", fd.c_str(), "-screen", "0", screen.c_str(), "-dpi", dpi.c_str(), "-nolisten",
             "tcp", "-noreset", nullptr);
      _exit(127);
    }
    close(told[1]);
    std::string number;
    for (char c = 0; read(told[0], &c, 1) == 1 && c != '\n';) number += c;
    close(told[0]);
    if (number.empty()) return;
    name_ = ":" + number;
    setenv("DISPLAY", name_.c_str(), 1);
    setenv("SDL_VIDEODRIVER", "x11", 1);
    setenv("SDL_RENDER_DRIVER", "software", 1);
    setenv("SDL_AUDIODRIVER", "dummy", 1);
  }
  ~Display() {
    if (server_ > 0) {
      kill(server_, SIGTERM);
      waitpid(server_, nullptr, 0);
    }
    for (const char* variable : {"DISPLAY", "SDL_VIDEODRIVER", "SDL_RENDER_DRIVER", "SDL_AUDIODRIVER"})
      unsetenv(variable);
  }
  Display(const Display&) = delete;

  bool works() const { return !name_.empty(); }
  /// Runs `xdotool ARGUMENTS`; true if it succeeded.
  bool person(const std::string& arguments) const {
    return std::system(("xdotool " + arguments + " >/dev/null 2>&1").c_str()) == 0;
  }

 private:
  pid_t server_ = -1;
  std::string name_;
};

}  // namespace window_rig
