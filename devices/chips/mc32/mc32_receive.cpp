// SPDX-License-Identifier: GPL-2.0-or-later
// From the wire through card RAM to the receive list.
#include <algorithm>

#include "devices/chips/mc32/mc32.hpp"

namespace planar::ethernet {

void Mc32::command_receive(unsigned verb, Time now) {
  switch (verb) {
    case start:
      rx_next_ = get16(rx_mailbox + 2);
      rx_ended_ = false;
      rx_running_ = true;
      check_buffers(now);
      break;
    case restart:
      rx_running_ = true;
      check_buffers(now);
      break;
    case suspend:
      rx_running_ = false;
      respond(halted << 3, now);
      break;
    case abort:
      rx_running_ = false;
      arrived_.clear();
      respond(aborted << 3, now);
      break;
    default: break;
  }
}

bool Mc32::accepts(const net::Reception& reception) const {
  if (filter_ & 1) return true;
  const net::MacAddress to = reception.destination();
  if (to == address_ || to == net::broadcast_mac) return true;
  return std::find(multicast_.begin(), multicast_.end(), to) != multicast_.end();
}

void Mc32::frame_ends(const net::Reception& reception, Time now) {
  if (!booted_ || !indications_) return;  // the 82586 has not been started
  if (reception.length < 6 || !accepts(reception)) return;
  const bool watches = filter_ & 4;
  if (!reception.fcs_ok || reception.length < net::min_frame_bytes || reception.length > net::max_frame_bytes) {
    if (!watches) return;
    if (reception.length < net::min_frame_bytes)
      count(rx_short);
    else if (reception.length > net::max_frame_bytes)
      count(rx_long);
    else
      count(reception.dribble ? rx_alignment : rx_crc);
    return;
  }
  if (arrived_.size() >= timing_.receive_buffers) {
    ++counters_.overruns;
    count(rx_no_buffer);
    return;
  }
  std::vector<std::uint8_t> frame;
  reception.append(frame, reception.length - net::fcs_bytes);
  arrived_.push_back(std::move(frame));
  check_buffers(now);
  dispatch(now);
}

// A frame is present, but the list has ended: reported once, and reception halts until the host restarts it.
void Mc32::check_buffers(Time now) {
  if (!rx_running_ || arrived_.empty() || !list_ended()) return;
  rx_running_ = false;
  respond(out_of_buffers << 3, now);
}

void Mc32::store_frame(Time now) {
  if (!can_receive()) return;  // a command intervened
  put8(rx_next_, BUSY);
  transfer_ = arrived_.front();
  transfer_.resize(std::min<std::size_t>(transfer_.size(), get16(rx_next_ + 4u)));
  work_ = Work::receive_transfer;
  if (transfer_.empty())
    transfer_done(now);
  else
    host_.start_transfer(get32(rx_next_ + 6u), static_cast<std::uint32_t>(transfer_.size()), Direction::write, now);
}

void Mc32::frame_stored(Time now) {
  put16(rx_next_ + 4u, static_cast<std::uint16_t>(transfer_.size()));
  put8(rx_next_, COMPLETED | COMPLETED_OK);
  rx_last_ = rx_next_;
  rx_ended_ = ram_peek(rx_last_ + 1u) & EOL;
  rx_next_ = get16(rx_last_ + 2u);
  if (!arrived_.empty()) arrived_.pop_front();
  ++counters_.received;
  respond(done << 3, now);
  check_buffers(now);
}

}  // namespace planar::ethernet
