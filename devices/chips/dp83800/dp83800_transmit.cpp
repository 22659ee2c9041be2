// SPDX-License-Identifier: GPL-2.0-or-later
// DP83800: the transmit FIFO and the transmitter.
#include "devices/chips/dp83800/dp83800.hpp"

namespace planar::ethernet {

std::uint32_t Dp83800::transmit_room() const {
  std::uint32_t used = 0;
  for (const Sending& s : transmit_) used += s.room();
  return config_.transmit_fifo - used;
}

void Dp83800::open_frame(std::uint16_t value, Time now) {
  if (!transmit_.empty() && transmit_.back().data.size() < transmit_.back().length) {
    transmit_.pop_back();
    raise(TFE, now);
  }
  Sending s;
  s.length = value & TLEN;
  s.no_fcs = value & CRCI;
  if (s.length == 0 || value & ~(TLEN | CRCI) || s.room() > transmit_room()) {
    raise(TFE, now);
    return;
  }
  s.data.reserve(s.length);
  transmit_.push_back(std::move(s));
}

void Dp83800::write_data(std::uint16_t value, Time now) {
  if (transmit_.empty() || transmit_.back().data.size() == transmit_.back().length) {
    raise(TFE, now);
    return;
  }
  Sending& s = transmit_.back();
  s.data.push_back(static_cast<std::uint8_t>(value));
  if (s.data.size() < s.length) s.data.push_back(static_cast<std::uint8_t>(value >> 8));
  start_next(now);
}

// Discards everything, including the frame on the wire: other stations see it end there.
void Dp83800::flush_transmit(Time now) {
  if (sending_ && !looped_.pending() && port_.cut(now)) orphan_ = true;
  sending_ = false;
  transmit_.clear();
  statuses_.clear();
  transmit_start_.cancel();
  looped_.cancel();
}

void Dp83800::start_next(Time now) {
  if (!tx_enabled_ || sending_ || transmit_start_.pending() || transmit_.empty()) return;
  const Sending& s = transmit_.front();
  if (s.data.size() == s.length && statuses_.size() < status_depth) transmit_start_.at(now + config_.transmit_start);
}

void Dp83800::transmit_start(Time now) {
  // A frame cut by a flush is still on the wire: its end starts this one. TLR may meanwhile have dropped an open head.
  if (port_.busy() || !tx_enabled_ || transmit_.empty()) return;
  const Sending& s = transmit_.front();
  if (s.data.size() < s.length) return;
  sending_ = true;
  std::vector<std::uint8_t> frame = s.data;
  if (!s.no_fcs) {
    if (frame.size() < net::min_frame_bytes - net::fcs_bytes) frame.resize(net::min_frame_bytes - net::fcs_bytes);
    net::append_fcs(frame);
  }
  if (looping()) {
    loop_frame_ = std::move(frame);
    looped_.at(now + port_.byte_time() * static_cast<std::int64_t>(8 + loop_frame_.size()));
    return;
  }
  port_.transmit(frame, now);
}

// Internal loopback: the frame has passed through the chip without reaching the wire.
void Dp83800::looped(Time now) {
  const std::vector<std::uint8_t> frame = std::move(loop_frame_);
  loop_frame_.clear();
  const net::Reception r = port_.looped(frame, now);
  if (rx_enabled_ && !listening_) {
    overrun_ = false;
    take_frame(r, now);
  }
  finish_frame(0, now);
}

void Dp83800::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  if (orphan_) {
    orphan_ = false;
    start_next(now);
    return;
  }
  if (!sending_) return;
  counters_.collisions += outcome.collisions;
  auto status = static_cast<std::uint16_t>(outcome.collisions & NC);
  if (outcome.deferred) status |= DEF;
  if (outcome.late_collision) status |= OWC;
  if (outcome.result == net::TransmitResult::excessive_collisions) status |= EXC;
  if (outcome.result == net::TransmitResult::carrier_lost) status |= CRS;
  finish_frame(status, now);
}

// A failed frame is removed as well: a retry is up to the driver.
void Dp83800::finish_frame(std::uint16_t status, Time now) {
  const bool failed = status & (EXC | OWC | CRS);
  ++(failed ? counters_.transmit_errors : counters_.sent);
  sending_ = false;
  transmit_.pop_front();
  statuses_.push_back(status | TDONE);
  raise(failed ? TXER : PTX, now);
  start_next(now);
}

}  // namespace planar::ethernet
