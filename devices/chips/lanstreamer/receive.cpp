// SPDX-License-Identifier: GPL-2.0-or-later
// LANStreamer: frames from the ring for the receive channel.
#include <algorithm>

#include "devices/chips/lanstreamer/lanstreamer.hpp"

namespace planar::tokenring {

void LanStreamer::no_buffer(Time now) {
  ++counters_.congested;
  raise(RX_NOBUF, now);
}

void LanStreamer::frame_begins(const net::RingReception& r, Time now) {
  if (ring_ != Ring::open || disabled_ & RX_DIS) return;
  if (net::is_mac_frame(r.frame) && !(copy_all_ & COPY_MAC)) return;  // held back until its end
  cut_short(now);
  receive_.frame_begins();
  receive_.expect_more(r, now);
}

/// A frame whose end will never arrive because the ring was interrupted.
void LanStreamer::cut_short(Time now) {
  if (!receive_.listening()) return;
  receive_.stop_listening();
  if (!moving()) {
    receive_.discard();
    return;
  }
  receive_.arriving().status |= RX_CRC;
  receive_.arriving().complete = true;
  pump(now);
}

void LanStreamer::expect_more(Time now) {
  if (const auto r = port_.receiving()) receive_.expect_more(*r, now);
}

void LanStreamer::catch_up(Time now) {
  if (const auto r = port_.receiving()) receive_.gather(*r, now);
}

void LanStreamer::buffer_returned(bool last, Time now) {
  rx_status_ = streamer::get32(transfer_, 0);
  raise(last ? RX_EOF : RX_EOB, now);
}

void LanStreamer::more_arrived(Time now) {
  const auto r = port_.receiving();
  if (!r) {
    cut_short(now);
    return;
  }
  receive_.gather(*r, now);
  receive_.expect_more(*r, now);
  pump(now);
}

bool LanStreamer::frame_ends(const net::RingReception& r, Time now) {
  if (ring_ != Ring::open) return false;
  if (net::is_mac_frame(r.frame) && !(copy_all_ & COPY_MAC)) return r.good && pass_to_local_buffers(r, now);
  if (!receive_.listening()) return false;  // reception is disabled, or the frame was dropped meanwhile
  receive_.stop_listening();
  streamer::ReceiveChannel::Frame& f = receive_.arriving();
  const bool has_moved = moving();
  if (!f.status) {
    receive_.gather_rest(r, r.length - std::min(r.length, net::fcs_bytes));
    if (!r.good) f.status |= RX_CRC;
  }
  const bool copied = f.status == 0 && (has_moved || receive_.has_buffers());
  if (f.status && !has_moved) {
    receive_.discard();
    return false;
  }
  f.complete = true;
  pump(now);
  return copied;
}

}  // namespace planar::tokenring
