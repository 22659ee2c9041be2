// SPDX-License-Identifier: GPL-2.0-or-later
// Everything drawn around the machine's picture: menu, status bar with lights and speed, key help, dialogs, panes.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/time/time.hpp"
#include "frontend/window/content/actions.hpp"
#include "frontend/window/content/activity.hpp"
#include "frontend/window/content/recorder.hpp"
#include "frontend/window/content/screen.hpp"
#include "frontend/window/content/window_settings.hpp"
#include "frontend/window/gui/commands.hpp"
#include "frontend/window/gui/dock.hpp"
#include "frontend/window/gui/file_dialog.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// The window's own settings, which the menu changes and the window applies.
struct WindowView {
  Scaling scaling = Scaling::whole;
  double scale = 1;  ///< of text and panes
  bool full_screen = false;
  bool bars = true;         ///< menu and status bar are shown
  bool mouse = false;       ///< the machine has the mouse
  bool sound = false;       ///< the speaker is heard
  unsigned throttle = 100;  ///< percent of real time; 0: unlimited
  std::size_t machine = 0;  ///< the machine of the lab that is shown
  bool quit = false;
  bool moved = false;                ///< virtual time has changed, by loading a snapshot
  bool picture = false;              ///< a picture of the window is to be saved
  bool used = false;                 ///< the user has taken part in the run
  std::vector<std::uint16_t> chord;  ///< keys to be pressed together
};

class Gui {
 public:
  /// All must outlive this object.
  Gui(Lab& lab, WindowActions& actions, Recorder& recorder, WindowView& view, WindowSettings& settings);

  /// What may differ in each picture.
  struct Status {
    Time now{};
    std::optional<double> speed;  ///< percent
    Activity::Lights lights;
  };
  /// Draws everything within `window`; returns the part that is left for the machine's picture.
  Rect draw(const Rect& window, const Status& status);

  void run(Command command);
  /// Handles a file dropped on the window: a diskette, a CD (.iso) or a snapshot, judged by its name and size.
  void drop(const std::string& file);
  /// Shows a message on the status bar and in the log.
  void say(const std::string& text, bool problem = false);
  /// True if the keyboard now belongs to the menu, a dialog or a pane rather than to the machine.
  bool takes_keys() const;
  /// Closes the open menu with the next picture; false if none is open.
  bool close_menu() { return closing_menu_ = menu_open_; }
  Dock& dock() { return dock_; }

 private:
  void menu();
  void item(Command command, bool checked = false, bool enabled = true);
  void machine_menu();
  void media_menu();
  void view_menu();
  void panes_menu();
  void status_bar(const Rect& rect, const Status& status);
  void help();
  void choose(Command what);
  /// The first CD-ROM drive of the machine that is shown. Throws Error if there is none.
  unsigned cdrom() const;
  void chosen(const std::string& file);
  template <class F>
  void attempt(F&& action);
  void recent_menu();
  void copy();
  void paste();

  Lab& lab_;
  WindowActions& actions_;
  Recorder& recorder_;
  WindowView& view_;
  WindowSettings& settings_;
  Dock dock_;
  FileDialog dialog_;
  BusRecorder bus_;
  Command choosing_ = Command::change_diskette;
  bool help_ = false;
  bool menu_open_ = false, closing_menu_ = false;
  std::string said_;
  bool problem_ = false;
};

}  // namespace planar
