// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/adapter/station_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "core/common/random.hpp"

namespace planar::ethernet {
namespace {

std::uint16_t find_id(std::string_view card, const std::string& text, std::span<const OemId> ids) {
  std::string known;
  for (const OemId& oem : ids) {
    const std::string hex = fmt::format("{:04x}", oem.id);
    if (std::equal(text.begin(), text.end(), hex.begin(), hex.end(),
                   [](unsigned char a, unsigned char b) { return (a >= 'A' && a <= 'F' ? a + ('a' - 'A') : a) == b; }))
      return oem.id;
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", hex, oem.maker);
  }
  throw Error(fmt::format("{}.adapter_id: '{}' is none of this board's IDs; use {}", card, text, known));
}

}  // namespace

StationOptions station_options(const AdapterOptions& given, std::string_view card, std::span<const OemId> ids,
                               std::array<std::uint8_t, 3> maker_prefix) {
  const unsigned slot = given.slot_number;
  StationOptions options{ids.front().id, {}, TimingProfile::embedded(profile_path(card)), 0};
  for (const auto& [name, value] : given.settings) {
    // clang-format off
    if (name == "adapter_id") options.adapter_id = find_id(card, value, ids);
    else options.profile.set(name, value);
  }
  options.mac = given.mac ? net::parse_mac(*given.mac)
                            : net::MacAddress{maker_prefix[0], maker_prefix[1], maker_prefix[2], 0x01,
                                  // clang-format on
                                  static_cast<std::uint8_t>(2 + given.machine), static_cast<std::uint8_t>(slot + 1)};
  Random mix(given.seed * 0x100 + given.machine * 0x10 + slot + 1);
  options.seed = mix.next();
  return options;
}

}  // namespace planar::ethernet
