// SPDX-License-Identifier: GPL-2.0-or-later
// DP8390: address filter, receiver and buffer ring.
//
// A frame's bytes go into the ring in bursts of the FIFO threshold as they arrive. They are stored only when the
// difference could be observed (a register or latch access, a page boundary, the end); the result is the same as if
// every burst were an event.
#include <algorithm>

#include "devices/chips/dp8390/dp8390.hpp"

namespace planar::ethernet {

unsigned Dp8390::threshold() const {
  static constexpr unsigned bytes[] = {2, 4, 8, 12};  // DCR.FT1,0; the same in word mode
  return bytes[dcr_ >> 5 & 3];
}

void Dp8390::frame_begins(const net::Reception& reception, Time) {
  if (!running() || loopback() != 0 || receive_end_pending_) return;
  listening_ = true;
  storing_ = matched_ = fifo_overrun_ = false;
  stored_ = 0;
  receive_step_.at(reception.arrival(5));
}

bool Dp8390::address_matches(const net::Reception& r, bool& group) {
  const net::MacAddress to = r.destination();
  group = to[0] & 1;
  if (to == net::broadcast_mac) return rcr_ & AB;
  if (group) {
    if (!(rcr_ & AM)) return false;
    const std::uint32_t crc = net::crc32_remainder(to);
    return mar_[crc >> 29] >> (crc >> 26 & 7) & 1;
  }
  return rcr_ & PRO || std::equal(to.begin(), to.end(), par_.begin());
}

// The destination address is complete; or a byte is due in the page of the boundary pointer.
void Dp8390::receive_step(Time now) {
  const auto r = port_.receiving();
  if (!r || !listening_) return;
  if (storing_) {
    sync_receive(now);
    plan_receive_step(now);
    return;
  }
  matched_ = address_matches(*r, group_);
  if (!matched_) {
    listening_ = false;
    enter_reset_state_if_idle(now);
    return;
  }
  if (rcr_ & MON || receiver_off_) return;  // received to its end, not buffered
  if (ring_full_) {
    overflow(now);
    return;
  }
  storing_ = true;
  clda_ = static_cast<std::uint16_t>(curr_ << 8 | 4);  // room for the header
  plan_receive_step(now);
}

std::uint8_t Dp8390::page_after(std::uint8_t page) const {
  const auto next = static_cast<std::uint8_t>(page + 1);
  return next == pstop_ ? pstart_ : next;
}

// 0 if the ring, as programmed, never reaches the boundary.
unsigned Dp8390::pages_to_boundary(std::uint8_t from) const {
  for (unsigned n = 1; n <= 256; ++n) {
    from = page_after(from);
    if (from == bnry_) return n;
  }
  return 0;
}

// Schedules the byte that would enter the boundary page, if there is one; pages before it cost no events.
void Dp8390::plan_receive_step(Time) {
  if (!storing_ || receive_end_pending_) return;
  const auto r = port_.receiving();
  if (!r) return;
  const bool at_link = (clda_ & 0xFF) == 0 && stored_ > 0;
  const auto page = static_cast<std::uint8_t>((at_link ? clda_ - 1 : clda_) >> 8);
  const unsigned left = at_link ? 0 : 256 - (clda_ & 0xFF);
  const unsigned pages = pages_to_boundary(page);
  if (pages == 0) {
    receive_step_.cancel();
    return;
  }
  const std::size_t byte = stored_ + left + 256 * (pages - 1);
  const std::size_t burst_end = (byte / threshold() + 1) * threshold();
  receive_step_.at(r->arrival(burst_end - 1));
}

void Dp8390::sync_receive(Time now) {
  if (!storing_ || receive_end_pending_ || fifo_overrun_) return;
  if (const auto r = port_.receiving()) store_arrived(burst_limit(r->arrived(now)), *r, now);
}

// "Before the DMA can enter the next page" it is compared with PSTOP (wrap) and with BNRY (stop).
void Dp8390::store_arrived(std::size_t count, const net::Reception& r, Time now) {
  while (stored_ < count) {
    if ((clda_ & 0xFF) == 0) {
      auto page = static_cast<std::uint8_t>(clda_ >> 8);
      if (page == pstop_) page = pstart_;
      if (page == bnry_) {
        overflow(now);
        return;
      }
      clda_ = static_cast<std::uint16_t>(page << 8);
    }
    local_write(clda_++, r.byte(stored_++));
  }
}

void Dp8390::overflow(Time now) {
  storing_ = listening_ = false;
  receive_step_.cancel();
  receiver_off_ = true;
  clda_ = static_cast<std::uint16_t>(curr_ << 8);
  ++counters_.overruns;
  missed(now);
  raise(OVW | RST, now);
  enter_reset_state_if_idle(now);
}

void Dp8390::missed(Time now) {
  rsr_ = static_cast<std::uint8_t>((rsr_ & DIS) | MPA | (group_ ? PHY : 0));
  ++counters_.missed;
  tally(2, now);
  raise(RXE, now);
}

// Releases the buffer: CURR is unchanged, and the next frame overwrites it.
void Dp8390::reject(std::uint8_t rsr, Time now) {
  storing_ = false;
  clda_ = static_cast<std::uint16_t>(curr_ << 8);
  if (rsr) {
    rsr_ = static_cast<std::uint8_t>(rsr | (rsr_ & DIS));
    ++counters_.receive_errors;
    raise(RXE, now);
  }
  enter_reset_state_if_idle(now);
}

void Dp8390::frame_ends(const net::Reception& r, Time now) {
  receive_step_.cancel();
  if (!listening_) return;
  listening_ = false;
  if (!matched_ || (r.length < net::min_frame_bytes && !(rcr_ & RCR_AR))) {
    reject(0, now);
    return;
  }
  std::uint8_t status = group_ ? PHY : 0;
  if (fifo_overrun_) {
    status |= FO;
  } else if (!r.fcs_ok) {
    // An incomplete last byte is an alignment error only if the CRC is wrong too; it is then counted as that.
    status |= static_cast<std::uint8_t>(RSR_CRC | (r.dribble ? FAE : 0));
    tally(r.dribble ? 0 : 1, now);
  }
  const bool error = status & (FO | RSR_CRC | FAE);
  if (!storing_) {  // monitor mode, or disabled after an overflow
    if (error)
      reject(status, now);
    else
      missed(now);
    enter_reset_state_if_idle(now);
    return;
  }
  if (!fifo_overrun_) store_arrived(r.length, r, now);
  if (!storing_) return;  // the last bytes reached the boundary
  if (error && !(rcr_ & SEP)) {
    reject(status, now);
    return;
  }
  frame_status_ = static_cast<std::uint8_t>(status | (error ? 0 : RSR_PRX));
  frame_length_ = static_cast<std::uint16_t>(std::min<std::size_t>(stored_, 0xFFFF));
  receive_end_pending_ = true;
  receive_done_.at(now + clocks(timing_.receive_end_clocks));
}

// Header: status, next page, count of bytes with FCS. The next frame begins on the page after the last byte.
void Dp8390::receive_done(Time now) {
  storing_ = receive_end_pending_ = false;
  std::uint8_t next = curr_;
  for (unsigned pages = (4u + frame_length_ + 255) / 256; pages; --pages) next = page_after(next);
  const auto header = static_cast<std::uint16_t>(curr_ << 8);
  local_write(header, frame_status_);
  local_write(header + 1, next);
  local_write(header + 2, static_cast<std::uint8_t>(frame_length_));
  local_write(header + 3, static_cast<std::uint8_t>(frame_length_ >> 8));
  if (tcr_ & ATD && group_ && frame_status_ & RSR_PRX) {
    // A multicast frame whose address hashes to bit 62 disables the transmitter, to bit 63 enables it (TCR.ATD).
    net::MacAddress to;
    for (unsigned i = 0; i < 6; ++i) to[i] = local_read(static_cast<std::uint16_t>(header + 4 + i));
    const std::uint32_t hash = net::crc32_remainder(to) >> 26;
    if (hash == 62) transmit_held_ = true;
    if (hash == 63 && transmit_held_) {
      transmit_held_ = false;
      if (cr_ & TXP && running() && !port_.busy()) begin_transmit(now);
    }
  }
  curr_ = local_next_ = next;
  clda_ = static_cast<std::uint16_t>(next << 8);
  ring_full_ = curr_ == bnry_;
  rsr_ = static_cast<std::uint8_t>(frame_status_ | (rsr_ & DIS));
  if (frame_status_ & RSR_PRX)
    ++counters_.received;
  else
    ++counters_.receive_errors;
  raise(frame_status_ & RSR_PRX ? PRX : RXE, now);
  enter_reset_state_if_idle(now);
}

}  // namespace planar::ethernet
