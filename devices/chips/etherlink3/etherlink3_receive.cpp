// SPDX-License-Identifier: GPL-2.0-or-later
// EtherLink III: address filter, receiver and RX FIFO.
//
// A frame's bytes enter the FIFO as they arrive, delayed by four bytes because the last four are the FCS. They are
// stored only when the difference could be observed (a register access, RX Early, the end); the result is the same as
// if every byte were an event.
#include <algorithm>

#include "devices/chips/etherlink3/etherlink3.hpp"

namespace planar::ethernet {

using net::Reception;

// ---- the wire ----

void EtherLink3::frame_begins(const Reception&, Time now) {
  if (loopback() & InternalLoopback || loop_.on() || !transceiver_on()) return;
  hear(now);
}

void EtherLink3::frame_ends(const Reception& r, Time now) {
  if (!loop_.on()) receive_ends(r, now);
}

void EtherLink3::hear(Time) {
  listening_ = false;
  if (!rx_enabled_ || rx_underrun_) return;
  listening_ = true;
  if (const auto r = loop_.heard()) receive_step_.at(r->arrival(5));
}

// "Group" includes broadcasts, "promiscuous" everything (3Com's manual).
bool EtherLink3::accepts(const Reception& r) const {
  if (rx_filter_ & Promiscuous) return true;
  const net::MacAddress to = r.destination();
  if (to == net::broadcast_mac && rx_filter_ & Broadcast) return true;
  if (to[0] & 1) return rx_filter_ & Group;
  return rx_filter_ & Individual && to == address_;
}

// The destination address is complete; or RX Early is due.
void EtherLink3::receive_step(Time now) {
  const auto r = loop_.heard();
  if (!r || !listening_) return;
  if (storing_) {
    sync_receive(now);
    if (rx_fifo_.back().unread() > rx_early_threshold_) {
      rx_early_ = true;
      update(now);
    }
    return;
  }
  if (!accepts(*r)) {
    listening_ = false;
    return;
  }
  if (rx_fifo_.size() >= rx_packets || rx_free() == 0) {  // no status entry or no room: the frame is silently lost
    listening_ = false;
    ++counters_.overruns;
    count(RxOverruns);
    update(now);
    return;
  }
  rx_fifo_.emplace_back();
  storing_ = true;
  plan_rx_early(now);
}

// The threshold counts bytes that have not been read (inferred: FreeBSD's ep writes the same one again after it has
// read what was there, to be called again during the frame).
void EtherLink3::plan_rx_early(Time now) {
  if (!storing_) return;
  receive_step_.cancel();
  const auto r = loop_.heard();
  if (!r || rx_early_threshold_ > stored_bytes) return;
  const std::size_t due = rx_fifo_.back().read + rx_early_threshold_ + net::fcs_bytes;
  receive_step_.at(std::max(now, r->arrival(due)));
}

void EtherLink3::sync_receive(Time now) {
  if (!storing_) return;
  if (const auto r = loop_.heard()) {
    const std::size_t arrived = r->arrived(now);
    store(arrived > net::fcs_bytes ? arrived - net::fcs_bytes : 0, *r);
  }
}

// Once a byte finds no room the rest of the frame is lost, even if room becomes free later.
void EtherLink3::store(std::size_t total, const Reception& r) {
  RxPacket& p = rx_fifo_.back();
  if (p.overrun) return;
  total = std::min<std::size_t>(total, stored_bytes);
  const std::size_t before = p.data.size(), fits = before + rx_free();
  p.overrun = total > fits;
  r.append(p.data, std::min(total, fits));
  rx_used_ += static_cast<unsigned>(p.data.size() - before);
}

void EtherLink3::receive_ends(const Reception& r, Time now) {
  receive_step_.cancel();
  if (discarding_rest_) {
    discarding_rest_ = listening_ = false;
    update(now);
    return;
  }
  if (!listening_) return;
  listening_ = false;
  if (!storing_) return;  // cut off before its address was complete
  const std::size_t total = r.length > net::fcs_bytes ? r.length - net::fcs_bytes : 0;
  store(total, r);
  RxPacket& p = rx_fifo_.back();
  if (!exposed(p)) {  // a fragment: it was never visible and is dropped
    drop_arriving();
    return;
  }
  std::uint16_t status = 0;
  if (p.overrun) {
    status = Overrun;
    ++counters_.overruns;
    count(RxOverruns);
  } else if (total > max_data_bytes) {
    status = Oversize;
  } else if (total < visible_bytes) {
    status = Runt;
  } else if (!r.fcs_ok) {
    status = r.dribble ? Alignment : CrcError;
  } else if (r.dribble) {
    status = Dribble;
  }
  if (status & RxError) {
    ++counters_.receive_errors;
  } else {
    ++counters_.received;
    count(FramesReceived);
    count(RxOctets, static_cast<unsigned>(total));
  }
  finish_packet(status, now);
}

void EtherLink3::finish_packet(std::uint16_t status, Time now) {
  RxPacket& p = rx_fifo_.back();
  p.complete = true;
  p.status = status;
  rx_used_ += p.padded() - static_cast<std::uint32_t>(p.data.size());
  storing_ = rx_early_ = false;
  update(now);
}

// A frame becomes visible after 60 bytes, or after RX Early if that is less (inferred: otherwise there could be no runt
// status).
bool EtherLink3::exposed(const RxPacket& p) const {
  return p.data.size() >= std::min<std::size_t>(visible_bytes, rx_early_threshold_ + 1u);
}

void EtherLink3::drop_arriving() {
  if (!storing_) return;
  rx_used_ -= static_cast<std::uint32_t>(rx_fifo_.back().data.size()) - rx_fifo_.back().read;
  rx_fifo_.pop_back();
  storing_ = rx_early_ = false;
}

void EtherLink3::stop_loop() {
  drop_arriving();
  receive_step_.cancel();
  loop_.stop();
  listening_ = discarding_rest_ = false;
}

// ---- the host's side ----

// Bit 15 is set until the packet at the head is complete; the length is what the host can still read of it.
std::uint16_t EtherLink3::rx_status() const {
  if (rx_hidden() || rx_fifo_.empty()) return RxIncomplete;
  const RxPacket& p = rx_fifo_.front();
  const std::uint32_t unread = std::min<std::uint32_t>(p.unread(), 0x7FF);
  if (!p.complete) return static_cast<std::uint16_t>(RxIncomplete | (exposed(p) ? unread : 0));
  return static_cast<std::uint16_t>(p.status | unread);
}

// Reading beyond the end of the packet (padding included) or beyond what has arrived: RX underrun, an adapter failure.
std::uint8_t EtherLink3::rx_read() {
  if (rx_hidden() || rx_fifo_.empty()) {
    rx_underrun_ = true;
    return 0xFF;
  }
  RxPacket& p = rx_fifo_.front();
  const std::uint32_t end = p.complete ? p.padded() : static_cast<std::uint32_t>(p.data.size());
  if (p.read >= end) {
    rx_underrun_ = true;
    return 0xFF;
  }
  --rx_used_;
  const std::uint32_t at = p.read++;
  return at < p.data.size() ? p.data[at] : 0x00;
}

// Removes the head. Data that the host has not read is skipped; meanwhile the next packet is hidden and the command in
// progress. A packet read to its end is removed at once, which Linux relies on. If the packet is still arriving, the
// rest is lost.
void EtherLink3::rx_discard(Time now) {
  if (rx_hidden() || rx_fifo_.empty()) return;
  rx_early_ = false;
  if (storing_ && rx_fifo_.size() == 1) {
    drop_arriving();
    receive_step_.cancel();
    discarding_rest_ = true;
    return;
  }
  const RxPacket& p = rx_fifo_.front();
  const std::uint32_t left = p.padded() - p.read;
  rx_used_ -= left;
  rx_fifo_.pop_front();
  if (left > 0) discard_done_.at(now + timing_.discard_dword * ((left + 3) / 4));
}

// The filter and the threshold are also reset, and the receiver is disabled (3Com's manual).
void EtherLink3::rx_reset() {
  rx_fifo_.clear();
  rx_used_ = 0;
  rx_enabled_ = listening_ = storing_ = discarding_rest_ = rx_underrun_ = rx_early_ = false;
  rx_filter_ = 0;
  rx_early_threshold_ = threshold_off;
  receive_step_.cancel();
  discard_done_.cancel();
}

}  // namespace planar::ethernet
