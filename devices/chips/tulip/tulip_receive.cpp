// SPDX-License-Identifier: GPL-2.0-or-later
// 21140 family: application of the address filter, the receive FIFO, and the receive process.
#include <algorithm>
#include <utility>

#include "devices/chips/tulip/tulip.hpp"

namespace planar::ethernet {
namespace {

/// Shorter arrivals are fragments: no frame is moved before this.
constexpr std::size_t fragment = net::min_frame_bytes;
constexpr std::uint32_t missed_most = 0x1FFFF, fifo_lost_most = 0xFFF;
constexpr std::uint32_t errors = Tulip::R_OF | Tulip::R_CE | Tulip::R_CS | Tulip::R_TL | Tulip::R_RF | Tulip::R_DE;
constexpr std::uint32_t watchdog_off = 0x10;  // CSR15

/// Buffers are whole doublewords.
constexpr std::uint32_t whole(std::uint32_t size) { return size & ~3u; }

void count(std::uint32_t& counter, std::uint32_t most) {
  if (counter < most) ++counter;
}

}  // namespace

// ---- from the wire ----

/// Whether the frame's address passes the filter; sets the descriptor's status accordingly.
bool Tulip::accepts(const net::Reception& r, std::uint32_t& status) const {
  const net::MacAddress to = r.destination();
  const bool group = to[0] & 1;
  if (group) status |= R_MF;
  return csr6_ & PR || (group && csr6_ & PM) || filter_.passes(to);
}

void Tulip::frame_begins(const net::Reception& r, Time now) {
  if (!receive_running_ || !(csr6_ & SR) || looping() || !nway_.connected()) return;
  listening_ = true;
  accepted_ = false;
  receive_watch_.at(std::max(now, r.arrival(fragment - 1)));
}

/// Bytes of it that have arrived.
std::uint32_t Tulip::arrived(const Received& f, Time now) const {
  if (f.ended) return static_cast<std::uint32_t>(f.data.size());
  const auto r = port_.receiving();
  const std::size_t bytes = r ? std::min<std::size_t>(r->arrived(now), longest_received) : 0;
  return std::max(static_cast<std::uint32_t>(bytes), f.moved);
}

std::uint32_t Tulip::receive_level(Time now) const {
  std::uint32_t held = 0;
  for (const Received& f : received_) held += arrived(f, now) - f.moved;
  if (listening_ && !accepted_) held += arrived({}, now);
  return held;
}

// Schedules the next step: the address and 64 bytes are present, enough for a burst is, or a byte finds no room.
void Tulip::receive_watch(Time now) {
  const auto r = port_.receiving();
  if (!r || !listening_) return;
  if (std::uint32_t status = 0; !accepted_ && !accepts(*r, status)) {
    listening_ = false;
    receive_run(now);
    return;
  }
  if (receive_level(now) > config_.receive_fifo) return lose_to_fifo(now);
  if (!accepted_) {
    received_.push_back({});
    accepted_ = true;
  }
  receive_run(now);
  if (listening_) watch_receive(*r, now);
}

void Tulip::watch_receive(const net::Reception& r, Time now) {
  const Received& f = received_.back();
  const std::uint32_t here = arrived(f, now), level = receive_level(now);
  if (here >= std::min<std::size_t>(r.length, longest_received)) return;  // all of it: frame_ends() continues
  const std::uint32_t no_room = here + (config_.receive_fifo - std::min(config_.receive_fifo, level));
  const std::uint32_t burst = f.moved + config_.request - 1;
  Time next = r.arrival(no_room);
  if (burst >= here && burst < longest_received) next = std::min(next, r.arrival(burst));
  receive_watch_.at(next);
}

/// The rest of the frame on the wire is not needed.
void Tulip::end_arrival() {
  listening_ = accepted_ = false;
  receive_watch_.cancel();
}

void Tulip::lose_to_fifo(Time now) {
  ++counters_.overruns;
  ++counters_.late_bus;
  count(fifo_lost_, fifo_lost_most);
  const bool begun = accepted_;
  end_arrival();
  if (begun) {
    Received& f = received_.back();
    f.ended = f.dropped = true;
    f.data.resize(f.moved);
    f.status = R_OF;
    // A frame that the process is not working on is dropped at once.
    if (received_.size() > 1) received_.pop_back();
  }
  receive_run(now);
}

void Tulip::frame_ends(const net::Reception& r, Time now) {
  receive_watch_.cancel();
  if (listening_) {
    std::uint32_t status = 0;
    const bool wanted = (accepted_ || r.length >= fragment || (csr6_ & PB && r.length >= 6)) && accepts(r, status);
    if (wanted) {
      take_frame(r, status, now);
      return;
    }
    if (accepted_) {  // the driver has changed CSR6 meanwhile
      received_.back().ended = received_.back().dropped = true;
      received_.back().data.resize(received_.back().moved);
    }
    end_arrival();
  }
  receive_run(now);
}

void Tulip::take_frame(const net::Reception& r, std::uint32_t status, Time now) {
  if (!accepted_) received_.push_back({});
  end_arrival();
  Received& f = received_.back();
  std::size_t length = r.length;
  if (length > longest_received && !(nway_.read(15) & watchdog_off)) raise(RWT, now);
  if (length > longest_received) {
    length = longest_received;
    status |= R_RW;
  }
  const bool whole_frame = r.fcs_ok && length == r.length;
  if (!whole_frame) status |= R_CE;
  if (r.dribble) status |= R_DB;
  if (r.damaged_from != SIZE_MAX) status |= R_CS;
  if (length < net::min_frame_bytes) status |= R_RF;
  if (length > net::max_frame_bytes) status |= R_TL;
  if (length >= 14 && (r.byte(12) << 8 | r.byte(13)) > 1500) status |= R_FT;
  f.status = status;
  f.ended = true;
  r.append(f.data, length);
  if (receive_level(now) > config_.receive_fifo) {
    accepted_ = true;  // its last bytes found no room
    return lose_to_fifo(now);
  }
  receive_run(now);
}

// ---- the process: one burst at a time ----

void Tulip::fetch_receive(ReceiveWork work, std::uint32_t address, Time now) {
  receive_work_ = work;
  receive_dma_.read(read_command(16), address, 16, now);
}

void Tulip::receive_run(Time now) {
  if (!receive_running_ || bus_failed_ || receive_dma_.busy()) return;
  while (!received_.empty() && received_.front().dropped && frame_first_) {
    receive_offset_ = 0;  // the descriptor takes the next frame
    received_.pop_front();
  }
  if (received_.empty() && !(csr6_ & SR) && !listening_) {
    if (receive_descriptor_.valid) receive_next_ = receive_descriptor_.address;
    receive_descriptor_.valid = receive_running_ = receive_suspended_ = false;
    raise(RPS, now);
    return;
  }
  if (!receive_descriptor_.valid) {
    if (!receive_suspended_ || !received_.empty()) fetch_receive(ReceiveWork::fetch, receive_next_, now);
    return;
  }
  if (!received_.empty()) drain(now);
}

/// Continues with the head of the FIFO.
void Tulip::drain(Time now) {
  const Received& f = received_.front();
  const Descriptor& d = receive_descriptor_;
  const std::uint32_t size1 = whole(d.size1()), size2 = whole(d.size2());
  const std::uint32_t here = arrived(f, now) - f.moved;
  if (f.ended && here == 0) {
    const std::uint32_t status = f.status | (f.status & errors ? R_ES : 0u) | R_LS;
    close_receive(ReceiveWork::close, status | f.moved << 16, now);
    return;
  }
  if (receive_offset_ >= size1 + size2) {
    if (here > 0) fetch_receive(ReceiveWork::fetch_next, next_address(d, csr3_), now);
    return;
  }
  if (!f.ended && here < config_.request) return;
  const bool second = receive_offset_ >= size1;
  const std::uint32_t from = second ? receive_offset_ - size1 : receive_offset_;
  const std::uint32_t address = ((second ? d.buffer2 : d.buffer1) & ~3u) + from;
  std::uint32_t burst = std::min({here, (second ? size2 : size1) - from, burst_limit()});
  if (!f.ended) {
    burst = whole(burst);
    if (const std::uint32_t align = alignment()) {
      const std::uint32_t end = (address + burst) & ~(align - 1);
      if (end > address && end - address < burst) burst = end - address;
    }
  }
  std::vector<std::uint8_t> bytes(burst);
  if (f.ended)
    std::copy_n(f.data.begin() + f.moved, burst, bytes.begin());
  else if (const auto r = port_.receiving())
    r->copy(f.moved, bytes);
  receive_work_ = ReceiveWork::data;
  receive_dma_.write(write_command(address, burst), address, bytes, now);
}

void Tulip::close_receive(ReceiveWork work, std::uint32_t status, Time now) {
  if (frame_first_) status |= R_FS;
  receive_work_ = work;
  receive_dma_.write_word(receive_descriptor_.address, status, now);
}

void Tulip::receive_moved(Time now) {
  const ReceiveWork work = std::exchange(receive_work_, ReceiveWork::none);
  if (!receive_dma_.moved()) return bus_error(now);
  switch (work) {
    case ReceiveWork::none: break;
    case ReceiveWork::fetch: {
      const Descriptor d = fetched(receive_dma_);
      if (!d.valid) {
        suspend_receive(now);
        break;
      }
      receive_descriptor_ = d;
      receive_next_ = next_address(d, csr3_);
      receive_offset_ = 0;
      receive_suspended_ = false;
      break;
    }
    case ReceiveWork::fetch_next: {
      receive_ahead_ = fetched(receive_dma_);
      if (receive_ahead_.valid) {
        close_receive(ReceiveWork::close_middle, 0, now);
        break;
      }
      // The frame ends here for lack of a descriptor.
      Received& f = received_.front();
      if (!f.ended) end_arrival();
      f.ended = true;
      f.dropped = false;
      f.status |= R_DE;
      f.data.resize(f.moved);
      break;
    }
    case ReceiveWork::data: {
      const auto bytes = static_cast<std::uint32_t>(receive_dma_.data().size());
      Received& f = received_.front();
      f.moved += bytes;
      receive_offset_ += bytes;
      if (f.ended && f.moved > f.data.size()) f.data.resize(f.moved);  // lost while the burst was in progress
      break;
    }
    case ReceiveWork::close_middle:
      receive_descriptor_ = receive_ahead_;
      receive_next_ = next_address(receive_ahead_, csr3_);
      receive_offset_ = 0;
      frame_first_ = false;
      break;
    case ReceiveWork::close:
      ++(received_.front().status & errors ? counters_.receive_errors : counters_.received);
      received_.pop_front();
      receive_descriptor_.valid = false;
      frame_first_ = true;
      raise(RI, now);
      break;
  }
  receive_run(now);
  if (const auto r = port_.receiving(); r && accepted_) watch_receive(*r, now);
}

/// The host owns the next descriptor: reported once, and the frame that needs it is lost.
void Tulip::suspend_receive(Time now) {
  if (!received_.empty()) {
    ++counters_.overruns;
    count(missed_, missed_most);
    if (!received_.front().ended) end_arrival();
    received_.pop_front();
  }
  if (std::exchange(receive_suspended_, true)) return;
  raise(RU, now);
}

unsigned Tulip::receive_state() const {
  if (!receive_running_) return 0;
  switch (receive_work_) {
    case ReceiveWork::fetch:
    case ReceiveWork::fetch_next: return 1;
    case ReceiveWork::close_middle:
    case ReceiveWork::close: return 5;
    case ReceiveWork::data: return 7;
    case ReceiveWork::none: break;
  }
  return receive_suspended_ && !receive_descriptor_.valid ? 4 : 3;
}

}  // namespace planar::ethernet
