// SPDX-License-Identifier: GPL-2.0-or-later
// What the window keeps between runs: its size and scale, the layout of the panes, the images that were inserted last.
// Stored on the host with the user's other settings; nothing in a machine depends on it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/window/content/screen.hpp"

namespace planar {

struct WindowSettings {
  static constexpr int most_size = 16384;  ///< pixels
  static constexpr double least_scale = 0.5, most_scale = 4;
  static constexpr std::size_t most_recent = 10;

  int width = 0, height = 0;  ///< of the window, in pixels; 0: not known
  double scale = 0;           ///< of text and panes; 0: chosen by the display's resolution
  Scaling scaling = Scaling::whole;
  bool sound = true;
  std::string panes;  ///< as in --panes; empty: none is open
  /// Shares of the window for left, right and bottom, and of the upper part on the left and on the right.
  std::array<float, 5> shares{0.3F, 0.33F, 0.3F, 0.5F, 0.5F};
  std::vector<std::string> recent;  ///< images, most recent first
  std::string floating;             ///< positions of floating panes, in Dear ImGui's format

  /// Puts `file` at the beginning of `recent`.
  void remember(const std::string& file);
  /// The content of the settings file. parse() ignores unknown lines, such as those of a later planar.
  std::string text() const;
  static WindowSettings parse(std::string_view text);
};

/// The settings in `file`, or the defaults if the name is empty or the file is missing or unreadable.
WindowSettings load_window_settings(const std::string& file);
/// Saves the settings. Does nothing, without an error, if `file` is empty or cannot be written: the next run then has
/// the default size and layout.
void keep_window_settings(const std::string& file, const WindowSettings& settings);

}  // namespace planar
