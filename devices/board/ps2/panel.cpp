// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/ps2/panel.hpp"

namespace planar {

std::uint32_t InformationPanel::read(std::uint32_t offset, unsigned bytes, Time now) {
  return peek(offset, bytes, now);
}

std::uint32_t InformationPanel::peek(std::uint32_t offset, unsigned, Time) const {
  return offset < characters_.size() ? characters_[offset] : 0xFF;
}

void InformationPanel::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  if (offset >= characters_.size()) return;
  characters_[offset] = static_cast<std::uint8_t>(value);
  trace_(TraceCategory::firmware, now, "panel", "\"{}\"", text());
}

std::string InformationPanel::text() const {
  std::string line;
  for (auto c = characters_.rbegin(); c != characters_.rend(); ++c)
    line += *c >= 0x20 && *c < 0x7F ? static_cast<char>(*c) : ' ';
  return line;
}

}  // namespace planar
