// SPDX-License-Identifier: GPL-2.0-or-later
// TMS380: transmit lists. A whole frame is fetched into local RAM and then sent; while it is on the ring further ones
// are fetched, as far as there are buffers.
#include <algorithm>

#include "devices/chips/tms380/tms380.hpp"
#include "devices/medium/ring/ring.hpp"

namespace planar::tokenring {
namespace {

enum Step : std::uint8_t { look, list_read, prepared, data_read };
// Bytes of each buffer used for its own link and state.
constexpr std::uint32_t buffer_overhead = 8;
// Highest priority for LLC unless a ring parameter server has changed it (802.5).
constexpr std::uint8_t allowed_priority = 3;
constexpr std::uint8_t fc_undefined = 0x80, fc_attention = 0x0F;
constexpr std::size_t mac_class_at = net::ring_header_bytes + 2;
constexpr std::uint8_t frame_status_bits = 0xFF;
constexpr std::size_t ring_framing = net::ring_start_bytes + net::fcs_bytes + net::ring_end_bytes;

}  // namespace

std::uint32_t Tms380::buffers_of(std::size_t bytes) const {
  const std::uint32_t room = parameters_.buffer_bytes - buffer_overhead;
  return std::max<std::uint32_t>(1, (static_cast<std::uint32_t>(bytes) + room - 1) / room);
}

// The frame being fetched occupies all its buffers from the start.
std::uint32_t Tms380::transmit_buffers() const {
  std::uint32_t used = building_.lists.empty() ? 0 : buffers_of(frame_size_);
  for (const Outgoing& frame : outgoing_) used += buffers_of(frame.data.size());
  return used;
}

// ---- fetching ----

void Tms380::do_fetch(Time now) {
  switch (step_) {
    case look:
      step_ = list_read;
      dma(transmit_list_, parameters_.transmit_list, Direction::read, now);
      return;
    case list_read: list_fetched(now); return;
    case prepared: next_fragment(now); return;
    default:
      building_.data.insert(building_.data.end(), transfer_.begin(), transfer_.end());
      ++fragment_;
      next_fragment(now);
  }
}

/// For a snapshot: the rest of an accepted list must fit in its frame.
bool Tms380::fetch_sound() const {
  if (step_ < prepared) return true;
  if (step_ > prepared && (fragment_ == fragments_.size() || transfer_.size() != fragments_[fragment_].bytes))
    return false;
  std::uint64_t bytes = building_.data.size();
  for (std::size_t n = fragment_; n < fragments_.size(); ++n) bytes += fragments_[n].bytes;
  return !building_.lists.empty() && bytes <= frame_size_;
}

Tms380::ListError Tms380::check_list(const ListHeader& list) const {
  const bool begins = building_.lists.empty();
  if (begins != bool(list.cstat & START_FRAME)) return FRAME_ERROR;
  if (building_.lists.size() >= most_lists) return FRAME_SIZE_ERROR;
  if (begins && !list.frame_size) return FRAME_SIZE_ERROR;
  const std::uint32_t by_buffers = parameters_.transmit_most * (parameters_.buffer_bytes - buffer_overhead);
  const std::size_t by_ring = (ring_speed_ == 16'000'000 ? net::ring_longest_16 : net::ring_longest_4) - ring_framing;
  if (begins && list.frame_size > std::min<std::size_t>(by_buffers, by_ring)) return TRANSMIT_THRESHOLD;
  std::size_t bytes = building_.data.size();
  for (const Fragment& f : fragments_) bytes += f.bytes;
  const std::size_t size = begins ? list.frame_size : frame_size_;
  if (bytes > size || (list.cstat & END_FRAME && bytes != size)) return FRAME_SIZE_ERROR;
  return !(list.cstat & END_FRAME) && list.next & 1 ? ODD_ADDRESS : NO_LIST_ERROR;
}

void Tms380::list_fetched(Time now) {
  const ListHeader list = list_header(fragments_);
  fragment_ = 0;
  if (!(list.cstat & VALID)) {
    transmit_waits_ = true;
    end_task(now);
    return;
  }
  if (const ListError error = check_list(list)) {
    list_error(error, now);
    return;
  }
  if (building_.lists.empty()) {
    const std::uint32_t used = transmit_buffers(), wanted = buffers_of(list.frame_size);
    if (used + wanted > parameters_.transmit_most || used + wanted + receive_buffers() > parameters_.buffers) {
      transmit_blocked_ = true;  // read again when a buffer becomes free
      end_task(now);
      return;
    }
    frame_size_ = list.frame_size;
  }
  building_.lists.push_back(transmit_list_);
  building_.cstats.push_back(list.cstat);
  transmit_cstat_ = list.cstat;
  transmit_next_ = list.next;
  step_ = prepared;
  work(config_.transmit_list, now);
}

void Tms380::next_fragment(Time now) {
  if (fragment_ < fragments_.size()) {
    step_ = data_read;
    dma(fragments_[fragment_].address, fragments_[fragment_].bytes, Direction::read, now);
    return;
  }
  if (transmit_cstat_ & END_FRAME) {
    frame_fetched(now);
    return;
  }
  transmit_list_ = transmit_next_;
  end_task(now);
}

// Checks that need the frame's bytes.
Tms380::ListError Tms380::check_frame() const {
  const std::vector<std::uint8_t>& data = building_.data;
  if (data.size() < net::ring_header_bytes + 1 + net::routing_bytes(data)) return FRAME_SIZE_ERROR;
  if (data[1] & fc_undefined) return ILLEGAL_FRAME_FORMAT;
  if ((data[0] & net::ring_ac::priority) >> 5 > allowed_priority) return ACCESS_PRIORITY_ERROR;
  if (net::is_mac_frame(data)) {
    const std::size_t at = mac_class_at + net::routing_bytes(data);
    if ((data[1] & fc_attention) > 1 || data.size() <= at || !(data[at] & 0x0F)) return UNENABLED_MAC_FRAME;
  }
  return NO_LIST_ERROR;
}

void Tms380::frame_fetched(Time now) {
  if (const ListError error = check_frame()) {
    list_error(error, now);
    return;
  }
  std::vector<std::uint8_t>& data = building_.data;
  const std::uint16_t first = building_.cstats.front();
  if (first & PASS_CRC && data.size() > net::ring_header_bytes + net::fcs_bytes)
    data.resize(data.size() - net::fcs_bytes);  // the port appends one
  if (!(first & PASS_SOURCE)) {
    const auto routed = static_cast<std::uint8_t>(data[8] & net::routing_indicator);
    std::copy(port_.node().begin(), port_.node().end(), data.begin() + 8);
    data[8] |= routed;
  }
  outgoing_.push_back(std::move(building_));
  building_ = {};
  if (transmit_next_ & 1)
    halting_ = true;  // the last list: TRANSMIT ends with it
  else
    transmit_list_ = transmit_next_;
  send_next(now);
  end_task(now);
}

// TRANSMIT ends; frames in local RAM are still sent.
void Tms380::list_error(ListError error, Time now) {
  const std::uint32_t at = building_.lists.empty() ? transmit_list_ : building_.lists.front();
  end_transmit();
  post_list_status(Irq::transmit_status, TRANSMIT, static_cast<std::uint16_t>(LIST_ERROR | unsigned{error}), at);
  end_task(now);
}

void Tms380::end_transmit() {
  transmitting_ = transmit_waits_ = transmit_blocked_ = halting_ = false;
  building_ = {};
  fragments_.clear();
  fragment_ = 0;
}

void Tms380::transmit_halted() {
  const std::uint32_t at = transmit_list_;
  end_transmit();
  post_list_status(Irq::transmit_status, TRANSMIT, COMMAND_COMPLETE, at);
}

// ---- sending ----

void Tms380::send_next(Time now) {
  if (!open_ || port_.busy()) return;
  const auto next = std::find_if(outgoing_.begin(), outgoing_.end(), [](const Outgoing& f) { return !f.finished; });
  if (next != outgoing_.end()) port_.transmit(next->data, now);
}

void Tms380::transmit_ends(const net::RingTransmitOutcome& outcome, Time now) {
  const auto sent = std::find_if(outgoing_.begin(), outgoing_.end(), [](const Outgoing& f) { return !f.finished; });
  if (sent == outgoing_.end()) return;
  sent->finished = true;
  sent->lost = outcome.result != net::RingTransmitOutcome::Result::stripped;
  sent->frame_status = outcome.status;
  if (!sent->lost) ++counters_.sent;
  send_next(now);
  wake(now);
}

// Each list of the frame is closed; the first one carries the frame status.
void Tms380::do_sent(Time now) {
  const Outgoing& frame = outgoing_.front();
  if (step_ < frame.lists.size()) {
    auto cstat = static_cast<std::uint16_t>(frame.cstats[step_] & ~(VALID | TRANSMIT_ERROR | frame_status_bits));
    cstat |= COMPLETE;
    if (frame.lost)
      cstat |= TRANSMIT_ERROR;
    else if (step_ == 0)
      cstat |= frame.frame_status;
    transfer_.resize(2);
    put16(0, cstat);
    const std::uint32_t list = frame.lists[step_++];
    dma(list + 4, 2, Direction::write, now);
    return;
  }
  const bool interrupt =
      std::any_of(frame.cstats.begin(), frame.cstats.end(), [](std::uint16_t c) { return c & FRAME_INTERRUPT; });
  const std::uint32_t first = frame.lists.front();
  outgoing_.pop_front();
  transmit_blocked_ = false;
  if (interrupt) post_list_status(Irq::transmit_status, TRANSMIT, FRAME_COMPLETE, first);
  if (halting_ && outgoing_.empty()) transmit_halted();
  end_task(now);
}

}  // namespace planar::tokenring
