// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/streamer/receive_channel.hpp"

namespace planar::streamer {

using Map = RegisterMap;

std::uint32_t ReceiveChannel::older_bytes() const {
  std::uint32_t bytes = 0;
  for (const Frame& f : incoming_)
    if (f.complete) bytes += static_cast<std::uint32_t>(f.data.size()) - f.moved;
  return bytes;
}

void ReceiveChannel::overrun() {
  Frame& f = arriving();
  if (f.status & Map::RX_OVER) return;
  f.status |= Map::RX_OVER;
  owner_.overrun();
}

void ReceiveChannel::drop_head() {
  if (incoming_.size() == 1 && listening_) stop_listening();
  incoming_.pop_front();
}

void ReceiveChannel::set_first(std::uint32_t descriptor, bool fetching) {
  if (!have_ && !fetching) forward_ = descriptor;
}

void ReceiveChannel::set_last(std::uint32_t descriptor) {
  last_ = descriptor;
  ended_ = false;
}

void ReceiveChannel::fetched(std::span<const std::uint8_t> descriptor) {
  descriptor_ = forward_;
  forward_ = get32(descriptor, 0);
  buffer_ = get32(descriptor, 8);
  room_ = get32(descriptor, 12) & 0xFFFF;
  stored_ = 0;
  have_ = true;
}

void ReceiveChannel::stored(std::uint32_t bytes) {
  incoming_.front().moved += bytes;
  stored_ += bytes;
}

ReceiveChannel::Transfer ReceiveChannel::next(std::vector<std::uint8_t>& transfer, Time now) {
  if (!have_ && !ended_) return {Step::fetch, forward_, descriptor_bytes};
  while (!incoming_.empty()) {
    Frame& f = incoming_.front();
    if (listening_ && incoming_.size() == 1) owner_.catch_up(now);
    const auto there = static_cast<std::uint32_t>(f.data.size()) - f.moved;
    const bool enough = f.complete || (there >= limits_.burst && f.data.size() >= limits_.begin);
    if (!enough) return {};
    if (!have_) {
      drop_head();
      owner_.no_buffer(now);
      continue;
    }
    if (f.complete && (there == 0 || f.status & Map::RX_OVER)) return give_back(Map::RX_LAST | f.status, transfer);
    const std::uint32_t room = room_ < limits_.least_buffer ? 0 : room_ - stored_;
    if (room == 0) {
      const bool last = room_ < limits_.least_buffer || descriptor_ == last_;
      if (last) owner_.frame_cut();
      return give_back(last ? Map::RX_LAST | Map::RX_CUT | f.status : 0, transfer);
    }
    const std::uint32_t n = std::min({there, room, limits_.burst});
    transfer.assign(f.data.begin() + f.moved, f.data.begin() + f.moved + n);
    return {Step::data, buffer_ + stored_, n};
  }
  return {};
}

/// Status and lengths for the present descriptor; with its last buffer the frame leaves the FIFO.
ReceiveChannel::Transfer ReceiveChannel::give_back(std::uint32_t status, std::vector<std::uint8_t>& transfer) {
  return_status_ = status | Map::RX_PROCESSED;
  transfer.resize(status_bytes);
  put32(transfer, 0, return_status_);
  put32(transfer, 4, buffer_);
  put32(transfer, 8, (status & Map::RX_LAST ? incoming_.front().moved << 16 : 0) | stored_);
  if (status & Map::RX_LAST) {
    if (!(status & Map::rx_errors)) owner_.frame_stored();
    drop_head();
  }
  return {Step::status, descriptor_ + 4, status_bytes};
}

bool ReceiveChannel::returned() {
  have_ = false;
  if (descriptor_ == last_) ended_ = true;
  return return_status_ & Map::RX_LAST;
}

void ReceiveChannel::stop() {
  incoming_.clear();
  listening_ = have_ = false;
  ended_ = true;
  stored_ = room_ = 0;
  more_.cancel();
}

bool ReceiveChannel::may_store(std::size_t bytes) const {
  return !incoming_.empty() && bytes <= incoming_.front().data.size() - incoming_.front().moved &&
         bytes <= room_ - stored_;
}

bool ReceiveChannel::sound() const {
  if (stored_ > room_ || (listening_ && (incoming_.empty() || incoming_.back().complete)) ||
      (more_.pending() && !listening_))
    return false;
  return std::all_of(incoming_.begin(), incoming_.end(), [](const Frame& f) { return f.moved <= f.data.size(); });
}

void ReceiveChannel::describe(Description& d) const {
  d.reg("RXLBDA", last(), 32).reg("RXBDA", first(), 32).level("frames in the FIFO", incoming_.size());
  d.number("buffer bytes left", room_).level("buffer bytes stored", stored_).flag("out of buffers", ended_);
}

void ReceiveChannel::archive(Archive& a) {
  a(incoming_, listening_, have_, ended_, last_, descriptor_, forward_, buffer_, room_, stored_, return_status_);
}

}  // namespace planar::streamer
