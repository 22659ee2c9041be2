// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/ring/ring_mac_frame.hpp"

namespace planar::net {
namespace {

constexpr std::size_t vector_header = 4, subvector_header = 2;

}  // namespace

MacFrameBuilder::MacFrameBuilder(std::uint8_t control, const MacAddress& to, const MacAddress& from, MacVector vector,
                                 std::uint8_t to_class, std::uint8_t from_class)
    : bytes_{ring_ac::frame, control} {
  bytes_.insert(bytes_.end(), to.begin(), to.end());
  bytes_.insert(bytes_.end(), from.begin(), from.end());
  bytes_.insert(bytes_.end(), {0, vector_header, static_cast<std::uint8_t>(to_class << 4 | from_class),
                               static_cast<std::uint8_t>(vector)});
}

MacFrameBuilder& MacFrameBuilder::add(std::uint8_t subvector, std::span<const std::uint8_t> value) {
  bytes_.push_back(static_cast<std::uint8_t>(subvector_header + value.size()));
  bytes_.push_back(subvector);
  bytes_.insert(bytes_.end(), value.begin(), value.end());
  const std::size_t length = bytes_.size() - ring_header_bytes;
  bytes_[ring_header_bytes] = static_cast<std::uint8_t>(length >> 8);
  bytes_[ring_header_bytes + 1] = static_cast<std::uint8_t>(length);
  return *this;
}

MacFrameBuilder& MacFrameBuilder::add16(std::uint8_t subvector, unsigned value) {
  return add(subvector,
             std::array<std::uint8_t, 2>{static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)});
}

MacFrameBuilder& MacFrameBuilder::add32(std::uint8_t subvector, std::uint32_t value) {
  std::array<std::uint8_t, 4> bytes;
  for (unsigned n = 0; n < 4; ++n) bytes[n] = static_cast<std::uint8_t>(value >> (24 - 8 * n));
  return add(subvector, bytes);
}

std::optional<MacFrameView> parse_mac_frame(std::span<const std::uint8_t> frame) {
  const std::size_t at = ring_header_bytes + routing_bytes(frame);
  if (frame.size() < at + vector_header) return std::nullopt;
  const std::size_t length = static_cast<std::size_t>(frame[at] << 8 | frame[at + 1]);
  if (length < vector_header || length > frame.size() - at) return std::nullopt;
  MacFrameView view{frame.subspan(8, 6), frame[at + 2], static_cast<MacVector>(frame[at + 3]),
                    frame.subspan(at + vector_header, length - vector_header)};
  auto rest = view.subvectors;
  while (!rest.empty()) {
    if (rest.size() < subvector_header || rest[0] < subvector_header || rest[0] > rest.size()) return std::nullopt;
    rest = rest.subspan(rest[0]);
  }
  return view;
}

std::optional<std::span<const std::uint8_t>> MacFrameView::find(std::uint8_t subvector, std::size_t bytes) const {
  for (auto rest = subvectors; !rest.empty(); rest = rest.subspan(rest[0]))
    if (rest[1] == subvector && rest[0] >= subvector_header + bytes)
      return rest.subspan(subvector_header, rest[0] - subvector_header);
  return std::nullopt;
}

}  // namespace planar::net
