// SPDX-License-Identifier: GPL-2.0-or-later
// `--window`: the machine's monitor, keyboard and mouse on the host's desktop. The only part that sees SDL2
// (window_sdl.cpp; without SDL2 planar is built with window_absent.cpp).
//
// Keys go to the machine while the window has the focus, by their place on the keyboard and not by what is printed on
// them. A click captures the mouse; Ctrl-Alt-G captures and releases. Ctrl-Alt-F switches between the machine's own
// speed and as fast as the host can. What the person does enters at frame boundaries and makes the run one that does
// not repeat; looking alone changes nothing.
#pragma once

#include <memory>

#include "machines/machine.hpp"

namespace planar {

class Window {
 public:
  /// Opens it for `machine`, which must outlive it. Throws Error (exit 2) with the remedy when there is no display, or
  /// when planar was built without SDL2.
  explicit Window(Machine& machine);
  ~Window();

  /// When the next picture is due: one frame of the programmed mode after `now` (10 to 40 ms while none is).
  Time next(Time now) const;
  /// Shows the picture of `now`, hands on what the person has done since, and rests while virtual time is ahead of the
  /// host's. False: the person has closed the window.
  bool update(Time now);
  /// The person has pressed a key or moved the mouse: the run does not repeat.
  bool used() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace planar
