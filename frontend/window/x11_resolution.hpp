// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace planar {

/// Dots per inch as chosen by the X display's user (the resource Xft.dpi, which desktops set), or else as reported by
/// the display (`of_display`, 0 if unknown), or else computed from the whole X screen. 0: unknown.
double x11_dots_per_inch(double of_display);

}  // namespace planar
