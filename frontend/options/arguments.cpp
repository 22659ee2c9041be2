// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/options/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

#include "core/common/small_letters.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/config/units.hpp"
#include "machines/config/usual_names.hpp"

namespace planar {
namespace {

/// A list of plain numbers, with K expanded: "8K" becomes 8 times `kilo`.
std::string plain_list(const std::string& text, std::uint64_t kilo) {
  std::vector<std::string> items;
  std::string item;
  for (std::istringstream list(text); std::getline(list, item, ',');) {
    const bool thousands = item.ends_with('K') || item.ends_with('k');
    const auto number = thousands ? parse_number(item.substr(0, item.size() - 1)) : std::nullopt;
    if (thousands && (!number || *number > std::numeric_limits<std::uint32_t>::max())) return text;
    items.push_back(number ? std::to_string(*number * kilo) : item);
  }
  return text.ends_with(',') ? text : fmt::format("{}", fmt::join(items, ","));
}

}  // namespace

std::string machine_argument(const std::string& text) {
  const auto whole = usual_machine_name(text);
  const auto colon = text.find(':');
  if (whole != text || colon == std::string::npos) return whole;
  const auto machine = usual_machine_name(text.substr(0, colon));
  if (!is_built_in(machine)) return text;
  return machine + ":" + card_argument(text.substr(colon + 1));
}

std::string card_argument(const std::string& text) {
  const auto colon = std::min(text.find(':'), text.size()), equals = text.find('=');
  const auto name = equals == std::string::npos || equals > colon ? 0 : equals + 1;
  return text.substr(0, name) + usual_card_name(text.substr(name, colon - name)) + text.substr(colon);
}

std::string seconds_argument(const std::string& text) {
  const auto time = parse_time(text), bare = parse_time(text + " s");
  const Time duration = time ? *time : bare.value_or(Time::never());
  if (!(time || bare) || duration.ps % 1'000'000'000 != 0) return text;
  auto plain = fmt::format("{}.{:03}", duration.ps / 1'000'000'000'000, duration.ps / 1'000'000'000 % 1000);
  plain.erase(plain.find_last_not_of('0') + 1);
  return plain.ends_with('.') ? plain.substr(0, plain.size() - 1) : plain;
}

std::string bit_rate_argument(const std::string& text) {
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string unit = small_letters(text.substr(end));
  std::erase(unit, ' ');
  return end > 0 && (unit.empty() || unit == "mbit/s") ? text.substr(0, end) + " Mbit/s" : text;
}

std::string sizes_argument(const std::string& text) { return plain_list(text, 1024); }

std::string rates_argument(const std::string& text) { return plain_list(text, 1000); }

}  // namespace planar
