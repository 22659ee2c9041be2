// SPDX-License-Identifier: GPL-2.0-or-later
// SONIC: address filter, receive buffers, receive descriptors and resources.
//
// A frame's bytes go into the buffer in bursts of the FIFO threshold as they arrive. They are stored only when the
// difference could be observed (a register or memory access, the end of the buffer or of the frame); the result is the
// same as if every burst were an event.
#include <algorithm>

#include "devices/chips/sonic/sonic.hpp"

namespace planar::ethernet {
namespace {

// Fields of a receive descriptor.
enum Field : unsigned { status, byte_count, packet_pointer0, packet_pointer1, sequence, link, in_use };
constexpr std::uint16_t status_bits = 0x01FF;  // of RCR
constexpr std::uint8_t filler = 0xFF;          // pads a frame to whole bus words

}  // namespace

unsigned Sonic::receive_threshold() const {
  static constexpr unsigned bytes[] = {4, 8, 16, 24};
  return bytes[(regs_[DCR] & RFT) >> 2];
}

void Sonic::frame_begins(const net::Reception& reception, Time) {
  if (!(regs_[CR] & RXEN) || loopback() != 0) return;
  listening_ = true;
  matched_ = storing_ = overrun_ = false;
  receive_step_.at(reception.arrival(5));
}

// DCR2.RJCM inverts the CAM match: addresses in it are rejected.
bool Sonic::address_matches(const net::Reception& r) {
  const net::MacAddress to = r.destination();
  const bool broadcast = to == net::broadcast_mac, group = to[0] & 1;
  frame_status_ = broadcast ? BC : group ? MC : 0;
  const std::uint16_t rcr = regs_[RCR];
  if (broadcast && rcr & (BRD | AMC)) return true;
  if (group && rcr & AMC) return true;
  if (!group && rcr & PRO) return true;
  bool in_cam = false;
  for (unsigned i = 0; i < cam_.size(); ++i) {
    if (!(regs_[CE] >> i & 1)) continue;
    bool same = true;
    for (unsigned k = 0; k < to.size(); ++k) same = same && to[k] == (cam_[i][k / 2] >> (8 * (k & 1)) & 0xFF);
    in_cam = in_cam || same;
  }
  return in_cam != bool(regs_[DCR2] & RJCM);
}

// The destination address is complete; or the next byte no longer fits in the buffer.
void Sonic::receive_step(Time now) {
  const auto r = port_.receiving();
  if (!r || !listening_) return;
  if (storing_) {
    sync_receive(now);
    return;
  }
  if (!matched_) matched_ = address_matches(*r);
  if (!matched_) {
    listening_ = false;
    return;
  }
  // The previous frame's descriptor is still being written: the FIFO holds what arrives meanwhile.
  Time ready = now;
  if (receive_done_.pending()) ready = std::max(ready, receive_done_.when());
  if (resource_read_.pending()) ready = std::max(ready, resource_read_.when());
  if (receive_done_.pending() || resource_read_.pending()) {
    if (ready <= r->arrival(fifo_bytes - 1))
      receive_step_.at(ready);
    else
      overrun_ = true;
    return;
  }
  begin_storing(now);
  if (!storing_) return;
  const std::size_t room = std::size_t{buffer_words()} * 2;
  receive_step_.at(r->arrival((room / receive_threshold() + 1) * receive_threshold() - 1));
}

void Sonic::begin_storing(Time now) {
  if (!take_descriptor(now) || exhausted_) return;
  regs_[TRBA0] = regs_[CRBA0];
  regs_[TRBA1] = regs_[CRBA1];
  regs_[TBWC0] = regs_[RBWC0];
  regs_[TBWC1] = regs_[RBWC1];
  stored_ = 0;
  storing_ = true;
}

// After an end of list the link is read once more. If the system has extended the list, the descriptor that the chip
// has kept is released, and the next one taken.
bool Sonic::take_descriptor(Time now) {
  if (!(regs_[CRDA] & EOL)) return true;
  claim_bus(2, now);
  regs_[CRDA] = load(at(URDA, regs_[LLFA]));
  if (regs_[CRDA] & EOL) return false;
  store(field_at(URDA, regs_[LLFA], 1), 0, now);
  return true;
}

void Sonic::sync_receive(Time now) {
  if (!storing_ || overrun_ || receive_done_.pending()) return;
  const auto r = port_.receiving();
  if (!r) return;
  const std::size_t arrived = r->arrived(now);
  store_arrived(arrived - arrived % receive_threshold(), *r, now);
}

void Sonic::store_arrived(std::size_t count, const net::Reception& r, Time now) {
  const std::size_t room = std::size_t{buffer_words()} * 2;
  const std::uint32_t buffer = at(CRBA1, regs_[CRBA0]);
  for (; stored_ < count; ++stored_) {
    if (stored_ >= room) {
      buffer_exceeded(now);
      return;
    }
    store_byte(buffer + stored_, r.byte(stored_), now);
  }
}

// The frame is dropped, its descriptor stays unchanged, and the next buffer is taken.
void Sonic::buffer_exceeded(Time now) {
  storing_ = listening_ = matched_ = false;
  receive_step_.cancel();
  ++counters_.receive_errors;
  raise(RBAE, now);
  next_resource(now);
}

void Sonic::frame_ends(const net::Reception& r, Time now) {
  receive_step_.cancel();
  if (!listening_) return;
  listening_ = false;
  if (matched_) end_reception(r, now);
}

void Sonic::end_reception(const net::Reception& r, Time now) {
  const bool stored = storing_;
  const auto drop = [&] {
    storing_ = false;
    if (resource_owed_) next_resource(now);
  };
  if (r.length < net::min_frame_bytes && !(regs_[RCR] & RNT)) return drop();
  if (overrun_) {
    ++counters_.overruns;
    missed(now);
    raise(RFO, now);
    return drop();
  }
  // An incomplete last byte is an alignment error only if the CRC is wrong too, and then instead of a CRC error.
  if (!r.fcs_ok) {
    ++counters_.receive_errors;
    if (r.dribble)
      tally(FAET, FAE, now);
    else
      tally(CRCT, CRC, now);
    if (!(regs_[RCR] & ERR)) return drop();
  }
  if (!stored) return missed(now);
  store_arrived(r.length, r, now);
  if (!storing_) return;  // its last bytes did not fit
  frame_status_ |= r.fcs_ok ? PRX : r.dribble ? FAER : CRCR;
  if (r.damaged_from != SIZE_MAX) frame_status_ |= COL;
  // The rest of the FIFO, five words of status, the link, and the release.
  receive_done_.at(claim_bus(1 + 7, now));
}

void Sonic::missed(Time now) {
  ++counters_.missed;
  tally(MPT, MP, now);
}

void Sonic::receive_done(Time now) {
  storing_ = false;
  const unsigned w = width();
  const std::uint32_t buffer = at(TRBA1, regs_[TRBA0]), padded = (stored_ + w - 1) / w * w;
  for (std::uint32_t n = stored_; n < padded; ++n) store_byte(buffer + n, filler, now);
  const std::uint32_t end = buffer + padded, left = buffer_words() - std::min(buffer_words(), padded / 2);
  regs_[CRBA0] = static_cast<std::uint16_t>(end);
  regs_[CRBA1] = static_cast<std::uint16_t>(end >> 16);
  regs_[RBWC0] = static_cast<std::uint16_t>(left);
  regs_[RBWC1] = static_cast<std::uint16_t>(left >> 16);
  const bool last = left < regs_[EOBC];
  if (last) frame_status_ |= LPKT;
  regs_[RCR] = static_cast<std::uint16_t>((regs_[RCR] & ~status_bits) | frame_status_);

  const std::uint16_t rda = regs_[CRDA];
  store(field_at(URDA, rda, status), regs_[RCR], now);
  store(field_at(URDA, rda, byte_count), static_cast<std::uint16_t>(stored_), now);
  store(field_at(URDA, rda, packet_pointer0), regs_[TRBA0], now);
  store(field_at(URDA, rda, packet_pointer1), regs_[TRBA1], now);
  store(field_at(URDA, rda, sequence), regs_[RSC], now);
  if (frame_status_ & PRX) ++counters_.received;
  regs_[LLFA] = static_cast<std::uint16_t>(field_at(URDA, rda, link));
  regs_[CRDA] = load(at(URDA, regs_[LLFA]));
  std::uint16_t causes = PKTRX;
  if (regs_[CRDA] & EOL)
    causes |= RDE;
  else
    store(field_at(URDA, rda, in_use), 0, now);
  raise(causes, now);

  if (last || resource_owed_)
    next_resource(now);
  else
    regs_[RSC] = static_cast<std::uint16_t>((regs_[RSC] & 0xFF00) | ((regs_[RSC] + 1) & 0x00FF));
}

// While RBE is set there is no other resource: the receiver waits until it is cleared.
void Sonic::next_resource(Time now) {
  if (regs_[ISR] & RBE)
    exhausted_ = true;
  else if (!resource_read_.pending())
    resource_read_.at(claim_bus(4, now));
}

void Sonic::resource_read(Time now) {
  const std::uint16_t rrp = regs_[RRP];
  regs_[CRBA0] = load(field_at(URRA, rrp, 0));
  regs_[CRBA1] = load(field_at(URRA, rrp, 1));
  regs_[RBWC0] = load(field_at(URRA, rrp, 2));
  regs_[RBWC1] = load(field_at(URRA, rrp, 3));
  regs_[RRP] = static_cast<std::uint16_t>(rrp + 4 * width());
  if (regs_[RRP] == regs_[REA]) regs_[RRP] = regs_[RSA];
  exhausted_ = resource_owed_ = false;
  // The sequence number counts buffers in its upper byte and the frames of each in its lower.
  if (regs_[CR] & RRRA)
    regs_[CR] &= static_cast<std::uint16_t>(~RRRA);
  else
    regs_[RSC] = static_cast<std::uint16_t>((regs_[RSC] & 0xFF00) + 0x0100);
  if (regs_[RRP] == regs_[RWP]) raise(RBE, now);  // this was the last one: a warning, reception continues
}

}  // namespace planar::ethernet
