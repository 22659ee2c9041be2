// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/session/guest_output.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace planar {

namespace {

constexpr Time stands_after = 100_ms;  // ten characters at the slowest common rate, 1200 bit/s, are 83 ms

/// The word behind "key=" in a line of blank-separated words.
std::optional<std::string> field(const std::string& line, const std::string& key) {
  std::istringstream words(line);
  std::string word;
  while (words >> word)
    if (word.starts_with(key + "=")) return word.substr(key.size() + 1);
  return std::nullopt;
}

std::optional<std::uint64_t> number(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return value;
}

bool tagged(const std::string& line, const std::string& tag) {
  return line.starts_with(tag) && (line.size() == tag.size() || line[tag.size()] == ' ');
}

std::optional<NetioRow> row_of(const std::string& line, const std::string& tag) {
  if (!tagged(line, tag)) return std::nullopt;
  const auto bytes = number(field(line, "bytes")), blocks = number(field(line, "blocks")),
             ticks = number(field(line, "ticks"));
  if (!bytes || !blocks || !ticks) return std::nullopt;
  return NetioRow{static_cast<std::uint32_t>(*bytes), *blocks, *ticks};
}

}  // namespace

double NetioRow::kb_per_s() const {
  return ticks ? static_cast<double>(blocks) * packet_bytes / static_cast<double>(ticks) : 0.0;
}

bool GuestOutput::byte(std::uint8_t value, Time now, ClockReading processor) {
  latest_ = now;
  if (value == '\r') return false;
  if (value != '\n') {
    if (partial_.size() < 4096) partial_ += static_cast<char>(value);  // a guest may send what it likes
    return false;
  }
  lines_.push_back({now, partial_, processor});
  partial_.clear();
  return true;
}

bool GuestOutput::says(const std::string& text, Time now) const {
  const auto holds = [&](const std::string& line) { return line.find(text) != std::string::npos; };
  return (now - latest_ >= stands_after && holds(partial_)) ||
         std::any_of(lines_.begin(), lines_.end(), [&](const GuestLine& line) { return holds(line.text); });
}

std::optional<std::string> GuestOutput::value(const std::string& tag, const std::string& key) const {
  for (const auto& line : lines_)
    if (tagged(line.text, tag)) return field(line.text, key);
  return std::nullopt;
}

const GuestLine* GuestOutput::find(const std::string& text) const {
  for (const auto& line : lines_)
    if (tagged(line.text, text)) return &line;
  return nullptr;
}

std::vector<NetioRow> GuestOutput::rows(const std::string& tag) const {
  std::vector<NetioRow> rows;
  for (const auto& line : lines_)
    if (const auto row = row_of(line.text, tag)) rows.push_back(*row);
  return rows;
}

std::optional<NetioRow> GuestOutput::new_row() const {
  return lines_.empty() ? std::nullopt : row_of(lines_.back().text, "@row");
}

std::optional<int> GuestOutput::done() const {
  for (const auto& line : lines_)
    if (tagged(line.text, "@done")) {
      const auto status = number(line.text.size() > 6 ? std::optional(line.text.substr(6)) : std::nullopt);
      return status ? static_cast<int>(*status & 0xFF) : 1;
    }
  return std::nullopt;
}

std::optional<std::string> GuestOutput::failure() const {
  for (const auto& line : lines_)
    if (tagged(line.text, "@fail"))
      return line.text.size() > 6 ? line.text.substr(6) : std::string("(no reason given)");
  return std::nullopt;
}

void GuestOutput::archive(Archive& a) {
  a.section("guest output", 2);
  a(partial_, latest_, lines_);
}

}  // namespace planar
