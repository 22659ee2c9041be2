// SPDX-License-Identifier: GPL-2.0-or-later
// Cyclone: transmit FIFO and transmitter.
#include <algorithm>

#include "devices/chips/cyclone/cyclone.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t reclaim_unit = 16;  // bytes, of TxReclaimThresh [driver: if_xl.c]
constexpr std::int64_t preamble_bytes = 8;
constexpr std::uint32_t checksums = Cyclone::AddIpChecksum | Cyclone::AddTcpChecksum | Cyclone::AddUdpChecksum;

}  // namespace

// ---- the FIFO ----

/// Bytes of the frame on the wire whose FIFO space has been released: all bytes sent, once they reach TxReclaimThresh.
std::uint32_t Cyclone::tx_left(Time now) const {
  if (!sending_ || !port_.transmitting()) return 0;
  const std::int64_t left = (now - port_.transmit_start()) / port_.byte_time() - preamble_bytes;
  if (left < std::int64_t{reclaim_unit} * tx_reclaim_thresh_) return 0;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(left, 0, std::ssize(tx_fifo_.front().data)));
}

std::uint32_t Cyclone::tx_free(Time now) const {
  std::size_t used = 0;
  for (const TxPacket& p : tx_fifo_) used += p.data.size();
  used -= std::min<std::size_t>(used, tx_left(now));
  return used < timing_.transmit_fifo ? static_cast<std::uint32_t>(timing_.transmit_fifo - used) : 0;
}

// Appends to the packet at the end of the FIFO; the wire may already need some of the bytes.
void Cyclone::tx_append(std::span<const std::uint8_t> bytes, Time now) {
  if (tx_fifo_.empty()) return;
  TxPacket& p = tx_fifo_.back();
  if (p.over) return;
  const std::size_t from = p.data.size();
  p.data.insert(p.data.end(), bytes.begin(), bytes.end());
  if (sending_ && tx_fifo_.size() == 1) {
    const bool crc = !(p.header & CrcAppendDisable);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      const bool last = from + n + 1 == p.length;
      port_.patch(from + n, bytes[n], last && crc, now);
      loop_.patch(from + n, bytes[n]);
    }
    watch_fifo(now);
  } else {
    start_next(now);
  }
}

// ---- the transmitter ----

// To start early, a frame must have enough bytes and a known length; one that does not fit in the FIFO starts when
// there is no room for another burst (inferred: otherwise it would never start).
bool Cyclone::may_start(const TxPacket& p) const {
  if (p.complete) return true;
  if (p.over || p.length == 0 || p.header & checksums || !goes_to_wire()) return false;
  return p.data.size() >= tx_start_thresh_ || p.data.size() + dn_burst() > timing_.transmit_fifo;
}

void Cyclone::start_next(Time now) {
  if (!tx_enabled_ || sending_ || transmit_start_.pending() || tx_fifo_.empty() || !may_start(tx_fifo_.front())) return;
  transmit_start_.at(now + timing_.transmit_start);
}

// Data not downloaded yet is sent as zeros unless it arrives in time (tx_append patches it in).
std::vector<std::uint8_t> Cyclone::assemble(const TxPacket& p) const {
  std::vector<std::uint8_t> frame = p.data;
  frame.resize(std::max<std::size_t>(std::max<std::size_t>(p.length, frame.size()), visible_bytes));
  if (!(p.header & CrcAppendDisable)) net::append_fcs(frame);
  return frame;
}

void Cyclone::transmit_start(Time now) {
  if (port_.busy() || tx_fifo_.empty())
    return;  // a frame that was cut by a reset is still on the wire; its end starts this one
  sending_ = true;
  const auto frame = assemble(tx_fifo_.front());
  loop_.load(frame);
  if (goes_to_wire()) {
    port_.transmit(frame, now);
    return;
  }
  if (loops_inside()) {
    loop_.begin(now);
    hear(now);
  }
  loop_end_.at(now + loop_.length());
}

void Cyclone::transmit_begins(Time now) {
  if (!sending_) return;
  if (network_diagnostic_ & ExternalLoopback) {
    if (loop_.on()) stop_loop();  // the previous attempt collided
    loop_.begin(now);
    hear(now);
  }
  watch_fifo(now);
  dn_run(now);
}

// Events for the frame on the wire: the first byte due before it was downloaded, and room for the next burst.
void Cyclone::watch_fifo(Time now) {
  starved_.cancel();
  room_.cancel();
  if (!sending_ || !port_.transmitting()) return;
  const TxPacket& p = tx_fifo_.front();
  const auto leaves = [&](std::size_t byte) {
    return std::max(now,
                    port_.transmit_start() + port_.byte_time() * (preamble_bytes + static_cast<std::int64_t>(byte)));
  };
  if (!p.complete && p.data.size() < p.length) starved_.at(leaves(p.data.size()));
  if (dn_.step != Step::data || dn_dma_.busy() || dn_stall_) return;
  const std::uint32_t wanted = std::min(dn_.left, dn_burst());
  std::size_t used = 0;
  for (const TxPacket& each : tx_fifo_) used += each.data.size();
  if (used + wanted <= timing_.transmit_fifo || used + wanted - timing_.transmit_fifo > p.data.size()) return;
  const Time when =
      leaves(std::max<std::size_t>(used + wanted - timing_.transmit_fifo, reclaim_unit * tx_reclaim_thresh_));
  if (when > now) room_.at(when);
}

void Cyclone::starved(Time now) { port_.underrun(now); }

// End of a frame that never reached the wire: it looped internally, or there is no link.
void Cyclone::loop_ends(Time now) {
  net::TransmitOutcome outcome;
  if (loop_.on())
    receive_ends(loop_.end(true, false), now);
  else
    outcome.result = net::TransmitResult::carrier_lost;
  transmit_finished(outcome, now);
}

void Cyclone::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  if (orphan_) {
    orphan_ = false;
    start_next(now);
    return;
  }
  if (loop_.on()) {
    const bool own_fcs = sending_ && !(tx_fifo_.front().header & CrcAppendDisable);
    receive_ends(loop_.end(outcome.result == net::TransmitResult::ok, own_fcs), now);
  }
  transmit_finished(outcome, now);
}

// Success creates no status unless the frame requested it; an error always does and disables the transmitter. After an
// underrun only TxReset helps, and the frame stays until then.
void Cyclone::transmit_finished(const net::TransmitOutcome& outcome, Time now) {
  if (!sending_ || tx_fifo_.empty()) return;
  starved_.cancel();
  room_.cancel();
  sending_ = false;
  TxPacket& p = tx_fifo_.front();
  const std::uint32_t header = p.header;
  counters_.collisions += outcome.collisions;
  std::uint8_t error = 0;
  if (outcome.deferred && outcome.collisions == 0) count(FramesDeferred);
  if (outcome.late_collision) count(LateCollisions);
  switch (outcome.result) {
    case net::TransmitResult::ok:
      ++counters_.sent;
      count(FramesXmittedOk);
      count(BytesXmittedOk, static_cast<unsigned>(p.data.size()));
      if (outcome.collisions) count(outcome.collisions == 1 ? SingleCollisions : MultipleCollisions);
      break;
    case net::TransmitResult::carrier_lost:  // counted; the frame is considered sent
      ++counters_.transmit_errors;
      count(CarrierLost);
      break;
    case net::TransmitResult::underrun:
      error = TsUnderrun;
      tx_fatal_ = true;
      break;
    case net::TransmitResult::late_collision: error = TsReclaimError; break;
    default: error = TsMaxCollisions; break;
  }
  if (error) {
    ++counters_.transmit_errors;
    tx_enabled_ = false;
  }
  if (p.complete) {
    if (error != TsUnderrun) tx_fifo_.pop_front();
  } else {
    p.over = true;
    p.data.clear();
  }
  const bool indicate = header & TxIndicate;
  if (error || indicate)
    push_tx_status(static_cast<std::uint8_t>(TsComplete | (indicate ? TsInterruptRequested : 0) | error), header);
  start_next(now);
  dn_run(now);
  update(now);
}

// A full stack marks its last entry and stops the transmitter until it is reenabled.
void Cyclone::push_tx_status(std::uint8_t status, std::uint32_t header) {
  if (tx_status_.size() < tx_status_depth) {
    tx_status_.push_back({status, static_cast<std::uint8_t>((header & PktId) >> 2)});
  } else {
    tx_status_.back().status |= TsOverflow;
    tx_enabled_ = false;
  }
}

}  // namespace planar::ethernet
