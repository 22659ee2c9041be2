// SPDX-License-Identifier: GPL-2.0-or-later
// The screen as an image file.
#pragma once

#include <string>

#include "devices/board/at/video/vga_picture.hpp"

namespace planar {

/// Writes `picture` to `file` as PNG (8 bits per component, RGB, no alpha). Throws Error (exit 3) naming the file if it
/// cannot be written.
void write_png(const Picture& picture, const std::string& file);

}  // namespace planar
