// SPDX-License-Identifier: GPL-2.0-or-later
// Am7990: address filter, receiver, chained receive buffers.
//
// Bytes reach memory in bursts of sixteen. They are stored only when the difference could be observed (sync(), the end
// of a buffer or of the frame); the result is the same as if every burst were an event.
#include <algorithm>

#include "devices/chips/am7990/am7990.hpp"

namespace planar::ethernet {

void Am7990::frame_begins(const net::Reception& reception, Time) {
  if (!on(STRT | RXON) || internal_loopback() || receive_end_pending_) return;
  listening_ = true;
  storing_ = matched_ = overflow_ = lost_ = false;
  stored_ = 0;
  receive_step_.at(reception.arrival(5));
}

// Own address, broadcast, all (PROM), or the hash: the low six bits of the CRC, lowest first, are the index into the
// filter.
bool Am7990::accepts(const net::Reception& r) const {
  const net::MacAddress to = r.destination();
  if (mode_ & PROM || to == net::broadcast_mac) return true;
  if (!(to[0] & 1)) return to == padr_;
  const std::uint32_t crc = net::crc32_remainder(to);
  unsigned hash = 0;
  for (unsigned i = 0; i < 6; ++i) hash = hash << 1 | (crc >> i & 1);
  return ladrf_[hash >> 3] >> (hash & 7) & 1;
}

// The destination address is complete; or the SILO is full without a buffer; or the next byte needs another buffer.
void Am7990::receive_step(Time now) {
  const auto r = port_.receiving();
  if (!r || !listening_) return;
  if (storing_) {
    store_arrived(r->arrived(now), *r, now);
    plan_receive_step(now);
    return;
  }
  if (!matched_) {
    matched_ = accepts(*r);
    if (!matched_) {
      listening_ = false;
      return;
    }
    yield_silo(now);
    look_.cancel();
  }
  if (take_buffer(now)) {
    storing_ = true;
    plan_receive_step(now);
  } else if (r->arrived(now) < silo_bytes) {
    receive_step_.at(r->arrival(silo_bytes - 1));  // check again when the SILO is full
  } else {
    listening_ = false;
    missed(now);
    look_for_work(now);
  }
}

/// Takes the present receive descriptor, if the host has handed it over.
bool Am7990::take_buffer(Time now) {
  const std::uint32_t at = receive_ring_.here();
  if (!reachable(at, 8, now)) return false;
  const std::uint16_t rmd1 = word(at + 2);
  if (!(rmd1 & OWN)) return false;
  buffer_ = (std::uint32_t{rmd1} & 0xFF) << 16 | word(at);
  buffer_left_ = 4096 - (word(at + 4) & 0x0FFFu);
  first_buffer_ = true;
  stored_ = 0;
  overflow_ = lost_ = false;
  return reachable(buffer_, buffer_left_, now);
}

void Am7990::plan_receive_step(Time) {
  if (!storing_ || lost_ || receive_end_pending_) return;
  if (const auto r = port_.receiving()) receive_step_.at(r->arrival(stored_ + buffer_left_));
}

void Am7990::store_arrived(std::size_t count, const net::Reception& r, Time now) {
  while (stored_ < count && !lost_ && !overflow_) {
    if (buffer_left_ == 0 && !next_buffer(0, now)) return;
    host_.local_write(data_address(buffer_++), r.byte(stored_++));
    --buffer_left_;
  }
}

/// The buffer is full and the frame continues. False if the chip does not own the next one: this one then ends with a
/// buffer error.
bool Am7990::next_buffer(std::uint16_t error, Time now) {
  const std::uint32_t at = receive_ring_.here();
  const std::uint32_t next = receive_ring_.at(receive_ring_.index + 1);
  const bool ours = reachable(next, 8, now) && next != at && word(next + 2) & OWN;
  if (!ours) error |= RMD1_BUFF | MD1_ERR;
  const auto flags = static_cast<std::uint16_t>(error | (first_buffer_ ? STP : 0));
  store_word(at + 2, static_cast<std::uint16_t>((word(at + 2) & 0xFF) | flags));
  receive_ring_.advance();
  if (!ours) {
    lost_ = true;
    ++counters_.overruns;
    return false;
  }
  first_buffer_ = false;
  const std::uint16_t rmd1 = word(next + 2);
  buffer_ = (std::uint32_t{rmd1} & 0xFF) << 16 | word(next);
  buffer_left_ = 4096 - (word(next + 4) & 0x0FFFu);
  if (reachable(buffer_, buffer_left_, now)) return true;
  lost_ = true;
  return false;
}

void Am7990::missed(Time now) {
  ++counters_.missed;
  raise(MISS, now);
}

void Am7990::frame_ends(const net::Reception& r, Time now) {
  receive_step_.cancel();
  if (!listening_) return;
  listening_ = false;
  if (!storing_) {
    look_for_work(now);
    return;
  }
  if (r.length < net::min_frame_bytes && first_buffer_ && !overflow_) {
    storing_ = false;  // a runt: the chip keeps the descriptor, and the next frame overwrites the buffer
    look_for_work(now);
    return;
  }
  end_frame(r, now);
}

void Am7990::end_frame(const net::Reception& r, Time now) {
  if (!overflow_) store_arrived(r.length, r, now);
  std::uint16_t status = 0;
  if (overflow_) {
    status = MD1_ERR | OFLO;  // without ENP: the frame's end was not received
  } else {
    status = ENP;
    // An incomplete last byte is a framing error only if the CRC is wrong too.
    if (!r.fcs_ok) status |= static_cast<std::uint16_t>(MD1_ERR | CRC | (r.dribble ? FRAM : 0));
  }
  storing_ = receive_end_pending_ = true;
  end_status_ = status;
  end_count_ = static_cast<std::uint16_t>(stored_ & 0x0FFF);
  const Time done = now + burst_time() + words(2);
  hold_bus(done);
  receive_done_.at(done);
}

void Am7990::receive_done(Time now) {
  storing_ = receive_end_pending_ = false;
  if (!lost_) {
    const std::uint32_t at = receive_ring_.here();
    if (end_status_ & ENP) store_word(at + 6, end_count_);
    const auto flags = static_cast<std::uint16_t>(end_status_ | (first_buffer_ ? STP : 0));
    store_word(at + 2, static_cast<std::uint16_t>((word(at + 2) & 0xFF) | flags));
    receive_ring_.advance();
  }
  if (end_status_ & OFLO) ++counters_.overruns;
  if (lost_ || end_status_ & MD1_ERR)
    ++counters_.receive_errors;
  else
    ++counters_.received;
  raise(RINT, now);
  look_for_work(now);
}

}  // namespace planar::ethernet
