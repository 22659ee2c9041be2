// SPDX-License-Identifier: GPL-2.0-or-later
// Streamer: frames from the wire for the receive channel.
#include <algorithm>

#include "devices/chips/etherstreamer/streamer.hpp"

namespace planar::ethernet {

bool Streamer::accepts(const net::Reception& r) const {
  const net::MacAddress to = r.destination();
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

void Streamer::expect_more(Time now) {
  if (const auto r = port_.receiving()) receive_.expect_more(*r, now);
}

void Streamer::catch_up(Time now) {
  if (const auto r = port_.receiving()) receive_.gather(*r, now);
}

void Streamer::buffer_returned(bool last, Time now) {
  if (last) raise(RX_EOF, now);
}

void Streamer::more_arrived(Time now) {
  const auto r = port_.receiving();
  if (!r || !receive_.listening()) return;
  if (!moving() && !accepts(*r)) {
    receive_.stop_listening();
    receive_.discard();
    return;
  }
  receive_.gather(*r, now);
  receive_.expect_more(*r, now);
  pump(now);
}

void Streamer::frame_ends(const net::Reception& r, Time now) {
  if (!receive_.listening()) return;
  receive_.stop_listening();
  streamer::ReceiveChannel::Frame& f = receive_.arriving();
  // A short frame has not been moved yet, and is simply discarded.
  if (r.length < net::min_frame_bytes || (!moving() && !accepts(r))) {
    receive_.discard();
    return;
  }
  if (!f.status) {
    receive_.gather_rest(r, std::min(r.length - net::fcs_bytes, longest));
    if (r.length > net::max_frame_bytes) f.status |= RX_LONG;
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

}  // namespace planar::ethernet
