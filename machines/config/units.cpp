// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/config/units.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/common/quantity.hpp"

namespace planar {

std::optional<Time> parse_time(std::string_view text) {
  const auto q = parse_quantity(text);
  const auto unit = q ? factor_of(q->unit, "ps") : std::nullopt;
  if (!unit) return std::nullopt;
  const auto ps = static_cast<unsigned __int128>(q->num) * static_cast<std::uint64_t>(*unit) / q->den;
  if (ps > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return Time{static_cast<std::int64_t>(ps)};
}

std::optional<Frequency> parse_frequency(std::string_view text) {
  auto q = parse_quantity(text);
  if (!q) return std::nullopt;
  if (!q->unit.empty() && q->unit.front() == '/') {
    const auto below = parse_quantity(q->unit.substr(1));
    if (!below || below->num == 0 || below->den != 1 || q->den != 1) return std::nullopt;
    q = Quantity{q->num, below->num, below->unit};
  }
  const auto unit = factor_of(q->unit, "Hz");
  if (!unit || q->num == 0 || q->num > 10'000'000'000) return std::nullopt;
  const std::uint64_t num = q->num * static_cast<std::uint64_t>(*unit);
  const std::uint64_t divisor = std::gcd(num, q->den);
  const Frequency f{num / divisor, q->den / divisor};
  if (f.hz() > 1e10 || f.hz() < 1) return std::nullopt;
  return f;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto q = parse_quantity(text);
  if (!q) return std::nullopt;
  const auto unit = factor_of(q->unit == "M" ? "MB" : q->unit == "K" ? "KB" : q->unit, "bytes");
  if (!unit) return std::nullopt;
  if (q->num > (std::uint64_t{1} << 40)) return UINT64_MAX;
  const std::uint64_t scaled = q->num * static_cast<std::uint64_t>(*unit);
  if (scaled % q->den != 0) return std::nullopt;
  return scaled / q->den;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  int base = 10;
  // clang-format off
  if (text.starts_with("0x") || text.starts_with("0X")) { base = 16; text.remove_prefix(2); }
  else if (text.ends_with("h") || text.ends_with("H")) { base = 16; text.remove_suffix(1); }
  // clang-format on
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

}  // namespace planar
