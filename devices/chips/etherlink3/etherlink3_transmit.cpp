// SPDX-License-Identifier: GPL-2.0-or-later
// EtherLink III: TX FIFO and transmitter.
#include <algorithm>

#include "devices/chips/etherlink3/etherlink3.hpp"

namespace planar::ethernet {

// ---- the FIFO ----

// Writing into a full FIFO is an adapter failure: it disables the transmitter until TX Reset.
void EtherLink3::tx_write(std::uint8_t byte, Time now) {
  if (tx_overrun_) return;
  if (tx_free() == 0) {
    tx_overrun_ = tx_reset_required_ = true;
    tx_enabled_ = false;
    return;
  }
  if (tx_fifo_.empty() || tx_fifo_.back().complete()) tx_fifo_.emplace_back();
  TxPacket& p = tx_fifo_.back();
  ++tx_used_;
  if (p.header_bytes < 4) {
    p.header |= std::uint32_t{byte} << (8 * p.header_bytes++);
  } else {
    p.data.push_back(byte);
    if (sending_ && &p == &tx_fifo_.front()) {  // it was sent before it was complete
      const std::size_t at = p.data.size() - 1;
      if (at < p.length()) port_.patch(at, byte, p.data.size() == p.length() && !(p.header & NoCrc), now);
      loop_.patch(at, byte);
      watch_fifo(now);
    }
    if (p.over && p.complete()) release_head();
  }
  if (!sending_) start_next(now);
}

void EtherLink3::release_head() {
  TxPacket& p = tx_fifo_.front();
  tx_used_ -= p.header_bytes + static_cast<std::uint32_t>(p.data.size());
  tx_fifo_.pop_front();
}

// TX Available is raised once per Set TX Available Threshold: at once if there is enough room, otherwise when there is.
// (Inferred: a level would interrupt Linux forever, which leaves the threshold at 1536 while the FIFO is empty.)
void EtherLink3::check_available() {
  if (!tx_available_armed_ || tx_free() < tx_available_threshold_) return;
  tx_available_armed_ = false;
  tx_available_ = true;
}

// A frame on the wire is cut off without a report.
void EtherLink3::tx_reset(Time now) {
  if ((sending_ || orphan_) && !loop_end_.pending() && port_.busy() && port_.cut(now)) orphan_ = true;
  transmit_start_.cancel();
  starved_.cancel();
  loop_end_.cancel();
  if (loop_.on()) stop_loop();
  tx_fifo_.clear();
  tx_used_ = 0;
  tx_status_.clear();
  sending_ = tx_enabled_ = tx_overrun_ = tx_reset_required_ = false;
  tx_available_ = tx_available_armed_ = false;
  tx_start_threshold_ = tx_available_threshold_ = threshold_off;
}

// ---- the transmitter ----

bool EtherLink3::may_start(const TxPacket& p) const {
  return p.complete() || (p.header_bytes == 4 && !p.over && goes_to_wire() && tx_start_threshold_ < threshold_off &&
                          p.data.size() >= tx_start_threshold_);
}

void EtherLink3::start_next(Time now) {
  if (!tx_enabled_ || sending_ || transmit_start_.pending() || tx_fifo_.empty() || !may_start(tx_fifo_.front())) return;
  transmit_start_.at(now + timing_.transmit_start);
}

// Data not written yet is sent as zeros unless it arrives in time (tx_write patches it in).
std::vector<std::uint8_t> EtherLink3::assemble(const TxPacket& p) const {
  std::vector<std::uint8_t> frame(p.data.begin(),
                                  p.data.begin() + std::min<std::ptrdiff_t>(p.length(), std::ssize(p.data)));
  frame.resize(std::max<std::size_t>(p.length(), visible_bytes));  // the hardware pads to the Ethernet minimum
  if (!(p.header & NoCrc)) net::append_fcs(frame);
  return frame;
}

bool EtherLink3::transceiver_on() const {
  switch (address_config_ >> 14) {
    case TwistedPair: return media_ & HasTp;
    case Aui: return media_ & HasAui;
    case Coax: return media_ & HasCoax && coax_on_;
    default: return false;
  }
}

void EtherLink3::transmit_start(Time now) {
  if (port_.busy() || tx_fifo_.empty())
    return;  // a frame that was cut by a reset is still on the wire; its end starts this one
  sending_ = true;
  const auto frame = assemble(tx_fifo_.front());
  loop_.load(frame);
  if (goes_to_wire()) {
    port_.transmit(frame, now);
    return;
  }
  if (loopback() & InternalLoopback) {
    loop_.begin(now);
    hear(now);
  }
  loop_end_.at(now + loop_.length());
}

void EtherLink3::transmit_begins(Time now) {
  if (!sending_) return;
  if (loopback() & ExternalLoopback) {
    if (loop_.on()) stop_loop();  // the previous attempt collided
    loop_.begin(now);
    hear(now);
  }
  watch_fifo(now);
}

// Schedules the first byte that is due on the wire before the host has written it.
void EtherLink3::watch_fifo(Time now) {
  const TxPacket& p = tx_fifo_.front();
  if (p.data.size() >= p.length() || !port_.transmitting()) {
    starved_.cancel();
    return;
  }
  const Time wanted = port_.transmit_start() + port_.byte_time() * static_cast<std::int64_t>(8 + p.data.size());
  starved_.at(std::max(wanted, now));
}

void EtherLink3::starved(Time now) { port_.underrun(now); }

// End of a frame that never reached the wire: it looped internally, or no transceiver took it.
void EtherLink3::loop_ends(Time now) {
  net::TransmitOutcome outcome;
  if (loop_.on())
    receive_ends(loop_.end(true, false), now);
  else
    outcome.result = net::TransmitResult::carrier_lost;
  transmit_finished(outcome, now);
}

void EtherLink3::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  if (orphan_) {
    orphan_ = false;
    start_next(now);
    return;
  }
  if (loop_.on()) {
    const bool own_fcs = sending_ && !(tx_fifo_.front().header & NoCrc);
    receive_ends(loop_.end(outcome.result == net::TransmitResult::ok, own_fcs), now);
  }
  transmit_finished(outcome, now);
}

// Success creates no status unless the packet requested it; an error always does and disables the transmitter. The
// packet's room is released now, whatever the result; after an underrun only TX Reset releases it.
void EtherLink3::transmit_finished(const net::TransmitOutcome& outcome, Time now) {
  if (!sending_ || tx_fifo_.empty()) return;
  starved_.cancel();
  sending_ = false;
  TxPacket& p = tx_fifo_.front();
  const bool notify = p.header & Notify;
  counters_.collisions += outcome.collisions;
  std::uint8_t error = 0;
  if (outcome.deferred && outcome.collisions == 0) count(Deferrals);
  if (outcome.late_collision) count(LateCollisions);
  switch (outcome.result) {
    case net::TransmitResult::ok:
      ++counters_.sent;
      count(FramesSent);
      count(TxOctets, p.length());
      if (outcome.collisions) count(outcome.collisions == 1 ? SingleCollisions : MultipleCollisions);
      break;
    case net::TransmitResult::carrier_lost:  // counted; the frame is considered sent
      ++counters_.transmit_errors;
      count(CarrierLost);
      break;
    case net::TransmitResult::underrun:
      error = TsUnderrun;
      tx_reset_required_ = true;
      break;
    default: error = TsMaxCollisions; break;
  }
  if (error) {
    ++counters_.transmit_errors;
    tx_enabled_ = false;
  }
  p.over = true;
  if (error != TsUnderrun && p.complete()) release_head();
  if (error || notify) push_tx_status(static_cast<std::uint8_t>(TsComplete | (notify ? TsNotify : 0) | error));
  check_available();
  start_next(now);
  update(now);
}

// A full stack marks its last entry and stops the transmitter until it is reenabled.
void EtherLink3::push_tx_status(std::uint8_t status) {
  if (tx_status_.size() < tx_status_depth) {
    tx_status_.push_back(status);
  } else {
    tx_status_.back() |= TsOverflow;
    tx_enabled_ = false;
  }
}

}  // namespace planar::ethernet
