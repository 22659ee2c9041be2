// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/panes/memory_search.hpp"

#include <cctype>

namespace planar {

std::optional<std::vector<std::uint8_t>> parse_pattern(const std::string& text) {
  if (text.size() > 2 && text.front() == '"' && text.back() == '"')
    return std::vector<std::uint8_t>(text.begin() + 1, text.end() - 1);
  std::string digits;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c))) continue;
    if (!std::isxdigit(static_cast<unsigned char>(c))) return {};
    digits += c;
  }
  if (digits.empty() || digits.size() % 2) return {};
  std::vector<std::uint8_t> bytes;
  for (std::size_t n = 0; n < digits.size(); n += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(n, 2), nullptr, 16)));
  return bytes;
}

std::optional<std::uint32_t> find_pattern(const AddressSpace& memory, const std::vector<std::uint8_t>& pattern,
                                          std::uint32_t from, std::uint32_t end, Time now) {
  if (pattern.empty()) return {};
  for (std::uint64_t at = from; at + pattern.size() <= end; ++at) {
    std::size_t same = 0;
    while (same < pattern.size() && memory.peek(static_cast<std::uint32_t>(at + same), now) == pattern[same]) ++same;
    if (same == pattern.size()) return static_cast<std::uint32_t>(at);
  }
  return {};
}

}  // namespace planar
