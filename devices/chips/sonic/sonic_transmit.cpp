// SPDX-License-Identifier: GPL-2.0-or-later
// SONIC: transmitter, transmit descriptors, loopback.
#include <algorithm>

#include "devices/chips/sonic/sonic.hpp"

namespace planar::ethernet {
namespace {

// Fields of a transmit descriptor before its fragments, and of each fragment.
enum Field : unsigned { status, config, packet_size, fragment_count, fragments };
constexpr unsigned fragment_fields = 3;
// TCR.EXD: a longer deferral gives up the frame, unless TCR.EXDIS is set (data sheet).
constexpr Time excessive_deferral = 3'200_us;
constexpr std::uint16_t config_bits = 0xF000, aborts = Sonic::BCM | Sonic::EXC | Sonic::FU | Sonic::EXD;

}  // namespace

unsigned Sonic::transmit_threshold() const {
  static constexpr unsigned bytes[] = {8, 16, 24, 28};
  return bytes[regs_[DCR] & TFT];
}

// Config, size, count and the first fragment's three words are read, then data up to the threshold, where transmission
// starts.
void Sonic::begin_transmit(Time now) {
  regs_[TTDA] = regs_[CTDA] & static_cast<std::uint16_t>(~EOL);
  descriptor_read_.at(claim_bus(6 + transmit_threshold() / width(), now));
}

void Sonic::descriptor_read(Time now) {
  if (port_.busy()) return;  // a frame cut by a reset is still on the wire; its end calls this again
  const std::uint16_t before = regs_[TCR];
  regs_[TCR] = load(field_at(UTDA, regs_[TTDA], config)) & config_bits;
  if (regs_[TCR] & TCR_PINT && !(before & TCR_PINT)) raise(PINT, now);  // on each 0 to 1 transition of the bit
  std::vector<std::uint8_t> frame;
  if (!fetch_frame(frame)) {
    finish_transmit(0, now);
    return;
  }
  if (loopback() == 1 || loopback() == 2) {  // through the MAC or the ENDEC, not to the wire
    loop_frame_ = std::move(frame);
    looped_.at(now + port_.byte_time() * static_cast<std::int64_t>(8 + loop_frame_.size()));
    return;
  }
  if (loopback() == 3) loop_frame_ = frame;
  port_.transmit(frame, now);
  if (!port_.transmitting() && !(regs_[TCR] & EXDIS)) deferral_.at(now + excessive_deferral);
}

// Packet size and the sum of the fragments must agree (BCM); until the difference is found, the frame is sent. Returns
// false if there is not even a first byte.
bool Sonic::fetch_frame(std::vector<std::uint8_t>& frame) {
  const std::uint16_t tda = regs_[TTDA];
  regs_[TPS] = load(field_at(UTDA, tda, packet_size));
  regs_[TFC] = load(field_at(UTDA, tda, fragment_count));
  fragments_.clear();
  frame.reserve(regs_[TPS] + net::fcs_bytes);
  std::uint32_t total = 0;
  for (unsigned i = 0; i < regs_[TFC] && total <= regs_[TPS]; ++i) {
    const unsigned first = fragments + fragment_fields * i;
    regs_[TSA0] = load(field_at(UTDA, tda, first));
    regs_[TSA1] = load(field_at(UTDA, tda, first + 1));
    regs_[TFS] = load(field_at(UTDA, tda, first + 2));
    const std::uint32_t address = at(TSA1, regs_[TSA0]);
    const std::uint32_t bytes = std::min<std::uint32_t>(regs_[TFS], regs_[TPS] - total);
    if (bytes) fragments_.push_back({address & config_.address_mask, total, bytes});
    for (std::uint32_t n = 0; n < bytes;) {
      const std::uint32_t at = (address + n) & config_.address_mask;
      const std::uint32_t straight = std::min(bytes - n, config_.address_mask - at + 1);
      frame.resize(frame.size() + straight);
      host_.memory_copy(at, std::span(frame).last(straight));
      n += straight;
    }
    total += regs_[TFS];
  }
  mismatch_ = total != regs_[TPS] || frame.empty();
  if (!mismatch_ && !(regs_[TCR] & CRCI)) net::append_fcs(frame);
  return !frame.empty();
}

void Sonic::transmit_begins(Time) {
  deferral_.cancel();
  carrier_seen_ = port_.plugged();
}

void Sonic::deferred_too_long(Time now) {
  if (!port_.busy() || port_.transmitting() || !port_.carrier() || orphan_) return;
  port_.abandon(now);
  finish_transmit(EXD | DEF, now);
}

void Sonic::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  deferral_.cancel();
  if (orphan_) {
    orphan_ = false;
    if (regs_[CR] & TXP && !descriptor_read_.pending()) descriptor_read_.at(now);
    return;
  }
  counters_.collisions += outcome.collisions;
  auto status = static_cast<std::uint16_t>(outcome.collisions << 11);
  if (outcome.deferred) status |= DEF;
  if (outcome.late_collision) status |= OWC;
  switch (outcome.result) {
    case net::TransmitResult::ok:
      if (loopback() == 3)
        looped(now);
      else
        finish_transmit(status, now);
      return;
    case net::TransmitResult::carrier_lost:  // sent completely nevertheless
      status |= static_cast<std::uint16_t>(carrier_seen_ ? CRSL : NCRS | CRSL);
      break;
    case net::TransmitResult::excessive_collisions: status |= EXC; break;
    case net::TransmitResult::underrun: status |= FU; break;
    case net::TransmitResult::late_collision:    // retried (see the constructor), and
    case net::TransmitResult::abandoned: break;  // a reset leaves an orphan: neither is reported
  }
  finish_transmit(status, now);
}

// Loopback is complete: the receiver has the frame. Inside the chip no carrier is sensed.
void Sonic::looped(Time now) {
  const std::vector<std::uint8_t> frame = std::move(loop_frame_);
  loop_frame_.clear();
  finish_transmit(loopback() == 3 ? 0 : NCRS | CRSL, now);
  const bool busy = listening_ || receive_done_.pending() || resource_read_.pending();
  if (!(regs_[CR] & RXEN) || busy || frame.size() < 6) return;
  net::Reception r;
  r.first_bit = now;
  r.byte_time = port_.byte_time();
  r.frame = frame;
  r.length = frame.size();
  r.fcs_ok = net::fcs_good(frame);
  overrun_ = storing_ = false;
  matched_ = address_matches(r);
  if (!matched_) return;
  frame_status_ |= LBK;
  begin_storing(now);
  end_reception(r, now);
}

void Sonic::finish_transmit(std::uint16_t status, Time now) {
  if (mismatch_) status |= BCM;
  const bool aborted = status & aborts;
  status_ = static_cast<std::uint16_t>(aborted ? status : status | PTX);
  if (aborted || status & (NCRS | CRSL))
    ++counters_.transmit_errors;
  else
    ++counters_.sent;
  fragments_.clear();
  transmit_done_.at(claim_bus(aborted ? 1 : 2, now));
}

// Writes the status, checks HTX, then reads the link: continues, or ends at the end of the list.
void Sonic::transmit_done(Time now) {
  regs_[TCR] = static_cast<std::uint16_t>((regs_[TCR] & config_bits) | (status_ & 0x07FF));
  store(field_at(UTDA, regs_[TTDA], status), status_, now);
  std::uint16_t& cr = regs_[CR];
  if (status_ & aborts) {
    cr &= static_cast<std::uint16_t>(~TXP);
    raise(TXER | TXDN, now);
    return;
  }
  if (cr & HTX) {
    cr &= static_cast<std::uint16_t>(~TXP);
    raise(TXDN, now);
    return;
  }
  regs_[CTDA] = load(field_at(UTDA, regs_[TTDA], fragments + fragment_fields * regs_[TFC]));
  if (regs_[CTDA] & EOL) {
    cr &= static_cast<std::uint16_t>(~TXP);
    raise(TXDN, now);
    return;
  }
  begin_transmit(now);
}

}  // namespace planar::ethernet
