// SPDX-License-Identifier: GPL-2.0-or-later
// TMS380: receive lists. A whole frame is stored in local RAM and then moved into the host's lists.
#include <algorithm>

#include "devices/chips/tms380/tms380.hpp"

namespace planar::tokenring {
namespace {

enum Step : std::uint8_t { look, list_read, prepared, data_written, list_written, link_read };
constexpr std::uint8_t frame_status_bits = 0xCC;
constexpr std::uint16_t kept_bits = Tms380::FRAME_INTERRUPT | Tms380::INTERFRAME_WAIT | Tms380::PASS_CRC;

}  // namespace

std::uint32_t Tms380::receive_buffers() const {
  std::uint32_t used = 0;
  for (const Incoming& frame : incoming_) used += buffers_of(frame.data.size());
  return used;
}

// A frame that finds no buffer is not copied; buffers reserved for transmission are not used.
bool Tms380::frame_ends(const net::RingReception& r, Time now) {
  if (!r.good || r.length < net::ring_header_bytes + net::fcs_bytes || !open_ || !receiving_) return false;
  const std::uint32_t others = std::max(transmit_buffers(), parameters_.transmit_least);
  if (receive_buffers() + others + buffers_of(r.length) > parameters_.buffers) {
    ++counters_.overruns;
    return false;
  }
  incoming_.push_back({{r.frame.begin(), r.frame.begin() + static_cast<std::ptrdiff_t>(r.length)}, r.status});
  wake(now);
  return true;
}

// For the first frame, from AC on.
std::uint32_t Tms380::bytes_to_store() const {
  return static_cast<std::uint32_t>(incoming_.front().data.size() - (pass_crc_ ? 0 : net::fcs_bytes));
}

void Tms380::do_receive(Time now) {
  switch (step_) {
    case look:
      step_ = relink_ ? link_read : list_read;
      dma(receive_list_, relink_ ? 4 : parameters_.receive_list, Direction::read, now);
      return;
    case list_read: receive_list_fetched(now); return;
    case prepared: store_fragment(now); return;
    case data_written:
      moved_ += static_cast<std::uint32_t>(transfer_.size());
      ++receive_fragment_;
      store_fragment(now);
      return;
    case list_written: list_closed(now); return;
    default:
      relink_ = false;
      follow(get32(0));
      end_task(now);
  }
}

/// For a snapshot: there is a frame, or the link to the next list is being read without one.
bool Tms380::receive_sound() const { return !incoming_.empty() || (relink_ && (step_ == look || step_ >= link_read)); }

void Tms380::receive_list_fetched(Time now) {
  const ListHeader list = list_header(receive_fragments_);
  receive_fragment_ = 0;
  if (!(list.cstat & VALID)) {
    receive_waits_ = true;
    end_task(now);
    return;
  }
  if (!frame_begun_) pass_crc_ = list.cstat & PASS_CRC;
  receive_cstat_ = list.cstat;
  receive_next_ = list.next;
  step_ = prepared;
  work(config_.receive_list, now);
}

void Tms380::store_fragment(Time now) {
  const std::uint32_t total = bytes_to_store(), left = total - std::min(total, moved_);
  if (!left || receive_fragment_ >= receive_fragments_.size()) {
    close_list(now);
    return;
  }
  const Fragment& f = receive_fragments_[receive_fragment_];
  const std::uint32_t bytes = std::min(left, f.bytes);
  const auto first = incoming_.front().data.begin() + static_cast<std::ptrdiff_t>(moved_);
  transfer_.assign(first, first + static_cast<std::ptrdiff_t>(bytes));
  step_ = data_written;
  dma(f.address, bytes, Direction::write, now);
}

// CSTAT and frame size, in one transfer.
void Tms380::close_list(Time now) {
  auto cstat = static_cast<std::uint16_t>((receive_cstat_ & kept_bits) | COMPLETE);
  if (!frame_begun_) {
    cstat |= START_FRAME | ADDRESS_MATCH;
    cstat |= static_cast<std::uint16_t>(incoming_.front().frame_status & frame_status_bits);
  }
  if (moved_ >= bytes_to_store()) cstat |= END_FRAME;
  transfer_.resize(4);
  put16(0, cstat);
  put16(2, static_cast<std::uint16_t>(frame_begun_ ? 0 : bytes_to_store()));
  step_ = list_written;
  dma(receive_list_ + 4, 4, Direction::write, now);
}

void Tms380::list_closed(Time now) {
  frame_begun_ = moved_ < bytes_to_store();
  if (!frame_begun_) {
    incoming_.pop_front();
    moved_ = 0;
    transmit_blocked_ = false;
    ++counters_.received;
    if (receive_cstat_ & (FRAME_INTERRUPT | INTERFRAME_WAIT))
      post_list_status(Irq::receive_status, RECEIVE, RECEIVE_COMPLETE, receive_list_);
    if (receive_cstat_ & INTERFRAME_WAIT) receive_suspended_ = true;
  }
  follow(receive_next_);
  end_task(now);
}

// An odd pointer ends the chain; after RECEIVE.CONTINUE it is read again.
void Tms380::follow(std::uint32_t next) {
  if (!(next & 1)) {
    receive_list_ = next;
    return;
  }
  relink_ = receive_suspended_ = true;
  post_list_status(Irq::receive_status, RECEIVE, RECEIVE_SUSPENDED, receive_list_);
}

}  // namespace planar::tokenring
