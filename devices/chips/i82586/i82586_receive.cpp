// SPDX-License-Identifier: GPL-2.0-or-later
// 82586: receive unit, address filter, frame and buffer descriptors.
//
// Bytes go to memory in pairs, as 16-bit words, as they arrive. They are stored only when the difference could be
// observed (the host accesses the memory, the end of the frame); the result is the same as if every word were an event.
// The last four bytes received stay in the chip: they may be the FCS, which is never stored.
#include <algorithm>

#include "devices/chips/i82586/i82586.hpp"

namespace planar::ethernet {
namespace {

constexpr unsigned rbd_words = 5;
constexpr unsigned rfd_words = 4;
constexpr unsigned closing_words = 3;  // count, frame status, SCB status
constexpr unsigned header_bytes = 14;  // kept in the descriptor when addresses are not in the buffers

}  // namespace

// ---- control ----

void I82586::receive_unit_control(unsigned ruc, Time now) {
  switch (ruc) {
    case 1:
      storing_ = listening_ = buffer_open_ = ru_suspend_requested_ = false;
      receive_done_.cancel();
      rfd_ = get16(at(scb_, 6));
      rbd_ = get16(at(rfd_, 6));
      ru_ = Ru::ready;
      ru_free_ = now + words(1 + rfd_words + rbd_words);
      break;
    case 2:
      ru_suspend_requested_ = false;
      if (ru_ != Ru::suspended) break;
      ru_ = Ru::ready;
      ru_free_ = now + words(rfd_words + rbd_words);
      break;
    case 3:
      if (storing_ || receive_done_.pending())
        ru_suspend_requested_ = true;
      else if (ru_ == Ru::ready)
        leave_ready(Ru::suspended, now);
      break;
    case 4:
      storing_ = listening_ = buffer_open_ = ru_suspend_requested_ = false;
      receive_done_.cancel();
      if (ru_ == Ru::ready) leave_ready(Ru::idle, now);
      ru_ = Ru::idle;
      break;
    default: break;
  }
}

void I82586::leave_ready(Ru state, Time now) {
  ru_ = state;
  raise(RNR, now);
}

// ---- a frame arrives ----

// A frame is received if the RU is ready when it begins; without resources it is only counted.
void I82586::listen() {
  listening_ = initialised_ && (ru_ == Ru::ready || ru_ == Ru::no_resources);
  decided_ = storing_ = overrun_ = starved_ = false;
}

void I82586::frame_begins(const net::Reception&, Time now) {
  sync(now);
  if (loopback() == Loop::none)
    listen();
  else
    listening_ = false;
}

bool I82586::address_matches(const net::Reception& r) {
  const net::MacAddress to = r.destination();
  group_ = to != address_;
  if (!group_) return true;
  const std::uint8_t filter = config(8);
  if (filter & 0x01) return true;  // promiscuous
  if (to == net::broadcast_mac) return !(filter & 0x02);
  if (!(to[0] & 1)) return false;
  const unsigned bit = net::crc32_remainder(to) >> 2 & 63;
  return hash_[bit / 8] >> bit % 8 & 1;
}

void I82586::sync(Time now) {
  if (!listening_) return;
  if (const auto r = port_.receiving()) progress(*r, r->arrived(now), now);
}

// Checks the destination, takes a descriptor, stores what has arrived. The previous frame's descriptors must have been
// closed; until then the FIFO holds the bytes, up to sixteen.
void I82586::progress(const net::Reception& r, std::size_t arrived, Time now) {
  if (!decided_) {
    if (arrived < 6) return;
    decided_ = true;
    if (!address_matches(r)) {
      listening_ = false;
      return;
    }
  }
  if (receive_done_.pending() || ru_ != Ru::ready || overrun_ || starved_) return;
  if (!storing_) {
    if (now < ru_free_) return;
    storing_ = true;
    stored_ = 0;
    buffer_open_ = false;
    first_rbd_ = rbd_;
    dma_time_ = std::max(ru_free_, r.first_bit);
    put16(at(rfd_), B);
    put16(at(rfd_, 6), nowhere);
  }
  const bool addresses_apart = !(config(3) & 0x08);
  std::size_t limit = arrived < net::fcs_bytes ? 0 : arrived - net::fcs_bytes;
  if (arrived < r.length) limit -= limit % 2;  // the other byte of the word is still to come
  while (stored_ < limit) {
    const bool in_descriptor = addresses_apart && stored_ < header_bytes;
    if (!in_descriptor && !(buffer_open_ && buffer_count_ < buffer_size_)) {
      if (!make_room()) {
        starved_ = true;
        return;
      }
    }
    // The DMA takes bytes in pairs, each after it has arrived and the previous cycle is done.
    dma_time_ = std::max(dma_time_, r.arrival(stored_));
    if (stored_ % 2 == 0) dma_time_ += word_time();
    if (dma_time_ - r.arrival(stored_) > r.byte_time * static_cast<std::int64_t>(fifo_bytes)) {
      overrun_ = true;
      return;
    }
    const std::uint8_t byte = r.byte(stored_++);
    if (in_descriptor) {
      put8(at(rfd_, 8 + stored_ - 1), byte);
    } else if (buffer_count_ < buffer_size_) {
      put8(buffer_ + buffer_count_++, byte);
    } else {
      --stored_;  // a buffer of size 0: its time is spent, the byte still waits
    }
  }
  look_at_parked(now);
}

// Marks the full buffer and opens the next one. Every step takes its cycles, so that a ring of empty buffers ends in an
// overrun.
bool I82586::make_room() {
  std::uint16_t next = rbd_;
  if (buffer_open_) {
    put16(at(rbd_), static_cast<std::uint16_t>(F | buffer_count_));
    if (last_buffer_) return false;
    next = next_rbd_;
    dma_time_ += words(1 + rbd_words);
  }
  return open_buffer(next);
}

bool I82586::open_buffer(std::uint16_t rbd) {
  if (rbd == nowhere) return false;
  if (!buffer_open_) put16(at(rfd_, 6), rbd);
  buffer_open_ = true;
  rbd_ = rbd;
  next_rbd_ = get16(at(rbd, 2));
  buffer_ = get24(at(rbd, 4));
  const std::uint16_t size = get16(at(rbd, 8));
  buffer_size_ = size & COUNT;
  last_buffer_ = size & EL;
  buffer_count_ = 0;
  return true;
}

void I82586::frame_ends(const net::Reception& r, Time now) { end_frame(r, now); }

void I82586::end_frame(const net::Reception& r, Time now) {
  if (!listening_) return;
  const bool could_store = now >= ru_free_ && !receive_done_.pending();
  progress(r, r.length, now);
  if (!listening_) return;
  listening_ = false;
  if (!decided_) return;  // a fragment without a destination

  const bool short_frame = r.length < config(10);
  std::uint16_t status = group_ ? NO_IA_MATCH : 0;
  if (short_frame) status |= SHORT;
  if (r.damaged_from != SIZE_MAX) status |= RX_COLL;
  if (!r.fcs_ok) status |= r.dribble ? ALN : CRC;
  const bool bad = status & (SHORT | CRC | ALN);
  if (ru_ != Ru::ready) {
    if (bad || ru_ != Ru::no_resources) return;
    ++counters_.no_resources;
    count_error(0x0C);
    return;
  }
  if (!could_store && !storing_) overrun_ = true;  // ended before the RU was ready for it
  if (overrun_) status |= OVERRUN;
  if (starved_) status |= NO_BUFFERS;
  if (overrun_) {
    ++counters_.overruns;
    count_error(0x0E);
  } else if (starved_) {
    ++counters_.no_resources;
    count_error(0x0C);
  } else if (bad && !short_frame) {
    ++counters_.receive_errors;
    count_error(status & ALN ? 0x0A : 0x08);
  }
  const bool good = !(status & (SHORT | CRC | ALN | OVERRUN | NO_BUFFERS));
  last_rx_status_ = static_cast<std::uint16_t>(C | (good ? OK : 0) | status);
  if (!good && (!(config(2) & 0x80) || !storing_)) {
    reclaim();
    if (starved_)
      leave_ready(Ru::no_resources, now);
    else if (ru_suspend_requested_)
      leave_ready(Ru::suspended, now);
    ru_suspend_requested_ = false;
    return;
  }
  end_status_ = last_rx_status_;
  storing_ = false;
  receive_done_.at(now + clocks(timing_.command_clocks) + words(closing_words));
}

// A bad frame's descriptors are reused for the next one.
void I82586::reclaim() {
  if (storing_) {
    put16(at(rfd_), 0);
    rbd_ = first_rbd_;
  }
  storing_ = buffer_open_ = false;
}

void I82586::receive_done(Time now) {
  std::uint16_t next = rbd_;
  if (buffer_open_) {
    put16(at(rbd_), static_cast<std::uint16_t>(EOF_BIT | F | buffer_count_));
    next = last_buffer_ ? nowhere : next_rbd_;
  }
  buffer_open_ = false;
  put16(at(rfd_), end_status_);
  ++(end_status_ & OK ? counters_.received : counters_.receive_errors);
  const std::uint16_t command = get16(at(rfd_, 2));
  rfd_ = get16(at(rfd_, 4));
  rbd_ = next;
  events_ |= FR;
  ru_free_ = now + words(rfd_words + rbd_words);
  if (command & EL || end_status_ & NO_BUFFERS)
    leave_ready(Ru::no_resources, now);
  else if (command & S || ru_suspend_requested_)
    leave_ready(Ru::suspended, now);
  else if (next == nowhere)
    leave_ready(Ru::no_resources, now);
  else
    update_scb(now);
  ru_suspend_requested_ = false;
  look_at_parked(now);
  // A frame that arrived meanwhile and has not ended is taken from the FIFO unless that has overrun: see progress().
}

}  // namespace planar::ethernet
