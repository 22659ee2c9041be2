// SPDX-License-Identifier: GPL-2.0-or-later
// 8255x: transmit buffers, the transmit FIFO and the transmitter.
//
// frames_ is the FIFO: the DMA unit fills the last frame from buffers_; the first is with the port. A frame keeps its
// bytes until it has left; only one longer than the FIFO gives up bytes that have left beyond a slot time, and can then
// not be repeated.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "devices/chips/i8255x/i8255x.hpp"

#include "core/common/little_endian.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t tcb_bytes = 16, tbd_bytes = 8;
constexpr std::uint32_t tbd_last = 1u << 16, size_mask = 0x3FFF;
constexpr std::uint32_t slot_bytes = net::slot_bits / 8;
// How much of a frame must be in the FIFO before it is retried after the first, second and third underrun. [recalled]
constexpr std::array<std::uint32_t, 3> retry_threshold{512, 1024, 1280};

std::uint32_t word_at(std::span<const std::uint8_t> data, std::size_t offset) {
  return load_little<std::uint32_t>(&data[offset]);
}

}  // namespace

// ---- the command ----

// Simplified mode: the data follows the block. Flexible mode: first the bytes given by the block's count follow it,
// then the buffers of the TBDs; an extended block has the first two TBDs in place of data.
void I8255x::begin_frame(Time now) {
  const std::uint32_t array = word_at(block_, 8), parameters = word_at(block_, 12);
  const std::uint32_t immediate = parameters & size_mask;
  Sending s;
  s.threshold = std::max((parameters >> 16 & 0xFF) * 8, 1u);
  s.no_crc = cb_command_ & NC;
  frames_.push_back(std::move(s));
  tbds_left_ = 0;
  if (!(cb_command_ & SF) || !config_.extended_tcb()) add_buffer(cb_ + tcb_bytes, immediate, false);
  if (cb_command_ & SF) {
    tbd_ = array;
    tbds_left_ = config_.dynamic_tbd() ? 255 : parameters >> 24;
    for (std::size_t at = tcb_bytes; at < block_.size() && config_.extended_tcb() && tbds_left_; at += tbd_bytes) {
      --tbds_left_;
      add_buffer(word_at(block_, at), word_at(block_, at + 4) & size_mask, word_at(block_, at + 4) & tbd_last);
    }
  }
  next_tbd(now);
}

void I8255x::add_buffer(std::uint32_t address, std::uint32_t size, bool last) {
  Sending& s = frames_.back();
  size = std::min(size, frame_limit - s.length);
  if (size) buffers_.push_back({address, size});
  s.length += size;
  if (last) tbds_left_ = 0;
}

void I8255x::next_tbd(Time now) {
  if (tbds_left_) {
    cu_job_ = CuJob::tbd;
    cu_dma_.read(BurstCommand::read, tbd_, tbd_bytes, now);
  } else {
    frames_.back().measured = true;
    try_send(now);
  }
  fill(now);
}

void I8255x::take_tbd(Time now) {
  --tbds_left_;
  tbd_ += tbd_bytes;
  add_buffer(cu_dma_.word(0), cu_dma_.word(4) & size_mask, cu_dma_.word(4) & tbd_last);
  next_tbd(now);
}

// ---- the FIFO ----

// Bytes of the first frame that have left.
std::uint32_t I8255x::bytes_left(Time now) const {
  if (!port_.transmitting()) return 0;
  return static_cast<std::uint32_t>(std::max<std::int64_t>((now - port_.transmit_start()) / port_.byte_time() - 8, 0));
}

std::uint32_t I8255x::transmit_room(Time now) const {
  std::uint32_t held = 0;
  for (const Sending& s : frames_)
    if (!s.failed) held += static_cast<std::uint32_t>(s.data.size());
  if (held < timing_.transmit_fifo || frames_.front().length <= timing_.transmit_fifo || !port_.transmitting())
    return held < timing_.transmit_fifo ? timing_.transmit_fifo - held : 0;
  const std::uint32_t released = std::min(bytes_left(now), held);
  return released > slot_bytes ? timing_.transmit_fifo + released - std::min(held, timing_.transmit_fifo + released)
                               : 0;
}

// The next burst: the rest of the buffer, if that much or transmit_room bytes are free. Its bytes count as present only
// when it ends; therefore, while the transmitter waits for this frame, the burst ends at the threshold, and while the
// frame leaves, it is no longer than the data in the FIFO ahead of the wire.
void I8255x::fill(Time now) {
  if (transmit_dma_.busy() || frames_.empty() || frames_.back().complete) return;
  Sending& s = frames_.back();
  if (buffers_.empty()) {
    if (s.measured) buffer_over(now);
    return;
  }
  if (config_.two_frames_only() && frames_.size() > 2) return;
  std::uint32_t bytes = buffers_.front().bytes;
  const std::uint32_t room = s.failed ? bytes : transmit_room(now);
  if (room < std::min(bytes, timing_.transmit_room)) {
    // Room becomes free when a frame has left, or while a frame longer than the FIFO is leaving.
    if (frames_.size() == 1) drained_.at(now + port_.byte_time() * std::int64_t{timing_.transmit_room});
    return;
  }
  bytes = std::min({bytes, room, config_.transmit_dma_limit()});
  const auto have = static_cast<std::uint32_t>(s.data.size());
  if (frames_.size() == 1 && !s.failed) {
    if (!sending_)
      bytes = std::min(bytes, have < s.threshold ? s.threshold - have : bytes);
    else
      bytes = std::min(bytes, std::max(have - std::min(have, bytes_left(now)), timing_.transmit_room));
  }
  transmit_dma_.read(BurstCommand::read_multiple, buffers_.front().address, bytes, now);
}

void I8255x::filled(Time now) {
  if (!transmit_dma_.moved()) return cu_bus_error(now);
  Sending& s = frames_.back();
  const auto data = transmit_dma_.data();
  const auto before = s.data.size();
  s.data.insert(s.data.end(), data.begin(), data.end());
  Buffer& b = buffers_.front();
  b.address += static_cast<std::uint32_t>(data.size());
  b.bytes -= static_cast<std::uint32_t>(data.size());
  if (b.bytes == 0) buffers_.pop_front();
  const bool all = s.measured && buffers_.empty();
  if (frames_.size() == 1 && sending_ && !s.failed) {
    // It is leaving: the new data replaces its place in the port's copy, at the end with the FCS.
    const auto whole = wire_frame(s);
    const std::size_t end = all ? whole.size() : s.data.size();
    for (std::size_t n = before; n < end; ++n) port_.patch(n, whole[n], false, now);
    if (port_.transmitting()) run_dry(now);
  }
  if (all) return buffer_over(now);
  try_send(now);
  fill(now);
}

// The last buffer of a frame is in the FIFO: the block is finished, and another one may follow.
void I8255x::buffer_over(Time now) {
  Sending& s = frames_.back();
  s.complete = true;
  if (s.data.empty() || s.failed) frames_.pop_back();
  try_send(now);
  complete(now);
}

// ---- the transmitter ----

// The frame with the chip's additions: its own address, padding, FCS. Bytes not present yet are zero.
std::vector<std::uint8_t> I8255x::wire_frame(const Sending& s) const {
  std::vector<std::uint8_t> frame = s.data;
  frame.resize(s.length);
  if (!s.no_crc && !config_.no_source_insertion() && frame.size() >= 12)
    std::copy(address_.begin(), address_.end(), frame.begin() + 6);
  if (s.no_crc) return frame;
  if (config_.padding() && frame.size() < net::min_frame_bytes - net::fcs_bytes)
    frame.resize(net::min_frame_bytes - net::fcs_bytes);
  net::append_fcs(frame);
  return frame;
}

void I8255x::try_send(Time now) {
  if (sending_ || orphan_ || frames_.empty()) return;
  const Sending& s = frames_.front();
  if (!s.measured || s.failed || (!s.complete && s.data.size() < s.threshold)) return;
  sending_ = true;
  inside_ = own_loop() || !phy_.connected();
  const auto frame = wire_frame(s);
  if (inside_)
    looped_.at(now + port_.byte_time() * static_cast<std::int64_t>(8 + frame.size()));
  else
    port_.transmit(frame, now);
}

void I8255x::transmit_begins(Time now) { run_dry(now); }

// A byte due on the wire is not in the FIFO, unless it has arrived meanwhile.
void I8255x::run_dry(Time now) {
  if (!sending_ || inside_ || !port_.transmitting()) return;
  const Sending& s = frames_.front();
  if (s.complete || (s.data.size() == s.length && s.measured)) return run_dry_.cancel();
  const Time wanted = port_.transmit_start() + port_.byte_time() * static_cast<std::int64_t>(8 + s.data.size());
  if (wanted > now) return run_dry_.at(wanted);
  run_dry_.cancel();
  port_.underrun(now);
}

// A frame has passed through the chip in loopback, or has gone to a PHY that does not transmit it.
void I8255x::looped(Time now) {
  Sending& s = frames_.front();
  if (!s.complete) return looped_.at(now + port_.byte_time() * std::int64_t{slot_bytes});
  inside_ = false;
  if (own_loop()) {
    const auto frame = wire_frame(s);
    const net::Reception r = port_.looped(frame, now);
    if (!listening_) take_frame(r, now);
    ++counters_.sent;
    tally(tx_good);
  } else {
    tally(tx_lost_carrier);
  }
  frame_over(now);
}

void I8255x::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  run_dry_.cancel();
  if (orphan_) {
    orphan_ = false;
    return try_send(now);
  }
  if (!sending_) return;
  counters_.collisions += outcome.collisions;
  statistics_[tx_total_collisions] += outcome.collisions;
  if (outcome.deferred) tally(tx_deferred);
  Sending& s = frames_.front();
  switch (outcome.result) {
    case net::TransmitResult::underrun:
      tally(tx_underruns);
      if (frames_.size() == 1) cb_status_ |= U;
      if (s.retries < config_.underrun_retries() && s.length <= timing_.transmit_fifo) {
        s.threshold = retry_threshold[s.retries++];
        sending_ = false;
        try_send(now);
        return fill(now);
      }
      break;
    case net::TransmitResult::excessive_collisions: tally(tx_max_collisions); break;
    case net::TransmitResult::late_collision: tally(tx_late_collisions); break;
    case net::TransmitResult::carrier_lost: tally(tx_lost_carrier); break;
    default:
      ++counters_.sent;
      tally(tx_good);
      if (outcome.collisions) tally(outcome.collisions == 1 ? tx_single_collision : tx_multiple_collisions);
      break;
  }
  frame_over(now);
}

void I8255x::frame_over(Time now) {
  sending_ = false;
  if (frames_.front().complete)
    frames_.pop_front();
  else
    frames_.front().failed = true;  // its rest is read and dropped
  try_send(now);
  fill(now);
}

// Other stations see a frame on the wire end here.
void I8255x::cut_frame(Time now) {
  if (sending_ && !inside_ && port_.cut(now)) orphan_ = true;
  sending_ = inside_ = false;
  for (Event* e : {&run_dry_, &drained_, &looped_}) e->cancel();
}

// The frame of the present block will never be complete.
void I8255x::drop_last_frame(Time now) {
  transmit_dma_.cancel(now);
  buffers_.clear();
  tbds_left_ = 0;
  if (frames_.empty() || frames_.back().complete) return;
  if (frames_.size() == 1) cut_frame(now);
  frames_.pop_back();
}

// A reset.
void I8255x::cut_transmitter(Time now) {
  cut_frame(now);
  frames_.clear();
  buffers_.clear();
  tbds_left_ = 0;
}

}  // namespace planar::ethernet
