// SPDX-License-Identifier: GPL-2.0-or-later
// 21140 family: the transmit process, its FIFO, and the frame being sent.
#include <algorithm>
#include <utility>

#include "devices/chips/tulip/tulip.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t collision_window = net::slot_bits / 8;  // bytes kept in the FIFO for a retry
constexpr std::size_t shortest = net::min_frame_bytes - net::fcs_bytes;

// CSR0<19:17>, at 10 Mbit/s; two fifths of it at 100. [recalled] 21143 hardware reference
constexpr Time poll_intervals[] = {{}, 200_us, 800_us, 1600_us, 12'800_ns, 25'600_ns, 51'200_ns, 102'400_ns};

}  // namespace

// ---- the process: one burst at a time ----

void Tulip::transmit_run(Time now) {
  if (!transmit_running_ || bus_failed_ || transmit_dma_.busy()) return;
  if (!closing_.empty()) {
    transmit_work_ = TransmitWork::close;
    transmit_dma_.write_word(closing_.front().address, closing_.front().status, now);
    return;
  }
  if (transmit_descriptor_.valid) {
    fill(now);
    return;
  }
  if (!(csr6_ & ST) && (!frame_open_ || transmit_suspended_)) {
    if (sending_.size() > (frame_open_ ? 1u : 0u)) return;  // the frames in the FIFO come first
    if (frame_open_) sending_.pop_back();
    frame_open_ = transmit_running_ = false;
    poll_.cancel();
    raise(TPS, now);
    return;
  }
  if (transmit_suspended_ || (sending_.size() >= 2 && !frame_open_)) return;
  transmit_demand_ = false;
  transmit_work_ = TransmitWork::fetch;
  transmit_dma_.read(read_command(16), transmit_next_, 16, now);
}

void Tulip::transmit_moved(Time now) {
  const TransmitWork work = std::exchange(transmit_work_, TransmitWork::none);
  if (!transmit_dma_.moved()) return bus_error(now);
  const auto data = transmit_dma_.data();
  switch (work) {
    case TransmitWork::none: break;
    case TransmitWork::fetch: transmit_fetched(now); break;
    case TransmitWork::data: {
      std::vector<std::uint8_t>& frame = sending_.back().data;
      const std::size_t before = frame.size();
      frame.insert(frame.end(), data.begin(), data.end());
      transmit_offset_ += static_cast<std::uint32_t>(data.size());
      frame_grew(before, now);
      break;
    }
    case TransmitWork::setup: setup_.insert(setup_.end(), data.begin(), data.end()); break;
    case TransmitWork::close_middle: transmit_descriptor_.valid = false; break;
    case TransmitWork::close_setup:
      transmit_descriptor_.valid = false;
      if (transmit_descriptor_.control & T_IC) raise(TI, now);
      break;
    case TransmitWork::close:
      if (closing_.front().interrupts) raise(TI, now);
      closing_.pop_front();
      break;
  }
  transmit_run(now);
}

void Tulip::transmit_fetched(Time now) {
  const Descriptor d = fetched(transmit_dma_);
  if (!d.valid) {
    if (!transmit_demand_) suspend_transmit(TU, now);  // otherwise it may have been read before it was handed over
    return;
  }
  transmit_polled_ = false;
  transmit_descriptor_ = d;
  transmit_offset_ = 0;
  transmit_next_ = next_address(d, csr4_);
  setup_.clear();
  if (d.control & T_SET) return;
  if (d.control & T_FS) {
    if (frame_open_) sending_.pop_back();  // its last descriptor never came
    sending_.push_back({});
    sending_.back().control = d.control;
    frame_open_ = true;
  }
  if (frame_open_ && d.control & T_LS) {
    Sending& f = sending_.back();
    f.known = true;
    f.length = static_cast<std::uint32_t>(f.data.size()) + d.size1() + d.size2();
    f.last = d.address;
    f.interrupts = d.control & T_IC;
  }
}

void Tulip::suspend_transmit(std::uint32_t cause, Time now) {
  transmit_suspended_ = true;
  const Time interval = poll_intervals[(csr0_ & TAP) >> 17];
  if (cause == TU && interval != Time{}) poll_.at(now + (csr6_ & PS ? Time{interval.ps * 2 / 5} : interval));
  // An automatic poll that finds nothing asserts nothing (datasheet: SMSC LAN9420, which has these registers).
  if (cause != TU || !std::exchange(transmit_polled_, false)) raise(cause, now);
}

void Tulip::poll_due(Time now) {
  transmit_suspended_ = false;
  transmit_polled_ = true;
  transmit_run(now);
}

// ---- descriptors ----

/// What remains in the descriptor's buffers, one buffer at a time.
void Tulip::transmit_buffer(std::uint32_t& address, std::uint32_t& bytes) const {
  const Descriptor& d = transmit_descriptor_;
  const bool second = transmit_offset_ >= d.size1();
  const std::uint32_t from = second ? transmit_offset_ - d.size1() : transmit_offset_;
  const std::uint32_t size = second ? d.size2() : d.size1();
  address = (second ? d.buffer2 : d.buffer1) + from;
  bytes = size - std::min(size, from);
}

/// Continues with the fetched descriptor.
void Tulip::fill(Time now) {
  const Descriptor& d = transmit_descriptor_;
  if (d.control & T_SET) {
    if (sending_.empty()) load_setup(now);
    return;
  }
  std::uint32_t address = 0, bytes = 0;
  if (frame_open_) transmit_buffer(address, bytes);
  if (bytes == 0) return descriptor_read(now);
  const std::uint32_t level = transmit_level(now);
  const std::uint32_t room = config_.transmit_fifo - std::min(config_.transmit_fifo, level);
  const std::uint32_t need = std::min(bytes, config_.request);
  if (room < need) return await_room(need, now);
  // The bus reports a burst only when it has ended. The data that makes the frame start is therefore a burst of its
  // own, and a frame being sent gets at most as much at a time as it is ahead of the wire.
  const Sending& f = sending_.back();
  const auto loaded = static_cast<std::uint32_t>(f.data.size());
  const std::uint32_t align = alignment();
  std::uint32_t most = std::min(room, burst_limit());
  if (f.started)
    most = std::min(most, std::max(config_.request, loaded - bytes_left_chip(now)));
  else if (f.known && !(csr6_ & SF) && loaded < threshold())
    most = std::min(most, threshold() - loaded + (align ? align - 1 : 0));
  std::uint32_t burst = std::min(bytes, most);
  // An unaligned start runs only to the first boundary; later bursts begin on one, and end on one if more data follows.
  if (align && address % align)
    burst = std::min(burst, align - address % align);
  else if (align && burst < bytes && burst >= align)
    burst -= burst % align;
  transmit_work_ = TransmitWork::data;
  transmit_dma_.read(read_command(burst), address, burst, now);
}

// The FIFO is full. The frame on the wire makes room; without one the frame that fills it must be started, or is cut
// off.
void Tulip::await_room(std::uint32_t need, Time now) {
  const Sending& head = sending_.front();
  if (!head.started) {
    if (head.known) start_frame(true, now);
    if (!head.known) cut_open_frame(now);
    return;
  }
  if (head.internal || !port_.transmitting()) return;
  std::uint32_t held = 0;
  for (const Sending& s : sending_) held += static_cast<std::uint32_t>(s.data.size());
  std::uint32_t must_leave = held + need - std::min(held + need, config_.transmit_fifo);
  if (!(csr6_ & FD)) must_leave = std::max(must_leave, collision_window);
  if (must_leave > head.data.size()) return;
  room_.at(
      std::max(now + 1_ps, port_.transmit_start() + port_.byte_time() * (8 + static_cast<std::int64_t>(must_leave))));
}

/// Its buffers have been read: the last descriptor of a frame is closed when the frame has left.
void Tulip::descriptor_read(Time now) {
  Descriptor& d = transmit_descriptor_;
  if (frame_open_ && d.control & T_LS) {
    d.valid = frame_open_ = false;
    if (sending_.back().length == 0) {  // nothing to send
      closing_.push_back({d.address, 0, sending_.back().interrupts});
      sending_.pop_back();
    }
    transmit_run(now);
    return;
  }
  transmit_work_ = TransmitWork::close_middle;
  transmit_dma_.write_word(d.address, 0, now);
}

void Tulip::cut_open_frame(Time now) {
  Descriptor& d = transmit_descriptor_;
  closing_.push_back({d.address, T_TO | T_ES, (d.control & T_IC) != 0});
  sending_.pop_back();
  d.valid = frame_open_ = false;
  ++counters_.transmit_errors;
  raise(TJT, now);
  transmit_run(now);
}

void Tulip::load_setup(Time now) {
  const Descriptor& d = transmit_descriptor_;
  const std::uint32_t size = std::min(d.size1(), TulipFilter::setup_bytes);
  const auto got = static_cast<std::uint32_t>(setup_.size());
  if (got < size) {
    const std::uint32_t burst = std::min(size - got, burst_limit());
    transmit_work_ = TransmitWork::setup;
    transmit_dma_.read(read_command(burst), d.buffer1 + got, burst, now);
    return;
  }
  filter_.load(static_cast<TulipFilter::Kind>((d.control & T_FT0 ? 1 : 0u) | (d.control & T_FT1 ? 2 : 0u)), setup_);
  transmit_work_ = TransmitWork::close_setup;
  transmit_dma_.write_word(d.address, setup_done, now);
}

// ---- the FIFO ----

std::uint32_t Tulip::threshold() const {
  return (csr6_ & TTM ? config_.thresholds_10 : config_.thresholds_100)[(csr6_ & TR) >> 14];
}

/// Bytes of the frame on the wire that need not be kept.
std::uint32_t Tulip::bytes_left_chip(Time now) const {
  if (sending_.empty() || !sending_.front().started || sending_.front().internal || !port_.transmitting()) return 0;
  const std::int64_t left = (now - port_.transmit_start()) / port_.byte_time() - 8;
  if (left <= 0 || (!(csr6_ & FD) && left < collision_window)) return 0;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(left, sending_.front().data.size()));
}

std::uint32_t Tulip::transmit_level(Time now) const {
  std::uint32_t held = 0;
  for (const Sending& s : sending_) held += static_cast<std::uint32_t>(s.data.size());
  return held - bytes_left_chip(now);
}

void Tulip::frame_grew(std::size_t before, Time now) {
  Sending& f = sending_.back();
  if (!f.started) return start_frame(false, now);
  for (std::size_t k = before; k < f.data.size(); ++k) port_.patch(k, f.data[k], false, now);
  if (f.complete() && (!(f.control & T_AC) || f.length < shortest)) {
    std::vector<std::uint8_t> whole = f.data;
    if (!(f.control & T_DPD)) whole.resize(std::max(whole.size(), shortest));
    const std::size_t end = whole.size();
    net::append_fcs(whole);
    for (std::size_t k = end; k < whole.size(); ++k) port_.patch(k, whole[k], false, now);
  }
  watch_underflow();
}

// ---- the frame ----

/// Starts the head of the FIFO if allowed: `full` if the FIFO takes no more of it.
void Tulip::start_frame(bool full, Time now) {
  if (sending_.empty() || port_.busy()) return;
  Sending& f = sending_.front();
  if (f.started || !f.known) return;
  f.internal = (csr6_ & OM) == INTERNAL_LOOPBACK || !nway_.connected();
  if (!f.complete() && !full && (f.internal || csr6_ & SF || f.data.size() < threshold())) return;
  f.started = true;
  std::vector<std::uint8_t> frame = f.data;
  frame.resize(f.control & T_DPD ? f.length : std::max<std::size_t>(f.length, shortest));
  const bool padded = frame.size() > f.length;
  if (!(f.control & T_AC) || padded) {
    if (f.complete())
      net::append_fcs(frame);
    else
      frame.resize(frame.size() + net::fcs_bytes);  // frame_grew() fills it in
  }
  if (f.internal) {
    const Time byte_time = csr6_ & PS ? 80_ns : 800_ns;
    internal_.at(now + byte_time * static_cast<std::int64_t>(8 + frame.size()));
  } else {
    port_.transmit(frame, now);
  }
}

void Tulip::transmit_begins(Time now) {
  watch_underflow();
  transmit_run(now);
}

/// When a byte that is not present will be due on the wire.
void Tulip::watch_underflow() {
  underflow_.cancel();
  if (sending_.empty() || !port_.transmitting()) return;
  const Sending& f = sending_.front();
  if (f.started && !f.internal && !f.complete())
    underflow_.at(port_.transmit_start() + port_.byte_time() * static_cast<std::int64_t>(8 + f.data.size()));
}

// The rest of the frame is not read: its last descriptor has been fetched and gets the status.
void Tulip::underflow(Time now) {
  if (sending_.empty() || sending_.front().complete() || !port_.transmitting()) return;
  transmit_dma_.cancel(now);
  transmit_work_ = TransmitWork::none;
  transmit_descriptor_.valid = frame_open_ = false;
  port_.underrun(now);
}

void Tulip::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  if (orphan_) {
    orphan_ = false;
    start_frame(false, now);
    transmit_run(now);
    return;
  }
  if (sending_.empty() || !sending_.front().started || sending_.front().internal) return;
  counters_.collisions += outcome.collisions;
  std::uint32_t status = std::min(outcome.collisions, 15u) << 3 | (outcome.deferred ? T_DE : 0u);
  switch (outcome.result) {
    case net::TransmitResult::ok:
    case net::TransmitResult::abandoned: break;
    case net::TransmitResult::excessive_collisions: status |= T_EC | T_ES; break;
    case net::TransmitResult::late_collision: status |= T_LC | T_ES; break;
    case net::TransmitResult::carrier_lost: status |= T_LO | T_ES; break;
    case net::TransmitResult::underrun: status |= T_UF | T_ES; break;
  }
  if (csr6_ & OM && !(status & T_ES)) loop_back(now);
  frame_done(status, now);
}

// A frame that did not reach a wire: it loops, or went to a port without a link.
void Tulip::internal_end(Time now) {
  const bool looped = looping();
  if (looped) loop_back(now);
  frame_done(looped ? 0 : T_NC | T_LO | T_ES | (csr6_ & PS ? 0u : T_LF), now);
}

void Tulip::loop_back(Time now) {
  if (!receive_running_ || !(csr6_ & SR) || listening_) return;
  const Sending& f = sending_.front();
  std::vector<std::uint8_t> frame = f.data;
  if (!(f.control & T_DPD)) frame.resize(std::max(frame.size(), shortest));
  if (!(f.control & T_AC) || frame.size() > f.length) net::append_fcs(frame);
  const net::Reception r = port_.looped(frame, now);
  std::uint32_t status = (csr6_ & OM) == INTERNAL_LOOPBACK ? R_LOOP_INTERNAL : R_LOOP_EXTERNAL;
  if (r.length >= 6 && accepts(r, status)) take_frame(r, status, now);
}

void Tulip::frame_done(std::uint32_t status, Time now) {
  const Sending& f = sending_.front();
  ++(status & T_ES ? counters_.transmit_errors : counters_.sent);
  closing_.push_back({f.last, status, f.interrupts});
  sending_.pop_front();
  if (sending_.empty() && frame_open_) {  // the open frame was this one, and so is the burst
    transmit_descriptor_.valid = frame_open_ = false;
    if (transmit_work_ == TransmitWork::data) {
      transmit_dma_.cancel(now);
      transmit_work_ = TransmitWork::none;
    }
  }
  underflow_.cancel();
  room_.cancel();
  if (status & T_UF) {
    ++counters_.underflows;
    suspend_transmit(UNF, now);
  }
  start_frame(false, now);
  transmit_run(now);
}

// Cuts off the frame on the wire.
void Tulip::flush_transmit(Time now) {
  if (!sending_.empty() && sending_.front().started && !sending_.front().internal && port_.cut(now)) orphan_ = true;
  sending_.clear();
  closing_.clear();
  setup_.clear();
  transmit_running_ = transmit_suspended_ = transmit_polled_ = transmit_demand_ = frame_open_ = false;
  transmit_work_ = TransmitWork::none;
  transmit_descriptor_ = {};
  transmit_next_ = transmit_offset_ = 0;
  for (Event* e : {&room_, &underflow_, &internal_, &poll_}) e->cancel();
}

unsigned Tulip::transmit_state() const {
  if (!transmit_running_) return 0;
  switch (transmit_work_) {
    case TransmitWork::fetch: return 1;
    case TransmitWork::data: return 3;
    case TransmitWork::setup: return 5;
    case TransmitWork::close_middle:
    case TransmitWork::close:
    case TransmitWork::close_setup: return 7;
    case TransmitWork::none: break;
  }
  if (transmit_descriptor_.valid) return 3;
  return transmit_suspended_ ? 6 : 2;
}

}  // namespace planar::ethernet
