// SPDX-License-Identifier: GPL-2.0-or-later
// `--window`: the machine's display, keyboard and mouse in a window on the host's desktop, with a menu, a status bar
// and the panes of an inspector (docs/window.md). Uses SDL2 and Dear ImGui; without them, planar is built with
// window_absent.cpp instead.
//
// Keys go to the machine while the window has the focus, mapped by position rather than by label; the window's own keys
// are in gui/commands.cpp. A click on the screen captures the mouse. User input enters at frame boundaries and makes
// the run non-repeatable; merely watching, with any pane, changes nothing.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "frontend/window/content/actions.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

struct WindowOptions {
  std::string panes;     ///< the panes to open: "cpu,wire=bottom"; empty: as in the previous run
  double scale = 0;      ///< of text and panes; 0: as in the previous run, or chosen by the display's resolution
  std::string settings;  ///< the file that keeps size and layout between runs; empty: none
};

class Window {
 public:
  /// Opens the window for `lab`; `lab` and `actions` must outlive it. Throws Error (exit 2) with the remedy if there is
  /// no display, planar was built without SDL2 or Dear ImGui, or `options.panes` is wrong.
  Window(Lab& lab, WindowActions& actions, const WindowOptions& options = {});
  ~Window();

  /// When the next picture is due: one frame of the programmed mode after `now` (10 to 40 ms while there is none).
  Time next(Time now) const;
  /// Shows the picture at `now`, passes on the user's input since the last call, and sleeps while virtual time is ahead
  /// of the host's, or the run is held. Returns false if the user has closed the window.
  bool update(Time now);
  /// True if the user has taken part in the run, which makes it non-repeatable.
  bool used() const;
  /// Adds a line to the log.
  void log(std::string_view line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The file that keeps size and layout: $XDG_CONFIG_HOME/planar/window.ini, or the same below ~/.config; empty if the
/// user has no home directory.
std::filesystem::path usual_window_settings();

}  // namespace planar
