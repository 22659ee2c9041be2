// SPDX-License-Identifier: GPL-2.0-or-later
// RTL8139: address filter, receive FIFO, the ring.
#include <algorithm>

#include "devices/chips/rtl8139/rtl8139.hpp"

namespace planar::ethernet {
namespace {

constexpr std::size_t address_bytes = std::tuple_size_v<net::MacAddress>;
constexpr std::uint32_t header_bytes = 4;
constexpr std::uint32_t mpc_bits = 0xFFFFFF;

/// RCR.RXFTH: bytes in the FIFO that start a burst; the largest value is a whole frame.
std::uint32_t receive_threshold(std::uint32_t rcr) {
  const unsigned n = rcr >> 13 & 7;
  return n == 7 ? UINT32_MAX : 16u << n;
}
std::uint32_t receive_burst(std::uint32_t rcr) {
  const unsigned n = rcr >> 8 & 7;
  return n == 7 ? DmaEngine::longest : 16u << n;
}
constexpr std::uint32_t dwords(std::uint32_t bytes) { return (bytes + 3) & ~3u; }

}  // namespace

// ---- registers ----

// PUN: "CAPR is written but the buffer is empty" (Realtek's sheet).
void Rtl8139::write_capr(std::uint16_t value, Time now) {
  const bool was_empty = empty();
  capr_ = value;
  if (was_empty) raise(PUN, now);
}

void Rtl8139::write_rcr(std::uint32_t value, Time now) {
  rcr_ = value;
  cbr_ &= ring_bytes() - 1;
  move(now);
  schedule_receive(now);
}

void Rtl8139::stop_receiver(Time now) {
  receive_dma_.cancel(now);
  receive_due_.cancel();
  fifo_.clear();
  arriving_ = header_ = ring_full_ = overflowed_ = false;
}

// The ring restarts: rtl8139.c reads from its start after setting RE again.
void Rtl8139::start_receiver() {
  cbr_ = 0;
  capr_ = 0xFFF0;
}

// ISR.RXOVW is written, which also clears a FIFO overflow (Realtek's programming guide, as cited in 8139too.c).
void Rtl8139::dismiss_overflow(Time now) {
  ring_full_ = overflowed_ = false;
  move(now);
  schedule_receive(now);
}

// ---- the FIFO ----

std::uint32_t Rtl8139::fifo_used() const {
  std::uint32_t bytes = 0;
  for (const Received& f : fifo_) bytes += f.held();
  return bytes;
}

std::uint32_t Rtl8139::fifo_room() const {
  const std::uint32_t used = fifo_used();
  return config_.receive_fifo > used ? config_.receive_fifo - used : 0;
}

bool Rtl8139::hears() const { return cr_ & RE && !asleep() && !looping() && phy_.connected(); }

/// The address bits of RSR, or empty for a frame that is not for this station.
std::optional<std::uint16_t> Rtl8139::match(const net::Reception& r) const {
  const net::MacAddress to = r.destination();
  bool own = true;
  for (unsigned n = 0; n < to.size(); ++n) own = own && to[n] == (idr_[n / 4] >> (8 * (n % 4)) & 0xFF);
  const auto if_any = [](bool taken, std::uint16_t bits) { return taken ? std::optional(bits) : std::nullopt; };
  if (to == net::broadcast_mac) return if_any(rcr_ & AB, BAR);
  if (to[0] & 1) {
    const unsigned bit = net::crc32_remainder(to) >> 26;
    return if_any(rcr_ & AM && mar_[bit / 32] >> (bit % 32) & 1, MAR);
  }
  return if_any(rcr_ & AAP || (own && rcr_ & APM), own ? PAM : 0);
}

void Rtl8139::begin_reception() {
  fifo_.emplace_back();
  arriving_ = true;
  addressed_ = false;
}

// Moves the bytes that have arrived since the last call into the FIFO.
void Rtl8139::absorb(const net::Reception& r, std::size_t arrived, Time now) {
  Received& f = fifo_.back();
  const std::size_t end = std::min<std::size_t>(arrived, longest_received), fits = f.data.size() + fifo_room();
  r.append(f.data, std::min(end, fits));
  if (!addressed_ && arrived >= address_bytes) {
    const auto address = match(r);
    if (!address) {
      drop_last();
      return;
    }
    addressed_ = true;
    f.status = *address;
  }
  if (addressed_ && (overflowed_ || fits < end)) lose(now);
}

// A burst in progress for it ends first.
void Rtl8139::drop_last() {
  arriving_ = false;
  if (fifo_.size() == 1 && receive_dma_.busy())
    fifo_.back().dropped = true;
  else
    fifo_.pop_back();
}

// No room in the FIFO for the arriving frame, or no reception until the driver has handled an earlier overflow.
void Rtl8139::lose(Time now) {
  drop_last();
  overflowed_ = true;
  mpc_ = (mpc_ + 1) & mpc_bits;
  ++counters_.overruns;
  if (!ring_full_) ++counters_.fifo;
  raise(FOVW, now);
}

void Rtl8139::frame_begins(const net::Reception& r, Time now) {
  if (!hears()) return;
  begin_reception();
  receive_due_.at(std::max(now, r.arrival(address_bytes - 1)));
}

void Rtl8139::receive_due(Time now) {
  const auto r = port_.receiving();
  if (!r || !arriving_) return;
  absorb(*r, r->arrived(now), now);
  move(now);
  schedule_receive(now);
}

// Schedules the next significant byte: one that finds the FIFO full, or that allows a burst to begin.
void Rtl8139::schedule_receive(Time now) {
  const auto r = port_.receiving();
  if (!arriving_ || !r) {
    receive_due_.cancel();
    return;
  }
  const Received& f = fifo_.back();
  std::size_t byte = f.data.size() + fifo_room();
  const std::uint32_t threshold = receive_threshold(rcr_);
  if (fifo_.size() == 1 && !receive_dma_.busy() && !ring_full_ && threshold != UINT32_MAX)
    byte = std::min<std::size_t>(byte, std::max<std::size_t>(f.moved + threshold, f.data.size() + 1) - 1);
  if (!addressed_) byte = address_bytes - 1;
  if (byte >= std::min<std::size_t>(r->length, longest_received))
    receive_due_.cancel();  // the frame's end comes first
  else
    receive_due_.at(std::max(now, r->arrival(byte)));
}

void Rtl8139::frame_ends(const net::Reception& r, Time now) {
  receive_due_.cancel();
  if (arriving_) end_reception(r, now);
}

void Rtl8139::end_reception(const net::Reception& r, Time now) {
  absorb(r, r.length, now);
  if (arriving_) {
    arriving_ = false;
    Received& f = fifo_.back();
    f.ended = true;
    const bool runt = r.length<net::min_frame_bytes, too_long = r.length> longest_received;
    const bool bad = !r.fcs_ok || too_long;
    if (runt) f.status |= RUNT;
    if (too_long) f.status |= LONG;
    if (!r.fcs_ok) f.status |= r.dribble ? CRC | FAE : CRC;
    if (!runt && !bad) f.status |= RSR_ROK;
    if (bad) ++counters_.receive_errors;
    if (!addressed_ || (runt && !(rcr_ & AR)) || (bad && !(rcr_ & AER))) {
      drop_last();
      if (bad && !runt) raise(RER, now);
    }
  }
  move(now);
}

// ---- the ring ----

void Rtl8139::move(Time now) {
  if (receive_dma_.busy() || asleep()) return;
  if (!fifo_.empty() && fifo_.front().dropped) fifo_.pop_front();
  if (fifo_.empty() || ring_full_) return;
  const Received& f = fifo_.front();
  const std::uint32_t ring = ring_bytes(), size = static_cast<std::uint32_t>(f.data.size());
  const bool last = f.ended && f.held() == 0;
  if (!f.ended && f.held() < receive_threshold(rcr_)) return;
  const bool linear = rcr_ & NOWRAP && ring < 0x10000;  // 64 KB always wraps
  std::uint32_t at = cbr_ + header_bytes + f.moved;
  if (!linear) at &= ring - 1;
  std::uint32_t burst = std::min(f.held(), receive_burst(rcr_));
  if (!linear) burst = std::min(burst, ring - at);
  if (used() + dwords(header_bytes + f.moved + burst) >= ring) {
    ring_full_ = true;
    raise(RXOVW, now);
    return;
  }
  const std::uint32_t base = rbstart_ & ~3u;
  if (!last) {
    receive_dma_.write(BurstCommand::write, base + at, std::span(f.data).subspan(f.moved, burst), now);
    return;
  }
  header_ = true;
  receive_dma_.write_word(base + cbr_, f.status | size << 16, now);
}

void Rtl8139::moved(Time now) {
  if (!receive_dma_.moved()) raise(SERR, now);
  Received& f = fifo_.front();
  if (header_) {
    header_ = false;
    cbr_ = (cbr_ + dwords(header_bytes + static_cast<std::uint32_t>(f.data.size()))) & (ring_bytes() - 1);
    const bool good = f.status & RSR_ROK;
    if (good) ++counters_.received;
    fifo_.pop_front();
    raise(good ? ROK : RER, now);
  } else {
    f.moved += static_cast<std::uint32_t>(receive_dma_.data().size());
  }
  if (const auto r = port_.receiving(); r && arriving_) absorb(*r, r->arrived(now), now);
  move(now);
  schedule_receive(now);
}

}  // namespace planar::ethernet
