// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/matrix/benchmark.hpp"

#include <fmt/format.h>

#include <cmath>

#include "frontend/output/labels.hpp"

namespace planar {

namespace {

std::optional<double> in_row(const nlohmann::ordered_json& result, std::string_view row_key, std::uint32_t size,
                             std::string_view key) {
  for (const auto& row : result.at("rows"))
    if (const auto found = row.find(key); row.at(std::string(row_key)) == size && found != row.end())
      return found->get<double>();
  return {};
}

}  // namespace

std::optional<double> Benchmark::figure(const nlohmann::ordered_json& result, std::uint32_t size) const {
  return in_row(result, row_key, size, figure_key);
}

std::optional<double> Benchmark::delivered(const nlohmann::ordered_json& result, std::uint32_t size) const {
  return delivered_key.empty() ? std::nullopt : in_row(result, row_key, size, delivered_key);
}

double Benchmark::excess(const nlohmann::ordered_json& result, std::uint32_t size) const {
  const auto counted = figure(result, size), really = delivered(result, size);
  if (!counted || !really || (loses && *counted < *really)) return 0;
  if (*really > 0) return std::abs(*counted - *really) / *really;
  return *counted > 0 ? 1 : 0;
}

std::string Benchmark::delivered_note(const std::string& delivered_there) const {
  return fmt::format(
      "* differs from what was delivered by more than 1 %: {} also counts what is still in a queue when time is up. "
      "Delivered, {}: {}",
      verb, unit, delivered_there);
}

std::string Benchmark::load_text(const nlohmann::ordered_json& result, const char* key) const {
  return one_load ? fmt::format("{:.1f}", result.at(key).get<double>()) : "-";
}

std::string Benchmark::row_name(std::uint32_t size) const {
  return row_key == "rate" ? std::to_string(size) : size_name(size);
}

}  // namespace planar
