// SPDX-License-Identifier: GPL-2.0-or-later
// 8255x: address filter, receive FIFO, and the receive unit, which moves frames into the receive frame area.
//
// fifo_ is the FIFO: its last frame may still be arriving, its first is being moved. For each frame the DMA unit
// performs its steps one at a time: data as it arrives, then the RFD's count, then its status; then the next RFD is
// read.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "devices/chips/i8255x/i8255x.hpp"

namespace planar::ethernet {
namespace {

// The RFD's status bits other than C and OK.
constexpr std::uint16_t crc_error = 0x0800, alignment_error = 0x0400, out_of_buffer = 0x0200, overrun = 0x0100,
                        too_short = 0x0080, type_frame = 0x0020, no_match = 0x0004, not_individual = 0x0002;
constexpr std::uint16_t bad = crc_error | alignment_error | overrun | too_short;
// Count field of an RFD and of an RBD.
constexpr std::uint16_t EOF_ = 0x8000, F = 0x4000, count_mask = 0x3FFF;
constexpr std::uint32_t rbd_end_of_list = 0x8000;
constexpr std::uint32_t rfd_bytes = 16, rbd_bytes = 16;
constexpr std::uint32_t nowhere = 0xFFFFFFFF;

std::array<std::uint8_t, 2> halves(std::uint32_t value) {
  return {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8)};
}

}  // namespace

// ---- SCB commands ----

void I8255x::ru_start(Time now) {
  if (ru_state_ == Ru::ready) return;
  ru_state_ = Ru::ready;
  ru_dma_.cancel(now);  // of an RBD resume
  ru_job_ = RuJob::none;
  rfd_ = ru_base_ + pointer_;
  rfd_read_ = false;
  rbd_ = {};
  drain(now);
}

void I8255x::ru_resume(Time now) {
  if (ru_state_ != Ru::suspended) return;
  ru_state_ = Ru::ready;
  drain(now);
}

// The last RBD is read again: another one has been linked to it.
void I8255x::rbd_resume(Time now) {
  if (ru_state_ == Ru::no_rbds && ru_job_ == RuJob::none) read_for(RuJob::rbd_resume, rbd_.address, rbd_bytes, now);
}

void I8255x::ru_abort(Time now) {
  const bool was_ready = ru_state_ == Ru::ready;
  ru_dma_.cancel(now);
  ru_job_ = RuJob::none;
  ru_state_ = Ru::idle;
  rfd_read_ = false;
  fifo_.clear();
  arriving_ = listening_ = false;
  receive_step_.cancel();
  if (was_ready) raise(RNR, now);
}

// ---- reception ----

bool I8255x::address_matches(const net::Reception& r, std::uint16_t& status) const {
  const net::MacAddress to = r.destination();
  if (to == address_) return true;
  status |= not_individual;
  if (to == net::broadcast_mac && !config_.no_broadcasts()) return true;
  const bool hashed = hash_ >> (net::crc32_remainder(to) >> 2 & 63) & 1;
  if (to[0] & 1 ? to != net::broadcast_mac && (hashed || config_.all_multicasts())
                : hashed && config_.multiple_addresses())
    return true;
  status |= no_match;
  return config_.promiscuous();
}

void I8255x::frame_begins(const net::Reception& r, Time now) {
  if (ru_state_ == Ru::idle || own_loop() || !phy_.connected()) return;
  listening_ = true;
  receive_step_.at(std::max(now, r.arrival(5)));
}

// The address is complete, or enough has arrived for a burst.
void I8255x::receive_step(Time now) {
  const auto r = port_.receiving();
  if (!r || !listening_) return;
  if (!arriving_) {
    Received frame;
    if (r->arrived(now) < 6) return receive_step_.at(r->arrival(5));
    if (!address_matches(*r, frame.status)) {
      listening_ = false;
      return;
    }
    fifo_.push_back(std::move(frame));
    arriving_ = true;
    overrun_ = false;
  }
  drain(now);
}

// Moves what has arrived so far into the FIFO, as far as there is room.
void I8255x::sync(Time now) {
  const auto r = port_.receiving();
  if (!r || !arriving_ || overrun_) return;
  take_in(*r, r->arrived(now));
}

void I8255x::take_in(const net::Reception& r, std::size_t arrived) {
  std::vector<std::uint8_t>& data = fifo_.back().data;
  const std::size_t fits = data.size() + receive_room();
  overrun_ = arrived > fits;
  r.append(data, std::min(arrived, fits));
}

std::uint32_t I8255x::receive_room() const {
  std::uint64_t held = 0;
  for (const Received& f : fifo_) held += f.data.size() - f.moved;
  return timing_.receive_fifo - static_cast<std::uint32_t>(std::min<std::uint64_t>(held, timing_.receive_fifo));
}

void I8255x::frame_ends(const net::Reception& r, Time now) {
  receive_step_.cancel();
  if (!std::exchange(listening_, false)) return;
  take_frame(r, now);
}

// A frame is complete: from the wire (part of it may already be in the FIFO), or from the chip's own transmitter.
void I8255x::take_frame(const net::Reception& r, Time now) {
  if (!arriving_) {
    Received frame;
    if (r.length < 6 || ru_state_ == Ru::idle || !address_matches(r, frame.status)) return;
    fifo_.push_back(std::move(frame));
    overrun_ = false;
  }
  arriving_ = false;
  Received& f = fifo_.back();
  if (!overrun_) take_in(r, r.length);
  if (!overrun_ && config_.receive_checksum()) append_checksum(f.data);
  f.complete = true;
  if (f.data.size() >= 14 && (f.data[12] << 8 | f.data[13]) > 1500) f.status |= type_frame;
  if (overrun_) {
    f.status |= overrun;
    ++counters_.overruns;
    if (ru_state_ == Ru::ready) ++counters_.late_bus;
    tally(ru_state_ == Ru::ready ? rx_overrun : rx_resource);
  } else if (!r.fcs_ok && r.length >= net::min_frame_bytes) {
    f.status |= r.dribble ? alignment_error : crc_error;
    tally(r.dribble ? rx_alignment : rx_crc);
  }
  const bool is_short = r.length<net::min_frame_bytes, is_long = r.length> net::max_frame_bytes;
  if (is_short) {
    f.status |= too_short | (r.fcs_ok ? 0 : crc_error);
    tally(rx_short);
  }
  const bool kept =
      config_.save_bad_frames() || !(f.status & bad & ~too_short) || (f.status & overrun && config_.keep_overruns());
  if (!kept || (is_short && config_.discard_short()) || (is_long && !config_.long_frames())) {
    if (fifo_.size() == 1) reclaim(now);
    fifo_.pop_back();
  }
  drain(now);
}

// The one's complement sum of the words after the Ethernet header and 20 bytes of IP header, high byte first, not
// complemented: the driver corrects it for IP options (FreeBSD if_fxp.c, fxp_rxcsum). Its place before an FCS that goes
// to memory too is inferred.
void I8255x::append_checksum(std::vector<std::uint8_t>& frame) const {
  constexpr std::size_t first = 34;
  if (frame.size() < net::fcs_bytes) return;
  const std::size_t end = frame.size() - net::fcs_bytes;
  std::uint32_t sum = 0;
  for (std::size_t n = first; n < end; ++n) sum += std::uint32_t{frame[n]} << (n & 1 ? 0 : 8);
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  frame.insert(frame.begin() + static_cast<std::ptrdiff_t>(end),
               {static_cast<std::uint8_t>(sum >> 8), static_cast<std::uint8_t>(sum)});
}

// The RFD and the RBDs that a frame has started to fill are reused for the next one.
void I8255x::reclaim(Time now) {
  if (ru_job_ >= RuJob::rbd) {
    ru_dma_.cancel(now);
    ru_job_ = RuJob::none;
  }
  if (rfd_read_ && rfd_command_ & SF) rbd_ = {.address = rbd_first_};
}

// ---- the receive unit ----

// The bytes of a frame that go to memory, as far as known: the last four may be the FCS.
std::uint32_t I8255x::payload(const Received& r) const {
  const auto bytes = static_cast<std::uint32_t>(r.data.size());
  if (r.complete && (config_.transfer_fcs() || r.status & overrun)) return bytes;
  return bytes - std::min(bytes, static_cast<std::uint32_t>(net::fcs_bytes));
}

void I8255x::read_for(RuJob job, std::uint32_t address, std::uint32_t bytes, Time now) {
  ru_job_ = job;
  ru_dma_.read(BurstCommand::read, address, bytes, now);
}

void I8255x::write_for(RuJob job, std::uint32_t address, std::span<const std::uint8_t> data, Time now) {
  ru_job_ = job;
  ru_dma_.write(BurstCommand::write, address, data, now);
}

// Performs the next step. A frame's first bytes follow the RFD, up to its size; in flexible mode the rest goes to the
// buffers of RBDs.
void I8255x::drain(Time now) {
  sync(now);
  if (ru_state_ != Ru::ready || ru_job_ != RuJob::none) return;
  if (!rfd_read_) return read_for(RuJob::rfd, rfd_, rfd_bytes, now);
  if (fifo_.empty()) return;
  Received& f = fifo_.front();
  const std::uint32_t here = payload(f);
  if (f.complete && f.moved >= here) return rbd_.open ? close_rbd(EOF_, now) : write_count(now);
  if (!f.complete && here < f.moved + config_.receive_fifo_limit()) {
    const auto r = port_.receiving();
    if (r && !overrun_)
      receive_step_.at(std::max(now, r->arrival(f.moved + config_.receive_fifo_limit() + net::fcs_bytes - 1)));
    return;
  }
  std::uint32_t to = rfd_ + rfd_bytes + f.moved, room = rfd_size_ - std::min(f.moved, rfd_size_);
  if (room == 0 && rfd_command_ & SF && !rbd_.used_up) {
    if (!rbd_.open) return read_for(RuJob::rbd, rbd_.address, rbd_bytes, now);
    if (rbd_.moved == rbd_.size) return close_rbd(0, now);
    to = rbd_.buffer + rbd_.moved;
    room = rbd_.size - rbd_.moved;
  }
  if (room == 0) {  // the rest of the frame is dropped
    f.status |= out_of_buffer;
    f.moved = here;
    return drain(now);
  }
  std::uint32_t bytes = std::min({here - f.moved, room, config_.receive_dma_limit()});
  if (!f.complete && bytes > 3) bytes &= ~3u;  // the odd bytes are moved with later ones
  write_for(RuJob::data, to, std::span(f.data).subspan(f.moved, bytes), now);
}

void I8255x::ru_done(Time now) {
  const RuJob job = std::exchange(ru_job_, RuJob::none);
  if (!ru_dma_.moved()) return ru_abort(now);  // [inferred] as if the driver had stopped it
  switch (job) {
    case RuJob::none: return;
    case RuJob::rfd:
      rfd_command_ = static_cast<std::uint16_t>(ru_dma_.word(0) >> 16);
      rfd_link_ = ru_base_ + ru_dma_.word(4);
      rfd_size_ = ru_dma_.word(12) >> 16 & count_mask;
      rfd_read_ = true;
      if (rfd_command_ & SF) return begin_rbds(ru_dma_.word(8), now);
      break;
    case RuJob::rbd_pointer: break;
    case RuJob::rbd:
      rbd_.link = ru_dma_.word(4);
      rbd_.buffer = ru_dma_.word(8);
      rbd_.size = ru_dma_.word(12) & count_mask;
      rbd_.last = ru_dma_.word(12) & rbd_end_of_list;
      rbd_.moved = 0;
      rbd_.open = true;
      break;
    case RuJob::data: {
      sync(now);  // before there is more room
      const auto bytes = static_cast<std::uint32_t>(ru_dma_.data().size());
      if (rbd_.open) rbd_.moved += bytes;
      fifo_.front().moved += bytes;
      break;
    }
    case RuJob::rbd_count:
      rbd_.open = false;
      rbd_.used_up = rbd_.last;
      if (!rbd_.last) rbd_.address = rbd_.link;
      break;
    case RuJob::count: {
      std::uint16_t& status = fifo_.front().status;
      status |= C;
      if (!(status & (bad | out_of_buffer))) status |= OK;
      return write_for(RuJob::status, rfd_, halves(status), now);
    }
    case RuJob::status: return frame_stored(now);
    case RuJob::rbd_resume:
      if (ru_dma_.word(12) & rbd_end_of_list) return;
      rbd_.address = ru_dma_.word(4);
      rbd_.used_up = false;
      ru_state_ = Ru::ready;
      break;
  }
  drain(now);
}

// The list of RBDs continues from frame to frame; the first RFD gives its start, the others are updated.
void I8255x::begin_rbds(std::uint32_t address, Time now) {
  if (address != nowhere) rbd_.address = address;
  rbd_first_ = rbd_.address;
  if (address != nowhere) return drain(now);
  std::array<std::uint8_t, 4> pointer{};
  for (std::size_t n = 0; n < 4; ++n) pointer[n] = static_cast<std::uint8_t>(rbd_.address >> (8 * n));
  write_for(RuJob::rbd_pointer, rfd_ + 8, pointer, now);
}

void I8255x::close_rbd(std::uint16_t end_of_frame, Time now) {
  write_for(RuJob::rbd_count, rbd_.address, halves(rbd_.moved | F | end_of_frame), now);
}

void I8255x::write_count(Time now) {
  const std::uint32_t bytes = std::min({fifo_.front().moved, payload(fifo_.front()), rfd_size_});
  write_for(RuJob::count, rfd_ + 12, halves(bytes | EOF_ | F), now);
}

// A frame and its RFD are finished.
void I8255x::frame_stored(Time now) {
  const std::uint16_t status = fifo_.front().status;
  fifo_.pop_front();
  rfd_read_ = false;
  rfd_ = rfd_link_;
  if (status & OK) {
    ++counters_.received;
    tally(rx_good);
  } else if (status & out_of_buffer) {
    tally(rx_resource);
  }
  if (cna_.pending()) {  // a delayed CNA is signalled with it
    cna_.cancel();
    stat_ack_ |= CNA;
  }
  Ru next = Ru::ready;
  if (rfd_command_ & SF && rbd_.used_up) next = Ru::no_rbds;
  if (rfd_command_ & S) next = Ru::suspended;
  if (rfd_command_ & EL) next = Ru::no_resources;
  ru_state_ = next;
  raise(next == Ru::ready ? FR : FR | RNR, now);
  drain(now);
}

}  // namespace planar::ethernet
