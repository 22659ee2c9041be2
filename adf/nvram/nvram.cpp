// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/nvram/nvram.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"
#include "core/state/crc16.hpp"

namespace planar::adf {
namespace {

constexpr std::array<std::uint8_t, 4> mark{'P', 'S', '2', 'N'};
constexpr std::uint8_t layout_version = 1;
constexpr std::size_t first_record = 0x08;
constexpr std::size_t record_size = 0x10;
constexpr std::size_t crc_offset = first_record + nvram_records * record_size;
static_assert(crc_offset == 0xB8);

constexpr std::size_t planar_index = 8;
constexpr std::size_t video_index = 9;
constexpr std::size_t scsi_index = 10;

NvramRecord& record(NvramConfig& config, std::size_t index) {
  switch (index) {
    case planar_index: return config.planar;
    case video_index: return config.video;
    case scsi_index: return config.scsi;
    default: return config.slots[index];
  }
}

[[noreturn]] void fail(const std::string& problem) {
  throw Error(fmt::format("NVRAM: {}; let planar rewrite the configuration", problem));
}

}  // namespace

NvramConfig to_nvram(const Solution& solution) {
  NvramConfig config;
  for (const SlotResult& slot : solution.slots) {
    if (slot.slot < 1 || slot.slot > max_slots) continue;
    NvramRecord& one = config.slots[slot.slot - 1];
    one.id = slot.id;
    one.enable = true;
    one.count = static_cast<std::uint8_t>(std::min(slot.num_bytes, max_pos_bytes));
    one.pos = slot.pos;
  }
  return config;
}

NvramImage write_nvram(const NvramConfig& config) {
  NvramImage image{};
  std::copy(mark.begin(), mark.end(), image.begin());
  image[4] = layout_version;
  image[5] = nvram_records;
  NvramConfig copy = config;
  for (std::size_t n = 0; n < nvram_records; ++n) {
    const NvramRecord& one = record(copy, n);
    const std::size_t at = first_record + n * record_size;
    store_little(&image[at], one.id);
    image[at + 2] = one.enable ? 1 : 0;
    image[at + 3] = static_cast<std::uint8_t>(std::min<unsigned>(one.count, max_pos_bytes));
    for (unsigned b = 0; b < image[at + 3]; ++b) image[at + 4 + b] = one.pos[b];
  }
  store_little(&image[crc_offset], crc16(std::span(image).first(crc_offset)));
  return image;
}

NvramConfig read_nvram(std::span<const std::uint8_t> image) {
  if (image.size() != nvram_size) fail(fmt::format("{} bytes instead of {}", image.size(), nvram_size));
  if (!std::equal(mark.begin(), mark.end(), image.begin())) fail("the signature PS2N is missing");
  if (image[4] != layout_version) fail(fmt::format("layout version {} instead of {}", image[4], layout_version));
  if (image[5] != nvram_records) fail(fmt::format("{} records instead of {}", image[5], nvram_records));
  const std::uint16_t stored = load_little<std::uint16_t>(&image[crc_offset]);
  const std::uint16_t actual = crc16(image.first(crc_offset));
  if (stored != actual) fail(fmt::format("the CRC is {:04X}h and should be {:04X}h", stored, actual));
  if (image[6] != 0 || image[7] != 0) fail("bytes 06h and 07h are not 0");

  NvramConfig config;
  for (std::size_t n = 0; n < nvram_records; ++n) {
    const std::size_t at = first_record + n * record_size;
    NvramRecord& one = record(config, n);
    one.id = load_little<std::uint16_t>(&image[at]);
    if (image[at + 2] > 1) fail(fmt::format("record {} has unknown flags {:02X}h", n, image[at + 2]));
    one.enable = image[at + 2] != 0;
    one.count = image[at + 3];
    if (one.count > max_pos_bytes)
      fail(fmt::format("record {} has {} POS bytes, the maximum is {}", n, one.count, max_pos_bytes));
    for (std::size_t b = 0; b < 12; ++b) {
      if (b < one.count)
        one.pos[b] = image[at + 4 + b];
      else if (image[at + 4 + b] != 0)
        fail(fmt::format("record {} has data after its {} POS bytes", n, one.count));
    }
  }
  return config;
}

}  // namespace planar::adf
