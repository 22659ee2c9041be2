// SPDX-License-Identifier: GPL-2.0-or-later
// `--window`: the machine's display, keyboard and mouse in a window on the host's desktop. The only part that uses SDL2
// (window_sdl.cpp; without SDL2 planar is built with window_absent.cpp).
//
// Keys go to the machine while the window has the focus, mapped by their position and not by their label. A click
// captures the mouse; Ctrl-Alt-G captures and releases it. Ctrl-Alt-F switches between real time and full speed. User
// input enters at frame boundaries and makes the run non-repeatable; merely watching changes nothing.
#pragma once

#include <memory>

#include "machines/machine.hpp"

namespace planar {

class Window {
 public:
  /// Opens the window for `machine`, which must outlive it. Throws Error (exit 2) with the remedy if there is no
  /// display or planar was built without SDL2.
  explicit Window(Machine& machine);
  ~Window();

  /// When the next picture is due: one frame of the programmed mode after `now` (10 to 40 ms while there is none).
  Time next(Time now) const;
  /// Shows the picture at `now`, passes on the user's input since the last call, and sleeps while virtual time is ahead
  /// of the host's. Returns false if the user has closed the window.
  bool update(Time now);
  /// True if the user has pressed a key or moved the mouse: the run is not repeatable.
  bool used() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace planar
