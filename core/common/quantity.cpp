// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/common/quantity.hpp"

#include <algorithm>

namespace planar {

const Unit* find_unit(std::string_view name) {
  const auto* const found = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
  return found == units.end() ? nullptr : found;
}

std::optional<std::int64_t> factor_of(std::string_view name, std::string_view base) {
  const Unit* const unit = find_unit(name);
  if (unit == nullptr || unit->base != base) return std::nullopt;
  return unit->factor;
}

std::optional<Quantity> parse_quantity(std::string_view text) {
  std::uint64_t num = 0, den = 1;
  std::size_t i = 0, digits = 0;
  bool fraction = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    if (++digits > 15) {
      if (fraction) return std::nullopt;
      num = UINT64_MAX;
      continue;
    }
    num = num * 10 + static_cast<std::uint64_t>(c - '0');
    if (fraction) den *= 10;
  }
  if (digits == 0) return std::nullopt;
  std::string_view rest = text.substr(i);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  while (!rest.empty() && rest.back() == ' ') rest.remove_suffix(1);
  return Quantity{num, den, rest};
}

}  // namespace planar
