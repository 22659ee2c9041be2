// SPDX-License-Identifier: GPL-2.0-or-later
// Am7990: the search for work, the transmitter, loopback.
//
// Phases of a transmission: look (TMD1 is read), loading (the rest of the descriptor is read, the first bytes go into
// the SILO), wire (gap, attempts, back-off), status (the descriptor is written), and immediately the next look. A frame
// that arrives for this station during one of the waits sends the chip back to before the look.
#include <algorithm>

#include "devices/chips/am7990/am7990.hpp"

namespace planar::ethernet {
namespace {

/// A transmitter that has sent more than this number of bytes is babbling (datasheet, CSR0.BABL).
constexpr std::int64_t babble_bytes = 1519;

std::uint32_t buffer_size(std::uint16_t bcnt) { return 4096 - (bcnt & 0x0FFF); }

}  // namespace

// ---- search for work ----

// Between jobs the microprogram waits for TDMD or the end of the poll interval. Only this wait consumes TDMD: if set
// while the chip was busy, it stays set ("the microcode may have been busy when TDMD was set").
void Am7990::look_for_work(Time now) {
  if (!on(STRT | TXON) || transmitting() || storing_ || receive_end_pending_) return;
  if (on(TDMD))
    look_.at(std::max(now, last_look_));
  else if (timing_.poll_interval > Time{})
    look_.at(std::max(now, last_look_ + timing_.poll_interval));
  else
    look_.cancel();
}

void Am7990::look(Time now) {
  if (!on(STRT | TXON) || transmitting() || storing_ || receive_end_pending_) return;
  csr0_ &= static_cast<std::uint16_t>(~TDMD);
  take_work(now);
}

// The other two relevant words of the descriptor are read one DMA cycle later each: a driver that hands over the
// descriptor before it has written the length (Linux sk_mca.c copies it upwards) causes no error when the look falls
// between the two writes.
void Am7990::take_work(Time now) {
  if (!examine_transmit_ring(now)) {
    look_for_work(now);
  } else if (!port_.busy()) {  // a frame cut by a stop is still on the wire; at its end the search is repeated
    loading_ = true;
    descriptor_read_.at(now + words(descriptor_words));
  }
}

/// True if the chip owns the start of a frame. Owned descriptors that start none are returned, at most once round the
/// ring.
bool Am7990::examine_transmit_ring(Time now) {
  for (std::uint32_t n = 0; n < transmit_ring_.length; ++n) {
    const std::uint32_t at = transmit_ring_.here();
    last_look_ = now;
    if (!reachable(at, 8, now)) return false;
    hold_bus(now + words(1));
    tmd1_ = word(at + 2);
    if (!(tmd1_ & OWN)) return false;
    if (tmd1_ & STP) return true;
    store_word(at + 2, tmd1_ & ~OWN);
    transmit_ring_.advance();
  }
  return false;
}

// ---- from memory to the wire ----

void Am7990::load_frame(Time now) {
  loading_ = false;
  frame_.clear();
  chain_.clear();
  chain_done_ = 0;
  buffer_error_ = true;
  for (std::uint32_t n = 0; n < transmit_ring_.length; ++n) {
    const std::uint32_t at = transmit_ring_.at(transmit_ring_.index + n);
    if (!reachable(at, 8, now)) return;
    const std::uint16_t tmd1 = n == 0 ? tmd1_ : word(at + 2);
    if (!(tmd1 & OWN)) break;
    const std::uint32_t buffer = (std::uint32_t{tmd1} & 0xFF) << 16 | word(at);
    const std::uint32_t bytes = buffer_size(word(at + 4));
    if (!reachable(buffer, bytes, now)) return;
    for (std::uint32_t i = 0; i < bytes; ++i) frame_.push_back(host_.local_read(data_address(buffer + i)));
    chain_.push_back({at, static_cast<std::uint32_t>(frame_.size())});
    if (tmd1 & ENP) {
      buffer_error_ = false;
      break;
    }
  }
  if (!(mode_ & DTCR) && !buffer_error_) net::append_fcs(frame_);
  loading_ = true;
  const auto fill = static_cast<unsigned>(std::min(frame_.size(), silo_bytes) + 1) / 2;
  hold_bus(now + words(fill));
  silo_loaded_.at(now + words(1));  // "as soon as the first byte is loaded"
}

void Am7990::silo_loaded(Time now) {
  loading_ = false;
  deferred_ = false;
  requested_ = now;
  if (internal_loopback()) {
    loop_end_.at(now + port_.byte_time() * static_cast<std::int64_t>(8 + frame_.size()));
    return;
  }
  if (buffer_error_) {
    auto longer = frame_;
    longer.insert(longer.end(), net::fcs_bytes, 0);  // the wire needs more than is available
    port_.transmit(longer, now);
  } else {
    port_.transmit(frame_, now);
  }
}

void Am7990::transmit_begins(Time now) {
  if (orphan_) return;
  // The gap after the chip's own frame is not a deferral, but another station's frame is.
  if (port_.collisions() == 0) deferred_ = now - requested_ > port_.bit_time() * net::gap_bits;
  plan_buffer_sent();
  babbled_.at(now + port_.byte_time() * (8 + babble_bytes));
}

void Am7990::plan_buffer_sent() {
  if (chain_done_ + 1 < chain_.size() || (buffer_error_ && chain_done_ < chain_.size()))
    buffer_sent_.at(port_.transmit_start() + port_.byte_time() * (8 + std::int64_t{chain_[chain_done_].end}));
  else
    buffer_sent_.cancel();
}

// A buffer in the middle of a chain is returned to the host; after the last one of a broken chain the SILO underruns.
void Am7990::buffer_sent(Time now) {
  if (!port_.transmitting() || chain_done_ >= chain_.size()) return;
  if (chain_done_ + 1 == chain_.size()) {
    port_.underrun(now);
    return;
  }
  release_buffer();
  plan_buffer_sent();
}

void Am7990::release_buffer() {
  const std::uint32_t at = chain_[chain_done_++].descriptor;
  store_word(at + 2, word(at + 2) & ~OWN);
  transmit_ring_.advance();
}

void Am7990::babbled(Time now) {
  if (port_.transmitting() && !orphan_) raise(BABL, now);
}

// ---- completion ----

void Am7990::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  buffer_sent_.cancel();
  babbled_.cancel();
  if (orphan_) {
    orphan_ = false;
    if (on(STRT | TXON)) look_.at(now);
    return;
  }
  counters_.collisions += outcome.collisions;
  std::uint16_t flags = deferred_ ? DEF : 0;
  if (outcome.collisions == 1) flags |= ONE;
  if (outcome.collisions > 1) flags |= MORE;
  std::uint16_t tmd3 = 0;
  switch (outcome.result) {
    case net::TransmitResult::ok: break;
    case net::TransmitResult::carrier_lost: tmd3 = LCAR; break;  // "the whole frame is sent"
    case net::TransmitResult::late_collision: tmd3 = LCOL; break;
    case net::TransmitResult::excessive_collisions: {
      // Bits from the start of the attempt to the collision, not including the 32 jam bits.
      const std::int64_t bits = (now - outcome.start) / port_.bit_time() - net::jam_bits;
      tmd3 = static_cast<std::uint16_t>(RTRY | std::clamp<std::int64_t>(bits, 0, TDR));
      flags &= static_cast<std::uint16_t>(~(ONE | MORE));
      break;
    }
    case net::TransmitResult::underrun:
    case net::TransmitResult::abandoned: tmd3 = static_cast<std::uint16_t>(UFLO | (buffer_error_ ? BUFF : 0)); break;
  }
  if (outcome.result == net::TransmitResult::ok && loopback() && on(RXON)) {
    // External loopback: the transmitted frame has also been received.
    net::Reception seen;
    seen.frame = frame_;
    seen.length = frame_.size();
    seen.fcs_ok = net::fcs_good(frame_);
    if (accepts(seen) && take_buffer(now)) end_frame(seen, now);
  }
  if (tmd3)
    ++counters_.transmit_errors;
  else
    ++counters_.sent;
  give_back(flags, tmd3, now);
}

/// Writes the frame's status into the present descriptor.
void Am7990::give_back(std::uint16_t flags, std::uint16_t tmd3, Time now) {
  const std::uint32_t at = transmit_ring_.here();
  if (tmd3) store_word(at + 6, tmd3);
  const std::uint16_t kept = word(at + 2) & (STP | ENP | 0xFF);
  store_word(at + 2, static_cast<std::uint16_t>(kept | flags | (tmd3 ? MD1_ERR : 0)));
  transmit_ring_.advance();
  if (tmd3 & UFLO) csr0_ &= static_cast<std::uint16_t>(~(TXON | TDMD));  // until it is reinitialised
  const Time done = now + timing_.transmit_end + words(tmd3 ? 2 : 1);
  status_written_.at(done);
}

void Am7990::status_written(Time now) {
  raise(TINT, now);
  if (on(STRT | TXON) && !storing_ && !receive_end_pending_)
    take_work(now);  // "immediately after it relinquishes the last buffer"
}

// A frame for this station arrives while another waits for the wire: the receiver gets the SILO.
void Am7990::yield_silo(Time now) {
  if (port_.transmitting() || orphan_ || !(loading_ || port_.busy())) return;
  counters_.collisions += port_.collisions();
  ++counters_.yielded;
  port_.abandon(now);
  descriptor_read_.cancel();
  silo_loaded_.cancel();
  buffer_sent_.cancel();
  babbled_.cancel();
  loading_ = false;
}

// ---- internal loopback ----

// The chip has a single CRC generator: it either generates the FCS (DTCR = 0) and checks none, or checks the one in
// memory.
void Am7990::loop_ended(Time now) {
  if (mode_ & COLL) {
    counters_.collisions += port_.mac().attempts;
    give_back(0, RTRY, now);
    return;
  }
  net::Reception seen;
  seen.frame = frame_;
  seen.length = frame_.size();
  seen.fcs_ok = !(mode_ & DTCR) || net::fcs_good(frame_);
  if (on(RXON) && frame_.size() >= 6 && accepts(seen)) {
    if (take_buffer(now))
      end_frame(seen, now);
    else
      missed(now);
  }
  while (chain_done_ + 1 < chain_.size()) release_buffer();
  give_back(0, buffer_error_ ? BUFF | UFLO : 0, now);
}

}  // namespace planar::ethernet
