// SPDX-License-Identifier: GPL-2.0-or-later
// TROPIC: fast path transmission of later microcode. A ring of buffers in the shared RAM; the host fills them from the
// head of the free queue and rings the doorbell, the adapter sends them in order and advances the completion tail. No
// mailbox is involved.
#include <algorithm>

#include "devices/chips/tropic/tropic.hpp"

namespace planar::tokenring {

using namespace tropic;

namespace {
constexpr std::uint32_t ram_size_field = 8, buffer_size_field = 10;      // the SRB, size in units of 8 bytes
constexpr std::uint32_t control_area_field = 8, next_srb_field = 10;     // its response
constexpr std::uint16_t least_buffer = 64, reason_bad_pointer = 0x8000;  // docs/hardware/tropic.md#adapter-check
constexpr std::size_t prefetched = 2;
}  // namespace

std::uint8_t Tropic::configure_fast_path() {
  if (!config_.fast_path) return Code::invalid_command;
  if (state_ != State::closed) return Code::already_open;
  const std::uint32_t bytes = get16(place::srb + ram_size_field) * 8u;
  const std::uint16_t size = get16(place::srb + buffer_size_field);
  const std::uint32_t area = (place::end + 7u) & ~7u;
  if (!fast_path_fits(bytes, size)) return Code::missing_parameter;
  if (area + bytes > usable()) return Code::no_resources;

  fast_area_ = static_cast<std::uint16_t>(area);
  fast_bytes_ = static_cast<std::uint16_t>(bytes);
  fast_size_ = size;
  const unsigned count = (bytes - fast::control_bytes) / size;
  const auto pointer = [&](unsigned n) {
    return static_cast<std::uint16_t>(area + fast::control_bytes + n % count * size + fast::next);
  };
  for (unsigned n = 0; n < count; ++n) put16(pointer(n), pointer(n + 1));
  put16(area + fast::count, static_cast<std::uint16_t>(count));
  put16(area + fast::free_head, pointer(0));
  put16(area + fast::free_tail, pointer(count - 1));
  put16(area + fast::adapter_head, pointer(0));
  put16(area + fast::size, size);
  put16(area + fast::completed, pointer(count - 1));
  put16(place::srb + control_area_field, fast_area_);
  put16(place::srb + next_srb_field, place::srb);
  return Code::good;
}

bool Tropic::fast_path_fits(std::uint32_t bytes, std::uint16_t size) const {
  return size >= least_buffer && size % 2 == 0 && bytes >= fast::control_bytes + 2u * size;
}

/// Whether the pointer leads to the link of one of the buffers.
bool Tropic::fast_pointer(std::uint16_t pointer) const {
  const std::uint32_t first = fast_area_ + fast::control_bytes + fast::next;
  const std::uint32_t count = (fast_bytes_ - fast::control_bytes) / fast_size_;
  return pointer >= first && (pointer - first) % fast_size_ == 0 && (pointer - first) / fast_size_ < count;
}

/// A frame is ready to be taken, and there is room to hold it until the ring accepts it.
bool Tropic::fast_work() const {
  return state_ == State::open && fast_area_ && fast_asked_ && fast_ready_.size() + fast_done_.size() < prefetched;
}

// An odd head is about to be replaced by the host, which rings the doorbell afterwards.
void Tropic::take_fast_frame(Time now) {
  if (!fast_work()) return;
  const std::uint16_t head = get16(fast_area_ + fast::adapter_head), end = get16(fast_area_ + fast::free_head);
  if (head == end || end & 1) {
    fast_asked_ = false;
    return;
  }
  FastFrame frame;
  frame.first = static_cast<std::uint16_t>(head - fast::next);
  frame.last = get16(frame.first + fast::last);
  if (!fast_pointer(head) || !fast_pointer(end) || !fast_pointer(frame.last))
    return adapter_check(reason_bad_pointer, head, now);
  const std::uint8_t code = gather(frame);
  put16(fast_area_ + fast::adapter_head, get16(frame.last));
  if (get16(frame.last) == end) fast_asked_ = false;
  if (code) {
    frame.code = code;
    fast_done_.push_back(std::move(frame));
    return;
  }
  fast_ready_.push_back(std::move(frame));
  send_next(now);
}

/// Collects the frame's bytes; returns the code of an error if it cannot be sent.
std::uint8_t Tropic::gather(FastFrame& frame) const {
  const unsigned count = (fast_bytes_ - fast::control_bytes) / fast_size_;
  const std::uint16_t length = get16(frame.first + fast::length);
  if (get8(frame.first + fast::command) != Command::transmit_direct) return Code::invalid_command;
  std::uint32_t link = frame.first + fast::next;
  for (unsigned n = 0; n < count; ++n) {
    const std::uint32_t at = link - fast::next;
    const std::uint16_t bytes = get16(at + fast::bytes);
    if (bytes > fast_size_ - fast::data || !fast_pointer(static_cast<std::uint16_t>(link))) return Code::invalid_length;
    for (unsigned i = 0; i < bytes; ++i) frame.bytes.push_back(get8(at + fast::data + i));
    if (link == frame.last) break;
    link = get16(link);
  }
  if (link != frame.last || frame.bytes.size() != length || length < net::ring_header_bytes)
    return Code::invalid_length;
  if (net::is_mac_frame(frame.bytes)) return Code::unauthorised_mac;
  frame.bytes[0] = net::ring_ac::frame;
  const std::uint8_t routing = frame.bytes[8] & net::routing_indicator;
  std::copy(node_.begin(), node_.end(), frame.bytes.begin() + 8);
  frame.bytes[8] |= routing;
  return Code::good;
}

void Tropic::finish_fast_frame(Time now) {
  if (fast_done_.empty()) return;
  const FastFrame frame = std::move(fast_done_.front());
  fast_done_.pop_front();
  put8(frame.first + fast::code, frame.code);
  put8(frame.first + fast::status, frame.code);
  put8(frame.first + fast::stripped_fs, frame.status);
  put16(fast_area_ + fast::completed, frame.last);
  raise(isrp_o::transmit_complete, now);
}

}  // namespace planar::tokenring
