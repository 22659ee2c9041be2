// SPDX-License-Identifier: GPL-2.0-or-later
// Cyclone: address filter, receiver and receive FIFO.
//
// A frame's bytes enter the FIFO as they arrive, delayed by four bytes because the last four are the FCS. They are
// stored only when the difference could be observed (a register access, the upload engine, the end); the result is the
// same as if every byte were an event.
#include <algorithm>

#include "devices/chips/cyclone/checksum_offload.hpp"
#include "devices/chips/cyclone/cyclone.hpp"

namespace planar::ethernet {

using net::Reception;

namespace {
constexpr std::size_t large_frame_bytes = 4500;  // AllowLargePackets: FDDI's
constexpr std::size_t address_bytes = 6;
}  // namespace

// ---- the wire ----

void Cyclone::frame_begins(const Reception&, Time now) {
  if (loops_inside() || loop_.on() || !phy_.connected()) return;
  hear(now);
}

void Cyclone::frame_ends(const Reception& r, Time now) {
  if (!loop_.on()) receive_ends(r, now);
}

void Cyclone::hear(Time now) {
  listening_ = rx_enabled_;
  listen(now);
}

// All multicast includes broadcasts. A mask bit that is set excludes the bit from comparison.
bool Cyclone::accepts(const Reception& r) const {
  if (rx_filter_ & AllFrames) return true;
  const net::MacAddress to = r.destination();
  if (to == net::broadcast_mac && rx_filter_ & (Broadcast | AllMulticast)) return true;
  if (to[0] & 1) {
    const unsigned bit = net::crc32_remainder(to) & 0xFF;
    return rx_filter_ & AllMulticast || (rx_filter_ & MulticastHash && hash_filter_[bit >> 3] >> (bit & 7) & 1);
  }
  bool fits = rx_filter_ & Individual;
  for (std::size_t n = 0; n < to.size(); ++n) fits = fits && !((to[n] ^ station_address_[n]) & ~station_mask_[n]);
  return fits;
}

/// A frame counts as received after 60 bytes, or after RxEarlyThresh if that is less (3Com's manual, as quoted: runts
/// are received only with a threshold below 60).
std::size_t Cyclone::visible_from() const { return std::min<std::size_t>(visible_bytes, rx_early_thresh_ + 1u); }

/// Data bytes of a frame of which `arrived` bytes have arrived.
std::size_t Cyclone::data_bytes(std::size_t arrived) const {
  if (media_status_ & CrcStripDisable) return arrived;
  return arrived > net::fcs_bytes ? arrived - net::fcs_bytes : 0;
}

// Schedules the next decision about the arriving frame: its address is complete, it is not a fragment, RxEarly is due,
// or there is enough of it for a burst.
void Cyclone::listen(Time now) {
  receive_step_.cancel();
  if (!listening_) return;
  const auto r = loop_.heard();
  if (!r) return;
  if (!storing_) {
    receive_step_.at(std::max(now, r->arrival(address_bytes - 1)));
    return;
  }
  const RxPacket& p = rx_fifo_.back();
  if (p.overrun) return;
  std::size_t wanted = length_most + 1;
  const auto want = [&](std::size_t bytes) {
    if (p.data.size() < bytes) wanted = std::min(wanted, bytes);
  };
  want(visible_from());
  if (dma_ctrl_ & UpRxEarlyEnable) want(rx_early_thresh_ + 1u);
  if (rx_fifo_.size() == 1 && up_.step == Step::data && !up_dma_.busy())
    want(p.taken + std::clamp(up_.left, 1u, up_burst()));
  if (wanted > length_most) return;
  const std::size_t fcs = media_status_ & CrcStripDisable ? 0 : net::fcs_bytes;
  receive_step_.at(std::max(now, r->arrival(wanted + fcs - 1)));
}

void Cyclone::receive_step(Time now) {
  const auto r = loop_.heard();
  if (!r || !listening_) return;
  if (!storing_) {
    if (!accepts(*r)) {
      listening_ = false;
      return;
    }
    if (rx_free() == 0) {  // the frame is lost without a report
      listening_ = false;
      ++counters_.overruns;
      count(RxOverruns);
      update(now);
      return;
    }
    rx_fifo_.emplace_back();
    storing_ = true;
  }
  sync_receive(now);
  if (dma_ctrl_ & UpRxEarlyEnable && rx_fifo_.back().data.size() > rx_early_thresh_) rx_early_ = true;
  up_run(now);
  listen(now);
  update(now);
}

void Cyclone::sync_receive(Time now) {
  if (!storing_) return;
  if (const auto r = loop_.heard()) store(data_bytes(r->arrived(now)), *r);
}

// Once a byte finds no room the rest of the frame is lost, even if room becomes free later. A frame for which the
// upload engine has no buffer left takes up no room.
void Cyclone::store(std::size_t total, const Reception& r) {
  RxPacket& p = rx_fifo_.back();
  const bool skipped = rx_fifo_.size() == 1 && up_.step == Step::skip;
  if (p.overrun) return;
  total = std::min<std::size_t>(total, length_most);
  const std::size_t before = p.data.size(), fits = skipped ? total : before + rx_free();
  p.overrun = total > fits;
  r.append(p.data, std::min(total, fits));
  const auto stored = static_cast<unsigned>(p.data.size() - before);
  if (skipped)
    p.taken += stored;
  else
    rx_used_ += stored;
}

void Cyclone::receive_ends(const Reception& r, Time now) {
  receive_step_.cancel();
  if (!listening_) return;
  listening_ = false;
  if (!storing_) return;  // cut off before its address was complete
  store(data_bytes(r.length), r);
  RxPacket& p = rx_fifo_.back();
  if (p.data.size() < visible_from()) {  // a fragment: it was never visible and is dropped
    drop_arriving();
    return;
  }
  p.status = receive_errors(r, p);
  if (p.overrun) {
    ++counters_.overruns;
    count(RxOverruns);
  }
  const auto octets = static_cast<unsigned>(p.data.size());
  if (p.status & UpError) {
    ++counters_.receive_errors;
  } else {
    ++counters_.received;
    count(FramesRcvdOk);
    count(BytesRcvdOk, octets);
    const std::size_t kept = media_status_ & CrcStripDisable ? octets - net::fcs_bytes : octets;
    p.status |= checked_checksums(std::span(p.data).first(std::min<std::size_t>(kept, octets)));
  }
  rx_early_ = false;
  const bool begun = rx_fifo_.size() == 1 && up_at_work();
  if (p.overrun && !begun && !(dma_ctrl_ & UpOverDiscDisable)) {
    drop_arriving();
  } else {
    p.complete = true;
    storing_ = false;
    up_run(now);
  }
  update(now);
}

std::uint32_t Cyclone::receive_errors(const Reception& r, const RxPacket& p) const {
  const std::size_t most = mac_control_ & AllowLargePackets ? large_frame_bytes : longest_frame_;
  std::uint32_t status = 0;
  if (p.overrun) status |= UpError | UpOverrun;
  if (r.length > most) status |= UpError | OversizedFrame;
  if (r.length < net::min_frame_bytes) status |= UpError | RuntFrame;
  if (!r.fcs_ok) status |= UpError | (r.dribble ? AlignmentError : CrcError);
  if (r.dribble) status |= DribbleBits;
  return status;
}

// ---- removal of packets ----

/// Drops the frame that is arriving; an upload in progress ends.
void Cyclone::drop_arriving() {
  if (!storing_) return;
  storing_ = rx_early_ = false;
  RxPacket& p = rx_fifo_.back();
  if (rx_fifo_.size() == 1 && up_at_work()) {
    p.complete = true;
    p.status = UpError | CrcError;
    return;
  }
  rx_used_ -= static_cast<std::uint32_t>(p.data.size()) - p.taken;
  rx_fifo_.pop_back();
}

/// Drops the frame at the head, whatever its state; if it is still arriving, the rest is lost.
void Cyclone::rx_drop_head() {
  if (rx_fifo_.empty()) return;
  if (storing_ && rx_fifo_.size() == 1) storing_ = listening_ = rx_early_ = false;
  const RxPacket& p = rx_fifo_.front();
  rx_used_ -= static_cast<std::uint32_t>(p.data.size()) - p.taken;
  rx_fifo_.pop_front();
}

// RxDiscard: has no effect on a frame whose upload has begun.
void Cyclone::rx_discard(Time now) {
  sync_receive(now);
  if (up_at_work()) return;
  rx_drop_head();
  listen(now);
}

void Cyclone::stop_loop() {
  drop_arriving();
  receive_step_.cancel();
  loop_.stop();
  listening_ = false;
}

}  // namespace planar::ethernet
