// SPDX-License-Identifier: GPL-2.0-or-later
// `--window`: the machine's display, keyboard and mouse in a window on the host's desktop, with a menu, a status bar
// and the panes of an inspector (docs/window.md). Uses SDL2 and Dear ImGui; without them planar is built with
// window_absent.cpp.
//
// Keys go to the machine while the window has the focus, mapped by their position and not by their label; those of the
// window itself are in gui/commands.cpp. A click on the screen captures the mouse. User input enters at frame
// boundaries and makes the run non-repeatable; merely watching, with any pane, changes nothing.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "frontend/window/content/actions.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

struct WindowOptions {
  std::string panes;     ///< those to open with it, "cpu,wire=bottom"; empty: as in the run before
  double scale = 0;      ///< of text and panes; 0: as in the run before, or as the display's resolution asks for
  std::string settings;  ///< the file that keeps size and layout between runs; empty: none does
};

class Window {
 public:
  /// Opens the window for `lab`; both outlive it. Throws Error (exit 2) with the remedy if there is no display, planar
  /// was built without SDL2 or Dear ImGui, or `options.panes` is wrong.
  Window(Lab& lab, WindowActions& actions, const WindowOptions& options = {});
  ~Window();

  /// When the next picture is due: one frame of the programmed mode after `now` (10 to 40 ms while there is none).
  Time next(Time now) const;
  /// Shows the picture at `now`, passes on the user's input since the last call, and sleeps while virtual time is ahead
  /// of the host's, or held. Returns false if the user has closed the window.
  bool update(Time now);
  /// True if the user has taken part in the run: it is not repeatable.
  bool used() const;
  /// A line for the log.
  void log(std::string_view line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The file that keeps size and layout: $XDG_CONFIG_HOME/planar/window.ini, or the same below ~/.config; empty if the
/// user has no home.
std::filesystem::path usual_window_settings();

}  // namespace planar
