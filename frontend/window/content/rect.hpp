// SPDX-License-Identifier: GPL-2.0-or-later
// A part of the window, in pixels.
#pragma once

namespace planar {

struct Rect {
  int x = 0, y = 0, width = 0, height = 0;
  bool contains(int px, int py) const { return px >= x && py >= y && px < x + width && py < y + height; }
  friend bool operator==(const Rect&, const Rect&) = default;
};

}  // namespace planar
