// SPDX-License-Identifier: GPL-2.0-or-later
// LANStreamer: what is on the ring for the receive channel.
#include <algorithm>

#include "devices/chips/lanstreamer/lanstreamer.hpp"

namespace planar::tokenring {

void LanStreamer::no_buffer(Time now) {
  ++counters_.congested;
  raise(RX_NOBUF, now);
}

void LanStreamer::frame_begins(const net::RingReception& r, Time now) {
  if (ring_ != Ring::open || disabled_ & RX_DIS) return;
  if (net::is_mac_frame(r.frame) && !(copy_all_ & COPY_MAC)) return;  // kept back until its end
  cut_short(now);
  receive_.frame_begins();
  expect_more(r, now);
}

/// A frame whose end will not come, because the ring was interrupted.
void LanStreamer::cut_short(Time now) {
  if (!receive_.listening()) return;
  receive_.stop_listening();
  if (!receive_.moving(job_ == Job::rx_data)) {
    receive_.discard();
    return;
  }
  receive_.arriving().status |= RX_CRC;
  receive_.arriving().complete = true;
  pump(now);
}

void LanStreamer::gather(const net::RingReception& r, Time now) {
  receive_.gather(r.arrived(now), [&r](std::size_t k) { return r.frame[k]; });
}

void LanStreamer::expect_more(const net::RingReception& r, Time now) {
  receive_.expect_more([&r](std::size_t k) { return r.arrival(k); }, now);
}

void LanStreamer::catch_up(Time now) {
  if (const auto r = port_.receiving()) gather(*r, now);
}

void LanStreamer::more_arrived(Time now) {
  const auto r = port_.receiving();
  if (!r) {
    cut_short(now);
    return;
  }
  gather(*r, now);
  expect_more(*r, now);
  pump(now);
}

bool LanStreamer::frame_ends(const net::RingReception& r, Time now) {
  if (ring_ != Ring::open) return false;
  if (net::is_mac_frame(r.frame) && !(copy_all_ & COPY_MAC)) return r.good && pass_to_local_buffers(r, now);
  if (!receive_.listening()) return false;  // reception is disabled, or the frame was dropped on its way
  receive_.stop_listening();
  streamer::ReceiveChannel::Frame& f = receive_.arriving();
  const bool moving = receive_.moving(job_ == Job::rx_data);
  if (!f.status) {
    const std::size_t bytes = r.length - std::min(r.length, net::fcs_bytes);
    for (std::size_t k = f.data.size(); k < bytes; ++k) f.data.push_back(r.frame[k]);
    if (receive_.older_bytes() + f.data.size() - f.moved > config_.receive_fifo) receive_.overrun();
    if (!r.good) f.status |= RX_CRC;
  }
  const bool copied = f.status == 0 && (moving || receive_.has_buffers());
  if (f.status && !moving) {
    receive_.discard();
    return false;
  }
  f.complete = true;
  pump(now);
  return copied;
}

/// Whether a transfer has begun.
bool LanStreamer::receive_pump(Time now) {
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

void LanStreamer::stop_receive(Time now) {
  if (job_ == Job::rx_fetch || job_ == Job::rx_data || job_ == Job::rx_status) abort_job(now);
  receive_.stop();
}

}  // namespace planar::tokenring
