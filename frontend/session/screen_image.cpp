// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/session/screen_image.hpp"

#include <fmt/format.h>
#include <png.h>

#include "core/common/error.hpp"

namespace planar {

void write_png(const Picture& picture, const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGB;
  if (!png_image_write_to_file(&image, file.c_str(), 0, picture.rgb.data(), 0, nullptr))
    throw Error(fmt::format("{}: cannot be written ({}); check the directory and its permissions", file, image.message),
                ExitCode::missing_file);
}

}  // namespace planar
