// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output/screen_image.hpp"

#include <fmt/format.h>
#include <png.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"

namespace planar {

void write_png(const Picture& picture, const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGB;
  const auto encode = [&](void* memory, png_alloc_size_t& bytes) {
    if (!png_image_write_to_memory(&image, memory, &bytes, 0, picture.rgb.data(), 0, nullptr))
      throw Error(fmt::format("{}: the picture cannot be encoded ({})", file, image.message),
                  ExitCode::emulation_fault);
  };
  png_alloc_size_t bytes = 0;
  encode(nullptr, bytes);
  std::vector<std::uint8_t> encoded(bytes);
  encode(encoded.data(), bytes);
  replace_file(file, std::span(encoded).first(bytes));
}

}  // namespace planar
