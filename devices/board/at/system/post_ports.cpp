// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/system/post_ports.hpp"

#include <fmt/format.h>

#include <string>

namespace planar {

namespace {
constexpr std::uint32_t checkpoint_offset = 0x680 - 0x80;
constexpr std::size_t history_length = 64;
}  // namespace

void PostPorts::claim_ports(IoSpace& space, bool with_page_latches) {
  ports_.claim(space, *this, 0x80, {{0x680, 0x681}});
  if (with_page_latches) ports_.claim(space, *this, 0x80, {{0x80, 0x80}, {0x84, 0x86}, {0x88, 0x88}, {0x8C, 0x8E}});
}

std::uint32_t PostPorts::read(std::uint32_t offset, unsigned bytes, Time now) { return peek(offset, bytes, now); }

std::uint32_t PostPorts::peek(std::uint32_t offset, unsigned, Time) const {
  if (offset < latches_.size()) return latches_[offset];
  const std::uint32_t index = offset - checkpoint_offset;
  return index < checkpoint_.size() ? checkpoint_[index] : 0xFF;
}

void PostPorts::write(std::uint32_t offset, unsigned, std::uint32_t value32, Time now) {
  const auto value = static_cast<std::uint8_t>(value32);
  if (offset < latches_.size()) {
    latches_[offset] = value;
    return;
  }
  const std::uint32_t index = offset - checkpoint_offset;
  if (index >= checkpoint_.size()) return;
  checkpoint_[index] = value;
  if (index != 0) return;
  trace_(TraceCategory::firmware, now, "post", "checkpoint {:04x}", checkpoint());
  if (history_.size() == history_length) history_.erase(history_.begin());
  history_.push_back(value);
}

void PostPorts::describe(Description& d) const {
  d.reg("checkpoint", checkpoint(), 16);
  std::string latest;
  for (const std::uint8_t code : history_) latest += fmt::format("{}{:02X}", latest.empty() ? "" : " ", code);
  d.text("history of 680h", latest);
}

}  // namespace planar
