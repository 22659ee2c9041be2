// SPDX-License-Identifier: GPL-2.0-or-later
// Streamer: the transmit channel. The port is given the whole frame at its start; bytes that arrive from memory later
// are inserted before they leave.
#include <algorithm>

#include "devices/chips/etherstreamer/streamer.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t slot_time_bytes = 64, shortest = 14;

}  // namespace

void Streamer::doorbell(Time now) {
  if (!open_ || disabled_ & TX2_DIS || step_ != Step::idle) return;
  tx_descriptor_ = tx_fresh_ ? tx_last_ : tx_forward_;
  tx_fresh_ = false;
  step_ = Step::fetch;
  pump(now);
}

void Streamer::transmit_pump(Time now) {
  if (disabled_ & TX2_DIS) return;
  switch (step_) {
    case Step::idle: break;
    case Step::fetch:
      begin(Job::tx_fetch, tx_descriptor_, streamer::transmit_descriptor_bytes, Direction::read, now);
      break;
    case Step::fill:
    case Step::sending:
      if (const std::uint32_t n = fill_wanted(now)) begin(tx_data, tx_buffer_ + tx_fetched_, n, Direction::read, now);
      break;
    case Step::status:
      transfer_.resize(4);
      streamer::put32(transfer_, 0, tx_status_);
      begin(tx_status, tx_descriptor_ + 4, 4, Direction::write, now);
      break;
  }
}

void Streamer::transmit_transfer_done(Job job, Time now) {
  if (job == Job::tx_fetch)
    took_descriptor();
  else if (job == tx_data)
    filled(now);
  else
    status_written(now);
}

void Streamer::took_descriptor() {
  tx_forward_ = streamer::get32(transfer_, 0);
  tx_length_ = streamer::get32(transfer_, 8) & 0xFFFF;
  tx_buffer_ = streamer::get32(transfer_, 12);
  tx_fetched_ = tx_released_ = 0;
  const bool sound = streamer::get32(transfer_, 8) >> 16 == 1 && tx_length_ >= shortest && tx_length_ <= longest &&
                     streamer::get32(transfer_, 16) >= tx_length_;
  if (!sound) tx_length_ = 0;
  tx_data_.assign(tx_length_, 0);
  tx_status_ = TX_DONE | TX_BAD | TX_MALFORMED;
  step_ = sound ? Step::fill : Step::status;
}

/// When byte `byte` of the frame starts to leave.
Time Streamer::leaves(std::uint32_t byte) const {
  return port_.transmit_start() + port_.byte_time() * (8 + std::int64_t{byte});
}

/// Bytes of the next burst; 0: all are fetched, or the FIFO has no room for it yet.
std::uint32_t Streamer::fill_wanted(Time now) {
  const std::uint32_t n = std::min(config_.burst, tx_length_ - tx_fetched_);
  if (n == 0) return 0;
  if (tx_started_ && port_.transmitting()) {
    const std::int64_t left = (now - port_.transmit_start()) / port_.byte_time() - 8;
    if (left >= slot_time_bytes)
      tx_released_ = std::max(tx_released_, std::min(static_cast<std::uint32_t>(left), tx_fetched_));
  }
  if (tx_fetched_ - tx_released_ + n <= config_.transmit_fifo) return n;
  if (tx_started_ && port_.transmitting())
    room_.at(leaves(std::max(slot_time_bytes, tx_fetched_ + n - config_.transmit_fifo)));
  return 0;
}

void Streamer::filled(Time now) {
  if (step_ != Step::fill && step_ != Step::sending) return;  // the frame has ended meanwhile
  const std::uint32_t first = tx_fetched_;
  std::copy(transfer_.begin(), transfer_.end(), tx_data_.begin() + first);
  if (tx_started_ && port_.transmitting() && leaves(first) <= now) {
    starved(now);
    return;
  }
  tx_fetched_ += static_cast<std::uint32_t>(transfer_.size());
  if (tx_started_)
    for (std::uint32_t at = first; at < tx_fetched_; ++at) port_.patch(at, tx_data_[at], at + 1 == tx_length_, now);
  else
    start_frame(now);
  watch_wire(now);
}

void Streamer::start_frame(Time now) {
  if (port_.busy() || (tx_fetched_ < config_.threshold && tx_fetched_ < tx_length_)) return;
  std::vector<std::uint8_t> frame = tx_data_;
  if (frame.size() < net::min_frame_bytes - net::fcs_bytes) frame.resize(net::min_frame_bytes - net::fcs_bytes);
  net::append_fcs(frame);
  tx_started_ = true;
  step_ = Step::sending;
  port_.transmit(frame, now);
}

void Streamer::transmit_begins(Time now) {
  if (orphan_) return;
  watch_wire(now);
  pump(now);
}

void Streamer::watch_wire(Time now) {
  if (tx_started_ && port_.transmitting() && tx_fetched_ < tx_length_)
    starved_.at(std::max(now, leaves(tx_fetched_)));
  else
    starved_.cancel();
}

void Streamer::starved(Time now) {
  if (!tx_started_ || !port_.transmitting() || tx_fetched_ == tx_length_) return;
  port_.underrun(now);
}

void Streamer::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  if (orphan_) {
    orphan_ = false;
    if (step_ == Step::fill) start_frame(now);
    pump(now);
    return;
  }
  if (!tx_started_) return;
  tx_started_ = false;
  starved_.cancel();
  room_.cancel();
  counters_.collisions += outcome.collisions;
  std::uint32_t error = 0;
  switch (outcome.result) {
    case net::TransmitResult::ok: break;
    case net::TransmitResult::late_collision: error = TX_LATE; break;
    case net::TransmitResult::excessive_collisions: error = TX_EXCESSIVE; break;
    case net::TransmitResult::carrier_lost: error = TX_CARRIER; break;
    case net::TransmitResult::underrun:
    case net::TransmitResult::abandoned: error = TX_UNDERRUN; break;
  }
  if (!error) ++counters_.sent;
  if (error & TX_UNDERRUN) ++counters_.underruns;
  if (error & (TX_LATE | TX_EXCESSIVE)) count(log_collisions);
  if (error & TX_CARRIER) count(log_carrier);
  tx_status_ = TX_DONE | (error ? std::uint32_t{TX_BAD} : 0) | error | (outcome.collisions & 0x1F) << 8;
  step_ = Step::status;
  pump(now);
}

void Streamer::status_written(Time now) {
  if (tx_status_ & TX_MALFORMED) {
    disabled_ |= TX2_DIS;
    stop_transmit(now);
    raise(TX2_EOF | TX2_HALT, now);
    return;
  }
  const bool last = tx_descriptor_ == tx_last_;
  step_ = last ? Step::idle : Step::fetch;
  if (!last) tx_descriptor_ = tx_forward_;
  raise(static_cast<std::uint16_t>(TX2_EOF | (last ? TX2_IDLE : 0)), now);
}

// A frame on the wire is cut off without a report.
void Streamer::stop_transmit(Time now) {
  if (job_ >= Job::tx_fetch) abort_job(now);
  if (tx_started_ && port_.cut(now)) orphan_ = true;
  tx_started_ = false;
  tx_fresh_ = true;
  step_ = Step::idle;
  starved_.cancel();
  room_.cancel();
}

}  // namespace planar::ethernet
