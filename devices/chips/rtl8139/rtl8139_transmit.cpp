// SPDX-License-Identifier: GPL-2.0-or-later
// RTL8139: the four slots, the transmit FIFO and the transmitter.
#include <algorithm>

#include "devices/chips/rtl8139/rtl8139.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t written_bits = Rtl8139::SIZE | Rtl8139::OWN | Rtl8139::ERTXTH;
constexpr std::uint32_t line = 32;  // bytes for which a plain read is efficient

std::uint32_t start_threshold(std::uint32_t tsd) {
  const std::uint32_t units = (tsd & Rtl8139::ERTXTH) >> 16;
  return units ? 32 * units : 8;
}

}  // namespace

// ---- slots ----

// Writing the size clears the status. A slot in progress keeps the size with which it started.
void Rtl8139::write_tsd(unsigned slot, std::uint32_t value, Time now) {
  tsd_[slot] = value & written_bits;
  start_next(now);
}

void Rtl8139::write_tcr(std::uint32_t value, std::uint32_t lanes, Time now) {
  if (!(cr_ & TE)) return;  // as for RCR without RE
  constexpr std::uint32_t kept = ~std::uint32_t{HWVERID | CLRABT};
  tcr_ = ((tcr_ & ~lanes) | (value & lanes)) & kept;
  port_.mac().attempts = 16 * (1 + ((tcr_ & TXRR) >> 4));
  if (!(value & lanes & CLRABT) || !aborted_) return;
  aborted_ = false;
  tsd_[turn_] &= written_bits & ~std::uint32_t{OWN};
  start_next(now);
}

// TE is cleared: a frame on the wire is completed, and TE reads 1 until then (if_rl.c waits for that). The slots belong
// to the driver again, and the rotation restarts [inferred].
void Rtl8139::disable_transmitter(Time now) {
  if (!given_) stop_transmitter(now);
  for (std::uint32_t& t : tsd_) t |= OWN;
}

// A frame on the wire is cut off without a report.
void Rtl8139::stop_transmitter(Time now) {
  if (given_ && !inside_ends_.pending() && port_.cut(now)) orphan_ = true;
  sending_ = given_ = again_ = aborted_ = false;
  transmit_dma_.cancel(now);
  transmit_due_.cancel();
  starved_.cancel();
  inside_ends_.cancel();
  frame_.clear();
  fetched_ = threshold_ = 0;
  fetch_from_ = now;
  turn_ = 0;
}

void Rtl8139::start_next(Time now) {
  if (!(cr_ & TE) || asleep() || sending_ || aborted_ || tsd_[turn_] & OWN) return;
  if (now < fetch_from_)
    transmit_due_.at(fetch_from_);
  else
    begin_frame(now);
}

void Rtl8139::begin_frame(Time now) {
  const std::uint32_t tsd = tsd_[turn_];
  sending_ = true;
  again_ = false;
  frame_.assign(tsd & SIZE, 0);
  fetched_ = 0;
  threshold_ = start_threshold(tsd);
  if (frame_.empty()) tsd_[turn_] |= OWN;
  fetch(now);
}

void Rtl8139::transmit_due(Time now) {
  if (sending_)
    fetch(now);
  else
    start_next(now);
}

// ---- the FIFO ----

/// How many bytes of the frame have left the FIFO.
std::uint32_t Rtl8139::left(Time now) const {
  if (!port_.transmitting()) return 0;
  const std::int64_t bytes = (now - port_.transmit_start()) / port_.byte_time() - 8;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(bytes, 0, fetched_));
}

// Starts the next burst; the frame leaves when enough of it is present.
void Rtl8139::fetch(Time now) {
  if (transmit_dma_.busy()) return;
  const auto size = static_cast<std::uint32_t>(frame_.size());
  const std::uint32_t burst = std::min(16u << (tcr_ >> 8 & 7), size - fetched_);
  // A frame longer than the FIFO that is backing off has more bytes fetched than the FIFO holds.
  const std::uint32_t room = config_.transmit_fifo - std::min(config_.transmit_fifo, fetched_ - left(now));
  if (burst > 0 && burst <= room) {
    transmit_dma_.read(burst > line ? BurstCommand::read_multiple : BurstCommand::read, (tsad_[turn_] & ~3u) + fetched_,
                       burst, now);
  } else if (burst > room && port_.transmitting()) {
    const std::int64_t wanted = std::int64_t{fetched_} + burst - config_.transmit_fifo;
    transmit_due_.at(std::max(now, port_.transmit_start() + port_.byte_time() * (8 + wanted)));
  }
  if (!given_ && (fetched_ >= threshold_ || burst == 0 || burst > room)) leave(now);
}

// If no target responds, the bus reads ones. Data that arrives after it was due on the wire is useless: the port is
// about to report this. With the last byte the slot belongs to the driver again.
void Rtl8139::fetched(Time now) {
  if (!transmit_dma_.moved()) raise(SERR, now);
  if (starved_.pending() && starved_.when() <= now) return;
  const auto data = transmit_dma_.data();
  std::copy(data.begin(), data.end(), frame_.begin() + fetched_);
  const std::uint32_t first = fetched_;
  fetched_ += static_cast<std::uint32_t>(data.size());
  if (fetched_ == frame_.size()) tsd_[turn_] |= OWN;
  if (given_) patch(first, now);
  watch_fifo(now);
  fetch(now);
}

/// Copies the FIFO's data from byte `first` on into the frame held by the port.
void Rtl8139::patch(std::uint32_t first, Time now) {
  for (std::uint32_t at = first; at < fetched_; ++at)
    port_.patch(at, frame_[at], at + 1 == frame_.size() && !(tcr_ & CRC_OFF), now);
}

// ---- the wire ----

// Data not present yet is sent as zeros unless it arrives in time (fetched() patches it in). A frame that the PHY does
// not transmit, or that loops, is done when it would have left.
void Rtl8139::leave(Time now) {
  const bool inside = looping() || !phy_.connected();
  if (inside && fetched_ < frame_.size()) return;
  if (port_.busy()) return;  // with a frame cut by a reset; its end calls this again
  std::vector<std::uint8_t> frame = frame_;
  if (!(tcr_ & CRC_OFF)) net::append_fcs(frame);
  given_ = true;
  if (inside)
    inside_ends_.at(now + port_.byte_time() * static_cast<std::int64_t>(8 + frame.size()));
  else
    port_.transmit(frame, now);
}

void Rtl8139::transmit_begins(Time now) {
  if (orphan_) return;
  if (port_.collisions() > 0) patch(0, now);  // data that arrived while the previous attempt was jammed
  watch_fifo(now);
  fetch(now);
}

// Schedules the first byte that is due on the wire before the bus has delivered it.
void Rtl8139::watch_fifo(Time now) {
  if (fetched_ >= frame_.size() || !port_.transmitting() || !given_)
    starved_.cancel();
  else
    starved_.at(std::max(now, port_.transmit_start() + port_.byte_time() * (8 + std::int64_t{fetched_})));
}

void Rtl8139::inside_ends(Time now) {
  given_ = false;
  const bool looped = looping();
  if (looped) {
    std::vector<std::uint8_t> frame = frame_;
    if (!(tcr_ & CRC_OFF)) net::append_fcs(frame);
    const net::Reception r = port_.looped(frame, now);
    if (cr_ & RE && !asleep() && !arriving_) {
      begin_reception();
      end_reception(r, now);
    }
  }
  finish(TOK | (looped ? 0u : std::uint32_t{CRS}), TOK_INT, now);
}

void Rtl8139::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  if (orphan_) {
    orphan_ = false;
    if (sending_ && !given_) fetch(now);
    return;
  }
  if (!given_) return;
  given_ = false;
  starved_.cancel();
  counters_.collisions += outcome.collisions;
  const std::uint32_t collided =
      std::min(outcome.collisions, 15u) << 24 | (outcome.late_collision ? std::uint32_t{OWC} : 0);
  switch (outcome.result) {
    case net::TransmitResult::underrun:
      tsd_[turn_] |= collided;
      underrun(now);
      return;
    case net::TransmitResult::excessive_collisions:
      ++counters_.transmit_errors;
      tsd_[turn_] |= collided | TABT;
      transmit_dma_.cancel(now);
      sending_ = false;
      aborted_ = cr_ & TE;
      if (!aborted_) turn_ = 0;
      raise(TER, now);
      return;
    default: break;
  }
  const bool lost = outcome.result == net::TransmitResult::carrier_lost;
  ++(lost ? counters_.transmit_errors : counters_.sent);
  finish(collided | TOK | (lost ? std::uint32_t{CRS} : 0), TOK_INT, now);
}

// The chip reads the frame again and sends it as a whole: TUN is then set without TOK (Realtek's sheet). A second
// underrun, which requires a frame longer than the FIFO, gives it up [inferred].
void Rtl8139::underrun(Time now) {
  ++counters_.underruns;
  tsd_[turn_] |= TUN;
  if (again_ || !(cr_ & TE)) {
    ++counters_.transmit_errors;
    finish(TUN, TER, now);
    return;
  }
  again_ = true;
  transmit_dma_.cancel(now);
  fetched_ = 0;
  threshold_ = std::min(static_cast<std::uint32_t>(frame_.size()), config_.transmit_fifo);
  fetch(now);
}

// At 100 Mbit/s CRS is always set (rtl8139.c).
void Rtl8139::finish(std::uint32_t status, Isr cause, Time now) {
  if (port_.bit_time() < 50_ns) status |= CRS;
  if (tsd_[turn_] & TUN) status &= ~std::uint32_t{TOK};
  tsd_[turn_] |= status;
  sending_ = false;
  transmit_dma_.cancel(now);  // data not fetched yet; for a successful frame only in a damaged snapshot
  frame_.clear();
  fetched_ = 0;
  turn_ = cr_ & TE ? static_cast<std::uint8_t>((turn_ + 1) % slots) : 0;
  fetch_from_ = now + config_.next_frame_fetch_after;
  transmit_due_.cancel();
  raise(cause, now);
  start_next(now);
}

}  // namespace planar::ethernet
