// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/ethernet/ethernet_frame.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"

namespace planar::net {
namespace {

std::uint32_t reverse(std::uint32_t v) {
  std::uint32_t r = 0;
  for (int bit = 0; bit < 32; ++bit) r |= (v >> bit & 1) << (31 - bit);
  return r;
}

}  // namespace

std::uint32_t crc32_remainder(std::span<const std::uint8_t> data) { return reverse(~crc32(data)); }

void append_fcs(std::vector<std::uint8_t>& frame) {
  const std::uint32_t crc = crc32(frame);
  for (int shift = 0; shift < 32; shift += 8) frame.push_back(static_cast<std::uint8_t>(crc >> shift));
}

bool fcs_good(std::span<const std::uint8_t> frame) {
  if (frame.size() < fcs_bytes) return false;
  const auto body = frame.first(frame.size() - fcs_bytes);
  return crc32(body) == load_little<std::uint32_t>(frame.data() + body.size());
}

MacAddress parse_mac(std::string_view text) {
  MacAddress mac{};
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  bool good = text.size() == 17;
  for (std::size_t i = 0; good && i < 6; ++i) {
    const int high = digit(text[3 * i]);
    const int low = digit(text[3 * i + 1]);
    good = high >= 0 && low >= 0 && (i == 5 || text[3 * i + 2] == ':' || text[3 * i + 2] == '-');
    mac[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  if (!good)
    throw Error(
        fmt::format("'{}' is not an Ethernet address; write six hex bytes, as in "
                    "00:00:d8:01:02:03",
                    text));
  if (mac[0] & 1) throw Error(fmt::format("'{}' is a group address; a station's first byte must be even", text));
  return mac;
}

std::string format_mac(const MacAddress& mac) { return fmt::format("{:02x}", fmt::join(mac, ":")); }

}  // namespace planar::net
