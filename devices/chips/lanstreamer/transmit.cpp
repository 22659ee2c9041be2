// SPDX-License-Identifier: GPL-2.0-or-later
// LANStreamer: two transmit channels and one FIFO. While a frame is on the ring the next one's descriptor and first
// bytes are fetched, so that it can use the very next token. Channel 1 has priority if both have frames (declared).
#include <algorithm>

#include "devices/chips/lanstreamer/lanstreamer.hpp"

namespace planar::tokenring {
namespace {

constexpr std::uint16_t disable_bit(unsigned channel) {
  return channel ? streamer::RegisterMap::TX2_DIS : streamer::RegisterMap::TX1_DIS;
}
constexpr unsigned misr_shift(unsigned channel) { return channel ? 0 : 4; }  // from channel 2's bits to channel 1's

}  // namespace

std::optional<unsigned> LanStreamer::waiting_channel() const {
  for (unsigned n = 0; n < channels_.size(); ++n)
    if (!(disabled_ & disable_bit(n)) && !channels_[n].caught_up) return n;
  return std::nullopt;
}

void LanStreamer::transmit_pump(Time now) {
  start_frame(now);
  if (!ended_.empty()) {
    transfer_.resize(4);
    streamer::put32(transfer_, 0, ended_.front().status);
    begin(tx_status, ended_.front().descriptor + 4, 4, Direction::write, now);
  } else if (wire_ && wire_->fetched < wire_->length) {
    if (const std::uint32_t n = fill_wanted(*wire_, now)) begin(tx_wire, wire_->source(), n, Direction::read, now);
  } else if (next_) {
    if (const std::uint32_t n = fill_wanted(*next_, now)) begin(tx_next, next_->source(), n, Direction::read, now);
  } else if (const auto channel = waiting_channel()) {
    begin(Job::tx_fetch, channels_[*channel].next, streamer::transmit_descriptor_bytes, Direction::read, now);
    fetching_ = static_cast<std::uint8_t>(*channel);
  }
}

void LanStreamer::transmit_transfer_done(Job job, Time now) {
  if (job == Job::tx_fetch)
    took_descriptor(now);
  else if (job == tx_status)
    status_written(now);
  else
    filled(job == tx_wire, now);
}

void LanStreamer::took_descriptor(Time now) {
  TransmitFrame f;
  f.channel = fetching_;
  f.descriptor = channels_[f.channel].next;
  f.last = channels_[f.channel].fetched(streamer::get32(transfer_, 0));
  if (f.parse(transfer_)) {
    next_ = std::move(f);
    start_frame(now);
    return;
  }
  finish(f, transmit_status::bad | transmit_status::malformed);
}

/// Bytes of the frame on the ring that have left the FIFO.
std::uint32_t LanStreamer::left(Time now) const {
  if (!wire_ || !sending_) return 0;
  const std::int64_t bytes =
      (now - port_.transmit_start()) / port_.byte_time() - static_cast<std::int64_t>(net::ring_start_bytes);
  return bytes <= 0 ? 0 : static_cast<std::uint32_t>(std::min<std::int64_t>(bytes, wire_->fetched));
}

/// Bytes of the next burst for `f`; 0: all are fetched, or the FIFO has no room for it yet.
std::uint32_t LanStreamer::fill_wanted(const TransmitFrame& f, Time now) {
  const std::uint32_t n = std::min(f.piece(config_.burst), f.length - f.fetched);
  if (n == 0) return 0;
  const std::uint32_t gone = left(now), taken = (wire_ ? wire_->fetched : 0) + (next_ ? next_->fetched : 0);
  if (taken - gone + n <= config_.transmit_fifo) return n;
  const std::uint32_t wanted = taken + n - config_.transmit_fifo;  // bytes of the frame on the ring that must have left
  if (sending_ && wire_ && wanted <= wire_->length)
    room_.at(
        std::max(now, port_.transmit_start() + port_.byte_time() * (net::ring_start_bytes + std::int64_t{wanted})));
  return 0;
}

void LanStreamer::filled(bool on_ring, Time now) {
  TransmitFrame& f = on_ring ? *wire_ : *next_;
  f.fetched += static_cast<std::uint32_t>(transfer_.size());
  if (on_ring) {
    port_.supply(transfer_, now);
    return;
  }
  f.held.insert(f.held.end(), transfer_.begin(), transfer_.end());
  start_frame(now);
}

/// Passes the prefetched frame to the port, where it waits for a token.
void LanStreamer::start_frame(Time now) {
  if (wire_ || !next_ || port_.busy() || !port_.inserted()) return;
  if (next_->fetched < std::min(config_.threshold, next_->length)) return;
  if (job_ == tx_next) job_ = tx_wire;
  wire_ = std::move(next_);
  next_.reset();
  const std::vector<std::uint8_t> first = std::move(wire_->held);
  wire_->held.clear();
  port_.transmit(first, wire_->length, now);
}

void LanStreamer::transmit_begins(Time now) {
  sending_ = wire_.has_value();
  pump(now);
}

void LanStreamer::transmit_ends(const net::RingTransmitOutcome& outcome, Time now) {
  sending_ = false;
  room_.cancel();
  if (wire_) {
    if (job_ == tx_wire) abort_job(now);
    using Result = net::RingTransmitOutcome::Result;
    std::uint32_t error = 0;
    switch (outcome.result) {
      case Result::stripped: ++counters_.sent; break;
      case Result::lost: error = transmit_status::lost; break;
      case Result::underrun: error = transmit_status::underrun; break;
      case Result::removed: error = transmit_status::removed; break;
    }
    if (error & transmit_status::lost) ++counters_.lost;
    if (error & transmit_status::underrun) ++counters_.underruns;
    TransmitFrame f = std::move(*wire_);
    wire_.reset();
    finish(f, (error ? transmit_status::bad | error : 0) | std::uint32_t{outcome.status} << 8);
  }
  start_frame(now);
  pump(now);
}

void LanStreamer::finish(TransmitFrame& f, std::uint32_t status) {
  f.status = transmit_status::done | status;
  f.held.clear();
  ended_.push_back(std::move(f));
}

void LanStreamer::status_written(Time now) {
  const TransmitFrame f = std::move(ended_.front());
  ended_.pop_front();
  tx_statuses_[f.channel] = f.status;
  std::uint16_t causes = TX2_EOF;
  if (f.status & transmit_status::malformed) {
    disabled_ |= disable_bit(f.channel);
    stop_transmit(f.channel, now);
    causes |= TX2_HALT;
  } else if (f.last && channels_[f.channel].caught_up) {
    causes |= TX2_IDLE;
  }
  raise(static_cast<std::uint16_t>(causes >> misr_shift(f.channel)), now);
}

void LanStreamer::stop_transmit_channels(std::uint16_t stopped, Time now) {
  for (unsigned n = 0; n < channels_.size(); ++n)
    if (stopped & disable_bit(n)) stop_transmit(n, now);
}

/// Discards what the channel has not finished. A frame that has been passed to the port completely is still sent; an
/// incomplete one ends with an abort sequence.
void LanStreamer::stop_transmit(unsigned channel, Time now) {
  const auto of_channel = [channel](const std::optional<TransmitFrame>& f) { return f && f->channel == channel; };
  const bool fetch = job_ == Job::tx_fetch && fetching_ == channel;
  const bool wire = job_ == tx_wire && of_channel(wire_), next = job_ == tx_next && of_channel(next_);
  const bool status = job_ == tx_status && ended_.front().channel == channel;
  if (fetch || wire || next || status) abort_job(now);
  if (of_channel(wire_)) wire_.reset();
  if (of_channel(next_)) next_.reset();
  std::erase_if(ended_, [channel](const TransmitFrame& f) { return f.channel == channel; });
  channels_[channel] = {};
}

}  // namespace planar::tokenring
