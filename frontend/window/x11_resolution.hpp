// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace planar {

/// Dots per inch as the X display's user has chosen them (the resource Xft.dpi, which desktops set), or else as the
/// display says of itself (`of_display`, 0 if unknown), or else of its screen as a whole. 0: nobody knows.
double x11_dots_per_inch(double of_display);

}  // namespace planar
