// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest/guest_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <sstream>
#include <string_view>
#include <utility>

namespace planar {

namespace {

/// The guest's error numbers are those of Linux on i386, whatever the host's are.
constexpr std::pair<std::string_view, std::string_view> error_words[] = {
    {"error 12", "no memory"},
    {"error 22", "an invalid argument or record"},
    {"error 32", "the other end has closed the connection"},
    {"error 71", "the other end violates the protocol"},
    {"error 104", "the other end has reset the connection"},
    {"error 110", "the other end did not answer in time"},
    {"error 111", "nobody listens at that port"},
    {"error 113", "no station has that address"},
};

/// "connect: error 111" followed by what that means.
std::string with_words(std::string reason) {
  for (const auto& [number, words] : error_words)
    if (reason.ends_with(number)) return fmt::format("{} ({})", reason, words);
  return reason;
}

}  // namespace

namespace {

constexpr Time stands_after = 100_ms;  // ten characters at the slowest common rate, 1200 bit/s, are 83 ms

std::optional<std::uint64_t> decimal(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool GuestLine::tagged(const std::string& tag) const {
  return text.starts_with(tag) && (text.size() == tag.size() || text[tag.size()] == ' ');
}

std::optional<std::string> GuestLine::value(const std::string& key) const {
  std::istringstream words(text);
  std::string word;
  while (words >> word)
    if (word.starts_with(key + "=")) return word.substr(key.size() + 1);
  return std::nullopt;
}

std::optional<std::uint64_t> GuestLine::number(const std::string& key) const {
  const auto text = value(key);
  return text ? decimal(*text) : std::nullopt;
}

bool GuestOutput::byte(std::uint8_t value, Time now, ClockReading processor) {
  latest_ = now;
  if (value == '\r') return false;
  if (partial_.empty()) began_ = now;
  if (value != '\n') {
    if (partial_.size() < 4096) partial_ += static_cast<char>(value);  // a guest may send anything
    return false;
  }
  lines_.push_back({began_, now, partial_, processor});
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
    if (line.tagged(tag)) return line.value(key);
  return std::nullopt;
}

const GuestLine* GuestOutput::find(const std::string& text) const {
  for (const auto& line : lines_)
    if (line.tagged(text)) return &line;
  return nullptr;
}

std::optional<int> GuestOutput::done() const {
  for (const auto& line : lines_)
    if (line.tagged("@done")) {
      const auto status = decimal(line.text.size() > 6 ? line.text.substr(6) : std::string());
      return status ? static_cast<int>(*status & 0xFF) : 1;
    }
  return std::nullopt;
}

std::optional<std::string> GuestOutput::failure() const {
  for (const auto& line : lines_)
    if (line.tagged("@fail"))
      return line.text.size() > 6 ? with_words(line.text.substr(6)) : std::string("(no reason given)");
  return std::nullopt;
}

std::string GuestOutput::reason() const {
  const std::string report = driver_report();
  return failure().value_or("no reason given") + (report.empty() ? "" : fmt::format(" ({})", report));
}

std::string GuestOutput::driver_report() const {
  const auto is_name = [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_' || c == '-'; };
  const GuestLine* const failure = find("@fail");
  std::string last;
  for (const auto& line : lines_) {
    if (line.text.starts_with("failed: ")) break;
    const auto colon = line.text.find(": ");
    if (colon == std::string::npos || colon == 0 ||
        !std::all_of(line.text.begin(), line.text.begin() + static_cast<std::ptrdiff_t>(colon), is_name))
      continue;
    const bool own = failure && failure->text.ends_with(line.text.substr(colon + 2));  // the program's, told already
    if (!own) last = line.text;
  }
  return last;
}

void GuestOutput::archive(Archive& a) {
  a.section("guest output", 3);
  a(partial_, began_, latest_, lines_);
}

}  // namespace planar
