// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/config/units.hpp"

#include <algorithm>
#include <charconv>

namespace planar {

namespace {

struct Decimal {
  std::uint64_t num;
  std::uint64_t den;  // a power of ten
  std::string_view unit;
};

/// "33.25 MHz" -> 3325 / 100, "MHz".
std::optional<Decimal> split(std::string_view text) {
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
  return Decimal{num, den, rest};
}

}  // namespace

std::optional<Time> parse_time(std::string_view text) {
  const auto d = split(text);
  if (!d) return std::nullopt;
  std::int64_t unit = 0;
  // clang-format off
  if (d->unit == "ps") unit = 1;
  else if (d->unit == "ns") unit = 1'000;
  else if (d->unit == "us" || d->unit == "µs") unit = 1'000'000;
  else if (d->unit == "ms") unit = 1'000'000'000;
  else if (d->unit == "s") unit = 1'000'000'000'000;
  else return std::nullopt;
  // clang-format on
  const auto ps = static_cast<unsigned __int128>(d->num) * static_cast<std::uint64_t>(unit) / d->den;
  if (ps > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return Time{static_cast<std::int64_t>(ps)};
}

std::optional<Frequency> parse_frequency(std::string_view text) {
  auto d = split(text);
  if (!d) return std::nullopt;
  if (!d->unit.empty() && d->unit.front() == '/') {
    const auto below = split(d->unit.substr(1));
    if (!below || below->num == 0 || below->den != 1 || d->den != 1) return std::nullopt;
    d = Decimal{d->num, below->num, below->unit};
  }
  std::uint64_t unit = 0;
  if (d->unit == "Hz")
    unit = 1;
  else if (d->unit == "kHz")
    unit = 1'000;
  else if (d->unit == "MHz")
    unit = 1'000'000;
  else
    return std::nullopt;
  if (d->num == 0 || d->num > 10'000'000'000) return std::nullopt;
  const std::uint64_t num = d->num * unit;
  const std::uint64_t divisor = std::gcd(num, d->den);
  const Frequency f{num / divisor, d->den / divisor};
  if (f.hz() > 1e10 || f.hz() < 1) return std::nullopt;
  return f;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto d = split(text);
  if (!d) return std::nullopt;
  std::uint64_t unit = 0;
  if (d->unit == "MB" || d->unit == "M")
    unit = 1024 * 1024;
  else if (d->unit == "KB" || d->unit == "K")
    unit = 1024;
  else if (d->unit == "bytes")
    unit = 1;
  else
    return std::nullopt;
  if (d->num > (std::uint64_t{1} << 40)) return UINT64_MAX;
  if ((d->num * unit) % d->den != 0) return std::nullopt;
  return d->num * unit / d->den;
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

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t least_beginning = 3;
  const auto begins = [&](const std::string& candidate) { return candidate.starts_with(word); };
  if (word.size() >= least_beginning && std::count_if(known.begin(), known.end(), begins) == 1)
    return *std::find_if(known.begin(), known.end(), begins);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : known) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t above = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (word[i - 1] != candidate[j - 1])});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace planar
