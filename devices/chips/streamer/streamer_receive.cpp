// SPDX-License-Identifier: GPL-2.0-or-later
// Streamer: the receive FIFO and the buffer ring.
#include <algorithm>

#include "devices/chips/streamer/streamer.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t least_buffer = 64, longest = 1514;

}  // namespace

bool Streamer::accepts(const net::Reception& r) const {
  net::MacAddress to;
  for (unsigned i = 0; i < to.size(); ++i) to[i] = r.byte(i);
  return promiscuous_ || to == address_ || to == net::broadcast_mac ||
         std::find(groups_.begin(), groups_.end(), to) != groups_.end();
}

void Streamer::frame_begins(const net::Reception& r, Time now) {
  if (!open_ || disabled_ & RX_DIS) return;
  incoming_.emplace_back();
  listening_ = true;
  more_.at(std::max(now, r.arrival(net::min_frame_bytes - 1)));
}

/// Bytes in the FIFO that belong to frames before the one that arrives.
std::uint32_t Streamer::older_bytes() const {
  std::uint32_t bytes = 0;
  for (const Incoming& f : incoming_)
    if (f.complete) bytes += static_cast<std::uint32_t>(f.data.size()) - f.moved;
  return bytes;
}

void Streamer::overrun(Incoming& f) {
  if (f.status & RX_OVER) return;
  f.status |= RX_OVER;
  ++counters_.overruns;
  count(log_overrun);
}

/// Takes what has arrived into the frame's data; a byte that finds the FIFO full ends that.
void Streamer::gather(const net::Reception& r, Time now) {
  Incoming& f = incoming_.back();
  if (f.status) return;
  const std::uint32_t room = config_.receive_fifo - std::min(config_.receive_fifo, older_bytes());
  const std::size_t arrived = r.arrived(now);
  if (arrived > f.moved + room) {
    overrun(f);
    return;
  }
  const std::size_t known = std::min<std::size_t>(arrived - std::min(arrived, net::fcs_bytes), longest);
  for (std::size_t k = f.data.size(); k < known; ++k) f.data.push_back(r.byte(k));
}

/// The next moment to look: another burst has come together, or the FIFO would be full.
void Streamer::expect_more(const net::Reception& r, Time now) {
  const Incoming& f = incoming_.back();
  if (f.status || f.data.size() >= longest) {
    more_.cancel();
    return;
  }
  const std::uint32_t room = config_.receive_fifo - std::min(config_.receive_fifo, older_bytes());
  const std::size_t full = f.moved + room;
  const std::size_t burst = f.moved + config_.burst + net::fcs_bytes - 1;
  Time next = r.arrival(full);
  if (r.arrival(burst) > now) next = std::min(next, r.arrival(burst));
  more_.at(std::max(next, now));
}

void Streamer::more_arrived(Time now) {
  const auto r = port_.receiving();
  if (!r || !listening_) return;
  if (!moving() && !accepts(*r)) {
    incoming_.pop_back();
    listening_ = false;
    return;
  }
  gather(*r, now);
  expect_more(*r, now);
  pump(now);
}

void Streamer::frame_ends(const net::Reception& r, Time now) {
  if (!listening_) return;
  listening_ = false;
  more_.cancel();
  Incoming& f = incoming_.back();
  // A short frame has not moved yet, and goes as it came.
  if (r.length < net::min_frame_bytes || (!moving() && !accepts(r))) {
    incoming_.pop_back();
    return;
  }
  if (!f.status) {
    const std::size_t bytes = std::min<std::size_t>(r.length - net::fcs_bytes, longest);
    for (std::size_t k = f.data.size(); k < bytes; ++k) f.data.push_back(r.byte(k));
    if (r.length > net::max_frame_bytes) f.status |= RX_LONG;
    if (older_bytes() + f.data.size() - f.moved > config_.receive_fifo) overrun(f);
    if (!r.fcs_ok) {
      f.status |= r.dribble ? RX_ALIGN : RX_CRC;
      count(r.dribble ? log_alignment : log_crc);
    }
  }
  if (f.status && !moving()) {
    incoming_.pop_back();
    return;
  }
  f.complete = true;
  pump(now);
}

/// Bytes of the frame that arrives are in memory, or on their way there.
bool Streamer::moving() const { return incoming_.back().moved > 0 || (incoming_.size() == 1 && job_ == Job::rx_data); }

void Streamer::drop_head() {
  if (incoming_.size() == 1 && listening_) {
    listening_ = false;
    more_.cancel();
  }
  incoming_.pop_front();
}

void Streamer::took_buffer() {
  rx_descriptor_ = rx_forward_;
  rx_forward_ = get32(0);
  rx_buffer_ = get32(8);
  rx_room_ = get32(12) & 0xFFFF;
  rx_stored_ = 0;
  rx_have_ = true;
}

/// Whether a transfer has begun.
bool Streamer::receive_pump(Time now) {
  if (!rx_have_ && !rx_ended_) {
    begin(Job::rx_fetch, rx_forward_, 16, Direction::read, now);
    return true;
  }
  while (!incoming_.empty()) {
    Incoming& f = incoming_.front();
    if (listening_ && incoming_.size() == 1)
      if (const auto r = port_.receiving()) gather(*r, now);
    const auto there = static_cast<std::uint32_t>(f.data.size()) - f.moved;
    const bool enough =
        f.complete || (there >= config_.burst && f.data.size() + net::fcs_bytes >= net::min_frame_bytes);
    if (!enough) return false;
    if (!rx_have_) {
      ++counters_.overruns;
      count(log_no_buffer);
      drop_head();
      raise(RX_NOBUF, now);
      continue;
    }
    if (f.complete && (there == 0 || f.status & RX_OVER)) return give_back(RX_LAST | f.status, now);
    const std::uint32_t room = rx_room_ < least_buffer ? 0 : rx_room_ - rx_stored_;
    if (room == 0) {
      const bool last = rx_room_ < least_buffer || rx_descriptor_ == rx_last_;
      if (last) count(log_no_buffer);
      return give_back(last ? RX_LAST | RX_CUT | f.status : 0, now);
    }
    const std::uint32_t n = std::min({there, room, config_.burst});
    transfer_.assign(f.data.begin() + f.moved, f.data.begin() + f.moved + n);
    begin(Job::rx_data, rx_buffer_ + rx_stored_, n, Direction::write, now);
    return true;
  }
  return false;
}

/// Writes status and lengths into the descriptor at hand; with its last buffer the frame leaves the FIFO.
bool Streamer::give_back(std::uint32_t status, Time now) {
  rx_return_status_ = status | RX_PROCESSED;
  transfer_.resize(12);
  put32(0, rx_return_status_);
  put32(4, rx_buffer_);
  put32(8, (status & RX_LAST ? incoming_.front().moved << 16 : 0) | rx_stored_);
  if (status & RX_LAST) {
    if (!(status & rx_errors)) ++counters_.received;
    drop_head();
  }
  begin(Job::rx_status, rx_descriptor_ + 4, 12, Direction::write, now);
  return true;
}

void Streamer::buffer_returned(Time now) {
  rx_have_ = false;
  if (rx_descriptor_ == rx_last_) rx_ended_ = true;
  if (rx_return_status_ & RX_LAST) raise(RX_EOF, now);
}

void Streamer::stop_receive(Time now) {
  if (job_ == Job::rx_fetch || job_ == Job::rx_data || job_ == Job::rx_status) {
    host_.cancel_transfer(now);
    job_ = Job::none;
  }
  incoming_.clear();
  listening_ = rx_have_ = false;
  rx_ended_ = true;
  rx_stored_ = rx_room_ = 0;
  more_.cancel();
}

}  // namespace planar::ethernet
