// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output/labels.hpp"

#include <fmt/format.h>

#include <map>

namespace planar {

std::string counted(std::size_t number, std::string_view one) {
  return fmt::format("{} {}{}", number, one, number == 1 ? "" : "s");
}

std::string size_name(std::uint32_t bytes) {
  if (bytes == 32767) return "32K";
  return bytes % 1024 == 0 ? fmt::format("{}K", bytes / 1024) : fmt::format("{}", bytes);
}

std::string frame_part_title(const std::string& name) {
  static const std::map<std::string, std::string> titles{{"cpu_copy", "CPU copy"}, {"bus_wait", "bus wait"}};
  const auto found = titles.find(name);
  return found == titles.end() ? name : found->second;
}

}  // namespace planar
