// SPDX-License-Identifier: GPL-2.0-or-later
// Streamer: what is on the wire for the receive channel.
#include <algorithm>

#include "devices/chips/streamer/streamer.hpp"

namespace planar::ethernet {

bool Streamer::accepts(const net::Reception& r) const {
  net::MacAddress to;
  for (unsigned i = 0; i < to.size(); ++i) to[i] = r.byte(i);
  return promiscuous_ || to == address_ || to == net::broadcast_mac ||
         std::find(groups_.begin(), groups_.end(), to) != groups_.end();
}

void Streamer::frame_begins(const net::Reception& r, Time now) {
  if (!open_ || disabled_ & RX_DIS) return;
  receive_.frame_begins();
  more_.at(std::max(now, r.arrival(net::min_frame_bytes - 1)));
}

void Streamer::overrun() {
  ++counters_.overruns;
  count(log_overrun);
}

void Streamer::no_buffer(Time now) {
  ++counters_.overruns;
  count(log_no_buffer);
  raise(RX_NOBUF, now);
}

void Streamer::gather(const net::Reception& r, Time now) {
  receive_.gather(r.arrived(now), [&r](std::size_t k) { return r.byte(k); });
}

void Streamer::expect_more(const net::Reception& r, Time now) {
  receive_.expect_more([&r](std::size_t k) { return r.arrival(k); }, now);
}

void Streamer::catch_up(Time now) {
  if (const auto r = port_.receiving()) gather(*r, now);
}

void Streamer::more_arrived(Time now) {
  const auto r = port_.receiving();
  if (!r || !receive_.listening()) return;
  if (!moving() && !accepts(*r)) {
    receive_.stop_listening();
    receive_.discard();
    return;
  }
  gather(*r, now);
  expect_more(*r, now);
  pump(now);
}

void Streamer::frame_ends(const net::Reception& r, Time now) {
  if (!receive_.listening()) return;
  receive_.stop_listening();
  streamer::ReceiveChannel::Frame& f = receive_.arriving();
  // A short frame has not moved yet, and goes as it came.
  if (r.length < net::min_frame_bytes || (!moving() && !accepts(r))) {
    receive_.discard();
    return;
  }
  if (!f.status) {
    const std::size_t bytes = std::min(r.length - net::fcs_bytes, longest);
    for (std::size_t k = f.data.size(); k < bytes; ++k) f.data.push_back(r.byte(k));
    if (r.length > net::max_frame_bytes) f.status |= RX_LONG;
    if (receive_.older_bytes() + f.data.size() - f.moved > config_.receive_fifo) receive_.overrun();
    if (!r.fcs_ok) {
      f.status |= r.dribble ? RX_ALIGN : RX_CRC;
      count(r.dribble ? log_alignment : log_crc);
    }
  }
  if (f.status && !moving()) {
    receive_.discard();
    return;
  }
  f.complete = true;
  pump(now);
}

/// Whether a transfer has begun.
bool Streamer::receive_pump(Time now) {
  using Step = streamer::ReceiveChannel::Step;
  const auto t = receive_.next(transfer_, now);
  switch (t.step) {
    case Step::none: return false;
    case Step::fetch: begin(Job::rx_fetch, t.address, t.bytes, Direction::read, now); break;
    case Step::data: begin(Job::rx_data, t.address, t.bytes, Direction::write, now); break;
    case Step::status: begin(Job::rx_status, t.address, t.bytes, Direction::write, now); break;
  }
  return true;
}

void Streamer::stop_receive(Time now) {
  if (job_ == Job::rx_fetch || job_ == Job::rx_data || job_ == Job::rx_status) {
    host_.cancel_transfer(now);
    job_ = Job::none;
  }
  receive_.stop();
}

}  // namespace planar::ethernet
