// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/common/crc32.hpp"

#include <libdeflate.h>

namespace planar {

std::uint32_t crc32(std::span<const std::uint8_t> data, std::uint32_t crc) {
  return data.empty() ? crc : libdeflate_crc32(crc, data.data(), data.size());
}

}  // namespace planar
