// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/lanstreamer/transmit_frame.hpp"

#include <algorithm>

#include "devices/chips/streamer/registers.hpp"

namespace planar::tokenring {

using streamer::get32;

void TransmitChannel::ring(std::uint32_t descriptor) {
  last = descriptor;
  if (fresh) next = descriptor;
  fresh = caught_up = false;
}

bool TransmitChannel::fetched(std::uint32_t forward) {
  caught_up = next == last;
  next = forward;
  return caught_up;
}

bool TransmitFrame::parse(std::span<const std::uint8_t> words) {
  const std::uint32_t counts = get32(words, 8), buffers = counts >> 16;
  length = counts & 0xFFFF;
  fetched = 0;
  if (buffers < 1 || buffers > 2 || length < shortest || length > longest) return false;
  address = {get32(words, 12), buffers == 2 ? get32(words, 20) : 0};
  bytes = {std::min(get32(words, 16), length), buffers == 2 ? get32(words, 24) : 0};
  return bytes[1] >= length - bytes[0];
}

std::uint32_t TransmitFrame::source() const {
  return fetched < bytes[0] ? address[0] + fetched : address[1] + (fetched - bytes[0]);
}

std::uint32_t TransmitFrame::piece(std::uint32_t most) const {
  const std::uint32_t end = fetched < bytes[0] ? bytes[0] : length;
  return std::min(most, end - fetched);
}

bool TransmitFrame::sound() const {
  return channel < 2 && length <= longest && fetched <= length && bytes[0] <= length && bytes[1] >= length - bytes[0];
}

}  // namespace planar::tokenring
