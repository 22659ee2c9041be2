// SPDX-License-Identifier: GPL-2.0-or-later
// What the window keeps between runs: its size and scale, where the panes are, the images that were inserted last. Kept
// on the host beside the user's other settings; nothing of a machine depends on it.
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
  double scale = 0;           ///< of text and panes; 0: as the display's resolution asks for
  Scaling scaling = Scaling::whole;
  bool sound = true;
  std::string panes;  ///< as --panes has them; empty: none is open
  /// Left, right and bottom part of the window, upper part on the left and on the right.
  std::array<float, 5> shares{0.3F, 0.33F, 0.3F, 0.5F, 0.5F};
  std::vector<std::string> recent;  ///< images, the latest first
  std::string floating;             ///< where floating panes are: Dear ImGui's own text

  /// Puts `file` at the beginning of the list.
  void remember(const std::string& file);
  /// As a file. Lines that are not understood, as those of a later planar, are passed over when it is read.
  std::string text() const;
  static WindowSettings parse(std::string_view text);
};

/// What `file` keeps, or the usual if it is empty, not there or not readable.
WindowSettings load_window_settings(const std::string& file);
/// Quietly does without where nothing can be written, or `file` is empty: the next run has the usual size and layout.
void keep_window_settings(const std::string& file, const WindowSettings& settings);

}  // namespace planar
