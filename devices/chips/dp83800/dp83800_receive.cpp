// SPDX-License-Identifier: GPL-2.0-or-later
// DP83800: address filter, the receive FIFO.
#include <algorithm>

#include "devices/chips/dp83800/dp83800.hpp"

namespace planar::ethernet {

std::uint32_t Dp83800::receive_room() const {
  std::uint32_t held = 0;
  for (const Received& r : receive_) held += r.held();
  return config_.receive_fifo - held;
}

void Dp83800::advance_data() {
  if (receive_.empty()) return;
  Received& r = receive_.front();
  r.read = std::min(r.read + 2, static_cast<std::uint32_t>(r.data.size()));
}

void Dp83800::discard() {
  if (!receive_.empty()) receive_.pop_front();
}

bool Dp83800::address_matches(const net::Reception& r) const {
  const net::MacAddress to = r.destination();
  if (to == net::broadcast_mac) return rcr_ & (BRD | AMC);
  if (to[0] & 1) {
    const std::uint32_t bit = net::crc32_remainder(to) >> 26;
    return rcr_ & AMC || (mar_[bit >> 4] >> (bit & 15) & 1);
  }
  bool own = true;
  for (unsigned i = 0; i < to.size(); ++i) own = own && to[i] == (par_[i / 2] >> (8 * (i & 1)) & 0xFF);
  return own || rcr_ & PRO;
}

void Dp83800::frame_begins(const net::Reception& r, Time now) {
  if (!rx_enabled_ || looping()) return;
  listening_ = true;
  overrun_ = false;
  room_check_.at(std::max(now, r.arrival(5)));
}

// The address is complete, or the next byte would find the FIFO full unless the host has read meanwhile.
void Dp83800::room_check(Time now) {
  const auto r = port_.receiving();
  if (!r || !listening_) return;
  if (!address_matches(*r)) {
    listening_ = false;
    return;
  }
  const std::uint32_t room = receive_room();
  const std::size_t fits = room > bookkeeping ? room - bookkeeping : 0;
  if (r->arrived(now) > fits + net::fcs_bytes) {
    overrun_ = true;
    return;
  }
  // The last four bytes may be the FCS, which does not enter the FIFO.
  const Time full = r->arrival(fits + net::fcs_bytes);
  if (full > now) room_check_.at(full);
}

void Dp83800::frame_ends(const net::Reception& r, Time now) {
  room_check_.cancel();
  if (!listening_) return;
  listening_ = false;
  take_frame(r, now);
}

void Dp83800::take_frame(const net::Reception& r, Time now) {
  if (r.length < 6 || !address_matches(r)) return;
  if (r.length < net::min_frame_bytes && !(rcr_ & RNT)) return;
  const std::size_t bytes = r.length - std::min(r.length, net::fcs_bytes);
  // RSR has twelve bits for the length; longer frames are jabber.
  if (overrun_ || bytes > RLEN || bookkeeping + bytes > receive_room()) {
    ++counters_.overruns;
    tally(mpt_, now);
    raise(RFO, now);
    return;
  }
  if (!r.fcs_ok) {
    ++counters_.receive_errors;
    tally(r.dribble ? faet_ : crct_, now);
    if (!(rcr_ & ERR)) return;
  } else {
    ++counters_.received;
  }
  Received f;
  f.status = static_cast<std::uint16_t>(RDONE | bytes |
                                        (r.fcs_ok    ? 0
                                         : r.dribble ? FAE
                                                     : CRCE) |
                                        (r.byte(0) & 1 ? MC : 0));
  r.append(f.data, bytes);
  receive_.push_back(std::move(f));
  raise(PRX, now);
}

}  // namespace planar::ethernet
