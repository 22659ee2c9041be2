// SPDX-License-Identifier: GPL-2.0-or-later
// NVRAM and CMOS in the layout that roms/README.md section 2 defines for POST.
#include <string_view>

#include "adf/nvram/cmos.hpp"
#include "adf/nvram/nvram.hpp"
#include "adf/reader/reader.hpp"
#include "adf/solver/planar_claims.hpp"
#include "core/common/error.hpp"
#include "core/common/random.hpp"
#include "core/state/crc16.hpp"
#include "tests/catch.hpp"

using namespace planar::adf;
using planar::crc16;
using planar::Error;

TEST_CASE("the CRC is CRC-16 with polynomial 1021h and initial value FFFFh", "[adf][nvram]") {
  const auto of = [](std::string_view text) {
    return crc16({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  CHECK(of("123456789") == 0x29B1);
  CHECK(of("") == 0xFFFF);
  CHECK(of("A") == 0xB915);
}

TEST_CASE("an NE/2 in slot 3 gives the bytes that POST reads", "[adf][nvram]") {
  Problem problem;
  problem.slots.push_back({3, SlotWidth::bits32, find_adf(0x7154), {}});
  NvramConfig config = to_nvram(solve_or_refuse(problem, "test"));
  config.planar = {0xF0FF, true, 4, {0x9F, 1, 2, 3}};
  const NvramImage image = write_nvram(config);

  CHECK(std::string(image.begin(), image.begin() + 4) == "PS2N");
  CHECK(image[4] == 1);
  CHECK(image[5] == 11);
  CHECK(image[0x08] == 0xFF);  // slot 1 is empty
  CHECK(image[0x09] == 0xFF);
  CHECK(image[0x0A] == 0);
  CHECK(image[0x28] == 0x54);  // slot 3: 7154h
  CHECK(image[0x29] == 0x71);
  CHECK(image[0x2A] == 1);
  CHECK(image[0x2B] == 1);
  CHECK(image[0x2C] == 0x93);  // I/O 1000h (001), ROM off, IRQ 3 (00), enable; bit 7 is open and stays 1
  CHECK(image[0x88] == 0xFF);  // planar
  CHECK(image[0x89] == 0xF0);
  CHECK(image[0x8B] == 4);
  CHECK(image[0x8C] == 0x9F);
  CHECK(crc16(std::span(image).first(0xB8)) == (image[0xB8] | image[0xB9] << 8));
  for (std::size_t n = 0xBA; n < image.size(); ++n) REQUIRE(image[n] == 0);
  CHECK(read_nvram(image) == config);
}

TEST_CASE("any configuration can be read back from its image", "[adf][nvram]") {
  planar::Random random(5);
  for (int n = 0; n < 200; ++n) {
    NvramConfig config;
    const auto fill = [&](NvramRecord& record) {
      record.id = static_cast<std::uint16_t>(random.below(0x10000));
      record.enable = random.below(2) != 0;
      record.count = static_cast<std::uint8_t>(random.below(7));
      for (unsigned b = 0; b < record.count; ++b) record.pos[b] = static_cast<std::uint8_t>(random.below(256));
    };
    for (NvramRecord& slot : config.slots) fill(slot);
    fill(config.planar);
    fill(config.video);
    fill(config.scsi);
    CHECK(read_nvram(write_nvram(config)) == config);
  }
}

TEST_CASE("every flipped bit of the image is detected", "[adf][nvram]") {
  Problem problem;
  problem.slots.push_back({1, SlotWidth::bits16, find_adf(0x7154), {}});
  const NvramImage image = write_nvram(to_nvram(solve_or_refuse(problem, "test")));
  for (std::size_t byte = 0; byte < 0xBA; ++byte)
    for (int bit = 0; bit < 8; ++bit) {
      NvramImage damaged = image;
      damaged[byte] = static_cast<std::uint8_t>(damaged[byte] ^ 1 << bit);
      CHECK_THROWS_AS(read_nvram(damaged), Error);
    }
  CHECK_THROWS_AS(read_nvram(std::span(image).first(100)), Error);
  CHECK_THROWS_AS(read_nvram(NvramImage{}), Error);
}

namespace {
std::string complaint(const NvramImage& image) {
  try {
    read_nvram(image);
  } catch (const Error& error) { return error.what(); }
  return {};
}
bool complains(const NvramImage& image, const std::string& words) {
  return complaint(image).find(words) != std::string::npos;
}
}  // namespace

TEST_CASE("records that POST could not use are rejected even if their CRC is correct", "[adf][nvram]") {
  const auto sealed = [](std::size_t at, std::uint8_t value) {
    NvramImage image = write_nvram({});
    image[at] = value;
    const std::uint16_t crc = crc16(std::span(image).first(0xB8));
    image[0xB8] = static_cast<std::uint8_t>(crc);
    image[0xB9] = static_cast<std::uint8_t>(crc >> 8);
    return image;
  };
  CHECK_NOTHROW(read_nvram(sealed(0x0A, 1)));
  CHECK(complains(sealed(0x0B, 7), "record 0 has 7 POS bytes"));
  CHECK(complains(sealed(0x0A, 2), "unknown flags"));
  CHECK(complains(sealed(0x0C, 1), "data after"));
  CHECK(complains(sealed(0x17, 1), "data after"));
  CHECK(complains(sealed(0x06, 1), "06h and 07h"));
}

TEST_CASE("CMOS holds diskette types, equipment, memory size and a CRC with its high byte first", "[adf][cmos]") {
  std::array<std::uint8_t, cmos_size> cmos{};
  cmos.fill(0xA5);
  CmosConfig config;
  config.diskettes = {DisketteType::mb2_88, DisketteType::kb720};
  config.coprocessor = true;
  config.base_kb = 639;
  config.extended_kb = 31 * 1024;
  config.planar_pos = {0x1D, 2, 3, 4};
  write_cmos(cmos, config);
  CHECK(cmos[0x10] == 0x63);
  CHECK(cmos[0x14] == 0x47);
  CHECK((cmos[0x15] | cmos[0x16] << 8) == 639);
  CHECK((cmos[0x17] | cmos[0x18] << 8) == 31744);
  CHECK(cmos[0x21] == 0x1D);
  CHECK(cmos[0x24] == 4);
  CHECK(cmos[0x31] == 0x1D);
  CHECK(crc16(std::span(cmos).subspan(0x10, 0x22)) == (cmos[0x32] << 8 | cmos[0x33]));
  CHECK(cmos[0x0F] == 0xA5);  // not part of the configuration
  CHECK(cmos[0x34] == 0xA5);
  CHECK(cmos_valid(cmos));
  CHECK(read_cmos(cmos) == config);

  cmos[0x20] ^= 1;
  CHECK(!cmos_valid(cmos));

  config.extended_kb = 256 * 1024;  // more than fits in two bytes
  write_cmos(cmos, config);
  CHECK((cmos[0x17] | cmos[0x18] << 8) == 0xFFFF);
  config.diskettes = {DisketteType::none, DisketteType::none};
  write_cmos(cmos, config);
  CHECK((cmos[0x14] & 0x41) == 0);
}
